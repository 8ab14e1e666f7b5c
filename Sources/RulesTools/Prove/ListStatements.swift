/// Which `allow`s apply to the results of a query, and what their captures are.

internal import DocModel
internal import Rules

/// An `allow` on a pattern that covers every path of the query, or every path with one id.
struct ListStatement {
  let allow: ListAllow
  let captures: [SymbolicValue]
  /// The id that a literal last segment demands.
  let id: ByteView?
}

/// One element of the path of a query's results.
enum ResultSegment {
  case known(ByteView)
  /// The collection of a query over all collections.
  case collection(Int)
  case id
  case parents
}

/// Lines patterns up with the path of a query's results.
///
/// A pattern that covers only some parents of a group is left out: leaving out grants is safe.
struct ListStatements {
  private let plan: ProofPlan
  private let path: [ResultSegment]
  private let e: Evaluation
  private(set) var found: [ListStatement] = []
  /// What the steps on the way stand for; nil for a literal that nothing captures.
  private var taken: [SymbolicValue?] = []

  init(_ plan: ProofPlan, _ path: [ResultSegment], _ e: Evaluation) {
    self.plan = plan
    self.path = path
    self.e = e
  }

  mutating func collect() {
    for block in plan.places.candidates(path) {
      taken.removeAll(keepingCapacity: true)
      match(plan.blocks[block], 0, 0, nil)
    }
  }

  private mutating func match(_ block: ListBlock, _ step: Int, _ position: Int, _ id: ByteView?) {
    guard step < block.pattern.count else {
      guard position == path.count else { return }
      let captures = block.captures.compactMap { taken[$0] }
      for allow in block.allows { found.append(ListStatement(allow: allow, captures: captures, id: id)) }
      return
    }
    switch block.pattern[step] {
    case .literal(let text):
      guard position < path.count else { return }
      taken.append(captured(path[position]))
      switch path[position] {
      case .known(let known): if known == text { match(block, step + 1, position + 1, id) }
      case .id: match(block, step + 1, position + 1, text)
      case .collection, .parents: break
      }
      taken.removeLast()
    case .capture:
      guard position < path.count, let value = captured(path[position]) else { return }
      taken.append(value)
      match(block, step + 1, position + 1, id)
      taken.removeLast()
    case .glob:
      for end in position...path.count {
        // Unknown parents may be none, and a glob of version 1 needs a segment.
        let sure = path[position..<end].count { if case .parents = $0 { false } else { true } }
        guard sure >= plan.globMin else { continue }
        taken.append(glob(path[position..<end]))
        match(block, step + 1, end, id)
        taken.removeLast()
      }
    }
  }

  private func captured(_ segment: ResultSegment) -> SymbolicValue? {
    switch segment {
    case .known(let text): .known(.string(text))
    case .collection(let symbol): .symbol(symbol)
    case .id: .symbol(SymbolTable.id)
    case .parents: nil
    }
  }

  private func glob(_ segments: ArraySlice<ResultSegment>) -> SymbolicValue { Self.path(segments, e) }

  /// A path that is known as far as its segments are.
  static func path(_ segments: ArraySlice<ResultSegment>, _ e: Evaluation) -> SymbolicValue {
    var known: [PathSegment] = []
    for segment in segments { if case .known(let text) = segment { known.append(PathSegment(text: text)) } }
    if known.count == segments.count { return .known(.path(e.arena.copy(known), known.count)) }
    return .path(segments.map(symbolic))
  }

  private static func symbolic(_ segment: ResultSegment) -> SymbolicSegment {
    switch segment {
    case .known(let text): .known(text)
    case .collection(let symbol): .open(symbol)
    case .id: .open(SymbolTable.id)
    case .parents: .parents
    }
  }
}
