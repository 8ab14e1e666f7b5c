/// From nested `match` patterns to what a path must be, segment by segment.

/// A segment of a pattern, without the capture's name: captures are told apart by position.
package enum PatternStep: Hashable {
  case literal([UInt8])
  case capture
  case glob
}

/// The pattern of a `match` block, from the service down to it: at most one glob.
///
/// How nested blocks come together is asked of the official emulator, and is not what their text in a row
/// would be:
/// - A block inside one whose pattern goes on behind its glob (`match /{p=**}/posts/{x} { match /comments/{c} … }`)
///   begins right behind the glob, so the rest of the outer pattern and the beginning of the inner one speak of the
///   same segments. All inner blocks together must be longer than that rest.
/// - In version 1 nothing inside a block with a glob fits any path.
package struct BlockPattern {
  package let steps: [PatternStep]
  /// By capture, in the order in which they are written, from the outermost block on: the step it stands at.
  /// Where blocks overlap, two captures may share a step, and a literal may be captured.
  package let captures: [Int]

  /// - Parameter blocks: the patterns of the blocks, from the outermost on.
  /// - Returns: nil when no path fits.
  package init?(_ blocks: [[PatternSegmentSyntax]], languageVersion: Int) {
    var steps: [PatternStep] = []
    var captures: [Int] = []
    /// Where the next block begins: before the end of `steps` behind a glob that something follows.
    var position = 0
    for (number, block) in blocks.enumerated() {
      var next = position
      for segment in block {
        let step = Self.step(segment)
        if next < steps.count {
          guard let both = Self.both(steps[next], step) else { return nil }
          steps[next] = both
        } else {
          steps.append(step)
        }
        if step == .glob || step == .capture { captures.append(next) }
        next += 1
      }
      position = next
      guard number + 1 < blocks.count, let glob = block.firstIndex(where: \.isGlob) else { continue }
      let inner = blocks[(number + 1)...].reduce(0) { $0 + $1.count }
      guard languageVersion == 2, inner > block.count - 1 - glob else { return nil }
      position = next - (block.count - 1 - glob)
    }
    self.steps = steps
    self.captures = captures
  }

  private static func step(_ segment: PatternSegmentSyntax) -> PatternStep {
    switch segment.kind {
    case .literal(let text): .literal(Array(text.utf8))
    case .capture: .capture
    case .globCapture: .glob
    }
  }

  /// What fits two steps that speak of the same segment; nil for two different names.
  private static func both(_ left: PatternStep, _ right: PatternStep) -> PatternStep? {
    if left == right { return left }
    if left == .capture { return right }
    return right == .capture ? left : nil
  }
}

/// Where the segments of a capture lie in a path that fits its pattern.
struct CapturePlace {
  enum Kind {
    case segment, glob
    /// A glob of version 1: unlike one of version 2 it is no path where a query leaves a segment open.
    case closedGlob
  }

  let kind: Kind
  /// From the path's beginning; negative: from its end.
  private let offset: Int32
  /// Of a glob: how many segments all other steps take.
  private let others: Int32

  /// The places of all captures of a pattern, in their order.
  static func all(of pattern: BlockPattern, languageVersion: Int) -> [CapturePlace] {
    let count = pattern.steps.count
    let glob = pattern.steps.firstIndex(of: .glob) ?? count
    return pattern.captures.map { step in
      CapturePlace(
        kind: step != glob ? .segment : languageVersion == 2 ? .glob : .closedGlob,
        offset: Int32(step > glob ? step - count : step), others: Int32(count - 1))
    }
  }

  @inline(__always)
  func start(in count: Int) -> Int { offset < 0 ? count &+ Int(offset) : Int(offset) }

  /// How many segments a glob takes of a path of `count`.
  @inline(__always)
  func globCount(in count: Int) -> Int { count &- Int(others) }
}
