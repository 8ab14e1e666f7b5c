/// The language of injected faults: what is read, what is refused, what it matches.

import DocModel
import Testing

@testable import Faults
@testable import Wire

@Suite("rules of injected faults")
struct InjectedFaultTests {
  @Test(
    "a rule is read, and written in one way that reads back",
    arguments: [
      ("UNAVAILABLE on commit", "UNAVAILABLE on commit"),
      ("unavailable", "UNAVAILABLE"),
      ("UNAVAILABLE on any", "UNAVAILABLE"),
      ("RESOURCE_EXHAUSTED on any 1", "RESOURCE_EXHAUSTED on any 1"),
      ("ABORTED on commit 2 of alice", "ABORTED on commit 2 of alice"),
      ("ABORTED of alice on commit 2", "ABORTED on commit 2 of alice"),
      ("aborted on commit,get 2-4", "ABORTED on commit, get 2-4"),
      ("INTERNAL on get, get", "INTERNAL on get"),
      (
        "delay 800ms on get, query of alice under communities/**",
        "delay 800ms on get, query of alice under communities"
      ),
      ("delay 2s", "delay 2000ms"), ("delay 60s of anon", "delay 60000ms of anon"),
      ("drop listen", "drop listen after 1 message"),
      ("drop listen after 1 message", "drop listen after 1 message"),
      ("drop every listen after 3 messages of admin", "drop every listen after 3 messages of admin"),
      ("drop listen under /users/ after", ""),
      ("DEADLINE_EXCEEDED under **/posts", "DEADLINE_EXCEEDED under **/posts"),
      ("UNKNOWN under /users/*/private/", "UNKNOWN under users/*/private"),
      ("UNKNOWN under **", "UNKNOWN under **"), ("UNKNOWN under **/**", "UNKNOWN under **"),
      ("UNKNOWN under \"users/a b\" of \"admin\"", "UNKNOWN of \"admin\" under \"users/a b\""),
      ("UNKNOWN of \"a\\\"b\\\\\"", "UNKNOWN of \"a\\\"b\\\\\""),
    ])
  func reading(text: String, written: String) throws {
    guard !written.isEmpty else {
      #expect(throws: InjectedFaultError.self) { try InjectedFaultParser.read(text) }
      return
    }
    let fault = try InjectedFaultParser.read(text)
    #expect(fault.description == written)
    #expect(try InjectedFaultParser.read(fault.description) == fault)
  }

  @Test(
    "what is wrong is told with its column and what would be right",
    arguments: [
      ("", "column 1: say what happens: a status such as UNAVAILABLE"),
      ("UNAVAILBLE on get", "column 1: `UNAVAILBLE` is no status; did you mean UNAVAILABLE?"),
      ("dely 3s", "column 1: `dely` is no status; did you mean delay?"),
      ("explode", "column 1: `explode` is no status; say what happens"),
      ("OK on get", "column 1: OK is no fault; say what happens"),
      ("ABORTED on comit", "column 12: there is no call `comit`; did you mean `commit`?"),
      ("ABORTED on write", "column 12: there is no call `write`; there are any, get, query, count, commit"),
      ("ABORTED on", "column 11: which call? any, get"),
      ("ABORTED on get,", "column 16: which call? any, get"),
      ("ABORTED on get 0", "column 16: calls are counted from 1"),
      ("ABORTED on get 4-2", "column 16: calls are counted from 1"),
      ("ABORTED on get 2x", "column 16: calls are counted from 1"),
      ("ABORTED commit", "column 9: `commit` says nothing here; behind what happens come `on CALL"),
      ("ABORTED no get", "column 9: `no` says nothing here"),
      ("ABORTED on get on query", "column 16: `on` is there twice"),
      ("ABORTED of", "column 11: of whom?"), ("ABORTED of \"\"", "column 12: a rule is of one caller"),
      ("ABORTED of \"alice", "column 12: the text has no end"),
      ("ABORTED under", "column 14: under which path?"),
      ("ABORTED under users//x", "column 15: `users//x` is no path"),
      (
        "ABORTED under users/**/x",
        "column 15: `users/**/x` is no path; `**` stands at its beginning or its end"
      ),
      (
        "ABORTED on begin, rollback under users",
        "column 28: begin and rollback name no documents; leave `under` out"
      ),
      ("delay", "column 6: a delay is written `800ms` or `2s`, 60s at most"),
      ("delay 800", "column 7: `800` has no unit; a delay is written"),
      ("delay 61s", "column 7: a delay is written"),
      ("delay 0ms", "column 7: a delay is written"),
      ("delay 99999999999999999999s", "column 7: a delay is written"),
      ("drop", "column 5: only streams of live queries can be dropped"),
      ("drop commit", "column 6: only streams of live queries can be dropped"),
      ("drop listen after", "column 18: after how many messages?"),
      ("drop listen after 0 messages", "column 19: messages are counted from 1"),
      ("drop listen after 3", "column 20: write `3 messages`"),
      ("drop listen after 3 minutes", "column 21: write `3 messages`"),
      ("drop listen on get", "column 13: `drop` is about live queries alone"),
    ])
  func refusing(text: String, told: String) {
    do throws(InjectedFaultError) {
      Issue.record("`\(text)` reads as \(try InjectedFaultParser.read(text))")
    } catch {
      #expect(error.text.hasPrefix(told), "\(error.text)")
    }
  }

  @Test(
    "a place is what lies at a path and below it",
    arguments: [
      ("users", "users", true), ("users", "users/bob", true), ("users/**", "users/bob/posts/x", true),
      ("users/**", "users", true), ("users", "usersx", false), ("users/bob", "users", false),
      ("users/bob", "users/bob/posts", true), ("users/bob", "users/bo", false),
      ("users/*/private", "users/bob/private/keys", true), ("users/*/private", "users/bob/public", false),
      ("**/posts", "users/bob/posts/x", true), ("**/posts", "posts/x", true),
      ("**/posts", "users/bob", false),
      ("**/posts", "**/posts", true), ("users", "**/posts", false), ("users/bob", "users/bob/**/posts", true),
      ("**", "", true), ("**", "users/bob", true), ("users", "", false),
    ])
  func places(place: String, path: String, holds: Bool) throws {
    let fault = try InjectedFaultParser.read("UNAVAILABLE under \(place)")
    #expect(fault.place?.holds(FaultedCall.segments(path)) == holds)
  }
}
