/// The source of a coverage page, line by line, each expression in a mark of its own.
///
/// A mark that goes over a line break is closed there and opened again on the next line.

internal import Rules

struct SourceListing {
  private struct Mark {
    let span: Span
    let tag: String
  }

  private let report: CoverageReport
  private let index: Int
  /// Outer marks before inner ones.
  private var marks: [Mark] = []
  private var lineCounts: [Int: Int] = [:]

  init(_ report: CoverageReport, _ index: Int) {
    self.report = report
    self.index = index
    var units: [Span: CoverageUnit] = [:]
    for unit in report.units { units[unit.span] = unit }
    collect(report.entries, units)
    // An `allow` whose condition is a literal or missing has no entry.
    for unit in units.values where unit.isAllow { add(unit) }
    marks.sort { left, right in
      left.span.start != right.span.start
        ? left.span.start < right.span.start : left.span.end > right.span.end
    }
  }

  private mutating func collect(_ entries: [CoverageEntry], _ units: [Span: CoverageUnit]) {
    for entry in entries {
      let line = report.source.lineNumber(of: entry.span.start)
      lineCounts[line] = max(lineCounts[line] ?? 0, entry.evaluations)
      if let number = entry.number {
        let span = report.spans[number]
        var name = "x"
        if let unit = units[span], !unit.isAllow { name += " " + Self.level(unit) }
        if entry.evaluations == 0 { name += " idle" }
        marks.append(Mark(span: span, tag: "<span class=\"\(name)\" data-e=\"\(number)\">"))
      }
      collect(entry.children, units)
    }
  }

  private mutating func add(_ unit: CoverageUnit) {
    let line = unit.position.line
    lineCounts[line] = max(lineCounts[line] ?? 0, unit.evaluations)
    marks.append(Mark(span: unit.span, tag: "<span class=\"allow \(Self.level(unit))\">"))
  }

  private static func level(_ unit: CoverageUnit) -> String {
    unit.isCovered ? "full" : unit.evaluations == 0 ? "none" : "half"
  }

  func write(to page: inout HTMLText) {
    let source = report.source
    var next = 0
    var open: [Mark] = []
    page.raw("<ol class=\"source\">\n")
    for line in 1...source.lineStarts.count {
      let start = Int(source.lineStarts[line - 1])
      let end = line < source.lineStarts.count ? Int(source.lineStarts[line]) - 1 : source.bytes.count
      let count = lineCounts[line].map(String.init) ?? ""
      page.raw("<li id=\"r\(index)l\(line)\"\(count == "0" ? " class=\"dead\"" : "")>")
      page.raw("<i>\(line)</i><u>\(count)</u><code>")
      for mark in open { page.raw(mark.tag) }
      for place in start..<max(start, end) {
        close(&open, at: place, &page)
        while next < marks.count, Int(marks[next].span.start) <= place {
          page.raw(marks[next].tag)
          open.append(marks[next])
          next += 1
        }
        page.escaped(source.bytes[place])
      }
      close(&open, at: end, &page)
      for _ in open { page.raw("</span>") }
      page.raw("</code></li>\n")
    }
    page.raw("</ol>")
  }

  private func close(_ open: inout [Mark], at place: Int, _ page: inout HTMLText) {
    while let last = open.last, Int(last.span.end) <= place {
      page.raw("</span>")
      open.removeLast()
    }
  }
}
