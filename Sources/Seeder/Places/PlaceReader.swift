/// Places from JSON: answers of the Places API in its present form (`places`, or one place) and in the one
/// before (`results`, `result`).
///
/// Only what studios need is looked at; whatever else an answer has (photos, opening hours, reviews) is passed
/// over. What is looked at must be right, or the text is refused as a whole.
/// Source: Places API (New), Text Search and Place Details; Places API, Text Search and Place Details.

internal import DocModel
internal import DocStore
internal import JSON
public import YAML

extension PlacesPage {
  /// LIMIT: bytes of one text; an answer of the API has some ten thousand.
  public static let bytesMax = 64 << 20

  /// How a message about an answer begins that says why there is none.
  static let refusal = "the Places API refused: "

  /// Reads a text, all of it, or throws with its (first ten) errors.
  ///
  /// - Parameter name: what messages call the text, normally the path of a file.
  public static func read(_ bytes: [UInt8], name: String) throws(PlacesFailure) -> PlacesPage {
    var reader = PlaceReader()
    guard bytes.count <= bytesMax else {
      throw PlacesFailure([(0, "the file is larger than \(bytesMax >> 20) MiB; split it")], bytes, name)
    }
    do throws(JSONError) {
      reader.answer(try JSONReader.read(bytes, .file), isElement: false)
    } catch {
      reader.errors.append((error.offset, error.message))
    }
    guard reader.errors.isEmpty else { throw PlacesFailure(reader.errors, bytes, name) }
    return reader.page
  }
}

/// Why a text was not taken. Nothing was written.
public struct PlacesFailure: Error, Sendable, CustomStringConvertible {
  /// At most ten, in the order of the text.
  public let diagnostics: [YAMLDiagnostic]
  /// Whether there are others.
  public let hasMore: Bool

  init(_ errors: [(offset: Int, message: String)], _ bytes: [UInt8], _ name: String) {
    let source = YAMLSource(name: name, bytes: bytes)
    let shown = errors.sorted { $0.offset < $1.offset }.prefix(SeedErrors.shownMax)
    diagnostics = shown.map { error in
      let mark = source.mark(ofByte: error.offset)
      // Lines without end are told by their place alone.
      let isShown = mark.column < Self.columnsMax
      return YAMLDiagnostic(
        file: name, mark: mark, message: error.message,
        sourceLine: isShown ? source.line(Int(mark.line)) ?? "" : "")
    }
    hasMore = errors.count > shown.count
  }

  /// LIMIT: the column up to which a line is shown with its error.
  private static let columnsMax = 10_000

  public var description: String {
    diagnostics.map(\.description).joined(separator: "\n")
      + (hasMore ? "\nthere are more errors; these are the first \(diagnostics.count)" : "")
  }
}

/// Collects places and errors from one text.
private struct PlaceReader {
  var page = PlacesPage()
  var errors: [(offset: Int, message: String)] = []

  /// LIMIT: errors after which looking for others ends.
  private static let errorsMax = 100

  private mutating func fail(_ offset: Int, _ message: String) {
    if errors.count < Self.errorsMax { errors.append((offset, message)) }
  }

  /// An answer; `isElement` inside a list of answers, which holds no other list.
  mutating func answer(_ json: JSONValue, isElement: Bool) {
    if !isElement, let elements = json.elements {
      for element in elements { answer(element, isElement: true) }
    } else if let object = JSONObject(json) {
      answer(object)
    } else {
      fail(json.offset, "an answer of the Places API is an object; found \(json.kindName)")
    }
  }

  private mutating func answer(_ object: JSONObject) {
    do throws(PlaceError) {
      try refuseRefusal(object)
      if let places = try object.array("places") {
        page.nextPageToken = try object.text("nextPageToken")
        for place in places { self.place(place, isOld: false) }
      } else if let results = try object.array("results") {
        page.nextPageToken = try object.text("next_page_token")
        for result in results { place(result, isOld: true) }
      } else if let result = try object.member("result") {
        place(result, isOld: true)
      } else if try object.member("place_id") != nil {
        place(object, isOld: true)
      } else if try object.hasAny("id", "displayName") {
        place(object, isOld: false)
      } else if !object.isEmpty, try !object.hasAny("nextPageToken", "status") {
        // The API answers `{}` when it finds nothing.
        fail(
          object.offset,
          "this is no answer of the Places API: it has no `places`, no `results`, no `result` and no `id`")
      }
    } catch {
      fail(error.offset, error.message)
    }
  }

  /// An answer that says why there is none.
  private func refuseRefusal(_ object: JSONObject) throws(PlaceError) {
    if let error = try object.object("error") {
      let message = try error.text("message") ?? "no reason given"
      throw PlaceError(error.offset, PlacesPage.refusal + PlainText.line(message))
    }
    guard let status = try object.member("status"), let text = status.text else { return }
    guard text == "OK" || text == "ZERO_RESULTS" else {
      let reason = try object.text("error_message").map { ": \($0)" } ?? ""
      throw PlaceError(status.offset, PlacesPage.refusal + PlainText.line(text + reason))
    }
  }

  private mutating func place(_ json: JSONValue, isOld: Bool) {
    guard let object = JSONObject(json) else {
      return fail(json.offset, "a place is an object; found \(json.kindName)")
    }
    place(object, isOld: isOld)
  }

  private mutating func place(_ object: JSONObject, isOld: Bool) {
    do throws(PlaceError) {
      page.places.append(isOld ? try Place(old: object) : try Place(new: object))
    } catch {
      fail(error.offset, error.message)
    }
  }
}
