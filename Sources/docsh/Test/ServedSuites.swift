/// `docsh serve --watch-tests`: the suites' verdict on the rules that were saved.

import Platform
import Suite

/// State and its owner: the thread that waits for requests.
final class ServedSuites {
  private let path: String
  private let suites: WatchedSuites

  init(_ path: String, _ options: SuiteOptions) {
    self.path = path
    suites = WatchedSuites([path], options)
  }

  /// The verdict at the start.
  func begin(_ watch: FileWatch?) {
    guard find(watch) else { return }
    if suites.count == 0 {
      let place = path == "." ? "this folder" : "`\(path)`"
      let reason = access(path, F_OK) == 0 ? "" : ", which is not there"
      Terminal.complain(
        "no suites found in \(place)\(reason); their names end in \(ProjectFiles.suiteSuffix)")
    }
    suites.run(suites.indices)
    say(suites.indices)
    _ = find(watch)
  }

  func run(_ changed: [String], all: Bool, _ watch: FileWatch?) {
    let known = suites.count
    guard find(watch) else { return }
    let affected = all ? suites.indices : suites.affected(by: changed, since: known)
    guard !affected.isEmpty else { return }
    suites.run(affected)
    say(affected)
    _ = find(watch)
  }

  /// Takes up new suites, and watches the folders of all.
  private func find(_ watch: FileWatch?) -> Bool {
    do throws(FileWatchError) {
      try suites.find()
      if let watch { try suites.addFolders(to: watch) }
      return true
    } catch {
      Terminal.complain(error.description)
      return false
    }
  }

  private func say(_ run: [Int]) {
    let (isRed, text) = suites.verdict
    if isRed {
      let reports = suites.reports(run).filter { $0.failedCount > 0 }
      if !reports.isEmpty { Terminal.say(String(BriefReport.text(reports).dropLast())) }
    }
    Terminal.say("docsh: tests \(text)")
  }
}
