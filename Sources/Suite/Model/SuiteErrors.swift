/// What is wrong with a suite, collected.

internal import Fixtures
internal import YAML

/// Errors of one reading, each once: the rows of a table repeat theirs.
struct SuiteErrors {
  private(set) var texts: [String] = []

  var isEmpty: Bool { texts.isEmpty }

  mutating func add(_ error: YAMLError, in source: YAMLSource) {
    if error.isConsequence { return }
    let text = source.diagnostic(for: error).description
    if !texts.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { texts.append(text) }
  }
}
