/// `+ - * / %`. Source: docs/spec/rules-language.md 2.8 and the official emulator.

internal import DocModel

package enum Arithmetic: String {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"
}

extension Evaluation {
  package func arithmetic(_ operation: Arithmetic, _ left: Operand, _ right: Operand, _ node: Int32)
    -> Operand
  {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return integers(operation, a, b, node)
    case (.float(let a), .float(let b)): return .float(floats(operation, a, b))
    case (.integer(let a), .float(let b)): return .float(floats(operation, Double(a), b))
    case (.float(let a), .integer(let b)): return .float(floats(operation, a, Double(b)))
    case (.string(let a), .string(let b)) where operation == .add: return concatenate(a, b, node)
    case (.timestamp(let a), .duration(let b)) where operation == .add: return timestamp(a, plus: b, node)
    case (.duration(let a), .timestamp(let b)) where operation == .add: return timestamp(b, plus: a, node)
    case (.timestamp(let a), .duration(let b)) where operation == .subtract:
      return timestamp(a, plus: Duration(seconds: -b.seconds, nanoseconds: -b.nanoseconds), node)
    case (.timestamp(let a), .timestamp(let b)) where operation == .subtract:
      return duration(
        seconds: a.seconds - b.seconds, nanoseconds: Int64(a.nanoseconds) - Int64(b.nanoseconds), node)
    case (.duration(let a), .duration(let b)) where operation == .add:
      return duration(
        seconds: a.seconds + b.seconds, nanoseconds: Int64(a.nanoseconds) + Int64(b.nanoseconds), node)
    case (.duration(let a), .duration(let b)) where operation == .subtract:
      return duration(
        seconds: a.seconds - b.seconds, nanoseconds: Int64(a.nanoseconds) - Int64(b.nanoseconds), node)
    default:
      return fault(.unsupportedOperation, node, Signatures.arithmetic(operation, left.kind, right.kind))
    }
  }

  /// Overflow is a fault, except in a division, which has always wrapped.
  private func integers(_ operation: Arithmetic, _ a: Int64, _ b: Int64, _ node: Int32) -> Operand {
    let result: (partialValue: Int64, overflow: Bool)
    switch operation {
    case .add: result = a.addingReportingOverflow(b)
    case .subtract: result = a.subtractingReportingOverflow(b)
    case .multiply: result = a.multipliedReportingOverflow(by: b)
    case .divide:
      guard b != 0 else { return fault(.divideByZero, node, FaultText.divideByZero) }
      return .integer(a.dividedReportingOverflow(by: b).partialValue)
    case .remainder:
      guard b != 0 else { return fault(.divideByZero, node, FaultText.divideByZero) }
      return .integer(a.remainderReportingOverflow(dividingBy: b).partialValue)
    }
    return result.overflow ? fault(.overflow, node, FaultText.overflow) : .integer(result.partialValue)
  }

  private func floats(_ operation: Arithmetic, _ a: Double, _ b: Double) -> Double {
    switch operation {
    case .add: 0.0 + a + b  // A sum is never -0.0. Source: the official emulator.
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .remainder: a.truncatingRemainder(dividingBy: b)
    }
  }

  private func concatenate(_ a: ByteView, _ b: ByteView, _ node: Int32) -> Operand {
    if isTextTooLarge(a.count + b.count) { return overgrown(node) }
    if UTF16Text.isPair(a, b) {
      return .string(arena.copy(UTF16Text.joiningHalves(Array(a.buffer) + Array(b.buffer))))
    }
    let start = arena.allocate(byteCount: a.count + b.count)
    start.copyMemory(from: a.start, byteCount: a.count)
    (start + a.count).copyMemory(from: b.start, byteCount: b.count)
    return .string(ByteView(start: start, count: a.count + b.count))
  }
}
