/// `docsh test --watch`: every save runs the suites that it can affect, and no others.

import Platform
import Suite

/// State and its owner: the command, on one thread.
final class WatchLoop {
  private struct Watched {
    let path: String
    /// Other files it was read from when it could be read last.
    var dependencies: [String] = []
    var report: SuiteReport?
    /// Whether it cannot be run as it is.
    var isInvalid = false
  }

  private let arguments: [String]
  private let options: SuiteOptions
  private let format: ReportFormat
  private let watch: FileWatch
  private let isColored = Terminal.isInteractive
  private var suites: [Watched] = []

  /// - Parameter arguments: suites, or folders with suites in them.
  init(_ arguments: [String], _ options: SuiteOptions, _ format: ReportFormat) throws(FileWatchError) {
    self.arguments = arguments
    self.options = options
    self.format = format
    watch = try FileWatch()
  }

  /// Runs all suites, then those that saves affect, until the process is ended.
  func run() throws(FileWatchError) {
    try findSuites()
    let start = SystemClock.milliseconds
    for index in suites.indices { runSuite(index) }
    try watchFolders()
    say(Array(suites.indices), since: start)
    Terminal.say("watching \(Self.count(suites.count)); end with Ctrl-C")
    while true {
      let changed = watch.wait()
      let start = SystemClock.milliseconds
      let known = suites.count
      try findSuites()
      // Also folders that came in the place of others.
      try watchFolders()
      let affected = suites.indices.filter { $0 >= known || isAffected(suites[$0], by: changed) }
      guard !affected.isEmpty else { continue }
      Terminal.say("\n\(Self.list(changed)) changed: \(affected.count) of \(Self.count(suites.count))")
      for index in affected { runSuite(index) }
      try watchFolders()
      say(affected, since: start)
    }
  }

  /// LIMIT: files that a line names.
  private static let namesMax = 4

  private static func list(_ paths: [String]) -> String {
    let more = paths.count > namesMax ? " and \(paths.count - namesMax) more" : ""
    return paths.prefix(namesMax).joined(separator: ", ") + more
  }

  private static func count(_ suites: Int) -> String { suites == 1 ? "1 suite" : "\(suites) suites" }

  // MARK: suites

  /// Takes up suites that are new and lets go of those that are gone.
  private func findSuites() throws(FileWatchError) {
    var found: [String] = []
    for argument in arguments where access(argument, F_OK) == 0 {
      do throws(FileError) {
        found += try FileAccess.files(below: argument, suffix: TestCommand.suffix)
      } catch {
        throw FileWatchError(description: error.description)
      }
    }
    suites.removeAll { suite in !found.contains(suite.path) }
    for path in found where !suites.contains(where: { $0.path == path }) {
      suites.append(Watched(path: path))
    }
  }

  /// A suite that could not be read may be mended by any file.
  private func isAffected(_ suite: Watched, by changed: [String]) -> Bool {
    let files = [suite.path] + suite.dependencies
    return suite.isInvalid
      || changed.contains { path in files.contains { Self.isSame($0, path) || $0.hasPrefix(path + "/") } }
  }

  private static func isSame(_ left: String, _ right: String) -> Bool {
    left == right || (Folders.real(left) != nil && Folders.real(left) == Folders.real(right))
  }

  /// The folders of all files that matter, and those that may get new suites.
  private func watchFolders() throws(FileWatchError) {
    for suite in suites {
      for file in [suite.path] + suite.dependencies { try watch.add(Folders.folder(of: file)) }
    }
    for argument in arguments where !argument.hasSuffix(TestCommand.suffix) {
      let folder = argument.count > 1 && argument.hasSuffix("/") ? String(argument.dropLast()) : argument
      try watch.add(folder)
      try watch.add(Folders.folder(of: folder))
    }
  }

  private func runSuite(_ index: Int) {
    let path = suites[index].path
    let state = TestState(of: path)
    var options = options
    options.lastGreen = state.lastGreen
    var dependencies: [String] = []
    do throws(SuiteFailure) {
      let suite = try Suite.load(path: path, options: options, dependencies: &dependencies)
      suites[index].dependencies = dependencies
      let report = try suite.run()
      state.keep(report, suite, path)
      suites[index].report = report
      suites[index].isInvalid = false
    } catch {
      Terminal.report(error.description)
      suites[index].report = nil
      suites[index].isInvalid = true
      // What it names now, and what it named before it was broken.
      suites[index].dependencies += dependencies.filter { !suites[index].dependencies.contains($0) }
    }
  }

  /// The reports of what was run, then how all suites stand.
  private func say(_ run: [Int], since start: Double) {
    let reports = run.compactMap { suites[$0].report }
    if !reports.isEmpty {
      Terminal.say(String(format.text(reports, isTimed: true, isColored: isColored).dropLast()))
    }
    let all = suites.compactMap(\.report)
    let invalid = suites.count { $0.isInvalid }
    let isRed = invalid > 0 || all.contains { $0.failedCount > 0 }
    let verdict = isRed ? "red" : "green"
    let broken = invalid > 0 ? ", \(invalid) invalid" : ""
    let took = (SystemClock.milliseconds - start).rounded()
    let line = "\(verdict): \(all.closingLine)\(broken) (\(Int(took)) ms)"
    Terminal.say(isColored ? "\u{1B}[1;\(isRed ? 31 : 32)m\(line)\u{1B}[0m" : line)
  }
}
