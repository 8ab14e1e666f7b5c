/// Numbers that are not drawn evenly.

import DocModel
import Seeder
import Testing

@testable import Fixtures

@Suite("distributions")
struct DistributionTests {
  /// How many of 4,000 draws fall into each quarter of the range. The seed is fixed, so the counts are.
  private func quarters(_ form: String) async throws -> [Int] {
    let sink = try await seeded(
      "version: 1\nseed: 3\ngenerate: [{path: \"a/${i}\", repeat: 4000, fields: {v: \(form)}}]\n")
    var counts = [0, 0, 0, 0]
    for path in sink.order {
      let part: Double
      switch sink.value(path.text, "v") {
      case .integer(let number)?: part = Double(number) / 1_000
      case .double(let number)?: part = number
      case .timestamp(let instant)?: part = Double(instant.seconds - 1_767_225_600) / 86_400
      case let other:
        Issue.record("\(String(describing: other))")
        return []
      }
      #expect((0...1).contains(part))
      counts[min(3, Int(part * 4))] += 1
    }
    return counts
  }

  @Test(
    "integers, doubles and times take a shape",
    arguments: [
      "{$int: {min: 0, max: 1000, shape: SHAPE}}", "{$double: {min: 0, max: 1, shape: SHAPE}}",
      "{$double: {min: 0, max: 1, decimals: 3, shape: SHAPE}}",
      "{$timeBetween: [2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z, SHAPE]}",
    ])
  func shapes(form: String) async throws {
    // The least of three is in the lowest quarter 37 times of 64, and in the highest once.
    let even = try await quarters(form.replacing("SHAPE", with: "even"))
    #expect(even.allSatisfy { (880...1_120).contains($0) })
    let bell = try await quarters(form.replacing("SHAPE", with: "bell"))
    #expect(bell[1] + bell[2] > 3_500 && bell[0] < 300 && bell[3] < 300)
    let low = try await quarters(form.replacing("SHAPE", with: "low"))
    #expect((2_190...2_430).contains(low[0]) && low[3] < 110)
    #expect(low == low.sorted(by: >))
    let high = try await quarters(form.replacing("SHAPE", with: "high"))
    #expect((2_190...2_430).contains(high[3]) && high[0] < 110)
    #expect(high == high.sorted())
  }

  @Test("`even` draws what is drawn when nothing is said")
  func even() async throws {
    let plain = try await made("{$int: {min: 0, max: 1000000}}")
    #expect(try await made("{$int: {min: 0, max: 1000000, shape: even}}") == plain)
  }

  @Test("the whole range of integers does not overflow", arguments: ["bell", "low", "high"])
  func extremes(shape: String) async throws {
    let value = try await made(
      "{$int: {min: {$int: \"-9223372036854775808\"}, max: {$int: \"9223372036854775807\"}, shape: \(shape)}}"
    )
    #expect(value?.kind == .integer)
    #expect(try await made("{$int: {min: 7, max: 7, shape: \(shape)}}") == .integer(7))
  }

  @Test(
    "what is no shape",
    arguments: [
      (
        "{$int: {min: 0, max: 1, shape: steep}}",
        "3:43 shape is even, bell, low or high; found 'steep'"
      ),
      (
        "{$double: {min: 0, max: 1, shape: 3}}",
        "3:46 shape is even, bell, low or high; found an integer"
      ),
      (
        "{$timeBetween: [2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z, x]}",
        "3:72 shape is even, bell, low or high; found 'x'"
      ),
    ])
  func refusals(form: String, error: String) {
    #expect(seedErrors("version: 1\ndocuments:\n  a/b: {v: \(form)}\n") == [error])
  }
}
