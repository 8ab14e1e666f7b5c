/// The report as the official emulator's `:ruleCoverage` answers it.
///
/// An entry without evaluations has no values; one that was passed over has `{}` for each time. Counts are
/// those of the one evaluation that decided: the official emulator first tries a rule without the stored
/// document and counts that too, as `undefined` without a cause. What was left out for its size is said in
/// members that the official report does not have.

internal import JSON

public enum OfficialCoverage {
  /// - Parameter note: a remark for the reader; the official report has none.
  public static func json(_ report: CoverageReport, note: String? = nil) -> [UInt8] {
    var json = JSONWriter(.markup)
    write(report, note, &json)
    return json.bytes
  }

  /// Several rulesets, as an array of reports.
  public static func json(_ reports: [CoverageReport]) -> [UInt8] {
    var json = JSONWriter(.markup)
    json.array(reports, separator: ",\n") { write($1, nil, &$0) }
    json.raw("\n")
    return json.bytes
  }

  private static func write(_ report: CoverageReport, _ note: String?, _ json: inout JSONWriter) {
    let source = report.source
    json.object { json in
      json.member("rules") {
        $0.value(["files": [["content": .string(source.bytes), "name": .text(source.name)]]])
      }
      if !report.entries.isEmpty {
        json.member("report") { $0.array(report.entries) { write($1, source, &$0) } }
      }
      if report.isCut { json.member("truncated") { $0.boolean(true) } }
      if let note { json.member("note") { $0.string(note) } }
    }
  }

  private static func write(_ entry: CoverageEntry, _ source: SourceText, _ json: inout JSONWriter) {
    json.object { json in
      json.member("sourcePosition") { $0.position(entry.span, in: source) }
      if entry.opportunities > 0 { json.member("values") { write(values: entry, source, &$0) } }
      let omitted = entry.evaluations - entry.values.reduce(0) { $0 + $1.count }
      if omitted > 0 { json.member("valuesOmitted") { $0.integer(omitted) } }
      if !entry.children.isEmpty {
        json.member("children") { $0.array(entry.children) { write($1, source, &$0) } }
      }
    }
  }

  private static func write(values entry: CoverageEntry, _ source: SourceText, _ json: inout JSONWriter) {
    let passedOver = entry.opportunities - entry.evaluations
    let counts = entry.values.map { (value: Optional($0.value), count: $0.count) }
    json.array(counts + (passedOver > 0 ? [(nil, passedOver)] : [])) { json, counted in
      json.object { json in
        json.member("value") { json in
          if let value = counted.value { json.value(value, in: source) } else { json.object { _ in } }
        }
        json.member("count") { $0.integer(counted.count) }
      }
    }
  }
}
