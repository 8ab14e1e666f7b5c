import DocModel
import DocStore
import JSON
import Testing

@testable import Wire

@Suite("HTTP forms")
struct HTTPTests {
  @Test("paths and queries are decoded once")
  func target() throws {
    let target = try #require(
      HTTPTarget(Array("/v1/a%2Fb/c%20d/?mask.fieldPaths=x&mask.field_paths=y+z&k=%C3%A9&flag".utf8)))
    #expect(target.segments.map { String(decoding: $0, as: UTF8.self) } == ["v1", "a/b", "c d", ""])
    #expect(
      target.values("mask.fieldPaths", "mask.field_paths").map { String(decoding: $0, as: UTF8.self) } == [
        "x", "y z",
      ])
    #expect(target.query.last?.value == [])
  }

  @Test("broken targets are none", arguments: ["", "v1", "*", "/%", "/%4", "/%zz", "/a?b=%f"])
  func brokenTargets(text: String) {
    #expect(HTTPTarget(Array(text.utf8)) == nil)
  }

  @Test(
    "values have protobuf's JSON form",
    arguments: [
      (.null, #"{"nullValue":null}"#), (.boolean(false), #"{"booleanValue":false}"#),
      (.integer(.min), #"{"integerValue":"-9223372036854775808"}"#), (.double(3), #"{"doubleValue":3.0}"#),
      (.double(-0.0), #"{"doubleValue":-0.0}"#), (.double(.nan), #"{"doubleValue":"NaN"}"#),
      (.double(-.infinity), #"{"doubleValue":"-Infinity"}"#), (.string(""), #"{"stringValue":""}"#),
      (.string("a\"\\/\n\u{1}\u{e9}"), #"{"stringValue":"a\"\\/\n\u0001é"}"#),
      (.bytes([0xFB, 0xFF]), #"{"bytesValue":"+/8="}"#),
      (
        .timestamp(Timestamp(seconds: 0, nanoseconds: 120_000_000)),
        #"{"timestampValue":"1970-01-01T00:00:00.120Z"}"#
      ),
      (.geoPoint(GeoPoint(latitude: 1.5, longitude: 0)), #"{"geoPointValue":{"latitude":1.5}}"#),
      (.array([]), #"{"arrayValue":{}}"#),
      (.array([.null]), #"{"arrayValue":{"values":[{"nullValue":null}]}}"#),
      (.map([:]), #"{"mapValue":{}}"#),
      (.map(["a": .boolean(true)]), #"{"mapValue":{"fields":{"a":{"booleanValue":true}}}}"#),
    ] as [(Value, String)])
  func values(value: Value, json: String) {
    var writer = JSONWriter()
    value.encoded.withUnsafeBytes { writer.value(ValueView($0)) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == json)
  }

  @Test("what we write is JSON")
  func roundTrip() throws {
    var writer = JSONWriter()
    let text = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) }))
    writer.string(text)
    #expect(try JSONReader.read(writer.bytes) == .string(Array(text.utf8)))
  }

  @Test("errors name code, message and status; every code has an HTTP status")
  func errors() {
    #expect(
      String(decoding: GRPCStatus(.notFound, "a \"b\"").json, as: UTF8.self)
        == #"{"error":{"code":404,"message":"a \"b\"","status":"NOT_FOUND"}}"#)
    let expected = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401]
    #expect(StatusCode.allCases.map(\.httpStatus) == expected)
  }

  @Test("the preface is told from HTTP/1.1 at the first byte that differs")
  func sniffing() {
    for count in 0..<24 {
      #expect(ProtocolSniffer.verdict(ProtocolSniffer.preface.prefix(count)) == .undecided)
    }
    #expect(ProtocolSniffer.verdict(ProtocolSniffer.preface + [0]) == .http2)
    #expect(ProtocolSniffer.verdict(Array("GET / HTTP/1.1".utf8)) == .http1)
    #expect(ProtocolSniffer.verdict(Array("PRIVATE".utf8)) == .http1)
  }
}
