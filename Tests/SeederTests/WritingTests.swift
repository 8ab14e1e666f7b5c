/// How a checked seed is written.

import DocModel
import Glibc
import Testing
import YAML

@testable import Seeder

@Suite("writing")
struct WritingTests {
  private let many = "version: 1\ngenerate:\n  - {path: \"a/${i}\", repeat: 1201, fields: {n: \"${i}\"}}\n"

  @Test("documents go in batches of 500, in order, with progress")
  func batches() async throws {
    var sink = MemorySink()
    let seeder = try seeder(many)
    var progress: [SeedProgress] = []
    let report = try await seeder.write(to: &sink) { progress.append($0) }
    #expect(sink.commits == [500, 500, 201])
    #expect(sink.order.map(\.text) == (1...1_201).map { "a/\($0)" })
    #expect(progress.map(\.documents) == [500, 1_000, 1_201])
    #expect(progress.allSatisfy { $0.phase == .writing && $0.total == 1_201 })
    #expect(report.outcome == SeedOutcome(created: 1_201))
    #expect(report.documentsPerSecond > 0)
  }

  @Test("large documents make smaller batches")
  func largeDocuments() async throws {
    let sink = try await seeded(
      "version: 1\ngenerate:\n  - {path: \"a/${i}\", repeat: 10, fields: {n: {$repeat: [x, 1000000]}}}\n")
    #expect(sink.commits == [4, 4, 2])
  }

  @Test("seeding again changes nothing, also where the time of the commit stands")
  func idempotence() async throws {
    let text = """
      version: 1
      documents:
        a/b: {at: {$serverTime: true}, m: {at: {$serverTime: true}}, n: 1}
        a/c: {v: {$name: person}}

      """
    var sink = MemorySink()
    let seeder = try seeder(text)
    #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(created: 2))
    let before = sink["a/b"]
    #expect(try await seeder.write(to: &sink).outcome == SeedOutcome(unchanged: 2))
    #expect(sink["a/b"] == before)
    let changed = try SeederTests.seeder(text.replacing(" n: 1}", with: " n: 2}"))
    #expect(try await changed.write(to: &sink).outcome == SeedOutcome(updated: 1, unchanged: 1))
  }

  @Test("a commit that is refused ends the seeding and says how far it came")
  func refusedCommit() async throws {
    var sink = MemorySink(failingCommit: 1)
    let seeder = try seeder(many)
    do {
      _ = try await seeder.write(to: &sink)
      Issue.record("written")
    } catch {
      #expect(error.description == "the disk is full (500 written before)")
    }
  }

  @Test("an error anywhere means that there is nothing to write")
  func nothingWritten() {
    // The last of 1,201 documents is the only wrong one.
    let text = many.replacing("{n: \"${i}\"}", with: "{n: {$repeat: [x, {$pick: [1]}]}}")
    #expect(seedErrors(text).isEmpty)
    let wrong =
      "version: 1\ngenerate:\n  - {path: \"a/${i}\", repeat: 1201, let: {s: {$ids: [x, 1, 1200]}}, fields: {n: {$someOf: \"${s}\", min: \"${i}\"}}}\n"
    #expect(
      seedErrors(wrong).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        == ["min 1201 is more than the 1200 elements (in a/1201)"])
  }

  @Test("documents that are kept from the check are those that are evaluated again")
  func keptOrNot() async throws {
    let text = """
      version: 1
      seed: 7
      templates: {t: {town: Askew, at: {$serverTime: true}}}
      documents:
        a/x: {$like: t, n: 1, m: {deep: {$serverTime: true}, k: 2}}
        a/y: {}
      generate:
        - path: "b/${i}"
          repeat: 1300
          fields: {n: {$int: {min: 1, max: 1000000}}, from: {$from: a/x}, at: {$serverTime: true}, e: {}}
          children:
            - {path: "c/${i}", repeat: 2, fields: {tags: [1, 1.0, {x: null}]}}
      """
    var sinks: [MemorySink] = []
    for bytes in [Int.max, 100_000, 0] {
      let seeder = try Seeder(
        checking: YAMLSource(name: "t.yaml", text: text), database: testDatabase, keptBytesMax: bytes
      ) { _ in }
      #expect(seeder.documentCount == 2 + 1_300 * 3)
      var sink = MemorySink()
      _ = try await seeder.write(to: &sink)
      sinks.append(sink)
    }
    for sink in sinks.dropFirst() {
      #expect(sink.order == sinks[0].order)
      #expect(sink.commits == sinks[0].commits)
      #expect(sink.documents.mapValues(\.fields) == sinks[0].documents.mapValues(\.fields))
    }
  }

  @Test("a file with more documents than are kept in memory is read again in each pass")
  func largeFile() async throws {
    let path = "/tmp/seeder-tests-\(getpid()).yaml"
    defer { unlink(path) }
    let file = try #require(fopen(path, "w"))
    // Sections in the least convenient order.
    fputs("generate: [{path: \"z/z\", fields: {$from: a/d1}}]\ndocuments:\n", file)
    let count = 30_000
    for number in 1...count {
      fputs("  a/d\(number): {$like: t, n: \(number), tags: [a, b, c], m: {x: 1}}\n", file)
    }
    fputs("templates: {t: {town: \"${town}\"}}\nlet: {town: Askew}\nversion: 1\n", file)
    fclose(file)
    let seeder = try Seeder(checkingFile: path, database: testDatabase)
    #expect(seeder.documentCount == count + 1)
    var sink = MemorySink()
    _ = try await seeder.write(to: &sink)
    #expect(sink.value("a/d\(count)", "n") == .integer(Int64(count)))
    #expect(sink.value("z/z", "town") == .string("Askew"))

    let again = try #require(fopen(path, "a"))
    fputs("name: changed\n", again)
    fclose(again)
    do {
      _ = try await seeder.write(to: &sink)
      Issue.record("written")
    } catch {
      #expect(error.description.contains("was changed while it was read"))
    }
  }
}
