/// What conditions may cost beside the number of their expressions.
///
/// An expression is cheap for the most part, but one that follows a pattern through a text of a megabyte, or that looks
/// for each element of one list in another, takes a million times as long as one that compares two numbers. Whatever
/// grows with data is counted in steps of about a nanosecond. Crossing the limit ends the operation as an exhausted
/// budget does, in the same words: nothing absorbs it, and no later `allow` is tried.
///
/// Commits are judged by the thread that writes, on the state that they apply to; while it does so no other commit
/// goes on. So there is a limit for all operations of one commit together, expressions included.

extension Evaluation {
  /// LIMIT: steps of one operation. Patterns whose instructions must all be followed take three seconds with it.
  static let operationWorkMax = 1 << 28
  /// LIMIT: the same for work that is to be short: a millisecond.
  static let shortWorkMax = 1 << 20
  /// LIMIT: steps of all operations of a commit: some 50 milliseconds, and as much again to tell why it is refused.
  static let commitWorkMax = 1 << 25
  /// Steps that an evaluated expression stands for in a commit.
  private static let stepsPerExpression = 32
  /// LIMIT: bytes that are looked through without being counted.
  static let freeBytes = 256
  /// Bytes that are compared or copied in one step.
  static let plainBytesPerStep = 16

  /// Begins an operation, with what the request has left.
  @inline(__always)
  func beginWork(isRepeat: Bool) {
    if !isRepeat { requestWork &+= work &+ spentExpressions &* Self.stepsPerExpression }
    work = 0
    probedWork = 0
    spent = 0
    workMax = min(isShort ? Self.shortWorkMax : Self.operationWorkMax, requestWorkMax &- requestWork)
    if workMax < 0 { markOverworked() }
  }

  /// Begins a request whose operations together may take so many steps.
  @inline(__always)
  func beginRequestWork(max: Int) {
    requestWorkMax = max
    requestWork = 0
    work = 0
    spent = 0
  }

  /// Whether the operation has so many steps left, which are gone then. If not, the operation ends.
  @inline(__always)
  @discardableResult
  func takes(_ steps: Int) -> Bool {
    work &+= steps  // Below the square of the largest text, a thousand times.
    if work <= workMax { return true }
    markOverworked()
    return false
  }

  /// Counts a walk through a value, which is one step for a byte.
  @inline(__always)
  func takesWalk(_ value: Operand) {
    switch value {
    case .string(let bytes), .bytes(let bytes), .array(let bytes), .document(let bytes), .fields(let bytes):
      if bytes.count > Self.freeBytes { takes(bytes.count) }
    case .list(_, let count), .set(_, let count), .map(_, let count):
      if count > Self.freeBytes / 16 { takes(count &* 16) }
    case .mapDiff(let sides):
      takesWalk(ofSides: sides)
    default: return
    }
  }

  @inline(never)
  private func takesWalk(ofSides sides: UnsafePointer<Operand>) {
    takesWalk(sides[0])
    takesWalk(sides[1])
  }

  /// Counts bytes that are compared or copied as they are; false when there are no steps left for them.
  @inline(__always)
  func takesPlain(_ byteCount: Int) -> Bool {
    byteCount <= Self.freeBytes || takes(byteCount / Self.plainBytesPerStep)
  }

  /// The fault of an expression that took the last step.
  func overworked(_ node: Int32) -> Operand {
    markOverworked()
    return fault(.budget, node, FaultText.budget)
  }
}
