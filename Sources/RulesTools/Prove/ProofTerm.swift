/// Conditions as the strict prover walks them.
///
/// A term is an expression whose names are resolved. What mentions neither the document, nor a capture, nor
/// a parameter is closed: it has one value for the whole request, and the ordinary plan computes it.

internal import DocModel
internal import Rules

final class ProofTerm: @unchecked Sendable {  // Immutable; what its pointers point to is its plan's pool.
  indirect enum Kind {
    /// Closed: its plan, and its place among the closed terms.
    case closed(PlanNode, Int)
    case constant(Operand)
    /// No value, whatever the document.
    case fault
    case slot(Int)
    case capture(Int)
    case resource
    case member(ProofTerm, ByteView)
    case index(ProofTerm, ProofTerm)
    case slice(ProofTerm, ProofTerm?, ProofTerm?)
    case call(Int, [ProofTerm])
    case access(AccessKind, ProofTerm)
    case library(String, LibraryFunction, [ProofTerm])
    case method(ProofTerm, MethodName, [ProofTerm])
    case not(ProofTerm)
    case negate(ProofTerm)
    case and(ProofTerm, ProofTerm)
    case or(ProofTerm, ProofTerm)
    case comparison(Comparison, ProofTerm, ProofTerm)
    case isIn(ProofTerm, ProofTerm)
    case arithmetic(Arithmetic, ProofTerm, ProofTerm)
    case typeTest(ProofTerm, KindSet)
    case ternary(ProofTerm, ProofTerm, ProofTerm)
    case list([ProofTerm])
    case map([ProofTerm], [ProofTerm])
    case path([Segment])
  }

  enum Segment {
    case literal(ByteView)
    case placeholder(ByteView)
    case value(ProofTerm)
  }

  let number: Int32
  let kind: Kind

  init(_ number: Int, _ kind: Kind) {
    self.number = Int32(number)
    self.kind = kind
  }

  /// The condition of an `allow` without one.
  var isClosed: Bool {
    if case .closed = kind { true } else { false }
  }
}

/// A function of the ruleset.
struct FunctionTerm {
  var parameterCount = 0
  var lets: [ProofTerm] = []
  var body = ProofTerm(0, .fault)
}

/// An `allow` that can grant a list.
struct ListAllow {
  let number: Int
  /// Nil always grants.
  let condition: ProofTerm?
}

/// A `match` block with `allow list` or `allow read`.
struct ListBlock {
  let pattern: [ListStep]
  /// By capture: the step that it stands at.
  let captures: [Int]
  let allows: [ListAllow]
}

enum ListStep {
  case literal(ByteView)
  case capture
  case glob
}

/// All that can grant lists in a ruleset.
///
/// Made when the first list is proved; a ruleset that proves none pays nothing.
///
/// INVARIANT: immutable; `planner` owns the memory that terms point to.
final class ProofPlan: @unchecked Sendable {  // Immutable, see above.
  let blocks: [ListBlock]
  /// Which of them can be on a path.
  let places: ListPlaces
  let functions: [FunctionTerm]
  let closedCount: Int
  /// Version 1 globs take one segment at least.
  let globMin: Int
  /// Places for field paths that closed terms share.
  let memoCount: Int
  private let planner: Planner

  /// - Parameter memoStart: the end of the places of the ruleset's own plan.
  init(_ syntax: RulesetSyntax, _ resolution: Resolution, memoStart: Int) {
    var planner = Planner(syntax, resolution, style: .fused, memoStart: memoStart)
    planner.run()
    var maker = ProofTermMaker(planner)
    maker.run()
    blocks = maker.blocks
    places = ListPlaces(maker.blocks)
    functions = maker.functions
    closedCount = maker.closedCount
    globMin = syntax.languageVersion == 2 ? 0 : 1
    memoCount = planner.memos.count
    self.planner = planner
  }
}
