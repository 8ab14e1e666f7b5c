/// What came of a request.

internal import Access
internal import DocModel
internal import Rules

struct Outcome {
  enum End: Equatable {
    case allowed
    case denied
    /// Neither: the store refused the request for a reason of its own.
    case failed(String)
  }

  var end: End
  /// In the order in which they were made; the last of a denied request denied it.
  var judgements: [Judgement]
  /// Paths of the documents that were read.
  var returned: [String]
  var milliseconds: Double
  /// The documents before it, when requests are recorded.
  var before: Snapshot?

  /// Paths of the distinct documents that the rules asked for, in the order in which they did.
  var lookups: [String] {
    var paths: [String] = []
    for judgement in judgements {
      // A judgement knows the paths of those before it in the same request too.
      for path in judgement.explanation.accessedPaths
      where !paths.contains(where: { $0.hasSameBytes(as: path) }) { paths.append(path) }
    }
    return paths
  }
  /// Cost of the dearest judgement; the budget is one operation's.
  var expressions: Int { judgements.map(\.explanation.decision.expressions).max() ?? 0 }

  /// The index of a judgement among the writes.
  func writeIndex(of index: Int) -> Int? {
    guard judgements[index].method.isWrite else { return nil }
    return judgements[..<index].count { $0.method.isWrite }
  }
}
