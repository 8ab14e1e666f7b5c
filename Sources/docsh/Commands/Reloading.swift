/// Rules, indexes and triggers of a running server, read again when their files are saved.
///
/// What cannot be read, or has errors, changes nothing: the complaint is the one of a start, and what was in force stays.

import Access
import DocModel
import DocStore
import Platform
import Rules

/// State and its owner: the thread that waits for requests.
struct Reloading {
  let command: ServeCommand
  let requests: ReloadRequests
  let guarded: GuardedStore<ServedEngine>
  let functions: ServedFunctions
  var files: ServedFiles
  var suites: ServedSuites?

  /// Never ends.
  mutating func run() {
    watchLinks()
    suites?.begin(requests.watch)
    // What was saved between the first look and the watching of these folders.
    _ = reload(files.takeChanged(all: requests.takeAll()))
    while true {
      let (changed, wantsAll) = requests.next()
      watchLinks()
      // The suites would only repeat the complaint.
      guard reload(files.takeChanged(all: wantsAll)) else { continue }
      suites?.run(changed, all: wantsAll, requests.watch)
    }
  }

  /// Where a file is a link, it also changes in the folder that it is in.
  private func watchLinks() {
    watchFolders(files.paths.compactMap(Folders.real).map(Folders.folder(of:)))
  }

  private func watchFolders(_ folders: [String]) {
    do throws(FileWatchError) {
      for folder in folders { try requests.watch?.add(folder) }
    } catch {
      Terminal.complain(error.description)
    }
  }

  /// Whether all of them were taken.
  private mutating func reload(_ changed: [String]) -> Bool {
    var areTaken = true
    func note(_ path: String, _ isTaken: Bool) {
      if isTaken { return Terminal.say("docsh: read \(path) again") }
      Terminal.complain("`\(path)` is not taken; what was in force before stays")
      areTaken = false
    }
    var changed = changed
    if let config = command.config, changed.contains(config) {
      let named = try? takeConfig()
      note(config, named != nil)
      changed += named ?? []
    }
    for source in files.rules.sources where changed.contains(source.path) {
      note(source.path, reloadRules(source))
    }
    for source in files.indexes.sources where changed.contains(source.path) {
      note(source.path, reloadIndexes(source))
    }
    if let file = files.triggers.file, changed.contains(file) { note(file, reloadTriggers()) }
    return areTaken
  }

  /// Goes by what the `firebase.json` names now: the files that it names for the first time.
  private mutating func takeConfig() throws -> [String] {
    let before = files
    let rules = try DatabaseFiles("rules", command.rules, config: command.config)
    let indexes = try DatabaseFiles("indexes", command.indexes, config: command.config)
    files.take(rules, indexes, files.triggers, config: command.config)
    watchFolders(files.folders)
    _ = files.takeChanged(all: false)
    return rules.sources.filter { !before.rules.sources.contains($0) }.map(\.path)
      + indexes.sources.filter { !before.indexes.sources.contains($0) }.map(\.path)
  }

  private func reloadRules(_ source: DatabaseFiles.Source) -> Bool {
    let compilation = try? RulesFile.compile(
      source.path, limitsSource: command.profile.chosen.limitsRulesSource, remarks: false)
    guard let ruleset = compilation?.ruleset else { return false }
    // A save takes precedence over what was put over HTTP before it, in the project that the server is for.
    do throws(StoreError) {
      try guarded.rulesets.release(
        ruleset, for: .named(source.database, insteadOfReleasesIn: command.project))
    } catch {
      Terminal.complain("the rules cannot be released: \(error.message)")
      return false
    }
    return true
  }

  private func reloadIndexes(_ source: DatabaseFiles.Source) -> Bool {
    guard let gate = guarded.indexes, let indexes = try? IndexSources.load(source.path) else { return false }
    guard guarded.store.isShared else {
      source.give(indexes, to: gate, guarded.store, project: command.project)
      return true
    }
    do throws(StoreError) {
      try SharedReleases.releaseIndexes(source, guarded.store, project: command.project)
    } catch {
      Terminal.complain("the indexes cannot be released: \(error.message)")
      return false
    }
    return true
  }

  private mutating func reloadTriggers() -> Bool {
    var triggers = files.triggers
    guard let next = try? triggers.reread() else { return false }
    if let complaint = functions.follow(next, insteadOf: &triggers) {
      Terminal.complain(complaint)
      return false
    }
    files.take(files.rules, files.indexes, triggers, config: command.config)
    return true
  }
}
