/// Which blocks can be on the path of a query's results, without asking each: a ruleset may have thousands, and a lint
/// makes a query for each of them.

internal import Rules

/// Blocks by a literal that a path must have at the same place.
///
/// INVARIANT: leaves out only blocks that `ListStatements` would find not to match.
struct ListPlaces {
  /// Of what stands behind `/databases/{database}/documents`.
  private static let start = 3

  /// By the literal that the pattern starts with.
  private var byStart: [[UInt8]: [Int]] = [:]
  /// Of the others, by the literal before a last segment that is no glob.
  private var byCollection: [[UInt8]: [Int]] = [:]
  private var others: [Int] = []

  init(_ blocks: [ListBlock]) {
    for (number, block) in blocks.enumerated() {
      let pattern = block.pattern
      if pattern[..<min(Self.start, pattern.count)].contains(where: \.isGlob) {
        others.append(number)
      } else if pattern.count > Self.start, let literal = pattern[Self.start].literal {
        byStart[literal, default: []].append(number)
      } else if let last = pattern.last, !last.isGlob, pattern.count > Self.start + 1,
        let literal = pattern[pattern.count - 2].literal
      {
        byCollection[literal, default: []].append(number)
      } else {
        others.append(number)
      }
    }
  }

  /// Numbers of blocks, in the order of the source.
  func candidates(_ path: [ResultSegment]) -> [Int] {
    var found = others
    if path.count > Self.start, let text = path[Self.start].text { found += byStart[text] ?? [] }
    if path.count > 1, let text = path[path.count - 2].text { found += byCollection[text] ?? [] }
    return found.sorted()
  }
}

extension ListStep {
  fileprivate var isGlob: Bool {
    if case .glob = self { true } else { false }
  }

  fileprivate var literal: [UInt8]? {
    if case .literal(let text) = self { Array(text.buffer) } else { nil }
  }
}

extension ResultSegment {
  /// Nil for what is not known, which no literal but one that stands for the id can be.
  fileprivate var text: [UInt8]? {
    if case .known(let text) = self { Array(text.buffer) } else { nil }
  }
}
