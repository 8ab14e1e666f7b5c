/// What clients did to a handful of documents, and what they saw.

/// A condition that was read. Documents are numbers; each has a number `n` while it is there.
enum HistoryQuery: Hashable, Sendable {
  case document(Int)
  case all
  case equal(Int64)
  /// The first documents in the order of `n`, from a value on.
  case first(Int, from: Int64)
  case count(Int64)
}

/// One state of a document; nil where there is none.
struct HistoryState: Hashable, Sendable {
  let n: Int64
  /// The time of the commit that wrote it.
  let version: Int64
}

enum HistoryAnswer: Hashable, Sendable {
  /// The documents that were found, by number, with their versions.
  case documents([Int: Int64])
  case count(Int)
}

struct HistoryRead: Hashable, Sendable {
  let query: HistoryQuery
  /// The time that was read at.
  let time: Int64
  let answer: HistoryAnswer
}

/// A committed transaction, a batch, a plain write, or a read outside transactions.
struct HistoryNode: Sendable {
  let name: String
  var reads: [HistoryRead] = []
  /// Documents that were set to a value, or deleted (nil).
  var writes: [Int: Int64?] = [:]
  /// Nil for one that wrote nothing.
  var time: Int64?
}

struct History: Sendable {
  var nodes: [HistoryNode] = []
}

extension HistoryQuery {
  /// The answer on a state of all documents.
  func answer(on states: [Int: HistoryState]) -> HistoryAnswer {
    switch self {
    case .document(let document):
      .documents(states[document].map { [document: $0.version] } ?? [:])
    case .all: .documents(states.mapValues(\.version))
    case .equal(let n): .documents(states.filter { $0.value.n == n }.mapValues(\.version))
    case .first(let count, let least):
      .documents(
        Dictionary(
          uniqueKeysWithValues: states.filter { $0.value.n >= least }
            .sorted { ($0.value.n, $0.key) < ($1.value.n, $1.key) }
            .prefix(count).map { ($0.key, $0.value.version) }))
    case .count(let n): .count(states.values.count { $0.n == n })
    }
  }
}
