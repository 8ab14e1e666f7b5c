/// What a matched block says: its `allow`s, planned.

internal import DocModel

/// One `allow`, planned.
struct AllowPlan: Sendable {
  let number: Int
  /// Nil for an `allow` without condition.
  let condition: PlanNode?
}

/// One `match` block that has `allow`s.
package final class BlockPlan: Sendable {
  /// By `RuleMethod.rawValue`.
  let allows: [[AllowPlan]]
  /// Of all captures of the pattern, in their order; empty if no path fits the pattern.
  let captures: [CapturePlace]

  init(allows: [[AllowPlan]], captures: [CapturePlace]) {
    self.allows = allows
    self.captures = captures
  }
}

/// The conditions of all blocks in one piece of memory, for the loop of every decision: nothing to count
/// references of, and no array of arrays.
///
/// INVARIANT: the plans are owned by the `BlockPlan`s of the same ruleset, which live as long.
package struct AllowTable {
  /// Nil for an `allow` without condition.
  typealias Condition = Unmanaged<PlanNode>?

  private let conditions: UnsafePointer<Condition>
  /// By block and method: the first condition. One more at the end.
  private let starts: UnsafePointer<Int32>
  private let captures: UnsafePointer<CapturePlace>
  /// By block: its first capture. One more at the end.
  private let captureStarts: UnsafePointer<Int32>

  init(_ blocks: [BlockPlan], _ pool: ConstantPool) {
    var conditions: [Condition] = []
    var starts: [Int32] = []
    for block in blocks {
      for allows in block.allows {
        starts.append(Int32(conditions.count))
        conditions += allows.map { $0.condition.map { Unmanaged.passUnretained($0) } }
      }
    }
    starts.append(Int32(conditions.count))
    self.conditions = pool.array(conditions)
    self.starts = pool.array(starts)
    captures = pool.array(blocks.flatMap(\.captures))
    captureStarts = pool.array(
      blocks.reduce(into: [0]) { $0.append($0[$0.count - 1] + Int32($1.captures.count)) })
  }

  /// Where the conditions of a block for a method stand.
  @inline(__always)
  func range(block: Int32, method: RuleMethod) -> (first: Int, end: Int) {
    let place = Int(block) &* RuleMethod.count &+ Int(method.rawValue)
    return (Int(starts[place]), Int(starts[place &+ 1]))
  }

  @inline(__always)
  func captures(block: Int32) -> UnsafeBufferPointer<CapturePlace> {
    let first = Int(captureStarts[Int(block)])
    return UnsafeBufferPointer(
      start: captures + first, count: Int(captureStarts[Int(block) &+ 1]) &- first)
  }

  @inline(__always)
  subscript(index: Int) -> Condition { conditions[index] }
}

extension RuleMethod {
  static let count = 5
}
