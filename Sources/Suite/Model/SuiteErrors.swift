/// What is wrong with a suite, collected.

internal import DocModel
internal import Fixtures
internal import YAML

/// Errors of one reading, each once: the rows of a table repeat theirs.
struct SuiteErrors {
  private(set) var faults: [SuiteFault] = []

  var isEmpty: Bool { faults.isEmpty }

  mutating func add(_ error: YAMLError, in source: YAMLSource) {
    if error.isConsequence { return }
    add(SuiteFault(error, in: source))
  }

  mutating func add(_ others: SuiteErrors) {
    for fault in others.faults { add(fault) }
  }

  private mutating func add(_ fault: SuiteFault) {
    if !faults.contains(where: { $0.text.hasSameBytes(as: fault.text) }) { faults.append(fault) }
  }
}
