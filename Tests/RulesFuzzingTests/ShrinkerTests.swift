/// The fuzzer itself, without an emulator: it repeats itself, and it finds small forms.

import DocModel
import Rules
import Testing

@testable import RulesFuzzing

@Suite("Rules fuzzer")
struct RulesFuzzingTests {
  @Test("one seed makes the same cases, another seed others", arguments: [0, 1, 77, 4_000])
  func repeats(number: Int) {
    #expect(
      ConditionTrial.generate(seed: 5, number: number).account
        == ConditionTrial.generate(seed: 5, number: number).account)
    #expect(
      QueryTrial.generate(seed: 5, number: number).account
        == QueryTrial.generate(seed: 5, number: number).account)
    #expect(
      CommitTrial.generate(seed: 5, number: number).account
        == CommitTrial.generate(seed: 5, number: number).account)
    #expect(
      TextTrial.generate(seed: 5, number: number).rules == TextTrial.generate(seed: 5, number: number).rules)
    #expect(
      ConditionTrial.generate(seed: 5, number: number).account
        != ConditionTrial.generate(seed: 6, number: number).account)
  }

  @Test("the grammar reaches every production's words")
  func reach() {
    let text = (0..<6_000).map { ConditionTrial.generate(seed: 1, number: $0).rules }.joined()
    let words = [
      "&&", "||", " ? ", " is ", " in ", "!", ".matches(", ".replace(", ".split(", ".join(", ".toBase64()",
      ".toHexString()", "math.pow(", "math.isNaN(", "hashing.crc32c(", "timestamp.date(", "duration.time(",
      "latlng.value(", ".distance(", ".bind(", "getAfter(", "existsAfter(", ".diff(", ".affectedKeys()",
      ".intersection(", ".removeAll(", ".dayOfYear()", "vector(", "debug(", "let ", "return ", "b'", "$(",
      "{x}",
      "{id=**}", "/{outer}", "float('NaN')", "'\\u00e9'", "[1:", "resource.data", "request.auth.token",
    ]
    for word in words { #expect(text.contains(word), "\(word)") }
  }

  @Test("holes are filled: a case has no percent sign of a template left")
  func holes() {
    for number in 0..<2_000 {
      let text = ConditionTrial.generate(seed: 9, number: number).rules
      #expect(!text.contains("%i") && !text.contains("%a") && !text.contains("%s"), "\(text)")
    }
  }

  @Test("a wrong answer for one operator shrinks to that operator and two short operands")
  func shrinks() throws {
    var author = Author(Seeded(seed: 3))
    var large = author.expression(.bool, depth: 6)
    while !large.mentions(".hasAll(") || large.nodeCount < 25 { large = author.expression(.bool, depth: 6) }
    let scene = author.scene(.update)
    let trial = ConditionTrial(functions: [], condition: large, scene: scene)
    let small = Shrinker.smallest(of: trial) { candidates in
      candidates.map { $0.condition.mentions(".hasAll(") && $0.scene.method != .list }
    }
    #expect(small.condition.text.utf8.count <= 16, "\(small.condition.text)")
    #expect(small.condition.mentions(".hasAll("))
    #expect(small.scene.uid == nil && small.scene.before == nil && small.scene.method == .get)
  }

  @Test("a query that is wrong for one filter keeps that filter alone")
  func shrinksQueries() throws {
    var number = 0
    var trial = QueryTrial.generate(seed: 1, number: number)
    while (trial.filter?.leaves.count ?? 0) < 3 || !trial.account.contains("greater") {
      number += 1
      trial = QueryTrial.generate(seed: 1, number: number)
    }
    let small = Shrinker.smallest(of: trial) { candidates in
      candidates.map { $0.filter?.text.contains("greater") == true }
    }
    #expect(small.filter?.leaves.count == 1)
    #expect(small.limit == nil && small.orders.isEmpty && small.members.isEmpty && !small.isGroup)
    #expect(small.condition.text.utf8.count <= 4)
  }

  @Test("a text shrinks to the tokens that matter")
  func shrinksTexts() {
    let trial = TextTrial.generate(seed: 2, number: 11)
    let small = Shrinker.smallest(of: trial) { candidates in candidates.map { $0.rules.contains("documents") }
    }
    #expect(small.rules == "documents")
  }

  @Test(
    "reasons of the official emulator are taken apart at their places",
    arguments: [
      ("\nfalse for 'get' @ L4", ["false for 'get' @ L4"]),
      (
        "\nevaluation error at L5:17 for 'get' @ L5, Type error. Received: [int] Expected: [a, b]. for 'get' @ L12",
        [
          "evaluation error at L5:17 for 'get' @ L5",
          "Type error. Received: [int] Expected: [a, b]. for 'get' @ L12",
        ]
      ),
      ("\nNo matching allow statements", ["No matching allow statements"]),
    ])
  func reasons(message: String, entries: [String]) { #expect(Reasons.entries(message) == entries) }

  @Test(
    "of rounds that fetch documents the entries count that say more than that one is missing",
    arguments: [
      (
        [
          "evaluation error at L3:9 for 'create' @ L3", "evaluation error at L3:9 for 'update' @ L3",
          "b for 'create' @ L3",
        ],
        ["a for 'update' @ L3"], ["b for 'create' @ L3"]
      ),
      (
        ["b for 'list' @ L3", "evaluation error at L3:9 for 'list' @ L3"], ["a for 'list' @ L3"],
        ["b for 'list' @ L3"]
      ),
      (
        ["b for 'list' @ L3", "evaluation error at L3:9 for 'list' @ L3"],
        ["evaluation error at L3:9 for 'list' @ L3"], ["evaluation error at L3:9 for 'list' @ L3"]
      ),
      (
        ["evaluation error at L3:9 for 'list' @ L3"], ["a for 'list' @ L3"],
        ["evaluation error at L3:9 for 'list' @ L3"]
      ),
    ])
  func rounds(entries: [String], own: [String], decisive: [String]) {
    #expect(Reasons.decisive(entries, own, fetches: true) == decisive)
  }

  @Test(
    "a query that names its document and asks for the state after a commit is known as such",
    arguments: [
      ("existsAfter(/a/b)", true, true), ("exists(/a/b)", true, false), ("existsAfter(/a/b)", false, false),
    ])
  func afterByName(condition: String, isNamed: Bool, expected: Bool) {
    let field = isNamed ? FieldPath.documentName : FieldPath(segments: ["a"]) ?? .documentName
    var trial = QueryTrial.generate(seed: 1, number: 0)
    trial.functions = []
    trial.condition = Phrase(.bool, condition)
    trial.filter = .field(field, .equal, .reference("§root/§/x"))
    #expect(trial.asksAfterByName == expected)
  }

  @Test("JSON messages are read with their escapes")
  func messages() {
    #expect(
      JSONText.message(in: #"{"error":{"code":403,"message":"a\n\"b\" \u00e9\ud83d\ude00"}}"#)
        == "a\n\"b\" é😀")
  }
}
