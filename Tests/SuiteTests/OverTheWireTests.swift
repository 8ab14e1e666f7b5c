/// Suites over the wire: what is sent, what is read, how it is compared. Scripts/suite-wire asks real servers.

import DocModel
import JSON
import Rules
import Testing

@testable import Suite

@Suite("Over the wire")
struct OverTheWireTests {
  @Test(
    "Reasons in an emulator's words",
    arguments: [
      ("\nfalse for 'get' @ L12", WireReason.Kind.condition, [12]),
      ("\nfalse for 'update' @ L12, false for 'update' @ L13", .condition, [12, 13]),
      ("\nNull value error. for 'get' @ L1", .error, [1]),
      ("\nfalse for 'get' @ L1, Property o is undefined on object. for 'get' @ L7", .error, [1, 7]),
      ("\nevaluation error at L7:2 for 'get' @ L7, false for 'get' @ L7", .condition, [7]),
      ("\nevaluation error at L7:2 for 'get' @ L7, Null value error. for 'get' @ L7", .error, [7]),
      ("Missing or insufficient permissions. false for 'get' @ L7\n  id: `a` for 'x' @ L9", .condition, [7]),
      ("\nNo matching allow statements", .unmatched, []),
      ("No matching allow statements", .unmatched, []),
    ])
  func reasons(_ words: String, _ kind: WireReason.Kind, _ lines: [Int]) throws {
    let reason = try #require(WireReason(words))
    #expect(reason.kind == kind)
    #expect(reason.lines == lines)
  }

  @Test("Words without a reason", arguments: ["", "Missing or insufficient permissions.", "denied @ L3"])
  func noReasons(_ words: String) { #expect(WireReason(words) == nil) }

  @Test(
    "Values as the REST API has them",
    arguments: [
      (Value.null, #"{"nullValue":null}"#), (.boolean(true), #"{"booleanValue":true}"#),
      (.integer(-7), #"{"integerValue":"-7"}"#), (.double(1.5), #"{"doubleValue":1.5}"#),
      (.double(.nan), #"{"doubleValue":"NaN"}"#), (.string("a\"b"), #"{"stringValue":"a\"b"}"#),
      (.bytes([1, 2, 3, 250]), #"{"bytesValue":"AQID+g=="}"#),
      (.reference("projects/p"), #"{"referenceValue":"projects/p"}"#),
      (.timestamp(Timestamp(microseconds: 1_000_000)), #"{"timestampValue":"1970-01-01T00:00:01Z"}"#),
      (.array([.null]), #"{"arrayValue":{"values":[{"nullValue":null}]}}"#),
      (.map(["a": .integer(1)]), #"{"mapValue":{"fields":{"a":{"integerValue":"1"}}}}"#),
      (
        .vector([1]),
        #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1.0}]}}}}}"#
      ),
    ])
  func values(_ value: Value, _ text: String) {
    var writer = JSONWriter()
    WireJSON.value(value, &writer)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test("Tokens hold the persona's claims and are valid now")
  func tokens() throws {
    let token = WireToken.text(
      ["sub": .string("ann"), "iat": .integer(1), "exp": .integer(2)], now: 1_000_000)
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 3)
    #expect(parts.last == "")
    #expect(parts[0] == "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0")
    let wanted = #"{"auth_time":999940,"exp":1003600,"iat":999940,"sub":"ann"}"#
    #expect(String(parts[1]) == Base64.urlSafeText(wanted.utf8))
  }

  /// Of a name beyond the first plane, JSON may write both halves; a document's name may have 1,500 bytes.
  @Test("Answers are JSON, with all that JSON has")
  func answers() {
    let name = #"projects/p/databases/(default)/documents/c/\ud83d\ude00"#
    let field = String(repeating: "f", count: 1_400)
    let body = #"[{"document":{"name":"\#(name)","fields":{"\#(field)":{"nullValue":null}}}}]"#
    var outcome = WireOutcome()
    outcome.add(EmulatorClient.meaning(of: HTTPAnswer(status: 200, body: Array(body.utf8))))
    #expect(outcome.returned == ["c/\u{1F600}"])
    let refusal = #"[{"error":{"code":403,"message":"no \ud83d\ude00","\#(field)":1}}]"#
    var denied = WireOutcome()
    denied.add(EmulatorClient.meaning(of: HTTPAnswer(status: 403, body: Array(refusal.utf8))))
    #expect(denied.end == .denied && denied.words == "no \u{1F600}")
  }

  @Test(
    "What is no JSON is no answer", arguments: ["documents: [a]", "{document: {name: a/b/c/d/e/f/g}}", "- 1"])
  func noAnswers(_ body: String) {
    guard case .allowed(nil) = EmulatorClient.meaning(of: HTTPAnswer(status: 200, body: Array(body.utf8)))
    else {
      Issue.record("read as an answer")
      return
    }
  }

  @Test(
    "Addresses that are none", arguments: ["", "localhost", ":8080", "localhost:", "localhost:99999", "a:b"])
  func addresses(_ text: String) throws {
    #expect(throws: WireFailure.self) { _ = try HTTPConnection(text) }
  }

  @Test("An emulator that is not there is said to be")
  func absent() throws {
    // Port 1 is reserved and nothing listens there.
    let suite = try SuiteKit.load("cases:\n  - {as: ann, get: users/ann, expect: allow}\n")
    let failure = #expect(throws: SuiteFailure.self) { _ = try suite.run(against: "127.0.0.1:1") }
    #expect(failure?.description.hasPrefix("cannot reach an emulator at 127.0.0.1:1: ") == true)
  }
}
