/// Why a seed was not written, or not wholly.

internal import Fixtures
public import YAML

public enum SeedFailure: Error, Sendable, CustomStringConvertible {
  /// The file has errors; nothing was written. At most ten are kept; `more` says that there are others.
  case invalid([YAMLDiagnostic], more: Bool)
  case unreadable(YAMLSourceError)
  /// The file was changed while it was being written; what came before is written.
  case changedMeanwhile(file: String, written: Int)
  /// The store refused; `written` documents were dealt with before.
  case sink(message: String, written: Int)

  public var description: String {
    switch self {
    case .invalid(let diagnostics, let more):
      diagnostics.map(\.description).joined(separator: "\n")
        + (more ? "\nthere are more errors; these are the first \(diagnostics.count)" : "")
    case .unreadable(let error): error.description
    case .changedMeanwhile(let file, let written):
      "\(file) was changed while it was read; \(written) documents were written before that was noticed"
    case .sink(let message, let written): "\(message) (\(written) written before)"
    }
  }
}

/// The first errors of a file, each place once: a generator fails in the same way for every document.
struct SeedErrors {
  /// LIMIT: errors shown.
  static let shownMax = 10

  private(set) var errors: [YAMLError] = []
  private(set) var hasMore = false

  var isEmpty: Bool { errors.isEmpty }
  /// Whether looking for more is no use.
  var isFull: Bool { hasMore }

  mutating func add(_ error: YAMLError) {
    if error.isConsequence { return }
    if errors.contains(where: { $0.mark == error.mark && $0.message == error.message }) { return }
    if errors.count < Self.shownMax { errors.append(error) } else { hasMore = true }
  }

  func failure(in source: YAMLSource) -> SeedFailure {
    .invalid(errors.map { source.diagnostic(for: $0) }, more: hasMore)
  }
}
