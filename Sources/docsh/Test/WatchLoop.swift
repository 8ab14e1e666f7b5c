/// `docsh test --watch`: every save runs the suites that it can affect, and no others; keys run others.

import Platform
import Suite

/// State and its owner: the command, on one thread.
final class WatchLoop {
  private let format: ReportFormat
  private var isBrief: Bool
  private let watch: FileWatch
  private let isColored = Terminal.isInteractive
  private let suites: WatchedSuites
  /// The cases that saves and Enter run.
  private var choice = WatchedSuites.Choice.all

  /// - Parameter arguments: suites, or folders with suites in them.
  init(
    _ arguments: [String], _ options: SuiteOptions, _ format: ReportFormat, isBrief: Bool
  ) throws(FileWatchError) {
    self.format = format
    self.isBrief = isBrief
    suites = WatchedSuites(arguments, options)
    watch = try FileWatch()
  }

  /// Runs all suites, then those that saves affect, until the process is ended or somebody quits.
  func run() throws(FileWatchError) {
    try suites.find()
    runAndSay(suites.indices, .all)
    try suites.addFolders(to: watch)
    guard let keys = WatchKeys() else {
      Terminal.say("watching \(suites.counted); end with Ctrl-C")
      while true { try runChanged(watch.wait(), nil) }
    }
    defer { keys.leave() }
    while true {
      keys.prompt(suites.counted)
      let changed = watch.wait(orInput: STDIN_FILENO)
      if !changed.isEmpty {
        try runChanged(changed, keys)
        continue
      }
      guard let pressed = keys.read() else { return }
      for key in pressed {
        if key == .quit {
          keys.clear()
          return
        }
        keys.clear()
        obey(key)
      }
    }
  }

  private func runChanged(_ changed: [String], _ keys: WatchKeys?) throws(FileWatchError) {
    let known = suites.count
    try suites.find()
    // Also folders that came in the place of others.
    try suites.addFolders(to: watch)
    let affected = suites.affected(by: changed, since: known)
    guard !affected.isEmpty else { return }
    keys?.clear()
    Terminal.say("\n\(Self.list(changed)) changed: \(affected.count) of \(suites.counted)")
    runAndSay(affected, choice)
    try suites.addFolders(to: watch)
  }

  private func obey(_ key: WatchKeys.Key) {
    switch key {
    case .quit: break
    case .again: runAndSay(suites.indices, choice)
    case .all:
      choice = .all
      runAndSay(suites.indices, choice)
    case .failed:
      let failed = suites.failed
      if failed.isEmpty { return Terminal.say("nothing has failed") }
      runAndSay(failed, .failed)
    case .why:
      isBrief.toggle()
      say(suites.indices, since: SystemClock.milliseconds)
    case .filter(let text):
      choice = text.isEmpty ? .all : .named(text)
      runAndSay(suites.indices, choice)
    }
  }

  private func runAndSay(_ chosen: [Int], _ choice: WatchedSuites.Choice) {
    let start = SystemClock.milliseconds
    suites.run(chosen, choice)
    say(chosen, since: start)
  }

  /// LIMIT: files that a line names.
  private static let namesMax = 4

  /// What editors write on the way and take away again is not named, unless it is all there is.
  private static func list(_ changed: [String]) -> String {
    let there = changed.filter { access($0, F_OK) == 0 }
    let paths = there.isEmpty ? changed : there
    let more = paths.count > namesMax ? " and \(paths.count - namesMax) more" : ""
    return paths.prefix(namesMax).joined(separator: ", ") + more
  }

  /// The reports of what was run, then how all suites stand.
  private func say(_ run: [Int], since start: Double) {
    let reports = suites.reports(run)
    if !reports.isEmpty {
      let text = format.text(reports, isTimed: true, isColored: isColored, isBrief: isBrief)
      Terminal.say(String(text.dropLast()))
    }
    let (isRed, verdict) = suites.verdict
    var text = verdict
    if case .named(let name) = choice { text += ", of cases with '\(name)'" }
    let line = "\(text) (\(Int((SystemClock.milliseconds - start).rounded())) ms)"
    Terminal.say(isColored ? "\u{1B}[1;\(isRed ? 31 : 32)m\(line)\u{1B}[0m" : line)
  }
}
