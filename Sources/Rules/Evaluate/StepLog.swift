/// What one evaluation wrote down of its expressions.

/// One expression that was evaluated.
struct RecordedStep {
  /// Which expression.
  let number: Int32
  /// The step that it was evaluated for, by its place in the log; -1 for a condition.
  let parent: Int32
  /// Valid as long as the evaluation it came from.
  var operand: Operand
}

/// The steps of one evaluation, in the order in which they began.
///
/// LIMIT: the evaluation budget bounds their number: a step costs at least one of the thousand.
final class StepLog {
  let steps = RawList<RecordedStep>(capacity: 256)
  private var open: Int32 = -1

  deinit { steps.free() }

  func removeAll() {
    steps.removeAll()
    open = -1
  }

  /// Begins a step; gives its place.
  func begin(_ number: Int32) -> Int {
    steps.append(RecordedStep(number: number, parent: open, operand: .null))
    open = Int32(steps.count - 1)
    return steps.count - 1
  }

  func end(_ place: Int, _ operand: Operand) {
    (steps.start + place).pointee.operand = operand
    open = steps[place].parent
  }
}
