/// Rules that are compiled while the rest of a server begins.

import Access
import Platform

/// Compiles the files of rules on a thread of its own: that and the rest of a start take about as long as each other.
final class RulesLoading: Sendable {
  let registry: RulesetRegistry
  private let outcome = Monitor<Result<Void, any Error>?>(nil)

  init(_ sources: DatabaseFiles, _ profile: ServiceProfile, keepsBroken: Bool) {
    let registry = RulesetRegistry(isOpen: profile.withoutRules == .allow)
    self.registry = registry
    let load: @Sendable () -> Void = { [outcome] in
      let result = Result { try sources.load(into: registry, profile, keepsBroken: keepsBroken) }
      outcome.change { $0 = result }
    }
    guard !sources.isEmpty else {
      load()
      return
    }
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes, load)
    } catch {
      load()
    }
  }

  /// Waits until all are compiled; throws what ends the command when one does not compile, which has been complained of.
  func finish() throws {
    try outcome.wait { $0 }.get()
  }
}
