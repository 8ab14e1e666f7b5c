/// Why an expression has no value.

/// Kinds of faults. The language's own word for a fault is error; conditions that have one do not
/// grant, and `||` and `&&` can absorb it.
public enum FaultCode: UInt8, Sendable, CaseIterable {
  /// A missing field, or a name that nothing declares.
  case undefinedProperty
  case nullValue
  /// An operand of the wrong kind where one kind is expected.
  case type
  /// No such operator or method for these kinds of operands.
  case unsupportedOperation
  case functionNotFound
  case argumentCount
  case indexOutOfBounds
  case illegalRange
  case divideByZero
  case overflow
  case conversion
  /// A capture that has no value here.
  case unboundVariable
  /// A document access that failed: a bad path.
  case serviceCall
  /// A document access past the number of distinct documents that may be read. It has the official words
  /// of `serviceCall`, and as that one it can be absorbed.
  case accessLimit
  case pattern
  /// An argument outside its range.
  case argument
  /// A query's filters do not decide the question. Has no words of its own.
  case undetermined
  /// The evaluation budget. The only fault that nothing absorbs.
  case budget
}
