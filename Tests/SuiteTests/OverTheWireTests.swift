/// Suites over the wire: what is sent, what is read, how it is compared. Scripts/suite-wire asks real servers.

import DocModel
import Rules
import Testing

@testable import Suite

@Suite("Over the wire")
struct OverTheWireTests {
  @Test(
    "Reasons in an emulator's words",
    arguments: [
      ("\nfalse for 'get' @ L12", WireReason.Kind.condition, [12]),
      ("\nfalse for 'get' @ L12, false for 'get' @ L13", .condition, [12, 13]),
      // A `set` is tried as both; the other one's end says nothing.
      ("\nNull value error. for 'create' @ L5, false for 'get' @ L5, false for 'get' @ L5", .condition, [5]),
      (
        "\nfalse for 'create' @ L5, evaluation error at L5:8 for 'get' @ L6, Null value error. for 'get' @ L6",
        .error, [6]
      ),
      ("\nfalse for 'create' @ L5", .unmatched, []),
      ("\nNull value error. for 'get' @ L1", .error, [1]),
      ("\nfalse for 'get' @ L1, Property o is undefined on object. for 'get' @ L7", .error, [1, 7]),
      ("\nevaluation error at L7:2 for 'get' @ L7, false for 'get' @ L7", .condition, [7]),
      ("\nevaluation error at L7:2 for 'get' @ L7, Null value error. for 'get' @ L7", .error, [7]),
      ("Missing or insufficient permissions. false for 'get' @ L7\n  id: `a` for 'x' @ L9", .condition, [7]),
      ("\nNo matching allow statements", .unmatched, []),
      ("No matching allow statements", .unmatched, []),
    ])
  func reasons(_ words: String, _ kind: WireReason.Kind, _ lines: [Int]) throws {
    let reason = try #require(WireReason(words, of: .get))
    #expect(reason.kind == kind)
    #expect(reason.lines == lines)
  }

  @Test("Words without a reason", arguments: ["", "Missing or insufficient permissions.", "denied @ L3"])
  func noReasons(_ words: String) { #expect(WireReason(words, of: .get) == nil) }

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

  @Test("An emulator that is not there is said to be")
  func absent() throws {
    // Port 1 is reserved and nothing listens there.
    let suite = try SuiteKit.load("cases:\n  - {as: ann, get: users/ann, expect: allow}\n")
    let failure = #expect(throws: SuiteFailure.self) { _ = try suite.run(against: "127.0.0.1:1") }
    #expect(failure?.description.hasPrefix("cannot connect to 127.0.0.1:1: ") == true)
  }
}
