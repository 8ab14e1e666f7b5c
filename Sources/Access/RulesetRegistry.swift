/// Which rules guard which project.
///
/// INVARIANT: where no ruleset is known, users are denied, unless the server was started open.
/// Source: spec/production-differences.md R2 (production: no release means that everything is denied).

public import Rules
internal import Synchronization

/// What guards one database at one moment.
public enum Protection: Sendable {
  case rules(Ruleset)
  /// No rules: users may do nothing.
  case closed
  /// No rules, and the operator said that this is what they want: users may do everything.
  case open
}

/// The released rulesets.
///
/// State and its guard: `state` behind its mutex, held for a look-up or a replacement, never while
/// rules are compiled or evaluated.
public final class RulesetRegistry: Sendable {
  private struct State {
    var byProject: [String: Ruleset] = [:]
    var standard: Ruleset?
  }

  private let state = Mutex(State())
  private let withoutRules: Protection

  /// - Parameter isOpen: whether users may do everything where there are no rules.
  public init(isOpen: Bool = false) {
    withoutRules = isOpen ? .open : .closed
  }

  /// What guards the databases of a project.
  public func protection(of project: String) -> Protection {
    let ruleset = state.withLock { $0.byProject[project] ?? $0.standard }
    return ruleset.map { .rules($0) } ?? withoutRules
  }

  /// The rules of every project that has none of its own (`--rules`).
  public func setStandard(_ ruleset: Ruleset) {
    state.withLock { $0.standard = ruleset }
  }

  /// Replaces the rules of one project; they hold for the next request.
  public func replace(project: String, with ruleset: Ruleset) {
    state.withLock { $0.byProject[project] = ruleset }
  }
}
