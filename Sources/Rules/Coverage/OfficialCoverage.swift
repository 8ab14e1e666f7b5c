/// The report as the official emulator's `:ruleCoverage` answers it.
///
/// An entry without evaluations has no values; one that was passed over has `{}` for each time. Counts are
/// those of the one evaluation that decided: the official emulator first tries a rule without the stored
/// document and counts that too, as `undefined` without a cause. What was left out for its size is said in
/// members that the official report does not have.

public enum OfficialCoverage {
  /// - Parameter note: a remark for the reader; the official report has none.
  public static func json(_ report: CoverageReport, note: String? = nil) -> [UInt8] {
    var json = ReportJSON()
    let source = report.source
    json.object { json in
      json.member("rules") { json in
        json.object { json in
          json.member("files") { json in
            json.array { json in
              json.object { json in
                json.member("content") { $0.string(source.bytes) }
                json.member("name") { $0.string(source.name) }
              }
            }
          }
        }
      }
      if !report.entries.isEmpty {
        json.member("report") { json in
          json.array { json in for entry in report.entries { write(entry, source, &json) } }
        }
      }
      if report.isCut { json.member("truncated") { $0.boolean(true) } }
      if let note { json.member("note") { $0.string(note) } }
    }
    return json.bytes
  }

  /// Several rulesets, as an array of reports.
  public static func json(_ reports: [CoverageReport]) -> [UInt8] {
    Array("[".utf8) + reports.map { json($0) }.joined(separator: Array(",\n".utf8)) + Array("]\n".utf8)
  }

  private static func write(_ entry: CoverageEntry, _ source: SourceText, _ json: inout ReportJSON) {
    json.object { json in
      json.member("sourcePosition") { $0.position(entry.span, in: source) }
      if entry.opportunities > 0 { json.member("values") { write(values: entry, source, &$0) } }
      let omitted = entry.evaluations - entry.values.reduce(0) { $0 + $1.count }
      if omitted > 0 { json.member("valuesOmitted") { $0.integer(omitted) } }
      if !entry.children.isEmpty {
        json.member("children") { json in
          json.array { json in for child in entry.children { write(child, source, &json) } }
        }
      }
    }
  }

  private static func write(values entry: CoverageEntry, _ source: SourceText, _ json: inout ReportJSON) {
    json.array { json in
      for counted in entry.values {
        json.object { json in
          json.member("value") { $0.value(counted.value, in: source) }
          json.member("count") { $0.integer(counted.count) }
        }
      }
      let passedOver = entry.opportunities - entry.evaluations
      if passedOver > 0 {
        json.object { json in
          json.member("value") { $0.object { _ in } }
          json.member("count") { $0.integer(passedOver) }
        }
      }
    }
  }
}
