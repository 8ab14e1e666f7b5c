/// A position among the suffixes of an index: a cursor, or a bound of names.

internal import DocModel

struct SuffixPosition {
  /// With what the suffixes at the position begin; up to the fold when one part is folded, and without the
  /// name when that is no document of the scope.
  let key: [UInt8]
  /// Whether `key` says all that the values say.
  let isExact: Bool

  /// - Parameters:
  ///   - values: for a prefix of `orders`, as a cursor holds them.
  ///   - orders: what the suffix holds, relative to an ascending name.
  init(_ values: [[UInt8]], _ orders: [QueryOrder], _ scope: QueryScope, budget: Int) {
    var writer = KeyWriter()
    var fold: Int?
    var isExact = true
    for (value, order) in zip(values, orders) {
      if order.path.isDocumentName {
        if !Self.append(NameOperand.path(value), scope, to: &writer, &fold) { isExact = false }
      } else {
        let mode: IndexDefinition.Mode = order.direction == .ascending ? .ascending : .descending
        let end = value.withUnsafeBytes { writer.indexPart(ValueView($0), mode, budget: budget) }
        fold = fold ?? end
      }
    }
    key = fold.map { Array(writer.bytes[..<$0]) } ?? writer.bytes
    self.isExact = isExact && fold == nil
  }

  /// False when the name has no place of its own among those of the scope.
  private static func append(
    _ path: ResourcePath, _ scope: QueryScope, to writer: inout KeyWriter, _ fold: inout Int?
  ) -> Bool {
    let indexScope: IndexDefinition.Scope
    switch scope {
    case .collection(let collection):
      guard path.isDocument, path.parent == collection else { return false }
      indexScope = .collection
    case .group: indexScope = .collectionGroup
    case .children, .descendants: return false
    }
    var text = path.text
    let end = text.withUTF8 { writer.indexName(UnsafeRawBufferPointer($0), indexScope) }
    fold = fold ?? end
    return true
  }
}

extension ValueRanges {
  mutating func cut(lower position: SuffixPosition, isInclusive: Bool) {
    if position.isExact, !isInclusive {
      guard let lower = KeyRange.successor(ofPrefix: position.key) else { return empty() }
      cut(SuffixRange(lower: lower, upper: nil), isExact: true)
    } else {
      cut(SuffixRange(lower: position.key, upper: nil), isExact: position.isExact)
    }
  }

  mutating func cut(upper position: SuffixPosition, isInclusive: Bool) {
    if position.isExact, !isInclusive {
      if position.key.isEmpty { return empty() }
      cut(SuffixRange(lower: [], upper: position.key), isExact: true)
    } else {
      let upper = KeyRange.successor(ofPrefix: position.key)
      cut(SuffixRange(lower: [], upper: upper), isExact: position.isExact)
    }
  }
}
