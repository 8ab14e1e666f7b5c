/// Errors of whole files: places, words, and nothing written.

import DocModel
import Glibc
import Seeder
import Testing
import YAML

@Suite("errors of seed files")
struct SeedErrorTests {
  @Test(
    "the structure of the file is checked",
    arguments: [
      (
        "- a\n",
        "1:1 a seed file is a map with the keys version, name, seed, triggers, let, templates, documents, generate"
      ),
      ("name: x\n", "1:1 a seed file begins with 'version: 1'"),
      ("version: 2\n", "1:10 version 2 is not known; this program reads version 1"),
      ("version: \"1\"\n", "1:10 expected an integer, found a text"),
      (
        "version: 1\ndocument: {}\n",
        "2:1 unknown key 'document'; a seed file has version, name, seed, triggers, let, templates, documents, generate (did you mean 'documents'?)"
      ),
      ("version: 1\nversion: 1\n", "2:1 the key 'version' is already in this map, at line 1"),
      ("version: 1\nlet: {i: 1}\n", "2:7 'i' belongs to generators; take another name"),
      ("version: 1\nlet: {a-b: 1}\n", "2:7 'a-b' cannot name a value; names are letters, digits and _"),
      ("version: 1\ntriggers: maybe\n", "2:11 expected true or false, found a text"),
      ("version: 1\ndocuments: [x]\n", "2:12 'documents' is a map from paths to fields"),
      (
        "version: 1\ndocuments:\n  users: {}\n",
        "3:3 'users' is a collection, not a document: a path has an even number of segments"
      ),
      (
        "version: 1\ndocuments:\n  users/bob: 7\n",
        "3:14 the fields of a document are a map; found an integer"
      ),
      (
        "version: 1\ndocuments:\n  users/__x__: {}\n",
        "3:3 'users/__x__' is not the path of a document: Resource id \"__x__\" is invalid because it is reserved."
      ),
      (
        "version: 1\ndocuments:\n  a/b: {$size: [1]}\n",
        "3:9 the fields of a document are a map; found an integer"
      ),
      ("version: 1\ndocuments:\n  a/b: {}\n  a/c: {}\n  a/b: {}\n", "5:3 a/b is already defined at line 3"),
      ("version: 1\ngenerate: {}\n", "2:11 'generate' is a list of generators"),
      ("version: 1\ngenerate:\n  - {path: a/b}\n", "3:5 a generator needs the key 'fields'"),
      (
        "version: 1\ngenerate:\n  - {path: a, fields: {}}\n",
        "3:12 'a' is a collection, not a document: a path has an even number of segments"
      ),
      (
        "version: 1\ngenerate:\n  - {path: a/b, repeats: 3, fields: {}}\n",
        "3:17 unknown key 'repeats'; a generator has path, repeat, each, let, fields, children (did you mean 'repeat'?)"
      ),
      (
        "version: 1\ngenerate:\n  - {path: a/b, repeat: 3, each: [], fields: {}}\n",
        "3:28 'repeat' and 'each' cannot stand together"
      ),
      (
        "version: 1\ngenerate:\n  - {path: \"a/${i}\", repeat: -1, fields: {}}\n",
        "3:30 repeat is a whole number of at least 0; found -1"
      ),
      (
        "version: 1\ngenerate:\n  - {path: \"a/${i}\", each: x, fields: {}}\n",
        "3:28 each takes a list; found a text"
      ),
      (
        "version: 1\ngenerate:\n  - {path: \"a/${i}\", fields: {}}\n",
        "3:12 no value is called 'i' here; no names are known (in document 1 of a/${i})"
      ),
      (
        "version: 1\ngenerate:\n  - {path: a/b, fields: {}}\n  - {path: a/b, fields: {}}\n",
        "4:12 another generator here has the path 'a/b'; they would draw the same values"
      ),
      (
        "version: 1\ngenerate:\n  - {path: a/x, repeat: 3, fields: {}}\n",
        "3:12 a/x is already defined at line 3"
      ),
      (
        "version: 1\ngenerate:\n  - path: posts/post_${i:02}\n    repeat: 20\n    fields: {a: \"${athor}\"}\n",
        "5:17 no value is called 'athor' here; known: i (in posts/post_01)"
      ),
      (
        "version: 1\nlet: {x: {$like: t}}\ntemplates: {t: 1}\n",
        "2:18 no template is called 't' before this place"
      ),
      (
        "version: 1\nlet: {x: {$from: a/b}}\ndocuments: {a/b: {}}\n", "2:18 no document a/b before this place"
      ),
      ("version: 1\n---\nversion: 1\n", "2:1 a second document begins here; a file holds one"),
      ("version: 1\nx: &a 1\n", "2:4 anchors are not supported in seeds: use templates and $like"),
    ])
  func structure(source: String, expected: String) {
    #expect(seedErrors(source) == [expected])
  }

  @Test("documents are held to the limits of any write")
  func limits() {
    func error(_ fields: String) -> [String] { seedErrors("version: 1\ndocuments:\n  a/b: \(fields)\n") }
    let big = "{$repeat: [x, 600000]}"
    #expect(
      error("{v: \(big), w: \(big)}")
        == ["3:3 the document is 1,200,058 bytes; at most 1,048,576 are allowed (in a/b)"])
    func nested(_ levels: Int) -> String {
      String(repeating: "{a: ", count: levels) + "1" + String(repeating: "}", count: levels)
    }
    #expect(error(nested(21)).isEmpty)
    #expect(error(nested(22)) == ["3:3 Property a contains an invalid nested entity. (in a/b)"])
    #expect(error("{v: \(nested(20))}").isEmpty)
    #expect(error("{v: \(nested(21))}") == ["3:3 Property v contains an invalid nested entity. (in a/b)"])
    #expect(
      error(nested(21).replacing("1", with: "{$serverTime: true}")).isEmpty)
    #expect(
      error(nested(21).replacing("1", with: "{x: {$serverTime: true}}"))
        == ["3:3 Property a contains an invalid nested entity. (in a/b)"])
    let long = String(repeating: "n", count: 1_501)
    #expect(error("{? \(long) : 1}") == ["3:11 the field name is 1501 bytes; at most 1500 are allowed"])
  }

  @Test("the first ten errors are shown, each place once, in the order of the file")
  func manyErrors() {
    var text = "version: 1\ndocuments:\n"
    for number in 1...30 { text += "  a/d\(number): {v: \"${x\(number)}\"}\n" }
    let errors = seedErrors(text)
    #expect(errors.count == 10)
    #expect(errors[0].hasPrefix("3:13 ") && errors[9].hasPrefix("12:"))
    do {
      _ = try seeder(text)
    } catch {
      #expect(error.description.hasSuffix("\nthere are more errors; these are the first 10"))
    }
  }

  @Test("an error shows file, line, column, the line and a caret")
  func rendering() {
    do {
      _ = try seeder("version: 1\ndocuments:\n  users/bob: {at: {$tme: now}}\n")
      Issue.record("accepted")
    } catch {
      #expect(
        error.description == """
          seed.yaml:3:20: error: unknown value form '$tme'; did you mean '$time'?
              users/bob: {at: {$tme: now}}
                               ^
          """)
    }
  }

  @Test("a missing file says so")
  func missing() {
    do {
      _ = try Seeder(checkingFile: "/nonexistent/seed.yaml", database: testDatabase)
      Issue.record("accepted")
    } catch {
      #expect(error.description == "cannot read /nonexistent/seed.yaml: No such file or directory")
    }
  }
}
