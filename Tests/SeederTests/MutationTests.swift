/// Damaged seeds: refused or accepted, never a crash.

import DocModel
import Glibc
import Seeder
import Testing
import YAML

@Suite("damaged seeds")
struct MutationTests {
  @Test("whatever is done to a seed, the answer is a seed or errors with a place")
  func mutations() throws {
    let seed =
      getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 1...UInt64(UInt32.max))
    let rounds = getenv("ROUNDS").flatMap { Int(String(cString: $0)) } ?? 60
    var random = Mixer(state: seed)
    let original = try bytes(of: InspiredSeedTests.seedPath)
    for round in 0..<rounds {
      let damaged = mutated(original, &random)
      do {
        _ = try Seeder(checking: YAMLSource(name: "x", bytes: damaged), database: testDatabase)
      } catch {
        guard case .invalid(let diagnostics, _) = error else {
          Issue.record("SEED=\(seed) round \(round): \(error)")
          continue
        }
        #expect(!diagnostics.isEmpty, "SEED=\(seed) round \(round)")
        for diagnostic in diagnostics {
          #expect(diagnostic.mark.line >= 1 && diagnostic.mark.column >= 1, "SEED=\(seed) round \(round)")
          #expect(!diagnostic.message.isEmpty, "SEED=\(seed) round \(round)")
        }
      }
    }
  }

  private func bytes(of path: String) throws -> [UInt8] {
    let source = try YAMLSource(path: path)
    var bytes: [UInt8] = []
    var number = 1
    while let line = source.line(number) {
      bytes += Array(line.utf8) + [UInt8(ascii: "\n")]
      number += 1
    }
    return bytes
  }

  /// One to four small changes: a byte, a swap of lines, a lost line, a piece of syntax.
  private func mutated(_ original: [UInt8], _ random: inout Mixer) -> [UInt8] {
    let pieces = [
      "{", "}", "[", "]", ": ", "- ", "$", "${", "$like", "$from", "$absent", "&a ", "*a", "!t ", "\t", "'",
      "\"", "#",
      "99999999999999999999", "-1", "__x__", "/", "\u{E9}", "\n", "  ", "$pick: []", "~",
    ]
    var bytes = original
    for _ in 0...Int(random.next() % 4) {
      let place = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 4 {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 1:
        bytes.insert(contentsOf: Array(pieces[Int(random.next() % UInt64(pieces.count))].utf8), at: place)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 20) + 1))
      default:
        let end = min(bytes.count, place + Int(random.next() % 200) + 1)
        let moved = Array(bytes[place..<end])
        bytes.insert(contentsOf: moved, at: Int(random.next() % UInt64(bytes.count)))
      }
    }
    return bytes
  }

  private struct Mixer {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 17
    }
  }
}
