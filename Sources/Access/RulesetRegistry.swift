/// Which rules guard which database.
///
/// INVARIANT: where no ruleset is known, users are denied, unless the server was started open.
/// Source: docs/spec/production-differences.md R2 (production: no release means that everything is denied), R3.

public import DocModel
public import DocStore
public import Rules
internal import Synchronization

/// What guards one database at one moment.
public enum Protection: Sendable {
  case rules(Ruleset)
  /// Rules that do not compile: users are refused with the compiler's words. Source: the official emulator.
  case broken(String, SourceText)
  /// No rules: users may do nothing.
  case closed
  /// No rules, and the operator said that this is what they want: users may do everything.
  case open
}

/// Which databases a release is for.
public enum ReleaseTarget: Hashable, Sendable {
  /// One database of one project.
  case database(DatabaseID)
  /// The databases of a name, of all projects; nil for all that have nothing of their own. What was released before in
  /// a project for single ones of them no longer holds.
  case named(String?, insteadOfReleasesIn: String)
}

/// The released rulesets. What was released for one database of one project wins over what the server was
/// started with for the databases of that name, and that over what it was started with for all.
///
/// State and its guard: `state` behind its mutex, held for a look-up or a replacement, never while
/// rules are compiled or evaluated.
public final class RulesetRegistry: Sendable {
  private struct State {
    var released: [DatabaseID: Protection] = [:]
    var byDatabaseName: [String: Protection] = [:]
    var standard: Protection?
    var observers: [@Sendable (DatabaseID?) -> Void] = []
    var publisher: Publisher?
  }

  /// Tells all servers of one store, this one among them, what to go by.
  public typealias Publisher = @Sendable (ReleaseTarget, SourceText) throws(StoreError) -> Void

  private let state = Mutex(State())
  private let withoutRules: Protection

  /// - Parameter isOpen: whether users may do everything where there are no rules.
  public init(isOpen: Bool = false) {
    withoutRules = isOpen ? .open : .closed
  }

  /// What guards a database.
  public func protection(of database: DatabaseID) -> Protection {
    let protection = state.withLock {
      $0.released[database] ?? $0.byDatabaseName[database.database] ?? $0.standard
    }
    return protection ?? withoutRules
  }

  /// Calls `body` whenever rules were replaced: with the database, or nil when it may be any.
  public func observe(_ body: @escaping @Sendable (DatabaseID?) -> Void) {
    state.withLock { $0.observers.append(body) }
  }

  private func change(_ database: DatabaseID?, _ body: (inout State) -> Void) {
    let observers = state.withLock { state in
      body(&state)
      return state.observers
    }
    for observer in observers { observer(database) }
  }

  /// The rules of every database that has none of its own (`--rules FILE`).
  public func setStandard(_ ruleset: Ruleset) {
    change(nil) { $0.standard = .rules(ruleset) }
  }

  /// The rules of the databases of this name, of all projects (`--rules NAME=FILE`).
  public func setStandard(_ ruleset: Ruleset, ofDatabase name: String) {
    change(nil) { $0.byDatabaseName[name] = .rules(ruleset) }
  }

  /// What guards the databases of a name, or all that have nothing of their own.
  public func setStandard(_ protection: Protection, ofDatabase name: String?) {
    change(nil) { state in
      if let name { state.byDatabaseName[name] = protection } else { state.standard = protection }
    }
  }

  /// The same for rules that are read again: what was released in a project for these databases no longer holds.
  public func setStandard(
    _ protection: Protection, ofDatabase name: String?, insteadOfReleasesIn project: String
  ) {
    change(nil) { state in
      for database in state.released.keys
      where database.project == project && (name == nil || database.database == name) {
        state.released[database] = nil
      }
      if let name { state.byDatabaseName[name] = protection } else { state.standard = protection }
    }
  }

  /// Where several servers have a store, rules are released through it: `publisher` has them set here, too.
  public func setPublisher(_ publisher: @escaping Publisher) { state.withLock { $0.publisher = publisher } }

  /// Has rules hold from now on, on every server of the store. Blocks until they do.
  public func release(_ ruleset: Ruleset, for target: ReleaseTarget) throws(StoreError) {
    if let publisher = state.withLock({ $0.publisher }) { return try publisher(target, ruleset.source) }
    set(.rules(ruleset), for: target)
  }

  /// What guards the databases of a target, on this server.
  public func set(_ protection: Protection, for target: ReleaseTarget) {
    switch target {
    case .database(let database): change(database) { $0.released[database] = protection }
    case .named(let name, let project):
      setStandard(protection, ofDatabase: name, insteadOfReleasesIn: project)
    }
  }

  /// As `replace`, with rules that do not compile.
  public func replace(_ database: DatabaseID, withBroken words: String, _ source: SourceText) {
    change(database) { $0.released[database] = .broken(words, source) }
  }

  /// Replaces the rules of one database; they hold for the next request, and for what is listened to.
  public func replace(_ database: DatabaseID, with ruleset: Ruleset) {
    change(database) { $0.released[database] = .rules(ruleset) }
  }
}
