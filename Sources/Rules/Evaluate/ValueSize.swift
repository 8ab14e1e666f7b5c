/// How large the values that a condition computes may become.
///
/// Without a limit, functions that add a text to itself take all memory there is within the budget of
/// expressions. Crossing it ends the operation as an exhausted budget does: nothing absorbs it, and no later
/// `allow` is tried.
///
/// Source: observed. The official emulator ends the evaluation when the encoded form of a value has more than
/// 2 MiB, at the first expression that comes to such a value.

internal import DocModel

extension Evaluation {
  /// LIMIT: bytes of one computed value, as a `Value` message. Document fields are smaller anyway.
  static let valueBytesMax = 2 << 20
  /// Added to `spent` when a value grew too large; far above all that an evaluation can spend.
  private static let overgrownMark = 1 << 40
  /// Added to `spent` when the evaluation breaks off for another reason.
  private static let brokenMark = 1 << 41
  /// Added to `spent` when the steps are used up.
  private static let overworkedMark = 1 << 42

  /// Whether a value that grew too large ended the evaluation.
  var isOvergrown: Bool { spent & Self.overgrownMark != 0 }

  /// Whether the evaluation broke off at something that no condition can make up for.
  var isBroken: Bool { spent & Self.brokenMark != 0 }

  /// Whether the evaluation ended because it took too many steps.
  var isOverworked: Bool { spent & Self.overworkedMark != 0 }

  /// What was spent of the budget.
  @inline(__always)
  var spentExpressions: Int { spent & (Self.overgrownMark - 1) }

  /// Ends the evaluation: whoever asks `isExhausted` stops.
  func markOvergrown() { mark(Self.overgrownMark) }

  /// The same.
  @inline(never)
  func markOverworked() { mark(Self.overworkedMark) }

  /// The first cause stays.
  private func mark(_ cause: Int) { if spent < Self.overgrownMark { spent += cause } }

  /// The fault of an expression that came to too large a value.
  @inline(never)
  func overgrown(_ node: Int32) -> Operand {
    markOvergrown()
    return fault(.budget, node, FaultText.memory)
  }

  /// Ends the evaluation at something that no condition can make up for.
  func breakOff() { mark(Self.brokenMark) }

  /// The fault of a replacement that names no group. The service's engine throws: nothing absorbs it, and no later
  /// `allow` is tried.
  func brokenReplacement(_ node: Int32) -> Operand {
    breakOff()
    return fault(.budget, node, FaultText.replacement)
  }

  /// A text or bytes of so many bytes, unless that is too large.
  @inline(__always)
  func isTextTooLarge(_ byteCount: Int) -> Bool {
    byteCount > Self.valueBytesMax - 4  // The tag and three bytes for the length.
  }

  /// The value, unless what it is made of makes it too large. Values of documents and flat values need no look.
  @inline(__always)
  func bounded(_ value: Operand, parts: UnsafePointer<Operand>, count: Int, _ node: Int32) -> Operand {
    for index in 0..<count {
      switch parts[index] {
      case .list, .map, .set, .path, .mapDiff: return boundedTree(value, node)
      default: continue
      }
    }
    return value
  }

  /// The value, unless it is too large with all that is in it.
  @inline(never)
  func boundedTree(_ value: Operand, _ node: Int32) -> Operand {
    var left = Self.valueBytesMax
    return measure(value, &left) ? value : overgrown(node)
  }

  /// Two lists as one, unless that is too large; found out before it is built.
  func concatenation(_ first: Operand, _ second: Operand, _ node: Int32) -> Operand {
    var left = Self.valueBytesMax - 2
    var count = 0
    for part in [first, second] {
      var elements = Elements(part)
      while let element = elements.next(self) {
        left -= 2
        guard left >= 0, measure(element, &left) else { return overgrown(node) }
        count += 1
      }
    }
    let result = arena.allocate(Operand.self, count: count)
    var end = result
    for part in [first, second] {
      var elements = Elements(part)
      while let element = elements.next(self) {
        end.initialize(to: element)
        end += 1
      }
    }
    return .list(UnsafePointer(result), count)
  }

  /// Takes the size of a value from what is left; false when it does not suffice. Lists that hold one list twice
  /// are as large as they look: the walk ends with the limit, not with the tree.
  private func measure(_ value: Operand, _ left: inout Int) -> Bool {
    switch value {
    case .null, .boolean, .integer, .float, .timestamp, .duration, .latlng, .fault: left -= 2
    case .string(let bytes), .bytes(let bytes), .array(let bytes), .document(let bytes), .fields(let bytes),
      .vector(let bytes):
      left -= 2 + bytes.count
    case .path(let segments, let count):
      for index in 0..<count where left >= 0 { left -= 1 + (segments[index].text?.count ?? 0) }
    case .list(let elements, let count), .set(let elements, let count):
      left -= 2
      for index in 0..<count {
        left -= 2
        guard left >= 0, measure(elements[index], &left) else { return false }
      }
    case .map(let entries, let count):
      left -= 2
      for index in 0..<count {
        left -= 4 + entries[index].key.count
        guard left >= 0, measure(entries[index].value, &left) else { return false }
      }
    case .mapDiff(let maps):
      guard measure(maps[0], &left) else { return false }
      return measure(maps[1], &left)
    case .constraint(_, let count): left -= 2 * count
    }
    return left >= 0
  }
}
