/// Coverage for the terminal: the share, every `allow`, and what was never seen.
///
/// ```
/// rules/inspired.rules  97.4%  (187 of 192 both ways)
///   granted  refused  errors  allow
///        12        5       1  profile.get            :129
///         3        0       0  profile.delete         :154  never refused
///   not seen
///     :129:12  never true   resource.data.privacySettings.avatarPrivacy == 'public'
/// ```

public import Rules

public enum CoverageText {
  /// LIMIT: lines about units, so that an untested file does not fill the screen; the pages show all.
  private static let unitsMax = 40

  /// - Parameter isColored: whether it goes to a terminal that shows colours.
  public static func text(_ reports: [CoverageReport], isColored: Bool = false) -> String {
    let paint = Paint(isOn: isColored)
    return reports.map { report($0, paint) }.joined(separator: "\n")
  }

  private static func report(_ report: CoverageReport, _ paint: Paint) -> String {
    let share = report.share
    var lines = [
      "\(report.source.name)  "
        + paint.bold(paint.level(share.percent, share.text))
        + "  (\(share.covered) of \(share.total) seen both ways, \(report.operations) requests judged)"
    ]
    lines += allows(report, paint)
    lines += functions(report, paint)
    lines += units(report, paint)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func allows(_ report: CoverageReport, _ paint: Paint) -> [String] {
    let shown = report.allows.filter { !$0.isForeign }
    guard !shown.isEmpty else { return [] }
    let width = shown.map(\.id.count).max() ?? 0
    return ["  granted  refused  errors  allow"]
      + shown.map { allow in
        let counts =
          right(allow.granted, 9) + right(allow.refused, 9) + right(allow.failed, 8)
        let place = allow.id + String(repeating: " ", count: width - allow.id.count)
        let lack = lack(allow)
        return "\(counts)  \(place)  :\(allow.position.line)" + (lack.isEmpty ? "" : "  " + paint.red(lack))
      }
  }

  private static func lack(_ allow: AllowCoverage) -> String {
    let denied = allow.refused + allow.failed
    if allow.granted + denied == 0 { return "never tried" }
    if allow.isConstant { return "" }
    if allow.granted == 0 { return "never granted" }
    return denied == 0 ? "never refused" : ""
  }

  private static func functions(_ report: CoverageReport, _ paint: Paint) -> [String] {
    let idle = report.functions.filter { $0.calls == 0 }
    if idle.isEmpty { return [] }
    return ["  never called: " + idle.map { "\($0.name):\($0.position.line)" }.joined(separator: ", ")]
  }

  private static func units(_ report: CoverageReport, _ paint: Paint) -> [String] {
    let open = report.units.filter { !$0.isCovered && !$0.isAllow }
    if open.isEmpty { return [] }
    let shown = open.prefix(unitsMax)
    let places = shown.map { ":\($0.position.line):\($0.position.column)" }
    let width = places.map(\.count).max() ?? 0
    var lines = ["  not seen both ways"]
    for (place, unit) in zip(places, shown) {
      let padding = String(repeating: " ", count: width - place.count)
      let lack = lack(unit)
      let filler = String(repeating: " ", count: max(0, 12 - lack.count))
      lines.append(
        "    \(place)\(padding)  \(paint.red(lack))\(filler)  \(OneLine.text(unit.text, most: 90))")
    }
    if open.count > shown.count { lines.append("    … and \(open.count - shown.count) more") }
    return lines
  }

  static func lack(_ unit: CoverageUnit) -> String {
    if unit.isCovered { return "" }
    if unit.evaluations == 0 { return "not reached" }
    if unit.isAllow { return unit.truths == 0 ? "never granted" : "never refused" }
    if unit.truths == 0, unit.falsehoods == 0 { return "only errors" }
    return unit.truths == 0 ? "never true" : "never false"
  }

  private static func right(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
