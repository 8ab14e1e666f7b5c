/// `docsh test --watch`: every save runs the suites that it can affect, and no others.

import Platform
import Suite

/// State and its owner: the command, on one thread.
final class WatchLoop {
  private let format: ReportFormat
  private let watch: FileWatch
  private let isColored = Terminal.isInteractive
  private let suites: WatchedSuites

  /// - Parameter arguments: suites, or folders with suites in them.
  init(_ arguments: [String], _ options: SuiteOptions, _ format: ReportFormat) throws(FileWatchError) {
    self.format = format
    suites = WatchedSuites(arguments, options)
    watch = try FileWatch()
  }

  /// Runs all suites, then those that saves affect, until the process is ended.
  func run() throws(FileWatchError) {
    try suites.find()
    let start = SystemClock.milliseconds
    suites.run(suites.indices)
    try suites.addFolders(to: watch)
    say(suites.indices, since: start)
    Terminal.say("watching \(suites.counted); end with Ctrl-C")
    while true {
      let changed = watch.wait()
      let start = SystemClock.milliseconds
      let known = suites.count
      try suites.find()
      // Also folders that came in the place of others.
      try suites.addFolders(to: watch)
      let affected = suites.affected(by: changed, since: known)
      guard !affected.isEmpty else { continue }
      Terminal.say("\n\(Self.list(changed)) changed: \(affected.count) of \(suites.counted)")
      suites.run(affected)
      try suites.addFolders(to: watch)
      say(affected, since: start)
    }
  }

  /// LIMIT: files that a line names.
  private static let namesMax = 4

  private static func list(_ paths: [String]) -> String {
    let more = paths.count > namesMax ? " and \(paths.count - namesMax) more" : ""
    return paths.prefix(namesMax).joined(separator: ", ") + more
  }

  /// The reports of what was run, then how all suites stand.
  private func say(_ run: [Int], since start: Double) {
    let reports = suites.reports(run)
    if !reports.isEmpty {
      Terminal.say(String(format.text(reports, isTimed: true, isColored: isColored).dropLast()))
    }
    let (isRed, text) = suites.verdict
    let line = "\(text) (\(Int((SystemClock.milliseconds - start).rounded())) ms)"
    Terminal.say(isColored ? "\u{1B}[1;\(isRed ? 31 : 32)m\(line)\u{1B}[0m" : line)
  }
}
