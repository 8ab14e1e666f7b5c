/// Templates, documents that copy documents, names.

import DocModel
import Fixtures
import Testing
import YAML

@Suite("templates, $from and names")
struct ReuseTests {
  private let templates = """
    version: 1
    let: {town: Askew, voice: {who: bob, n: 7, on: true}, none: {$absent: true}}
    templates:
      base: {a: 1, m: {x: 1, y: 2}, id: "${who}"}
      more: {$like: base, id: x, m.z: 3}

    """

  @Test(
    "$like copies and changes",
    arguments: [
      ("{$like: more}", "{a: 1, id: \"x\", m: {x: 1, y: 2, z: 3}}"),
      ("{$like: base, id: bob}", "{a: 1, id: \"bob\", m: {x: 1, y: 2}}"),
      ("{$like: more, m: {q: 1}}", "{a: 1, id: \"x\", m: {q: 1}}"),
      ("{$like: more, m.x: {$absent: true}, a: {$absent: true}}", "{id: \"x\", m: {y: 2, z: 3}}"),
      ("{$like: more, new.deep.er: 1}", "{a: 1, id: \"x\", m: {x: 1, y: 2, z: 3}, new: {deep: {er: 1}}}"),
      ("{$like: more, a.b: 1}", "{a: {b: 1}, id: \"x\", m: {x: 1, y: 2, z: 3}}"),
      ("{$like: more, '`p.q`': 1, m: 0}", "{a: 1, id: \"x\", m: 0, p.q: 1}"),
      ("{$like: more, \"m.${voice.who}\": 1, a: 0}", "{a: 0, id: \"x\", m: {bob: 1, x: 1, y: 2, z: 3}}"),
    ])
  func like(fields: String, expected: String) async throws {
    let sink = try await seeded(templates + "documents:\n  a/b: \(fields)\n")
    #expect(sink["a/b"].map { text(.map($0)) } == expected)
  }

  @Test(
    "names stand for values",
    arguments: [
      ("{v: \"${town}\"}", "{v: \"Askew\"}"), ("{v: \"in ${town}!\"}", "{v: \"in Askew!\"}"),
      ("{v: \"${voice}\"}", "{v: {n: 7, on: true, who: \"bob\"}}"), ("{v: \"${voice.n}\"}", "{v: 7}"),
      ("{v: \"${voice.n:03} ${voice.on}\"}", "{v: \"007 true\"}"), ("{v: \"${voice.n:03}\"}", "{v: \"007\"}"),
      ("{v: \"${none}\", w: 1}", "{w: 1}"), ("{\"${town}\": 1}", "{Askew: 1}"),
    ])
  func names(fields: String, expected: String) async throws {
    let sink = try await seeded(templates + "documents:\n  a/b: \(fields)\n")
    #expect(sink["a/b"].map { text(.map($0)) } == expected)
  }

  @Test(
    "$from reads documents that stand before",
    arguments: [
      ("{$from: a/b}", "{m: {x: 1, y: [2]}, n: \"B\"}"),
      ("{$from: a/b, pick: [n, m.y]}", "{n: \"B\", y: [2]}"),
      ("{v: {$from: a/b, field: m.y}}", "{v: [2]}"),
      ("{$from: \"a/${b}\", pick: [n], role: admin, n: C}", "{n: \"C\", role: \"admin\"}"),
      ("{$from: a/b, '`pick`': 1, m: 0}", "{m: 0, n: \"B\", pick: 1}"),
    ])
  func from(fields: String, expected: String) async throws {
    let sink = try await seeded(
      "version: 1\nlet: {b: b}\ndocuments:\n  a/b: {n: B, m: {x: 1, y: [2]}}\n  a/c: \(fields)\n")
    #expect(sink["a/c"].map { text(.map($0)) } == expected)
  }

  /// The fields stand at line 8, column 8.
  @Test(
    "what cannot be copied is refused",
    arguments: [
      ("{$like: mroe}", "8:16 no template is called 'mroe' before this place (did you mean 'more'?)"),
      (
        "{$like: base}",
        "4:37 no value is called 'who' here; known: none, voice, town (in a/b, from template base)"
      ),
      ("{$like: more, m: 1, m.x: 2}", "8:28 'm.x' and 'm' set the same field twice"),
      (
        "{$like: more, a-b: 1}",
        "8:22 'a-b' is no field path; names other than letters, digits and _ are quoted, as in `a-b`.c"
      ),
      ("{$like: 7}", "8:16 $like takes the name of a template"),
      ("{$from: a/eve}", "8:16 no document a/eve before this place"),
      ("{$from: a/z, pick: [q]}", "8:28 a/z has no field 'q'"),
      ("{$from: a/z, pick: [m.n, n]}", "8:33 two picked fields are called 'n'"),
      ("{v: {$from: a/z, field: q}}", "8:32 a/z has no field 'q'"),
      ("{v: {$from: a/z, field: n, pick: [n]}}", "8:35 'pick' and 'field' cannot stand together"),
      (
        "{$from: \"${town}/z\"}",
        "8:16 the collection ids of a $from path are written out; only document ids may be names"
      ),
      ("{$from: a}", "8:16 'a' is a collection, not a document: a path has an even number of segments"),
      ("{v: \"${voice.x}\"}", "8:12 'voice' has no 'x'"),
      ("{v: \"${town.x}\"}", "8:12 'town' is a text, so it has no 'x'"),
      (
        "{v: \"a ${voice}\"}",
        "8:12 '${voice}' is a map; only texts, integers and booleans can stand inside a text"
      ),
      ("{v: \"${town:03}\"}", "8:12 '${town}' is a text; only integers can be padded"),
      ("{\"${town}\": 1, \"A${r}\": 2}", "8:23 the key 'Askew' is already in this map"),
    ])
  func refuses(fields: String, expected: String) {
    let text = templates.replacing("none: {$absent: true}}", with: "none: {$absent: true}, r: skew}")
    let names = "known: r, none"
    let expected = expected.replacing("known: none", with: names)
    #expect(seedErrors(text + "documents:\n  a/z: {n: 1, m: {n: 2}}\n  a/b: \(fields)\n") == [expected])
  }

  @Test("a document that fails is one error, not one for each that copies it")
  func consequences() {
    #expect(
      seedErrors("version: 1\ndocuments:\n  a/b: {v: \"${x}\"}\n  a/c: {$from: a/b}\n  a/d: {$from: a/c}\n")
        .count == 1)
  }

  @Test("templates see only those before them, so none contains itself")
  func templateOrder() {
    #expect(
      seedErrors(
        "version: 1\ntemplates:\n  a: {$like: b}\n  b: {x: {$like: b}}\ndocuments:\n  x/y: {$like: a}\n  x/z: {$like: b}\n"
      )
        == [
          "3:14 no template is called 'b' before this place (in x/y, from template a)",
          "4:18 no template is called 'b' before this place (in x/z, from template b)",
        ])
  }

  @Test("templates that multiply are stopped")
  func templateBomb() throws {
    var compiler = FormCompiler(database: testDatabase, vocabulary: .seeds)
    var templates = TemplateTable()
    func compile(_ text: String) throws -> Form {
      try compiler.compile(try YAMLDocument.parse(Array(text.utf8), name: "t"))
    }
    templates.define("t0", try compile("{a: x, b: \"${n}\"}"))
    for level in 1...40 {
      let form = try compile("{a: {$like: t\(level - 1)}, b: {$like: t\(level - 1)}}")
      templates.define("t\(level)", form)
    }
    var scope = Scope()
    scope.define("n", .plain(.integer(1)))
    var evaluator = FormEvaluator(database: testDatabase, templates: templates, scope: scope, budget: 100_000)
    let small = try evaluator.evaluate(try compile("{$like: t5}"), at: DrawPlace(seed: 0))
    #expect(small.value(at: ["a", "b", "a", "b", "a", "b"]) == .plain(.integer(1)))
    let error = #expect(throws: YAMLError.self) {
      try evaluator.evaluate(try compile("{$like: t40}"), at: DrawPlace(seed: 0))
    }
    #expect(error?.message == "the value grows too large here")
  }

  @Test("names that multiply are stopped before they are written out")
  func nameBomb() {
    // Values share their parts: this is quick to evaluate, and would be 2^40 megabytes.
    for leaf in ["{$repeat: [x, 1000000]}", "{at: {$serverTime: true}}"] {
      var text = "version: 1\nlet:\n  n0: \(leaf)\n"
      for level in 1...40 { text += "  n\(level): {a: \"${n\(level - 1)}\", b: \"${n\(level - 1)}\"}\n" }
      #expect(
        seedErrors(text + "documents: {a/b: {v: \"${n40}\"}}\n")
          == ["44:13 the document is more than 16,777,216 bytes; at most 1,048,576 are allowed"])
    }
    var text = "version: 1\nlet:\n  n0: {$repeat: [x, 1000000]}\n"
    for level in 1...40 { text += "  n\(level): \"${n\(level - 1)}${n\(level - 1)}\"\n" }
    let errors = seedErrors(text)
    #expect(errors.count == 1 && errors[0].hasSuffix("the value grows too large here"))
  }

  /// Compact text of a value, keys in order.
  private func text(_ value: Value) -> String {
    switch value {
    case .map(let fields):
      "{" + fields.entries.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ") + "}"
    case .array(let values): "[" + values.map(text).joined(separator: ", ") + "]"
    case .string(let string): "\"\(string)\""
    case .integer(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    default: "\(value)"
    }
  }
}
