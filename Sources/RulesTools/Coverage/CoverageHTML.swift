/// Coverage as one page that needs nothing else: the source with what was seen of every expression.
///
/// Units are underlined: green when they were seen both ways, amber when only one way, red when they were
/// not reached. Hovering shows the values of the innermost expression, a click keeps them; `n` and `p` go
/// from gap to gap. Light and dark follow the reader's system.

internal import JSON
public import Rules

public enum CoverageHTML {
  /// - Parameter note: a remark above everything, for the reader.
  public static func page(_ reports: [CoverageReport], note: String? = nil) -> [UInt8] {
    var page = HTMLText()
    page.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
    page.text("Rule coverage: " + reports.map(\.source.name).joined(separator: ", "))
    page.raw("</title>\n<style>\n\(CoverageStyle.css)</style></head>\n<body>\n")
    if let note {
      page.raw("<p class=\"note\">")
      page.text(note)
      page.raw("</p>\n")
    }
    for (index, report) in reports.enumerated() { section(report, index, &page) }
    page.raw("<script type=\"application/json\" id=\"data\">")
    page.bytes(data(reports))
    page.raw("</script>\n<script>\n\(CoverageStyle.script)</script>\n</body></html>\n")
    return page.result
  }

  private static func section(_ report: CoverageReport, _ index: Int, _ page: inout HTMLText) {
    let share = report.share
    page.raw(
      "<section data-report=\"\(index)\"><header><div class=\"figure \(level(share))\">\(share.text)</div>")
    page.raw("<div><h1>")
    page.text(report.source.name)
    page.raw("</h1><p>\(share.covered) of \(share.total) seen both ways · ")
    page.raw("\(report.operations) requests judged · \(gaps(report).count) gaps")
    if report.isCut { page.raw(" · not every value that was seen is shown") }
    page.raw("</p><div class=\"bar\"><i style=\"width:\(Int(share.percent))%\"></i></div></div>")
    page.raw("<p class=\"legend\"><b class=\"full\">both ways</b> <b class=\"half\">one way</b> ")
    page.raw("<b class=\"none\">not reached</b></p></header>\n<div class=\"columns\"><main>")
    SourceListing(report, index).write(to: &page)
    page.raw(
      "</main><aside><div class=\"panel\"><p class=\"hint\">Point at an expression to see what it came to; ")
    page.raw("click to keep it.<br><kbd>n</kbd> <kbd>p</kbd> next and previous gap</p></div>\n")
    allows(report, index, &page)
    functions(report, index, &page)
    gaps(report, index, &page)
    page.raw("</aside></div></section>\n")
  }

  private static func level(_ share: CoverageShare) -> String {
    share.covered == share.total ? "full" : share.percent >= 80 ? "half" : "none"
  }

  // MARK: summaries

  private static func allows(_ report: CoverageReport, _ index: Int, _ page: inout HTMLText) {
    page.raw("<h2>Rules</h2><table><tr><th>allow</th><th>granted</th><th>refused</th><th>errors</th></tr>\n")
    for allow in report.allows where !allow.isForeign {
      let denied = allow.refused + allow.failed
      let isFull = allow.granted > 0 && denied > 0 || allow.isConstant && allow.granted + denied > 0
      page.raw("<tr class=\"\(allow.granted + denied == 0 ? "none" : isFull ? "full" : "half")\"><td>")
      link(allow.position.line, index, allow.id, &page)
      page.raw("</td><td>\(allow.granted)</td><td>\(allow.refused)</td><td>\(allow.failed)</td></tr>\n")
    }
    page.raw("</table>\n")
  }

  private static func functions(_ report: CoverageReport, _ index: Int, _ page: inout HTMLText) {
    if report.functions.isEmpty { return }
    page.raw("<h2>Functions</h2><table><tr><th>function</th><th>calls</th></tr>\n")
    for function in report.functions {
      page.raw("<tr class=\"\(function.calls == 0 ? "none" : "full")\"><td>")
      link(function.position.line, index, function.name, &page)
      page.raw("</td><td>\(function.calls)</td></tr>\n")
    }
    page.raw("</table>\n")
  }

  private static func gaps(_ report: CoverageReport) -> [CoverageUnit] {
    report.units.filter { !$0.isCovered }
  }

  private static func gaps(_ report: CoverageReport, _ index: Int, _ page: inout HTMLText) {
    let gaps = gaps(report)
    page.raw("<h2>Gaps</h2>")
    if gaps.isEmpty { return page.raw("<p class=\"hint\">None: everything was seen both ways.</p>") }
    page.raw("<ol class=\"gaps\">\n")
    for gap in gaps {
      page.raw(
        "<li class=\"\(gap.evaluations == 0 ? "none" : "half")\"><a href=\"#r\(index)l\(gap.position.line)\">"
      )
      page.raw("<span>\(CoverageText.lack(gap))</span> ")
      page.text(OneLine.text(gap.text, most: 70))
      page.raw("</a></li>\n")
    }
    page.raw("</ol>")
  }

  private static func link(_ line: Int, _ index: Int, _ text: String, _ page: inout HTMLText) {
    page.raw("<a href=\"#r\(index)l\(line)\">")
    page.text(text)
    page.raw("</a>")
  }

  // MARK: data

  /// For each report, by expression number: place, counts, values as text.
  private static func data(_ reports: [CoverageReport]) -> [UInt8] {
    var json = JSONWriter(.markup)
    json.array(reports) { json, report in
      json.object { json in
        func write(_ entries: [CoverageEntry]) {
          for entry in entries {
            if let number = entry.number {
              json.member(named: String(number)) { Self.write(entry, report, &$0) }
            }
            write(entry.children)
          }
        }
        write(report.entries)
      }
    }
    return json.bytes
  }

  private static func write(_ entry: CoverageEntry, _ report: CoverageReport, _ json: inout JSONWriter) {
    let place = report.source.position(of: entry.span.start)
    json.object { json in
      json.member("at") { $0.string("\(place.line):\(place.column)") }
      json.member("n") { $0.integer(entry.evaluations) }
      json.member("of") { $0.integer(entry.opportunities) }
      json.member("t") { $0.integer(entry.truths) }
      json.member("f") { $0.integer(entry.falsehoods) }
      json.member("e") { $0.integer(entry.errors) }
      json.member("v") { json in
        json.array(entry.values) { json, counted in
          json.value([.text(ReportText.text(counted.value, most: 600)), .int(counted.count)])
        }
      }
    }
  }
}

/// HTML, written by appending; what comes from rules and requests is escaped.
struct HTMLText {
  private(set) var result: [UInt8] = []

  mutating func raw(_ text: String) { result += text.utf8 }
  mutating func bytes(_ bytes: [UInt8]) { result += bytes }
  mutating func text(_ text: String) { for byte in text.utf8 { escaped(byte) } }

  mutating func escaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"): raw("&amp;")
    case UInt8(ascii: "<"): raw("&lt;")
    case UInt8(ascii: ">"): raw("&gt;")
    case UInt8(ascii: "\""): raw("&quot;")
    default: result.append(byte)
    }
  }
}
