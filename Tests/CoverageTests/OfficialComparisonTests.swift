/// Our `:ruleCoverage` against the official emulator's, entry by entry. Skips where there is none.

import Foundation
import Rules
import Testing

@Suite(
  "Coverage beside the official emulator", .serialized,
  .enabled(if: OfficialEmulator.isPresent, "the official emulator is not on this machine"))
struct OfficialComparisonTests {
  @Test("entries, places, nesting and values are the same", arguments: coverageRows)
  func same(row: CoverageCase) throws {
    let emulator = try #require(OfficialEmulator.shared)
    let theirs = FlatReport(try row.theirs(emulator))
    let ours = FlatReport(
      try #require(
        try JSONSerialization.jsonObject(with: Data(OfficialCoverage.json(try row.ours()))) as? [String: Any])
    )
    #expect(theirs.places.isEmpty == false)
    #expect(ours.places == theirs.places)
    for (theirEntry, ourEntry) in zip(theirs.entries, ours.entries) {
      let text = row.source.unicodeScalars.map { String($0) }[theirEntry.range].joined()
      let extra = ourEntry.values.subtracting(theirEntry.values).subtracting(["{}"])
      #expect(extra.isEmpty, "only ours has \(extra) for `\(text)`, theirs \(theirEntry.values)")
      // The official engine goes on after an operand without value, where ours stops, and gives the branch
      // of a choice that was not taken the value of the other.
      if !ourEntry.values.contains("{}") {
        let lost = theirEntry.values.subtracting(ourEntry.values)
        #expect(lost.isEmpty, "only theirs has \(lost) for `\(text)`, ours \(ourEntry.values)")
      }
    }
  }
}

/// A report's entries in the order of a walk.
struct FlatReport {
  struct Entry {
    let place: String
    let range: ClosedRange<Int>
    let values: Set<String>
  }

  private(set) var entries: [Entry] = []
  var places: [String] { entries.map(\.place) }

  init(_ json: [String: Any]) {
    for entry in json["report"] as? [[String: Any]] ?? [] { add(entry, depth: 0) }
  }

  private mutating func add(_ json: [String: Any], depth: Int) {
    let position = json["sourcePosition"] as? [String: Any] ?? [:]
    func number(_ key: String) -> Int { (position[key] as? NSNumber)?.intValue ?? 0 }
    let range = number("currentOffset")...max(number("currentOffset"), number("endOffset"))
    entries.append(
      Entry(
        place: "\(depth) \(number("line")):\(number("column")) \(range)", range: range,
        values: Set((json["values"] as? [[String: Any]] ?? []).compactMap(Self.value))))
    for child in json["children"] as? [[String: Any]] ?? [] { add(child, depth: depth + 1) }
  }

  /// Canonical text; nil for what the official engine's first pass, without the document, leaves behind.
  private static func value(_ counted: [String: Any]) -> String? {
    let value = counted["value"] as? [String: Any] ?? [:]
    if let undefined = value["undefined"] as? [String: Any], undefined.isEmpty { return nil }
    let data = try? JSONSerialization.data(withJSONObject: withoutTimes(value), options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Both servers have clocks of their own.
  private static func withoutTimes(_ json: Any) -> Any {
    if let list = json as? [Any] { return list.map(withoutTimes) }
    guard let object = json as? [String: Any] else { return json }
    var result: [String: Any] = [:]
    // `request.autoId` tells requests without an id; our engine is not told.
    for (key, value) in object where key != "autoId" {
      result[key] = key == "timestampValue" ? "now" : withoutTimes(value)
    }
    return result
  }
}
