import DocModel
import FirestoreProtos
import JSON
import SwiftProtobuf
import Testing

@testable import Wire

/// What bodies and parameters are read as, and how they are refused, in both dialects.
@Suite("REST, bodies and parameters")
struct RESTBodyTests {
  private static let documents = "projects/p/databases/d/documents"
  private static let payload = "Payload isn't valid for request."

  private func bytes(
    _ method: String, _ path: String, _ body: [UInt8], _ dialect: JSONDialect = .production
  ) throws -> [UInt8] {
    let target = try #require(HTTPTarget(Array(("/v1/" + Self.documents + path).utf8)))
    let route = try #require(RESTRoute(httpMethod: method, segments: target.segments[1...]))
    return try RESTBinding.message(route, target, body: body, dialect)
  }

  private func refusal(
    _ method: String, _ path: String, _ body: [UInt8], _ dialect: JSONDialect = .production
  ) throws -> GRPCStatus? {
    do {
      _ = try bytes(method, path, body, dialect)
      return nil
    } catch let status as GRPCStatus {
      #expect(status.code == .invalidArgument)
      return status
    }
  }

  /// The value `v` of a document that a body describes.
  private func value(_ json: String, _ dialect: JSONDialect = .production) throws -> Google_Firestore_V1_Value
  {
    let body = Array((#"{"fields":{"v":"# + json + "}}").utf8)
    let request = try Google_Firestore_V1_UpdateDocumentRequest(
      serializedBytes: try bytes("PATCH", "/c/a", body, dialect))
    return request.document.fields["v"] ?? .init()
  }

  // MARK: size

  @Test("a map of very many keys is read in the time of its bytes, a key twice among them is refused")
  func manyKeys() throws {
    let keys = (0..<50_000).map { #""k\#($0)":{"nullValue":null}"# }.joined(separator: ",")
    let body = #"{"fields":{"v":{"mapValue":{"fields":{\#(keys)"#
    let clock = ContinuousClock()
    var refusal: GRPCStatus?
    let duration = try clock.measure {
      _ = try bytes("PATCH", "/c/a", Array((body + "}}}}}").utf8))
      refusal = try self.refusal("PATCH", "/c/a", Array((body + #","k7":{"nullValue":null}}}}}}"#).utf8))
    }
    #expect(refusal?.message.contains("Repeated map key: 'k7' is already set.") == true)
    // Copying the keys before for each key took many minutes.
    #expect(duration < .seconds(60))
  }

  // MARK: form

  @Test(
    "what is no JSON is refused with its place",
    arguments: [
      ("nonsense", "Unexpected token.", "nonsense", 0),
      ("{", "Unexpected end of string. Expected an object key or }.", "", 0),
      (#"{"database" : "b"#, "Closing quote expected in string.", "", 0),
      (#"{"writes" : []"#, "Unexpected end of string. Expected , or } after key:value pair.", "", 0),
      (#"{"writes"  []}"#, "Expected : between key:value pair.", #"{"writes"  []}"#, 11),
      (
        #"{"writes" : [  ]   }EXTRA"#, "Parsing terminated before end of input.",
        #"{"writes" : [  ]   }EXTRA"#,
        20
      ),
      (
        #"{"database" : "a"   }EXTRA"#, "Parsing terminated before end of input.",
        #""database" : "a"   }EXTRA"#, 20
      ),
      ("{42: true}", "Expected an object key or }.", "{42: true}", 1),
      ("{null: true}", "Expected an object key or }.", "{null: true}", 5),
      (#"{"writes": true]"#, "Expected , or } after key:value pair.", #"{"writes": true]"#, 15),
      (#"{"writes": [{} 2]}"#, "Expected , or ] after array value.", #"{"writes": [{} 2]}"#, 15),
      (#"{"a": 012}"#, "Octal/hex numbers are not valid JSON values.", #"{"a": 012}"#, 6),
      (#"{"a": 1-2}"#, "Unable to parse number.", #"{"a": 1-2}"#, 6),
      (#"{"a": 1e400}"#, "Number exceeds the range of double.", #"{"a": 1e400}"#, 6),
      (#"{"a": "\u12x4"}"#, "Invalid escape sequence.", #"{"a": "\u12x4"}"#, 7),
      (#"{"database": @}"#, "Expected a value.", "@}", 0),
      ("{\"database\": \u{e9}}", "Expected a value.", "\u{e9}}", 0),
    ])
  func form(body: String, text: String, shown: String, column: Int) throws {
    let status = try refusal("POST", ":commit", Array(body.utf8))
    let caret = String(repeating: " ", count: column) + "^"
    #expect(status?.message == "Invalid JSON payload received. \(text)\n\(shown)\n\(caret)")
    let other = try refusal("POST", ":commit", Array(body.utf8), .emulator)
    #expect(other?.message == (body.hasSuffix("EXTRA") ? nil : Self.payload))
  }

  @Test("a part that begins inside a character is not shown")
  func cutCharacter() throws {
    let body = #"{"database": ""# + String(repeating: "\u{20AC}", count: 9) + "\"  1}"
    #expect(
      try refusal("POST", ":commit", Array(body.utf8))
        == GRPCStatus(.invalidArgument, "Request contains an invalid argument."))
  }

  @Test("a fault of form comes before what the message refuses, one at the end behind it")
  func order() throws {
    let first = try refusal("POST", ":commit", Array(#"{"bad": "x" "y"}"#.utf8))
    #expect(first?.message.contains("Expected , or } after key:value pair.") == true)
    let second = try refusal("POST", ":commit", Array(#"{"bad": "x""#.utf8))
    #expect(second?.message == #"Invalid JSON payload received. Unknown name "bad": Cannot find field."#)
    let third = try refusal("POST", ":commit", Array(#"{"bad": 1"#.utf8))
    #expect(third?.message.contains("Unexpected end of string.") == true)
  }

  @Test("nesting ends at a limit, not at the end of the stack")
  func depth() throws {
    let body = #"{"writes":"# + String(repeating: "[", count: 1_000_000)
    #expect(try refusal("POST", ":commit", Array(body.utf8))?.message.contains("Message too deep.") == true)
  }

  @Test(
    "what the service reads beside JSON",
    arguments: [
      #"{'v': {'stringValue': 'x'}}"#, #"{v: {stringValue: "x"}}"#, #"{"v": {"stringValue": "x",},}"#,
      #"{"v": {"stringValue": "\x"}}"#,
    ])
  func leniency(fields: String) throws {
    let request = try Google_Firestore_V1_UpdateDocumentRequest(
      serializedBytes: try bytes("PATCH", "/c/a", Array("\u{feff}{\"fields\": \(fields)}".utf8)))
    #expect(request.document.fields["v"]?.stringValue == "x")
    #expect(request.document.name == Self.documents + "/c/a")
  }

  @Test("bytes that are no UTF-8 are blanks; for the official emulator the character that stands for none")
  func invalidUTF8() throws {
    let body = Array(#"{"fields":{"v":{"stringValue":"a"#.utf8) + [0xFF] + Array(#"b"}}}"#.utf8)
    for (dialect, text) in [(JSONDialect.production, "a b"), (.emulator, "a\u{FFFD}b")] {
      let request = try Google_Firestore_V1_UpdateDocumentRequest(
        serializedBytes: try bytes("PATCH", "/c/a", body, dialect))
      #expect(request.document.fields["v"]?.stringValue == text)
    }
  }

  // MARK: messages

  @Test(
    "what the message refuses is named by its place",
    arguments: [
      (":commit", "[]", #"Invalid JSON payload received. Unknown name "": Root element must be a message."#),
      (
        ":commit", "null", #"Invalid JSON payload received. Unknown name "": Root element must be a message."#
      ),
      (":commit", #"{"bad":1}"#, #"Invalid JSON payload received. Unknown name "bad": Cannot find field."#),
      (
        "", #"{"x":1}"#, #"Invalid JSON payload received. Unknown name "x" at 'document': Cannot find field."#
      ),
      (
        "", #"{"fields":{"a":{"stringValue":1}}}"#,
        "Invalid value at 'document.fields[0].value.string_value' (TYPE_STRING), 1"
      ),
      (
        "", #"{"fields":{"b":{},"a":{"arrayValue":[1]}}}"#,
        "Invalid JSON payload received. Unknown name \"arrayValue\" at 'document.fields[1].value': "
          + "Proto field is not repeating, cannot start list."
      ),
      (
        "", #"{"fields":{"a":{"mapValue":{"fields":[]}}}}"#,
        "Invalid value at 'document.fields[0].value.map_value' (Map), Cannot bind a list to map for field 'fields'."
      ),
      (
        "", #"{"fields":{"a":1}}"#,
        "Invalid value at 'document.fields[0].value' (type.googleapis.com/google.firestore.v1.Value), 1"
      ),
      (
        "", #"{"fields":1}"#,
        "Invalid value at 'document.fields' (type.googleapis.com/google.firestore.v1.Document.FieldsEntry), 1"
      ),
      (
        "", #"{"fields":{"a":{},"a":{}}}"#,
        "Invalid JSON payload received. Unknown name \"a\" at 'document.fields[0]': "
          + "Repeated map key: 'a' is already set."
      ),
      (
        "", #"{"fields":{"a":{"integerValue":1,"stringValue":"x"}}}"#,
        "Invalid value at 'document.fields[0].value' (oneof), oneof field 'value_type' is already set. "
          + "Cannot set 'stringValue'"
      ),
      (
        ":runQuery", #"{"transaction":"AAAA","readTime":"2026-01-01T00:00:00Z"}"#,
        "Invalid value (oneof), oneof field 'consistency_selector' is already set. Cannot set 'readTime'"
      ),
      (
        ":runQuery", #"{"structuredQuery":{"orderBy":[{"direction":"UP"}]}}"#,
        "Invalid value at 'structured_query.order_by[0].direction' "
          + "(type.googleapis.com/google.firestore.v1.StructuredQuery.Direction), \"UP\""
      ),
      (
        ":runQuery", #"{"structuredQuery":{"limit":"x"}}"#,
        "Invalid value at 'structured_query.limit.value' (TYPE_INT32), \"x\""
      ),
      (
        ":runQuery", #"{"structuredQuery":{"limit":1.5,"offset":3000000000}}"#,
        "Invalid value at 'structured_query.limit.value' (TYPE_INT32), 1.5\n"
          + "Invalid value at 'structured_query.offset' (TYPE_INT32), 3000000000"
      ),
      (
        ":runQuery", #"{"structuredQuery":{"offset":{}}}"#,
        "Invalid value at 'structured_query' (offset), Starting an object on a scalar field"
      ),
      (
        ":runQuery", #"{"transaction":"%%"}"#,
        "Invalid value at 'transaction' (TYPE_BYTES), Base64 decoding failed for \"%%\""
      ),
      (
        "", #"{"fields":{"a":{"timestampValue":"2020-01-01"}}}"#,
        "Invalid value at 'document.fields[0].value.timestamp_value' "
          + "(type.googleapis.com/google.protobuf.Timestamp), Field 'timestampValue', "
          + "Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset."
      ),
      (
        "", #"{"fields":{"a":{"timestampValue":"10000-01-01T00:00:00Z"}}}"#,
        "Invalid value at 'document.fields[0].value.timestamp_value' "
          + "(type.googleapis.com/google.protobuf.Timestamp), Field 'timestampValue', Timestamp value exceeds limits"
      ),
    ])
  func messages(verb: String, body: String, text: String) throws {
    let (method, path) = verb.isEmpty ? ("PATCH", "/c/a") : ("POST", verb)
    let status = try #require(try refusal(method, path, Array(body.utf8)))
    #expect(status.message == text)
    // Each line is also a violation, for machines.
    var json = JSONWriter()
    status.details?.withUnsafeBytes { json.statusDetails($0) }
    let details = String(decoding: json.bytes, as: UTF8.self)
    let count = details.split(separator: #""description""#, omittingEmptySubsequences: false).count - 1
    #expect(count == text.split(separator: "\n").count)
  }

  // MARK: values

  /// A value as JSON, and what the service and the official emulator read in it; nil is refused.
  struct Reading: CustomTestStringConvertible {
    let json: String
    let production: String?
    let emulator: String?
    var testDescription: String { json }

    init(_ json: String, _ both: String?) { self.init(json, both, both) }

    init(_ json: String, _ production: String?, _ emulator: String?) {
      self.json = json
      self.production = production
      self.emulator = emulator
    }
  }

  static let numbers: [Reading] = [
    Reading(#"{"integerValue":1.0}"#, "1"), Reading(#"{"integerValue":"1"}"#, "1"),
    Reading(#"{"integerValue":1e3}"#, "1000"), Reading(#"{"integerValue":" 1"}"#, nil),
    Reading(#"{"integerValue":"+1"}"#, "1"), Reading(#"{"integerValue":"1.0"}"#, nil, "1"),
    Reading(#"{"integerValue":true}"#, nil), Reading(#"{"integerValue":9223372036854775808}"#, nil),
    Reading(#"{"integerValue":"-9223372036854775808"}"#, "-9223372036854775808"),
    Reading(#"{"doubleValue":"1.5"}"#, "1.5"), Reading(#"{"doubleValue":"NaN"}"#, "nan"),
    Reading(#"{"doubleValue":7}"#, "7.0"), Reading(#"{"doubleValue":"inf"}"#, nil),
    Reading(#"{"doubleValue":true}"#, nil), Reading(#"{"doubleValue":"1e400"}"#, nil),
    Reading(#"{"booleanValue":"true"}"#, "true"), Reading(#"{"booleanValue":"YES"}"#, "true", nil),
    Reading(#"{"booleanValue":0}"#, "false", nil), Reading(#"{"booleanValue":2}"#, nil),
    Reading(#"{"nullValue":null}"#, "null"), Reading(#"{"nullValue":"null-value"}"#, "null", nil),
    Reading(#"{"nullValue":"0"}"#, "null"),
  ]

  static let others: [Reading] = [
    Reading(#"{"stringValue":1.50}"#, nil, "1.50"), Reading(#"{"stringValue":true}"#, nil, "true"),
    Reading(#"{"stringValue":"\ud83d\ude00"}"#, "\u{1F600}"),
    Reading(#"{"stringValue":"\ud800"}"#, "\u{FFFD}", "?"), Reading(#"{"stringValue":"\q"}"#, "q", nil),
    Reading(#"{"stringValue":"x",}"#, "x", nil), Reading(#"{"bytesValue":"-_8"}"#, "[251, 255]"),
    Reading(#"{"bytesValue":"+/8="}"#, "[251, 255]"), Reading(#"{"bytesValue":"A"}"#, nil),
    Reading(#"{"bytesValue":1}"#, nil), Reading(#"{"integerValue":null,"stringValue":"x"}"#, "x"),
    Reading(#"{"stringValue":"x","stringValue":"y"}"#, nil, "y"),
    Reading(#"{"arrayValue":{"values":{"stringValue":"x"}}}"#, "array of 1", nil),
    Reading(#"{"arrayValue":{"values":[null]}}"#, "array of 0", nil),
    Reading(#"{"arrayValue":{"values":[[{"stringValue":"x"}],{}]}}"#, "array of 2", nil),
    Reading(#"{"mapValue":{"fields":{"a":null}}}"#, "map of 0", nil),
    Reading(#"{"mapValue":{"fields":{"a":{},"a":{}}}}"#, nil, "map of 1"),
    Reading(#"{"timestampValue":"2020-01-01T02:00:00.5+02:00"}"#, "1577836800+500000000"),
    Reading(#"{"timestampValue":"2020-01-01T00:00:00.1234567891Z"}"#, nil),
    Reading(#"{"timestampValue":"0000-01-01T00:00:00Z"}"#, nil),
    Reading(#"{"timestampValue":"2020-01-01 00:00:00Z"}"#, nil), Reading(#"{"timestampValue":1}"#, nil),
    Reading(#"{"timestampValue":{"seconds":"1"}}"#, "1+0", nil),
    Reading(#"{"geoPointValue":{"latitude":"1.5"}}"#, "1.5 0.0"), Reading("null", "nothing", nil),
  ]

  @Test("values as either server reads them", arguments: numbers + others)
  func values(reading: Reading) throws {
    #expect((try? value(reading.json)).map(Self.shown) == reading.production)
    #expect((try? value(reading.json, .emulator)).map(Self.shown) == reading.emulator)
    guard reading.emulator == nil else { return }
    let body = Array((#"{"fields":{"v":"# + reading.json + "}}").utf8)
    #expect(try refusal("PATCH", "/c/a", body, .emulator)?.message == Self.payload)
  }

  private static func shown(_ value: Google_Firestore_V1_Value) -> String {
    switch value.valueType {
    case .integerValue(let number)?: "\(number)"
    case .doubleValue(let number)?: "\(number)"
    case .booleanValue(let flag)?: "\(flag)"
    case .stringValue(let text)?: text
    case .bytesValue(let bytes)?: "\(Array(bytes))"
    case .nullValue?: "null"
    case .arrayValue(let array)?: "array of \(array.values.count)"
    case .mapValue(let map)?: "map of \(map.fields.count)"
    case .timestampValue(let time)?: "\(time.seconds)+\(time.nanos)"
    case .geoPointValue(let point)?: "\(point.latitude) \(point.longitude)"
    case nil: "nothing"
    default: "another"
    }
  }

  // MARK: parameters

  @Test(
    "parameters that do not parse are refused with their place",
    arguments: [
      ("GET", "/c?pageSize=abc", "Invalid value at 'page_size' (TYPE_INT32), \"abc\""),
      ("GET", "/c?pageSize=1&pageSize=", "Invalid value at 'page_size' (TYPE_INT32), \"\""),
      ("GET", "/c?showMissing=maybe", "Invalid value at 'show_missing' (TYPE_BOOL), \"maybe\""),
      (
        "GET", "/c/a?readTime=now",
        "Invalid value at 'read_time' (type.googleapis.com/google.protobuf.Timestamp), Field 'read_time', "
          + "Illegal timestamp format; timestamps must end with 'Z' or have a valid timezone offset."
      ),
      (
        "GET", "/c/a?transaction=*",
        "Invalid value at 'transaction' (TYPE_BYTES), Base64 decoding failed for \"*\""
      ),
      (
        "GET", "/c/a?transaction=AAAA&readTime=2026-01-01T00:00:00Z",
        "Invalid value (oneof), oneof field 'consistency_selector' is already set. Cannot set 'transaction'"
      ),
    ])
  func parameters(method: String, path: String, text: String) throws {
    for dialect in [JSONDialect.production, .emulator] {
      let status = try #require(try refusal(method, path, [], dialect))
      #expect(status.message == text)
      #expect(status.details != nil)
    }
  }

  @Test("unknown parameters are refused by the service, all at once")
  func unknownParameters() throws {
    let line = { (name: String) in
      "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
        + "Field '\(name)' could not be found in request message."
    }
    #expect(try refusal("DELETE", "/c/a?x=1&key=k&y=2", [])?.message == line("x") + "\n" + line("y"))
    #expect(try refusal("DELETE", "/c/a?x=1&key=k&y=2", [], .emulator) == nil)
  }

  @Test(
    "truths in parameters",
    arguments: [
      ("true", true), ("True", true), ("yes", true), ("1", true), ("t", true), ("false", false),
      ("no", false),
      ("0", false), ("F", false),
    ])
  func truths(text: String, flag: Bool) throws {
    let list = try Google_Firestore_V1_ListDocumentsRequest(
      serializedBytes: try bytes("GET", "/c?showMissing=\(text)", []))
    #expect(list.showMissing == flag)
  }
}
