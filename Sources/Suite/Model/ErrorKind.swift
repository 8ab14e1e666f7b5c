/// Names for the ways in which a condition has no value.

internal import Rules

enum ErrorKind: String, CaseIterable, Sendable {
  case missingField = "missing-field"
  case missingDocument = "missing-document"
  case null
  case type
  case function
  case arguments
  case index
  case range
  case division
  case overflow
  case conversion
  case unbound
  case access
  case pattern
  case argument
  case undetermined
  case budget

  static var names: [String] { allCases.map(\.rawValue) }

  /// The kind of a fault. A null that stands where a document's data is read is a missing document.
  init(_ fault: Fault, in source: SourceText) {
    switch fault.code {
    case .undefinedProperty: self = .missingField
    case .nullValue: self = Self.readsDocument(source.text(of: fault.span)) ? .missingDocument : .null
    case .type, .unsupportedOperation: self = .type
    case .functionNotFound: self = .function
    case .argumentCount: self = .arguments
    case .indexOutOfBounds: self = .index
    case .illegalRange: self = .range
    case .divideByZero: self = .division
    case .overflow: self = .overflow
    case .conversion: self = .conversion
    case .unboundVariable: self = .unbound
    case .serviceCall, .accessLimit: self = .access
    case .pattern: self = .pattern
    case .argument: self = .argument
    case .undetermined: self = .undetermined
    case .budget: self = .budget
    }
  }

  /// Whether an expression is the step from a document to its data.
  private static func readsDocument(_ text: String) -> Bool {
    text.hasSuffix(".data") || text.hasSuffix(".id") || text.hasSuffix("__name__")
  }
}
