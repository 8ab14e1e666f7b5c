/// What the program around the shell does for it, because the parts for that are the program's.

package import DocModel
package import Rules

package struct ShellTools {
  /// Writes a seed file into a database, past the rules; a line about what that did.
  package typealias Seed =
    (_ file: String, _ database: DatabaseID, _ startsTriggers: Bool) throws(ShellToolFailure) -> String

  package var seed: Seed?
  package var suites: ShellSuites?

  package init(seed: Seed? = nil, suites: ShellSuites? = nil) {
    self.seed = seed
    self.suites = suites
  }
}

/// Rules tests: run for whoever asks, and run while they are recorded.
package struct ShellSuites {
  /// Begins a run of suites, which collects coverage if so asked; the last argument is asked before each case whether
  /// nobody waits for the outcome any more.
  package var run:
    (_ collectsCoverage: Bool, _ isInterrupted: @escaping @Sendable () -> Bool) -> any ShellSuiteRun
  /// Runs a suite that is given as text; its cases that fail.
  package var failures: (_ text: String, _ name: String) throws(ShellToolFailure) -> [ShellSuiteFailure]
  /// What a suite expects of a refusal.
  package var expectation: (Explanation, Ruleset) -> ShellRefusal

  package init(
    run: @escaping (Bool, @escaping @Sendable () -> Bool) -> any ShellSuiteRun,
    failures: @escaping (String, String) throws(ShellToolFailure) -> [ShellSuiteFailure],
    expectation: @escaping (Explanation, Ruleset) -> ShellRefusal
  ) {
    self.run = run
    self.failures = failures
    self.expectation = expectation
  }
}

/// Suites, run one file after the other.
package protocol ShellSuiteRun: AnyObject {
  /// Reads one more and runs it; `tells` gets the rules that it tests before its cases run.
  func add(_ file: String, tells: (SourceText) -> Void) throws(ShellToolFailure)
  /// Over all files.
  var caseCount: Int { get }
  /// The closing line, when a case failed or a gate was missed; nil otherwise.
  var failure: String? { get }
  /// In the order of the files, where it was collected.
  var coverage: [CoverageReport] { get }
  func text(asJSON: Bool) -> String
}

/// A case that fails.
package struct ShellSuiteFailure {
  /// With the names around it.
  package let name: String
  package let reason: String

  package init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// The parts of a case's `expect` that a refusal fills.
package struct ShellRefusal {
  /// The value of `deny`.
  package let kind: String
  package let rule: String?
  package let because: String?
  package let error: String?
  package let missing: String?

  package init(kind: String, rule: String?, because: String?, error: String?, missing: String?) {
    self.kind = kind
    self.rule = rule
    self.because = because
    self.error = error
    self.missing = missing
  }
}

package struct ShellToolFailure: Error {
  /// For people, with places in files.
  package let message: String
  /// Whether what was given is at fault, so that the same can never succeed.
  package let isInput: Bool

  package init(_ message: String, isInput: Bool) {
    self.message = message
    self.isInput = isInput
  }
}
