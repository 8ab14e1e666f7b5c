/// A document as the shell holds it, and other results.

import Client
import DocModel

typealias ShellDocument = AnsweredDocument

extension AnsweredDocument {
  var id: String { path.lastSegment }
}

/// What a read came to after its stages.
enum ShellResult {
  case documents([ShellDocument])
  /// Rows of named columns.
  case rows(columns: [String], [[Value]])
  case ids([String])
  /// So many documents, which were shown while they came.
  case shown(Int)
  /// One value, of an aggregation.
  case scalar(Value)
  /// Nothing to show: it was written, or somebody else has it.
  case nothing

  var isEmpty: Bool {
    switch self {
    case .documents(let documents): documents.isEmpty
    case .shown(let count): count == 0
    case .rows(_, let rows): rows.isEmpty
    case .ids(let ids): ids.isEmpty
    case .scalar, .nothing: false
    }
  }
}
