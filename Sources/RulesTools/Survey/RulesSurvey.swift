/// What a ruleset is about: its blocks with their methods, and what conditions compare with what.
///
/// For those who write requests for rules that they have not seen: which path fits a block, which fields it looks at, which
/// claims make a difference. Nothing here decides anything.

package import DocModel
package import Rules

package struct RulesSurvey: Sendable {
  /// Where a condition looks.
  package enum Place: Equatable, Sendable {
    /// `request.auth.uid`
    case caller
    /// A field of `request.auth.token`.
    case claim([String])
    /// A field of `resource.data`.
    case stored([String])
    /// A field of `request.resource.data`.
    case sent([String])
    /// A field that an update may change (`affectedKeys().hasOnly`).
    case changed(String)
    /// A capture of the block, by its place in the pattern.
    case capture(Int)
    /// A field of a document that is looked up; none where it only has to be there.
    case document([PathPart], field: [String])
  }

  /// A part of the path of a document that is looked up.
  package enum PathPart: Equatable, Sendable {
    case name(String)
    case caller
    case capture(Int)
  }

  /// What is compared with it.
  package enum Operand: Equatable, Sendable {
    case caller
    case capture(Int)
    case now
    /// What the stored document has in the same field.
    case unchanged
    case value(Value)
    /// Any value but this one.
    case other(Value)
    /// `is string`, and its like.
    case type(String)
    /// A list that has the operand.
    indirect case list(Operand)
    /// Any value: it only has to be there.
    case present
  }

  /// A comparison that helps a condition to be true.
  package struct Fact: Equatable, Sendable {
    package let place: Place
    package let operand: Operand

    package init(place: Place, operand: Operand) {
      self.place = place
      self.operand = operand
    }
  }

  package enum Segment: Equatable, Sendable {
    case name(String)
    case capture(String)
    case glob(String)
  }

  /// All statements of one pattern.
  package struct Block: Sendable {
    /// Below `/databases/{database}/documents`.
    package let segments: [Segment]
    /// As it is written: `users/{id}`.
    package let pattern: String
    /// `get`, `list`, `create`, `update`, `delete`: those that some `allow` names.
    package fileprivate(set) var methods: [String] = []
    /// By method.
    package fileprivate(set) var facts: [String: [Fact]] = [:]
  }

  /// In the order of the source.
  package private(set) var blocks: [Block] = []

  package init(_ parsed: ParseResult, _ resolution: Resolution) {
    for statement in LintStatement.all(in: parsed.syntax) where statement.isFirestore {
      guard let segments = Self.segments(statement) else { continue }
      let pattern = statement.pattern.dropFirst(3).map(\.text).joined(separator: "/")
      let place = blocks.firstIndex { $0.segments == segments } ?? blocks.count
      if place == blocks.count { blocks.append(Block(segments: segments, pattern: pattern)) }
      var reader = FactReader(statement, resolution)
      let facts = reader.facts()
      for method in statement.methods.map(\.rawValue) {
        if !blocks[place].methods.contains(method) { blocks[place].methods.append(method) }
        blocks[place].facts[method, default: []] += facts
      }
    }
    for index in blocks.indices {
      let order = Estimator.granular.map(\.rawValue)
      blocks[index].methods = order.filter(blocks[index].methods.contains)
    }
  }

  /// Nil for what lies outside of documents.
  private static func segments(_ statement: LintStatement) -> [Segment]? {
    let pattern = statement.pattern
    guard pattern.count > 3, case .literal("databases") = pattern[0].kind,
      case .literal("documents") = pattern[2].kind
    else { return nil }
    return pattern.dropFirst(3).map { segment in
      switch segment.kind {
      case .literal(let name): .name(name)
      case .capture(let name): .capture(name)
      case .globCapture(let name): .glob(name)
      }
    }
  }
}
