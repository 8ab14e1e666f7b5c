/// Where things stand, and how errors are shown.

import Glibc
import Platform
import Testing
import YAML

@Suite("places and messages")
struct PlaceTests {
  @Test("columns count characters")
  func columns() throws {
    let node = try parse("é: {ü😀: [1,\n  x]}\n")
    let inner = try node.entries()[0].value.entries()[0]
    #expect(inner.key.mark == YAMLMark(line: 1, column: 5))
    #expect(
      try inner.value.elements().map(\.start) == [
        YAMLMark(line: 1, column: 10), YAMLMark(line: 2, column: 3),
      ])
    #expect(try inner.value.elements()[1].end == YAMLMark(line: 2, column: 4))
  }

  @Test("a diagnostic shows file, place, line and caret")
  func diagnostic() throws {
    let source = YAMLSource(name: "seeds/x.yaml", text: "version: 1\n\tname: \"ü\" oops\n")
    let error = YAMLError("unexpected", at: YAMLMark(line: 2, column: 12), notes: ["in users/bob"])
    #expect(
      source.diagnostic(for: error).description
        == "seeds/x.yaml:2:12: error: unexpected (in users/bob)\n  \tname: \"ü\" oops\n  \t          ^")
  }

  @Test("a long line is cut around the caret")
  func longLine() {
    let source = YAMLSource(
      name: "x", text: String(repeating: "a", count: 500) + "B" + String(repeating: "c", count: 500))
    let lines = source.diagnostic(for: YAMLError("m", at: YAMLMark(line: 1, column: 501))).description
      .split(separator: "\n")
    #expect(lines[1].count < 200)
    let caret = lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } ?? 0
    #expect(Array(lines[1])[caret] == "B")
  }

  @Test("lines end where YAML ends them", arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}"])
  func lineBreaks(separator: String) {
    let source = YAMLSource(name: "x", text: "one\(separator)two\(separator)three")
    #expect(source.line(2) == "two")
    #expect(source.line(3) == "three")
    #expect(source.line(4) == nil)
  }

  @Test("accessors name what they expected and what they found")
  func accessors() throws {
    let map = try parse("a: x\nb: [1]\nrepeats: {d: 1}\ne: 7\n").map("a thing")
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "accepted"
      } catch let error as YAMLError {
        return "\(error.mark.line):\(error.mark.column) \(error.message)"
      } catch {
        return "\(error)"
      }
    }
    #expect(message { _ = try map.required("a").elements() } == "1:4 expected a list, found a text")
    #expect(message { _ = try map.required("b").text() } == "2:4 expected a text, found a list")
    #expect(message { _ = try map.required("repeats").integer() } == "3:10 expected an integer, found a map")
    #expect(message { _ = try map.required("e").boolean() } == "4:4 expected true or false, found an integer")
    #expect(message { _ = try map.required("e").integer(in: 1...5) } == "4:4 7 is outside 1...5")
    #expect(message { _ = try map.required("z") } == "1:1 a thing needs the key 'z'")
    #expect(
      message { try map.refuseKeys(except: ["a", "b", "repeat"]) }
        == "3:1 unknown key 'repeats'; a thing has a, b, repeat (did you mean 'repeat'?)")
  }

  @Test(
    "a misspelt word gets the nearest one",
    arguments: [
      ("repeats", "repeat"), ("tme", "time"), ("tiem", "time"), ("zzz", nil), ("somOf", "someOf"),
    ] as [(String, String?)])
  func spelling(word: String, expected: String?) {
    #expect(Spelling.nearest(to: word, among: ["repeat", "time", "someOf", "path"]) == expected)
  }
}

@Suite("event reader")
struct EventReaderTests {
  @Test("a large file is read in constant memory, event by event")
  func largeFile() throws {
    let path = "/tmp/yaml-tests-\(getpid())-large.yaml"
    defer { unlink(path) }
    let file = try #require(fopen(path, "w"))
    let count = 40_000
    for number in 0..<count {
      fputs("key\(number): {a: [1, 2, 3], b: \"text of some length \(number)\"}\n", file)
    }
    fputs("last: 'open\n", file)
    fclose(file)

    let source = try YAMLSource(path: path)
    let events = try YAMLEventReader(source, dialect: .plain)
    var scalars = 0
    do {
      while true {
        let event = try events.next()
        if case .scalar = event.kind { scalars += 1 }
      }
    } catch {
      #expect(error.mark == YAMLMark(line: count + 1, column: 7))
      #expect(source.diagnostic(for: error).sourceLine == "last: 'open")
    }
    #expect(scalars == count * 7 + 1)
  }

  @Test("a file that cannot be opened says why")
  func unreadable() {
    #expect(throws: YAMLSourceError.self) { try YAMLSource(path: "/nonexistent/x.yaml") }
    do {
      _ = try YAMLSource(path: "/tmp")
    } catch {
      #expect(error.description == "cannot read /tmp: it is not a regular file")
    }
  }
}
