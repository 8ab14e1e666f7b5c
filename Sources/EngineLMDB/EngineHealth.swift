/// What keeps an engine from taking commits, and what it found damaged: said once, to whoever keeps the log.

internal import Synchronization

/// State: the engine's present outage, what was said of damage, who listens, and what is to be said to the first who
/// does; behind one lock. Listeners are called outside of it.
public final class EngineHealth: Sendable {
  /// Why commits are refused.
  public enum Outage: Hashable, Sendable {
    /// The disk, or a quota on it, has no room for what a commit writes: about `neededBytes`, of which `freeBytes` are
    /// there.
    case full(folder: String, neededBytes: Int, freeBytes: Int)
    /// The folder is not the one that was opened.
    case gone(folder: String, reason: String)
    /// The server that keeps the store does not answer, or refuses.
    case away(store: String, reason: String)
    /// Another process has the store, or it is not what it was. Nothing ends this but a new start.
    case lost(store: String, reason: String)
  }

  /// What happened, for the log.
  public enum Report: Hashable, Sendable {
    case outage(String)
    case isOver(String)
    case damage(String)
  }

  private struct State {
    var outage: Outage?
    var damages: Set<String> = []
    var listener: (@Sendable (Report) -> Void)?
    var unheard: [Report] = []
  }

  private let state = Mutex(State())
  private let hasOutage = Atomic(false)

  /// LIMIT: damages that are told one by one.
  private static let damagesMax = 100

  /// Tells what happens from now on, and what happened before anybody listened.
  public func follow(_ listener: @escaping @Sendable (Report) -> Void) {
    let unheard = state.withLock { state in
      state.listener = listener
      defer { state.unheard = [] }
      return state.unheard
    }
    for report in unheard { listener(report) }
  }

  /// What keeps commits from being taken; nil while all is well.
  public var outage: Outage? {
    hasOutage.load(ordering: .relaxed) ? state.withLock { $0.outage } : nil
  }

  package init() {}

  package func begin(_ outage: Outage) {
    let isNew = state.withLock { state in
      if case .lost = state.outage { return false }
      defer { state.outage = outage }
      return !outage.isSameKind(as: state.outage)
    }
    hasOutage.store(true, ordering: .relaxed)
    if isNew { report(.outage(outage.text)) }
  }

  func endFull() {
    end { if case .full = $0 { true } else { false } }
  }

  package func endAway() {
    end { if case .away = $0 { true } else { false } }
  }

  func endGone() {
    end { if case .gone = $0 { true } else { false } }
  }

  private func end(where isOver: (Outage) -> Bool) {
    guard hasOutage.load(ordering: .relaxed) else { return }
    let ended = state.withLock { state -> Outage? in
      guard let outage = state.outage, isOver(outage) else { return nil }
      state.outage = nil
      hasOutage.store(false, ordering: .relaxed)
      return outage
    }
    if let ended { report(.isOver(ended.textOfEnd)) }
  }

  /// Says once that something is damaged, naming folder and place.
  public func note(damage: String) {
    let isNew = state.withLock { state in
      state.damages.count < Self.damagesMax && state.damages.insert(damage).inserted
    }
    if isNew { report(.damage(damage)) }
  }

  private func report(_ report: Report) {
    let listener = state.withLock { state in
      if state.listener == nil { state.unheard.append(report) }
      return state.listener
    }
    listener?(report)
  }
}

extension EngineHealth.Outage {
  /// What was wrong, what is refused, and what to do.
  public var text: String {
    switch self {
    case .full(let folder, let needed, let free):
      "the disk of data folder `\(folder)` is full: \(needed) bytes are needed, \(free) are free, "
        + "\(max(0, needed - free)) are missing. Commits are refused until there is room"
    case .gone(let folder, let reason):
      "data folder `\(folder)` \(reason). Commits are refused; put the folder back, or stop the server and start it again"
    case .away(let store, let reason):
      "PostgreSQL at \(store) cannot be reached: \(reason). Commits are refused, and soon reads, until it can"
    case .lost(let store, let reason):
      "the store at \(store) is no longer this server's: \(reason). Nothing is served; stop the server, and start it again if the store is to be its own"
    }
  }

  fileprivate var textOfEnd: String {
    switch self {
    case .full(let folder, _, _): "the disk of data folder `\(folder)` has room again: commits are taken"
    case .gone(let folder, _): "data folder `\(folder)` is back: commits are taken"
    case .away(let store, _): "PostgreSQL at \(store) can be reached again: commits are taken"
    case .lost(let store, _): "the store at \(store) is this server's again"
    }
  }

  fileprivate func isSameKind(as other: Self?) -> Bool {
    switch (self, other) {
    case (.full, .full?), (.gone, .gone?), (.away, .away?), (.lost, .lost?): true
    default: false
    }
  }
}
