/// Suites that are run again when a file that they were read from is saved.

import Platform
import Suite

/// State and its owner: the thread that waits for saves.
final class WatchedSuites {
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
  private var suites: [Watched] = []

  /// - Parameter arguments: suites, or folders with suites in them.
  init(_ arguments: [String], _ options: SuiteOptions) {
    self.arguments = arguments
    self.options = options
  }

  var indices: [Int] { Array(suites.indices) }
  var count: Int { suites.count }
  /// `1 suite`
  var counted: String { Plural.text(suites.count, "suite") }

  /// Suites with cases that failed, and those that cannot be run.
  var failed: [Int] {
    suites.indices.filter { suites[$0].isInvalid || (suites[$0].report?.failedCount ?? 0) > 0 }
  }

  /// Takes up suites that are new and lets go of those that are gone.
  func find() throws(FileWatchError) {
    var found: [String] = []
    for argument in arguments where access(argument, F_OK) == 0 {
      do throws(FileError) {
        found += try FileAccess.files(below: argument, suffix: ProjectFiles.suiteSuffix)
      } catch {
        throw FileWatchError(description: error.description)
      }
    }
    suites.removeAll { suite in !found.contains(suite.path) }
    for path in found where !suites.contains(where: { $0.path == path }) {
      suites.append(Watched(path: path))
    }
  }

  /// Suites that are new, or that saves of these files can change.
  func affected(by changed: [String], since known: Int) -> [Int] {
    suites.indices.filter { $0 >= known || isAffected(suites[$0], by: changed) }
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

  /// Watches the folders of all files that matter, and those that may get new suites.
  func addFolders(to watch: FileWatch) throws(FileWatchError) {
    for suite in suites {
      for file in [suite.path] + suite.dependencies { try watch.add(Folders.folder(of: file)) }
    }
    for argument in arguments where !argument.hasSuffix(ProjectFiles.suiteSuffix) {
      let folder = argument.count > 1 && argument.hasSuffix("/") ? String(argument.dropLast()) : argument
      try watch.add(folder)
      try watch.add(Folders.folder(of: folder))
    }
  }

  // MARK: running

  /// Which cases of the suites run, instead of those that the options choose.
  enum Choice: Equatable {
    case all
    case failed
    /// Whose full names hold the text.
    case named(String)
  }

  /// Runs some of them; what makes one invalid is said at once.
  func run(_ chosen: [Int], _ choice: Choice = .all) {
    for index in chosen { run(index, choice) }
  }

  /// The cases of a suite that failed last, by their full names.
  private func failedNames(_ index: Int) -> Set<String>? {
    suites[index].report.map { report in
      Set(report.results.filter(\.hasFailed).map { ([report.name] + $0.names).joined(separator: " › ") })
    }
  }

  private func run(_ index: Int, _ choice: Choice) {
    let path = suites[index].path
    let state = TestState(of: path)
    var options = options
    switch choice {
    case .all: break
    case .failed: options.names = failedNames(index)
    case .named(let text): options.filter = text
    }
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

  /// What came of some of them, as they were run last.
  func reports(_ chosen: [Int]) -> [SuiteReport] { chosen.compactMap { suites[$0].report } }

  /// How all of them stand: `green: 44 passed, 0 failed`. Nothing that ran is neither green nor red.
  var verdict: (isRed: Bool, text: String) {
    let reports = suites.compactMap(\.report)
    let invalid = suites.count { $0.isInvalid }
    let isRed = invalid > 0 || reports.contains { $0.failedCount > 0 }
    if !isRed, !reports.contains(where: { $0.results.contains { !$0.isSkipped } }) {
      return (false, "not run: there are no cases")
    }
    let broken = invalid > 0 ? ", \(invalid) invalid" : ""
    return (isRed, "\(isRed ? "red" : "green"): \(reports.closingLine)\(broken)")
  }
}
