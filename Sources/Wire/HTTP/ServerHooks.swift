/// What the port asks of the program around it.

package import Access
package import Telemetry

/// Called on any thread; each must return soon unless it says otherwise.
package struct ServerHooks: Sendable {
  /// Asked for by `POST /shutdown`, after it is answered.
  package var shutDown: @Sendable () -> Void = {}
  /// After `POST /reset` has removed everything: brings back what the server began with. On a thread that may
  /// block.
  package var afterReset: @Sendable () -> Void = {}
  /// Why no traffic should come now; nil while all is well.
  package var unreadiness: @Sendable () -> String? = { nil }
  /// Metrics of other parts of the program, for `/metrics`.
  package var moreMetrics: @Sendable (inout PrometheusText) -> Void = { _ in }
  /// What the program answers below `/emulator/v1/` beside this module; nil for nothing.
  package var administration: EmulatorAdministration?
  /// What tools say of rules.
  package var rules = RulesHooks()
  /// Who counts and logs requests; nil for nobody.
  package var observer: CallObserver?
  /// What connections may hold together; nil for as much as they like.
  package var memory: MemoryBudget?

  package init() {}
}
