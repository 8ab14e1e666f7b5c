internal import Rules

/// What an expression may give, as far as the text tells.
///
/// INVARIANT: an estimate never excludes a value that the evaluator can give; only then may the linter
/// say "always" and "never".
struct Estimate {
  /// Of the value; empty if evaluating always fails.
  var types: StaticType
  /// Of a value that is a bool.
  var truth: Truth
  /// Whether evaluating may fail.
  var mayFail: Bool
  /// Which of the objects around a request it is.
  var shape: Shape
  /// The value, if it is always the same.
  var literal: LiteralSyntax?
  /// The path literal it came from.
  var path: ExpressionNode?
  /// Whether paths are inserted into it, of any number of segments.
  var insertsPath = false

  init(
    _ types: StaticType, truth: Truth = .either, mayFail: Bool = false, shape: Shape = .none,
    literal: LiteralSyntax? = nil, path: ExpressionNode? = nil
  ) {
    self.types = types
    self.truth = truth
    self.mayFail = mayFail
    self.shape = shape
    self.literal = literal
    self.path = path
  }

  static let any = Estimate(.any, mayFail: true)
  static let failing = Estimate([], truth: [], mayFail: true)
  static let null = Estimate(.null, truth: [], literal: .null)

  static func bool(_ truth: Truth, mayFail: Bool) -> Estimate {
    Estimate(truth.isEmpty ? [] : .bool, truth: truth, mayFail: mayFail || truth.isEmpty)
  }

  var isFailing: Bool { types.isEmpty }

  /// Whether the value may be `true`, `false`.
  var canBeTrue: Bool { types.contains(.bool) && truth.contains(.true) }
  var canBeFalse: Bool { types.contains(.bool) && truth.contains(.false) }

  /// Whether it is this bool, always.
  func isSurely(_ value: Truth) -> Bool { truth == value && !mayFailAsBool }

  /// Whether evaluating it as a bool may fail.
  var mayFailAsBool: Bool { mayFail || !types.isSubset(of: .bool) }

  /// Either of two.
  func union(_ other: Estimate) -> Estimate {
    Estimate(
      types.union(other.types), truth: truth.union(other.truth), mayFail: mayFail || other.mayFail,
      shape: shape == other.shape ? shape : .none, literal: literal == other.literal ? literal : nil)
  }
}

/// Which booleans are possible.
struct Truth: OptionSet {
  let rawValue: UInt8

  static let `true` = Truth(rawValue: 1)
  static let `false` = Truth(rawValue: 2)
  static let either: Truth = [.true, .false]
}

/// The objects whose fields are known.
enum Shape {
  case none
  /// `request`
  case request
  /// `request.auth`
  case auth
  /// `request.query`
  case query
  /// `request.resource`
  case newDocument
  /// `resource`
  case document
  /// What `get` gives.
  case otherDocument
  /// `.data` of a document.
  case fields
  /// `request.method`
  case method

  /// How it is called in messages.
  var spelling: String {
    switch self {
    case .none, .fields: "the value"
    case .request: "request"
    case .auth: "request.auth"
    case .query: "request.query"
    case .newDocument: "request.resource"
    case .document: "resource"
    case .otherDocument: "a document"
    case .method: "request.method"
    }
  }
}
