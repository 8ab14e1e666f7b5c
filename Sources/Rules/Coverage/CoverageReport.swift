/// A coverage report as data: what renderers write and gates look at.

internal import DocModel

/// Everything that was seen of a ruleset.
public struct CoverageReport: Sendable {
  public let source: SourceText
  /// By expression number: the whole expression, closing brackets included.
  package let spans: [Span]
  /// In the order of the official report.
  public let entries: [CoverageEntry]
  public let allows: [AllowCoverage]
  public let functions: [FunctionCoverage]
  /// Every question that a test should have seen answered both ways.
  public let units: [CoverageUnit]
  /// Operations that were recorded.
  public let operations: Int
  /// Whether values were left out, because there were too many or they were too large.
  public let isCut: Bool

  /// How much of the units is covered.
  public var share: CoverageShare { CoverageShare(units) }

  /// How much of the units of some blocks is covered; nil when a name is no block's.
  public func share(scope: [String]) -> Result<CoverageShare, UnknownScope> {
    if scope.isEmpty { return .success(share) }
    for name in scope where !units.contains(where: { $0.blocks.contains { $0.hasSameBytes(as: name) } }) {
      let known = Set(units.flatMap(\.blocks)).sorted()
      return .failure(UnknownScope(name: name, known: known))
    }
    return .success(
      CoverageShare(
        units.filter { unit in
          unit.blocks.contains { block in scope.contains { $0.hasSameBytes(as: block) } }
        }))
  }
}

/// A gate that names a block which is not there.
public struct UnknownScope: Error, Sendable {
  public let name: String
  public let known: [String]
}

/// One entry of the official report.
public struct CoverageEntry: Sendable {
  /// Nil for a function's `let`s.
  public let number: Int?
  /// As the official report counts: without closing brackets.
  public let span: Span
  /// How often the condition or the function was evaluated that the entry belongs to.
  public let opportunities: Int
  public let evaluations: Int
  /// How often it was true, false, and without value.
  public let truths: Int
  public let falsehoods: Int
  public let errors: Int
  public let values: [CountedValue]
  public let children: [CoverageEntry]
}

/// How one `allow` fared.
public struct AllowCoverage: Sendable {
  public let number: Int
  public let id: String
  public let position: SourcePosition
  public let granted: Int
  public let refused: Int
  /// Without value.
  public let failed: Int
  /// Whether it is constant, so that one answer is all there is.
  public let isConstant: Bool
  /// Whether it belongs to a service that is not judged here.
  public let isForeign: Bool
}

/// How often one function was called.
public struct FunctionCoverage: Sendable {
  public let number: Int
  public let name: String
  public let position: SourcePosition
  public let calls: Int
}

/// One question and its answers.
public struct CoverageUnit: Sendable {
  /// The rule id of an `allow`, the name of a function.
  public let owner: String
  public let isAllow: Bool
  public let span: Span
  public let position: SourcePosition
  /// On one line.
  public let text: String
  /// True, or granted.
  public let truths: Int
  /// False; of an `allow`, refused or without value.
  public let falsehoods: Int
  public let errors: Int
  public let evaluations: Int
  /// An `allow` that is constant has one answer.
  public let wantsTrue: Bool
  public let wantsFalse: Bool
  /// Names of the blocks it belongs to: ids, last written segments, patterns. A function belongs to the
  /// blocks whose rules call it.
  public let blocks: [String]

  public var isCovered: Bool { (!wantsTrue || truths > 0) && (!wantsFalse || falsehoods > 0) }
}

/// A share of units.
public struct CoverageShare: Sendable, Hashable {
  public let covered: Int
  public let total: Int

  public init(covered: Int, total: Int) {
    self.covered = covered
    self.total = total
  }

  init(_ units: [CoverageUnit]) {
    self.init(covered: units.count { $0.isCovered }, total: units.count)
  }

  /// 100 when there is nothing to cover.
  public var percent: Double { total == 0 ? 100 : 100 * Double(covered) / Double(total) }

  /// With one digit after the point, never rounded up to the next: `99.9%`.
  public var text: String {
    let tenths = total == 0 ? 1_000 : covered * 1_000 / total
    return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
  }

  public static func + (left: CoverageShare, right: CoverageShare) -> CoverageShare {
    CoverageShare(covered: left.covered + right.covered, total: left.total + right.total)
  }
}
