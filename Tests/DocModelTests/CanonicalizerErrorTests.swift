import DocModel
import Testing

/// One document that is refused, and why.
struct Refusal: CustomTestStringConvertible {
  let what: String
  let document: [UInt8]
  let message: String

  init(_ what: String, _ fields: [(String, [UInt8])], _ message: String) {
    self.what = what
    document = Raw.document(fields)
    self.message = message
  }

  init(_ what: String, _ value: [UInt8], _ message: String) {
    self.init(what, [("f", value)], message)
  }

  var testDescription: String { what }
}

@Suite("what a document may not hold, in the service's words")
struct CanonicalizerErrorTests {
  private static let invalidF = "Property f contains an invalid nested entity."
  private static let invalidArray = "Property array contains an invalid nested entity."
  private static let unset = "Cannot convert firestore.v1.Value with type unset."
  private static let vectorInArray = "Cannot convert a vector value in an array value."
  private static let arrayInArray = "Cannot convert an array value in an array value."
  private static let longName = String(repeating: "n", count: 1_501)
  private static let longText = String(repeating: "x", count: 1_048_488)

  private static func name(_ count: Int) -> String { String(repeating: "k", count: count) }

  private static let names: [Refusal] = [
    Refusal("empty top-level name", [("", Raw.null)], "The property.name is the empty string."),
    Refusal("empty nested name", Raw.map([("", Raw.null)]), invalidF),
    Refusal("reserved", [("__x__", Raw.null)], "field name __x__ is reserved"),
    Refusal("reserved, four bytes", [("____", Raw.null)], "field name ____ is reserved"),
    Refusal("__name__ at the top", [("__name__", Raw.null)], "field name __name__ is reserved"),
    Refusal("__type__ at the top", [("__type__", Raw.null)], "field name __type__ is reserved"),
    Refusal("reserved nested", Raw.map([("__x__", Raw.null)]), "field name '__x__' is reserved."),
    Refusal("__name__ nested", Raw.map([("__name__", Raw.null)]), "field name '__name__' is reserved."),
    Refusal(
      "reserved in a map in an array", Raw.array([Raw.map([("__x__", Raw.null)])]),
      "field name '__x__' is reserved."),
    Refusal("1,501 bytes", [(longName, Raw.null)], "The property.name is longer than 1500 bytes."),
    Refusal(
      "path of 1,501 bytes", [("a", Raw.map([(name(1_499), Raw.null)]))],
      "Property a contains an invalid nested entity."),
    Refusal(
      "path of three, 1,501 bytes", [("a", Raw.map([("b", Raw.map([(name(1_497), Raw.null)]))]))],
      "Property a contains an invalid nested entity."),
    Refusal("array.c of 1,501 bytes", Raw.array([Raw.map([(name(1_495), Raw.null)])]), invalidArray),
    Refusal(
      "a.array.c of 1,501 bytes", [("a", Raw.map([("b", Raw.array([Raw.map([(name(1_493), Raw.null)])]))]))],
      "Property a contains an invalid nested entity."),
    Refusal(
      "an array's own key counts until the array is entered",
      [("a", Raw.map([(name(1_499), Raw.array([]))]))],
      "Property a contains an invalid nested entity."),
  ]

  private static let lengths: [Refusal] = [
    Refusal("string", Raw.string(longText), "The value of property \"f\" is longer than 1048487 bytes."),
    Refusal(
      "bytes", Raw.bytes(Array(longText.utf8)), "The value of property \"f\" is longer than 1048487 bytes."),
    Refusal(
      "string in an array", Raw.array([Raw.string(longText)]),
      "The value of property \"array\" is longer than 1048487 bytes."),
    Refusal("string in a map", Raw.map([("a", Raw.string(longText))]), invalidF),
    Refusal("string in a map in an array", Raw.array([Raw.map([("a", Raw.string(longText))])]), invalidArray),
    Refusal("21 maps", Raw.nested(21, Raw.null), invalidF),
    Refusal("20 maps and an array", Raw.nested(20, Raw.array([])), invalidF),
    Refusal("array, 20 maps", Raw.array([Raw.nested(20, Raw.null)]), invalidArray),
    Refusal("100 maps", Raw.nested(100, Raw.null), invalidF),
    Refusal("5,000 maps", Raw.nested(5_000, Raw.null), invalidF),
  ]

  private static let kinds: [Refusal] = [
    Refusal("no type set", Raw.unset, unset),
    Refusal("no type set in an array", Raw.array([Raw.unset]), unset),
    Refusal("no type set in a map", Raw.map([("a", Raw.unset)]), unset),
    Refusal("array in array", Raw.array([Raw.array([])]), arrayInArray),
    Refusal("array in array in a map", Raw.map([("a", Raw.array([Raw.array([Raw.null])]))]), arrayInArray),
    Refusal("field reference", Raw.message(19, [0x61]), "Value type is not supported: FIELD_REFERENCE_VALUE"),
    Refusal("function", Raw.message(20, []), "Value type is not supported: FUNCTION_VALUE"),
    Refusal("pipeline", Raw.message(21, []), "Value type is not supported: PIPELINE_VALUE"),
    Refusal("a kind that is unknown", Raw.message(22, [0x61]), unset),
    Refusal(
      "null, then a function", Raw.null + Raw.message(20, []), "Value type is not supported: FUNCTION_VALUE"),
    Refusal("invalid UTF-8 in a string", Raw.message(17, [0xFF]), "a string value is not valid UTF-8"),
    Refusal("invalid UTF-8 in a reference", Raw.message(5, [0xFF]), "a reference is not valid UTF-8"),
    Refusal(
      "latitude", Raw.geoPoint(90.1, 0), "Geo point latitude '90.1' outside permitted range -90.0 to 90.0."),
    Refusal(
      "latitude below", Raw.geoPoint(-91, 181),
      "Geo point latitude '-91.0' outside permitted range -90.0 to 90.0."),
    Refusal(
      "longitude", Raw.geoPoint(0, 181),
      "Geo point longitude '181.0' outside permitted range -180.0 to 180.0."),
    Refusal(
      "latitude that is no number", Raw.geoPoint(.nan, 0),
      "Geo point latitude 'NaN' outside permitted range -90.0 to 90.0."),
    Refusal(
      "infinite longitude", Raw.geoPoint(0, -.infinity),
      "Geo point longitude '-Infinity' outside permitted range -180.0 to 180.0."),
    Refusal("year 10000", Raw.timestamp(253_402_300_800, 0), "Timestamp seconds exceeds limit for field."),
    Refusal("year 0", Raw.timestamp(-62_135_596_801, 0), "Timestamp seconds exceeds limit for field."),
    Refusal("negative nanoseconds", Raw.timestamp(1, -1), "Timestamp nanos exceeds limit for field."),
    Refusal(
      "a second of nanoseconds", Raw.timestamp(1, 1_000_000_000), "Timestamp nanos exceeds limit for field."),
    Refusal(
      "seconds before nanoseconds", Raw.timestamp(.max, -1), "Timestamp seconds exceeds limit for field."),
  ]

  private static let root = "projects/p/databases/d/documents"
  private static let references: [Refusal] = [
    Refusal("empty reference", Raw.reference(""), "Resource name \"\" lacks \"projects\" at index 0."),
    Refusal(
      "database", Raw.reference("projects/p/databases/d"),
      "Non-document resource reference value not supported."),
    Refusal(
      "documents", Raw.reference(root),
      "Resource name \"\(root)\" is invalid: Omit \"/documents\" when referencing a database "
        + "(except as the parent of a document)."),
    Refusal("collection", Raw.reference(root + "/c"), "Resource name \"\(root)/c\" lacks \"/\" at index 34."),
    Refusal(
      "reserved id", Raw.reference(root + "/c/__x__"),
      "Resource id \"__x__\" is invalid because it is reserved."),
    Refusal(
      "long id", Raw.reference(root + "/c/" + longName),
      "The key path element name is longer than 1500 bytes."),
  ]

  private static func special(_ entries: [(String, [UInt8])]) -> [UInt8] {
    Raw.map([("__type__", Raw.string("__vector__"))] + entries)
  }

  private static let one = Raw.double(1)
  private static let vectors: [Refusal] =
    [
      (Raw.null, "NULL"), (Raw.boolean(true), "BOOLEAN"), (Raw.integer(1), "LONG"), (one, "DOUBLE"),
      (Raw.timestamp(0, 0), "TIMESTAMP"), (Raw.bytes([]), "BYTES"), (Raw.reference("x"), "ENTITY_REF"),
      (Raw.geoPoint(0, 0), "GEO_POINT"), (Raw.array([]), "ARRAY"), (Raw.map([]), "MAP"),
    ].map { value, kind in
      Refusal(
        "__type__ of kind \(kind)", Raw.map([("__type__", value)]),
        "Field __type__ must be a string; founds \(kind).")
    } + [
      Refusal("__type__ without type", Raw.map([("__type__", Raw.unset)]), unset),
      Refusal("another __type__", Raw.map([("__type__", Raw.string("x"))]), invalidF),
      Refusal(
        "another __type__ in an array", Raw.array([Raw.map([("__type__", Raw.string("x"))])]), invalidArray),
      Refusal("no value", special([]), "Vector map is missing key 'value'."),
      Refusal("no value, one too many", special([("z", Raw.null)]), "Vector map is missing key 'value'."),
      Refusal(
        "value not an array", special([("value", Raw.null), ("z", Raw.null)]),
        "Vector value type must be an array."),
      Refusal(
        "one too many", special([("value", Raw.array([])), ("z", Raw.null)]),
        "Vector value map has extraneous entries."),
      Refusal("no dimension", Raw.vector([]), "Cannot have a zero length vector."),
      Refusal(
        "2,049 integers", Raw.vector([[UInt8]](repeating: Raw.integer(1), count: 2_049)),
        "Vectors must be at most 2048 dimensions."),
      Refusal(
        "an integer behind a NaN", Raw.vector([Raw.double(.nan), Raw.integer(1)]),
        "Vector must only contain values of type 'double'"),
      Refusal("in an array", Raw.array([Raw.vector([one])]), vectorInArray),
      Refusal("in an array in a map", Raw.map([("a", Raw.array([one, Raw.vector([one])]))]), vectorInArray),
      Refusal(
        "in an array in a map in an array", Raw.array([Raw.map([("a", Raw.array([Raw.vector([one])]))])]),
        vectorInArray),
      Refusal("a NaN in an array", Raw.array([Raw.vector([Raw.double(.nan)])]), vectorInArray),
      Refusal("none in an array", Raw.array([Raw.vector([])]), "Cannot have a zero length vector."),
      Refusal("behind an array in an array", Raw.array([Raw.array([]), Raw.vector([one])]), arrayInArray),
      Refusal("before an array in an array", Raw.array([Raw.vector([one]), Raw.array([])]), vectorInArray),
      Refusal("a NaN", Raw.vector([one, Raw.double(.nan)]), "Vector cannot contain NaN values."),
    ]

  private static let precedence: [Refusal] = [
    Refusal(
      "a reserved name wins over a length before it",
      [(longName, Raw.null), ("o", Raw.map([("__x__", Raw.null)]))],
      "field name '__x__' is reserved."),
    Refusal(
      "a reserved name wins over depth", Raw.nested(25, Raw.map([("__x__", Raw.null)])),
      "field name '__x__' is reserved."),
    Refusal(
      "a reserved name wins over an array in an array",
      [("a", Raw.array([Raw.array([])])), ("b", Raw.map([("__x__", Raw.null)]))],
      "field name '__x__' is reserved."),
    Refusal(
      "a reserved name wins over an empty one", [("", Raw.null), ("b", Raw.map([("__x__", Raw.null)]))],
      "field name '__x__' is reserved."),
    Refusal(
      "an array in an array wins over a length before it",
      [(longName, Raw.null), ("o", Raw.array([Raw.array([])]))],
      arrayInArray),
    Refusal(
      "an array in an array wins over a vector's contents",
      [("a", Raw.vector([])), ("b", Raw.array([Raw.array([])]))],
      arrayInArray),
    Refusal(
      "a kind wins over an array in an array", [("a", Raw.array([Raw.array([])])), ("b", Raw.unset)], unset),
    Refusal(
      "of two lengths the first field's wins",
      [("b", Raw.nested(21, Raw.null)), ("a", Raw.string(longText))],
      "The value of property \"a\" is longer than 1048487 bytes."),
    Refusal(
      "of two vectors the first field's wins",
      [("a", Raw.vector([])), ("b", Raw.vector([Raw.double(.nan)]))],
      "Cannot have a zero length vector."),
  ]

  @Test("names", arguments: names)
  func name(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test("lengths and depth", arguments: lengths)
  func length(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test("kinds and ranges", arguments: kinds)
  func kind(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test("references", arguments: references)
  func reference(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test("maps with __type__", arguments: vectors)
  func vector(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test("of several faults", arguments: precedence)
  func severalFaults(row: Refusal) { #expect(Raw.complaint(row.document) == row.message) }

  @Test(
    "bytes that are no protobuf message are refused",
    arguments: [
      [0x12], [0x12, 0x05], [0xFF], [0x12, 0x02, 0x0A, 0x05], [0x12, 0x02, 0x12, 0x01], [0x00, 0x00], [0x0F],
      Raw.document([("f", [0x19, 0, 0])]), Raw.document([("f", [0x52, 0x05, 0x08])]),
      Raw.document([("f", Raw.null + [0xFF])]), Raw.document([("f", [0x4A, 0x02, 0x0A, 0x05])]),
      Raw.document([("f", [0x32, 0x02, 0x0A, 0x05])]), Raw.document([("f", [0x42, 0x01, 0x09])]),
      Raw.document([("f", special([("value", Raw.message(9, Raw.message(1, one) + [0x0A, 0x09]))]))]),
    ] as [[UInt8]])
  func malformed(document: [UInt8]) {
    #expect(Raw.complaint(document) == "malformed protobuf message")
  }

  @Test("a name that is no UTF-8 is refused")
  func invalidName() {
    #expect(Raw.complaint(Raw.entry(2, [0xC0, 0x80], Raw.null)) == "a field name is not valid UTF-8")
    #expect(
      Raw.complaint(Raw.document([("f", Raw.message(6, Raw.entry(1, [0xED, 0xA0, 0x80], Raw.null)))]))
        == "a field name is not valid UTF-8")
  }

  @Test("an operand is called by the name that it is given")
  func operands() {
    func complaint(_ value: [UInt8]) -> String? {
      value.withUnsafeBytes { bytes -> String? in
        do throws(InvalidArgument) {
          _ = try Canonicalizer.value(bytes, named: "operand", for: .transform)
          return nil
        } catch {
          return error.message
        }
      }
    }
    #expect(complaint(Raw.nested(21, Raw.null)) == "Property operand contains an invalid nested entity.")
    #expect(complaint(Raw.array([Raw.array([])])) == Self.arrayInArray)
    #expect(complaint(Raw.unset) == Self.unset)
    #expect(complaint(Raw.nested(20, Raw.null)) == nil)
  }
}
