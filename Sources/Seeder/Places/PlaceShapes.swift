/// The two shapes that the Places API has for a place.

internal import DocModel
internal import DocStore
internal import JSON

/// What is wrong at which byte.
struct PlaceError: Error {
  let offset: Int
  let message: String

  init(_ offset: Int, _ message: String) {
    self.offset = offset
    self.message = message
  }
}

extension Place {
  /// LIMIT: characters that the rules allow a studio's owner, too (rules/inspired.rules, validStudio).
  private static let nameCharactersMax = 200
  private static let addressCharactersMax = 300
  /// LIMIT: bytes of an id; the API promises no length.
  private static let idBytesMax = 1_024

  /// A place of the present API.
  init(new place: JSONObject) throws(PlaceError) {
    let id = try Self.id(place, "id")
    let name = try place.required("displayName", of: "the place")
    self.init(
      id: id,
      name: try name.text("text", lengths: 1...Self.nameCharactersMax, of: "displayName"),
      address: try place.text("formattedAddress", lengths: 1...Self.addressCharactersMax, of: "the place"),
      location: try Self.point(
        try place.required("location", of: "the place"), "latitude", "longitude"),
      rating: try place.number("rating", in: 0...5),
      ratingCount: try place.count("userRatingCount"),
      isClosedForGood: try place.text("businessStatus") == "CLOSED_PERMANENTLY")
  }

  /// A place of the API before.
  init(old place: JSONObject) throws(PlaceError) {
    let id = try Self.id(place, "place_id")
    let geometry = try place.required("geometry", of: "the place")
    let isClosed = try place.text("business_status") == "CLOSED_PERMANENTLY"
    let isClosedInOldForm = try place.flag("permanently_closed")
    self.init(
      id: id,
      name: try place.text("name", lengths: 1...Self.nameCharactersMax, of: "the place"),
      address: try place.text("formatted_address", lengths: 1...Self.addressCharactersMax, of: "the place"),
      location: try Self.point(try geometry.required("location", of: "geometry"), "lat", "lng"),
      rating: try place.number("rating", in: 0...5),
      ratingCount: try place.count("user_ratings_total"),
      isClosedForGood: isClosed || isClosedInOldForm)
  }

  private static func id(_ place: JSONObject, _ name: String) throws(PlaceError) -> String {
    guard let member = try place.member(name), let id = member.text else {
      let found = try place.member(name)
      throw PlaceError(
        found?.offset ?? place.offset,
        found.map { "`\(name)` of a place is a text; found \($0.kindName)" }
          ?? "the place has no `\(name)`; ask for it in the field mask")
    }
    guard !id.isEmpty, id.utf8.count <= idBytesMax else {
      throw PlaceError(member.offset, "`\(name)` of a place has 1 to \(idBytesMax) bytes")
    }
    return id
  }

  /// The API leaves out a coordinate that is 0.
  private static func point(
    _ object: JSONObject, _ latitude: String, _ longitude: String
  ) throws(PlaceError) -> GeoPoint {
    let north = try object.number(latitude, in: -90...90)
    let east = try object.number(longitude, in: -180...180)
    guard north != nil || east != nil else {
      throw PlaceError(object.offset, "the place's location has neither `\(latitude)` nor `\(longitude)`")
    }
    return GeoPoint(latitude: north ?? 0, longitude: east ?? 0)
  }
}

/// An object of which some members are asked for, each of which may stand there once.
struct JSONObject {
  private let members: [JSONValue.Member]
  let offset: Int

  /// Nil for what is none.
  init?(_ value: JSONValue) {
    guard let members = value.members else { return nil }
    self.members = members
    offset = value.offset
  }

  var isEmpty: Bool { members.isEmpty }

  func hasAny(_ names: String...) throws(PlaceError) -> Bool {
    for name in names where try member(name) != nil { return true }
    return false
  }

  /// A member; null counts as none.
  func member(_ name: String) throws(PlaceError) -> JSONValue? {
    let found = members.filter { $0.name.elementsEqual(name.utf8) }
    guard found.count < 2 else { throw PlaceError(found[1].offset, "`\(name)` stands here twice") }
    return found.first.flatMap { $0.value.isNull ? nil : $0.value }
  }

  func array(_ name: String) throws(PlaceError) -> [JSONValue]? {
    guard let value = try member(name) else { return nil }
    guard let elements = value.elements else { throw wrong(name, value, "a list") }
    return elements
  }

  func object(_ name: String) throws(PlaceError) -> JSONObject? {
    guard let value = try member(name) else { return nil }
    guard let object = JSONObject(value) else { throw wrong(name, value, "an object") }
    return object
  }

  func required(_ name: String, of owner: String) throws(PlaceError) -> JSONObject {
    guard let object = try object(name) else { throw missing(name, owner) }
    return object
  }

  func text(_ name: String) throws(PlaceError) -> String? {
    guard let value = try member(name) else { return nil }
    guard let text = value.text else { throw wrong(name, value, "a text") }
    return text
  }

  func text(_ name: String, lengths: ClosedRange<Int>, of owner: String) throws(PlaceError) -> String {
    guard let value = try member(name), let text = try text(name) else { throw missing(name, owner) }
    guard lengths.contains(text.unicodeScalars.count) else {
      throw PlaceError(
        value.offset,
        "`\(name)` has \(text.unicodeScalars.count) characters; "
          + "\(lengths.lowerBound) to \(lengths.upperBound) are allowed")
    }
    return text
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(PlaceError) -> Double? {
    guard let value = try member(name) else { return nil }
    guard let number = value.number else { throw wrong(name, value, "a number") }
    guard range.contains(number) else {
      throw PlaceError(
        value.offset, "`\(name)` is \(number); it lies in \(range.lowerBound)...\(range.upperBound)")
    }
    // -0 is 0, or seeding would see a difference where there is none.
    return number == 0 ? 0 : number
  }

  /// A whole number of at least 0; 0 when it is not there.
  func count(_ name: String) throws(PlaceError) -> Int64 {
    guard let value = try member(name) else { return 0 }
    guard let number = value.number else { throw wrong(name, value, "a number") }
    guard let count = Int64(exactly: number), count >= 0 else {
      throw PlaceError(value.offset, "`\(name)` is a whole number of at least 0; found \(number)")
    }
    return count
  }

  func flag(_ name: String) throws(PlaceError) -> Bool {
    guard let value = try member(name) else { return false }
    guard let flag = value.boolean else { throw wrong(name, value, "true or false") }
    return flag
  }

  private func wrong(_ name: String, _ value: JSONValue, _ wanted: String) -> PlaceError {
    PlaceError(value.offset, "`\(name)` is \(wanted); found \(value.kindName)")
  }

  private func missing(_ name: String, _ owner: String) -> PlaceError {
    PlaceError(offset, "\(owner) has no `\(name)`; ask for it in the field mask")
  }
}

/// Foreign words on a terminal.
enum PlainText {
  /// LIMIT: characters of foreign words in a message.
  private static let charactersMax = 300

  /// One line without control characters, shortened.
  static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(charactersMax) {
      let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
      line.append(isControl ? " " : scalar)
    }
    return String(line)
  }
}
