/// What has changed since all cases passed last, for the reports of failures.

internal import Platform
internal import Rules
internal import YAML

enum SinceGreen {
  /// LIMIT: places that the line names.
  private static let placesMax = 6

  /// Nil when neither the rules nor the suite have changed.
  static func line(_ green: GreenRun, _ file: SuiteFile) -> FailureLine? {
    let rules = file.rules.source.bytes
    guard rules == green.rules else {
      let lines = ChangedLines.numbers(from: green.rules, to: rules)
      return FailureLine(label: "since", text: "last green run: \(places(lines)) of the rules changed")
    }
    guard let suite = try? FileContents.read(file.source.name, bytesMax: SuiteReader.fileBytesMax),
      suite != green.suite
    else { return nil }
    let lines = ChangedLines.numbers(from: green.suite, to: suite)
    return FailureLine(label: "since", text: "last green run: \(places(lines)) of the suite changed")
  }

  /// `line 31`, `lines 31, 40-42`
  private static func places(_ lines: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for line in lines {
      if let last = ranges.last, last.upperBound + 1 == line {
        ranges[ranges.count - 1] = last.lowerBound...line
      } else {
        ranges.append(line...line)
      }
    }
    let texts = ranges.prefix(placesMax).map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
    let more = ranges.count > placesMax ? " and more" : ""
    return (lines.count == 1 ? "line " : "lines ") + texts.joined(separator: ", ") + more
  }
}
