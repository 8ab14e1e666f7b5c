/// Answers of the Places API, and texts that are none.

import DocModel
import Seeder
import Testing
import YAML

@Suite("reading places")
struct PlaceReadingTests {
  static let new =
    #"{"id": "a", "displayName": {"text": "Mat", "languageCode": "en"}, "formattedAddress": "1 Road", "location": {"latitude": 51.5, "longitude": -0.25}, "rating": 4.5, "userRatingCount": 12}"#
  static let old =
    #"{"place_id": "a", "name": "Mat", "formatted_address": "1 Road", "geometry": {"location": {"lat": 51.5, "lng": -0.25}, "viewport": {}}, "rating": 4.5, "user_ratings_total": 12}"#
  static let mat = Place(
    id: "a", name: "Mat", address: "1 Road", location: GeoPoint(latitude: 51.5, longitude: -0.25),
    rating: 4.5,
    ratingCount: 12)

  @Test(
    "both forms, as a search and as a single place, give the same place",
    arguments: [
      #"{"places": [\#(new)]}"#, new, #"{"results": [\#(old)], "status": "OK"}"#,
      #"{"result": \#(old), "status": "OK", "html_attributions": []}"#, old, "[\(new)]",
      #"[{"places": [\#(new)]}, {"results": []}]"#,
    ])
  func shapes(text: String) throws {
    #expect(try page(text).places == [Self.mat])
  }

  @Test(
    "answers without places",
    arguments: ["{}", #"{"places": []}"#, #"{"results": [], "status": "ZERO_RESULTS"}"#, "[]"])
  func nothingFound(text: String) throws {
    let page = try page(text)
    #expect(page.places.isEmpty && page.nextPageToken == nil)
  }

  @Test("what follows is named by a token")
  func tokens() throws {
    #expect(try page(#"{"places": [], "nextPageToken": "t"}"#).nextPageToken == "t")
    #expect(try page(#"{"results": [], "next_page_token": "t", "status": "OK"}"#).nextPageToken == "t")
  }

  @Test(
    "what is left out has a meaning",
    arguments: [
      (
        #"{"id": "a", "displayName": {"text": "M"}, "formattedAddress": "1", "location": {"latitude": 1}}"#,
        Place(
          id: "a", name: "M", address: "1", location: GeoPoint(latitude: 1, longitude: 0), rating: nil,
          ratingCount: 0)
      ),
      (
        #"{"id": "a", "displayName": {"text": "M"}, "formattedAddress": "1", "location": {"longitude": 1}, "rating": null, "businessStatus": "CLOSED_PERMANENTLY"}"#,
        Place(
          id: "a", name: "M", address: "1", location: GeoPoint(latitude: 0, longitude: 1), rating: nil,
          ratingCount: 0, isClosedForGood: true)
      ),
      (
        #"{"place_id": "a", "name": "M", "formatted_address": "1", "geometry": {"location": {"lat": 1, "lng": 2}}, "permanently_closed": true}"#,
        Place(
          id: "a", name: "M", address: "1", location: GeoPoint(latitude: 1, longitude: 2), rating: nil,
          ratingCount: 0, isClosedForGood: true)
      ),
    ])
  func defaults(text: String, place: Place) throws {
    #expect(try page(text).places == [place])
  }

  /// `change` with its marker `‸` before the place of the error.
  static let errors: [(text: String, message: String)] = [
    ("‸", "the file ends here; a value is expected"),
    ("‸7", "an answer of the Places API is an object; found a number"),
    ("[‸[]]", "an answer of the Places API is an object; found a list"),
    (
      "‸{\"a\": 1}",
      "this is no answer of the Places API: it has no `places`, no `results`, no `result` and no `id`"
    ),
    ("{\"places\": ‸{}}", "`places` is a list; found an object"),
    ("{\"places\": [‸5]}", "a place is an object; found a number"),
    ("{\"places\": [‸{}]}", "the place has no `id`; ask for it in the field mask"),
    ("{\"places\": [{\"id\": ‸7}]}", "`id` of a place is a text; found a number"),
    ("{\"places\": [{\"id\": ‸\"\"}]}", "`id` of a place has 1 to 1024 bytes"),
    ("{\"places\": [‸{\"id\": \"a\"}]}", "the place has no `displayName`; ask for it in the field mask"),
    (
      "{\"places\": [{\"id\": \"a\", \"displayName\": ‸{}}]}",
      "displayName has no `text`; ask for it in the field mask"
    ),
    ("{\"results\": [‸{\"place_id\": \"a\"}]}", "the place has no `geometry`; ask for it in the field mask"),
    (
      "‸{\"id\": \"é\",\n\"displayName\": {\"text\": \"M\"}, \"formattedAddress\": \"1\"}",
      "the place has no `location`; ask for it in the field mask"
    ),
    (
      "{\"error\": ‸{\"code\": 403, \"message\": \"no \\u001b[2Jkey\", \"status\": \"PERMISSION_DENIED\"}}",
      "the Places API refused: no  [2Jkey"
    ),
    (
      "{\"status\": ‸\"REQUEST_DENIED\", \"error_message\": \"The key is wrong.\", \"results\": []}",
      "the Places API refused: REQUEST_DENIED: The key is wrong."
    ),
    ("{\"places\": [], ‸\"places\": []}", "`places` stands here twice"),
    ("{\"places\": [\n  \"é\", ‸x]}", "found `x`; a value is expected"),
  ]

  @Test("errors name line and column, counted in letters", arguments: errors)
  func placesOfErrors(text: String, message: String) throws {
    let (text, place) = try marked(text)
    #expect(refusals(text) == ["\(place) \(message)"])
  }

  @Test(
    "a field of the wrong kind or outside its range",
    arguments: [
      (#""rating": ‸"4""#, "`rating` is a number; found a text"),
      (#""rating": ‸5.1"#, "`rating` is 5.1; it lies in 0.0...5.0"),
      (#""rating": ‸-1"#, "`rating` is -1.0; it lies in 0.0...5.0"),
      (#""userRatingCount": ‸1.5"#, "`userRatingCount` is a whole number of at least 0; found 1.5"),
      (#""userRatingCount": ‸-1"#, "`userRatingCount` is a whole number of at least 0; found -1.0"),
      (#""userRatingCount": ‸1e30"#, "`userRatingCount` is a whole number of at least 0; found 1e+30"),
      (#""businessStatus": ‸true"#, "`businessStatus` is a text; found true"),
      (#""rating": 1, ‸"rating": 2"#, "`rating` stands here twice"),
    ])
  func fields(field: String, message: String) throws {
    let (text, place) = try marked(
      #"{"id": "a", "displayName": {"text": "M"}, "formattedAddress": "1", "location": {"latitude": 1}, \#(field)}"#
    )
    #expect(refusals(text) == ["\(place) \(message)"])
  }

  @Test("a name of 200 letters is taken, one of 201 is not")
  func lengths() throws {
    func text(_ count: Int) -> String {
      let name = String(repeating: "é", count: count)
      return
        #"{"id": "a", "displayName": {"text": "\#(name)"}, "formattedAddress": "1", "location": {"latitude": 1}}"#
    }
    #expect(try page(text(200)).places.count == 1)
    #expect(refusals(text(201)) == ["1:37 `text` has 201 characters; 1 to 200 are allowed"])
  }

  @Test("deep nesting, endless lists and many errors are bounded")
  func hostile() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(refusals(deep) == ["1:34 lists and objects are nested too deeply"])
    let wide = "[" + String(repeating: "0,", count: 2_000_000) + "0]"
    #expect(
      refusals(wide).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        == ["the text has more than 2000000 values; split it"])
    let wrong = #"{"places": ["# + String(repeating: "1,", count: 500) + "1]}"
    #expect(refusals(wrong).count == 10)
    #expect(refusals(String(repeating: "\u{0}", count: 10)).count == 1)
  }

  @Test("text that is no UTF-8 is refused")
  func encoding() {
    #expect(throws: PlacesFailure.self) { try PlacesPage.read([0x7B, 0xFF, 0x7D], name: "f.json") }
  }

  // MARK: -

  private func page(_ text: String) throws -> PlacesPage {
    try PlacesPage.read(Array(text.utf8), name: "found.json")
  }

  private func refusals(_ text: String) -> [String] {
    do throws(PlacesFailure) {
      _ = try PlacesPage.read(Array(text.utf8), name: "found.json")
      return []
    } catch {
      return error.diagnostics.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
    }
  }

  /// The text without its marker, and the marker's place.
  private func marked(_ text: String) throws -> (text: String, place: String) {
    let parts = text.split(separator: "‸", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let column = (lines.last ?? "").unicodeScalars.count + 1
    return (parts.joined(), "\(lines.count):\(column)")
  }
}
