/// What a plan reads of indexes: ranges, joined and merged.

internal import DocModel

/// Entries between two positions behind a common prefix: from `lower` on, up to but without `upper`.
struct SuffixRange: Hashable, Sendable {
  var lower: [UInt8]
  /// Nil means to the end of the prefix.
  var upper: [UInt8]?

  static let all = SuffixRange(lower: [], upper: nil)

  var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }
}

/// One index as one part of a filter uses it.
struct IndexMember: Hashable, Sendable {
  let index: StoredIndex
  /// With what its entries begin: generation, number, parent and the values of the equalities.
  let prefix: [UInt8]
  /// How many of the index's parts the prefix fixes.
  let fixedParts: Int
}

/// The documents that lie in every member: one disjunct of the filter.
///
/// Behind their prefixes all members continue alike, so one list of ranges serves all of them.
struct IndexConjunct: Hashable, Sendable {
  let members: [IndexMember]
  /// Ascending, apart from each other.
  let ranges: [SuffixRange]
}

/// The documents of several conjuncts, in the order of what follows the prefixes.
public struct IndexAccess: Hashable, Sendable {
  let scope: QueryScope
  let conjuncts: [IndexConjunct]
  /// Documents that disjuncts of the filter name.
  let named: [ResourcePath]
  /// What follows the prefixes, the name last; directions are relative to an ascending name.
  let suffix: [QueryOrder]
  /// Budget of the values in the suffix.
  let budget: Int
  let isBackward: Bool
  /// Whether every entry read stands for a document of the result, cursors included.
  public let isExact: Bool

  var indexScope: IndexDefinition.Scope {
    if case .group = scope { .collectionGroup } else { .collection }
  }

  /// Every index once, as the service prints them.
  var usages: [IndexUsage] {
    var found: [IndexUsage] = []
    for conjunct in conjuncts {
      for member in conjunct.members {
        let usage = IndexUsage(member, isBackward: isBackward)
        if !found.contains(usage) { found.append(usage) }
      }
    }
    return found
  }
}

extension IndexAccess: CustomStringConvertible {
  /// `(a ASC, __name__ ASC) and (b ASC, __name__ ASC) or (c ASC, __name__ ASC)`
  public var description: String {
    var disjuncts = conjuncts.map { conjunct in
      let members = conjunct.members.map { IndexUsage($0, isBackward: isBackward).properties }
      let ranges = conjunct.ranges.count == 1 ? "" : " in \(conjunct.ranges.count) ranges"
      return members.joined(separator: " and ") + ranges
    }
    if !named.isEmpty { disjuncts.append("documents \(named.map(\.text).joined(separator: ", "))") }
    return disjuncts.joined(separator: " or ")
  }
}

/// An index as an explanation names it.
public struct IndexUsage: Hashable, Sendable {
  /// `Collection` or `Collection group`.
  public let queryScope: String
  /// `(a ASC, __name__ ASC)`
  public let properties: String

  init(queryScope: String, properties: String) {
    self.queryScope = queryScope
    self.properties = properties
  }

  /// An index read backwards is, to the service, the one with all orders turned around.
  init(_ member: IndexMember, isBackward: Bool) {
    let shape = member.index.shape
    var texts: [String] = []
    let isOnlyFixed = member.fixedParts == shape.parts.count
    for (position, part) in shape.parts.enumerated() {
      let turns = isBackward && (isOnlyFixed || position >= member.fixedParts)
      let mode =
        turns
        ? IndexShape.mirrored(part).mode : (position < member.fixedParts ? Self.upright(part) : part.mode)
      texts.append(IndexDefinition.Field(part.path, mode).explanation)
    }
    texts.append("__name__ \(isBackward ? "DESC" : "ASC")")
    self.init(
      queryScope: shape.scope == .collection ? "Collection" : "Collection group",
      properties: "(\(texts.joined(separator: ", ")))")
  }

  /// The direction of a field that is fixed says nothing.
  private static func upright(_ part: IndexShape.Part) -> IndexDefinition.Mode {
    part.mode == .contains ? .contains : .ascending
  }
}

extension IndexDefinition.Field {
  /// As an explanation writes it: `a ASC`.
  var explanation: String {
    switch mode {
    case .ascending: "\(path.text) ASC"
    case .descending: "\(path.text) DESC"
    case .contains: "\(path.text) CONTAINS"
    }
  }
}
