/// Rules tests in a shell.

import DocModel
import Rules
import Shell
import Suite

extension ShellSuites {
  /// As `docsh test` runs them.
  static var tools: ShellSuites {
    ShellSuites(
      run: { SuiteRun(collectsCoverage: $0, isInterrupted: $1) },
      failures: { (text, name) throws(ShellToolFailure) in
        do throws(SuiteFailure) {
          return try Suite.load(text: text, name: name).run().results.compactMap { result in
            guard case .failed(let lines) = result.status else { return nil }
            return ShellSuiteFailure(
              name: result.names.joined(separator: " › "),
              reason: lines.map { "\($0.label) \($0.text)" }.joined(separator: "; "))
          }
        } catch {
          throw ShellToolFailure(error.description, isInput: true)
        }
      },
      expectation: { explanation, rules in
        let facts = RefusalFacts(explanation, in: rules)
        return ShellRefusal(
          kind: facts.kind, rule: facts.rule, because: facts.because, error: facts.error,
          missing: facts.missing)
      })
  }
}

/// Owner: the session's thread.
private final class SuiteRun: ShellSuiteRun {
  private let options: SuiteOptions
  private var reports: [SuiteReport] = []

  init(collectsCoverage: Bool, isInterrupted: @escaping @Sendable () -> Bool) {
    var options = SuiteOptions(acceptsOnly: Environment.acceptsOnly)
    options.collectsCoverage = collectsCoverage
    options.isInterrupted = isInterrupted
    self.options = options
  }

  func add(_ file: String, tells: (SourceText) -> Void) throws(ShellToolFailure) {
    do throws(SuiteFailure) {
      let suite = try Suite.load(path: file, options: options)
      tells(suite.rules.source)
      reports.append(try suite.run())
    } catch {
      throw ShellToolFailure(error.description, isInput: true)
    }
  }

  var caseCount: Int { reports.reduce(0) { $0 + $1.results.count } }

  var failure: String? {
    reports.haveFailedCases || reports.haveMissedGates ? reports.closingLine : nil
  }

  var coverage: [CoverageReport] { reports.compactMap { $0.coverage?.report() } }

  func text(asJSON: Bool) -> String {
    let format: ReportFormat = asJSON ? .json : .pretty
    return format.text(reports)
  }
}
