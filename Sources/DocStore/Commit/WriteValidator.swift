/// What a commit's writes may not ask, whatever is stored; what several writes to one document may not ask together is
/// `MergedWrites`'.
///
/// Runs before the commit queues, on its caller's thread; a refusal leaves a transaction open.
/// Source: docs/spec/protocol.md 4.1, 4.7; docs/spec/production-differences.md W4, W8, W9, W11 to W13.

public import DocModel

/// The texts in which writes are refused.
public enum WriteErrors {
  public static let emptyOperation = InvalidArgument("empty write operation")
  public static let deleteWithMask = InvalidArgument("a delete must not specify a document mask.")
  public static let deleteWithTransform = InvalidArgument("a delete must not specify a update transform.")
  public static let verifyWithoutPrecondition = InvalidArgument("a verify must contain a precondition")
  public static let verifyWithMask = InvalidArgument("a verify must not specify a document mask.")
  public static let verifyWithTransform = InvalidArgument("a verify must not specify a update transform.")
  public static let verifiedThenWritten = InvalidArgument(
    "the same document cannot be verified and then written in a single request")
  public static let writtenThenVerified = InvalidArgument(
    "the same document cannot be written and then verified in a single request")
  public static let verifiedTwice = InvalidArgument(
    "the same document cannot be verified more than once in a single request")
  public static let writtenTwice = InvalidArgument(
    "the same document cannot be written more than once in a single request")
  public static let serverValueUnset = InvalidArgument(
    "ServerValue type must be specified for set_to_server_value transformation.")
  public static let transformUnset = InvalidArgument(
    "Operation type must be specified for field transformation.")
  public static let noTransforms = InvalidArgument("The list of FieldTransform must not be empty.")
  public static let notANumber = InvalidArgument("Input must be int64 or double.")
  public static let nestedArray = InvalidArgument("Cannot convert an array value in an array value.")

  /// Assumed: production refuses, its words are not recorded.
  static let manyTransforms = InvalidArgument(
    "The maximum number of field transforms for one document is \(WriteLimits.transformsMax).")

  static func transformInside(_ path: FieldPath) -> InvalidArgument {
    InvalidArgument("Cannot transform property \(path.text) and its nested property at the same time.")
  }

  /// Source: docs/spec/protocol.md 4.5, 2.3.
  static func invalidNested(_ path: FieldPath) -> InvalidArgument {
    InvalidArgument("Property \(path.segments[0]) contains an invalid nested entity.")
  }

  /// Source: docs/spec/production-differences.md L2.
  static func tooLarge(_ name: DocumentName, bytes: Int) -> InvalidArgument {
    InvalidArgument(
      "Document '\(name.resourceName)' cannot be written because its size (\(grouped(bytes)) bytes) exceeds "
        + "the maximum allowed size of \(grouped(Limits.documentBytesMax)) bytes.")
  }

  /// The official emulator's words. Source: docs/spec/production-differences.md L2.
  static let entityTooLarge = InvalidArgument("maximum entity size is \(Limits.documentBytesMax) bytes")

  /// Digits in groups of three: `1,048,576`.
  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}

enum WriteValidator {
  static func check(_ writes: [Write], _ limits: CommitLimits) throws(InvalidArgument) {
    for write in writes { try check(write) }
    try checkVerified(writes)
    if let max = limits.transformsMax { try checkTransformCounts(writes, max: max) }
  }

  private static func check(_ write: Write) throws(InvalidArgument) {
    switch write.operation {
    case .update:
      try checkTransforms(write.transforms)
    case .delete:
      if !write.transforms.isEmpty { throw WriteErrors.deleteWithTransform }
    case .verify:
      if !write.transforms.isEmpty { throw WriteErrors.verifyWithTransform }
      if write.precondition == .none { throw WriteErrors.verifyWithoutPrecondition }
    }
  }

  /// The first path that leads to another one of the list.
  private static func innerPath(of paths: [FieldPath]) -> FieldPath? {
    let sorted = paths.sorted()
    for (path, next) in zip(sorted, sorted.dropFirst()) where path != next && path.isPrefix(of: next) {
      return path
    }
    return nil
  }

  private static func checkVerified(_ writes: [Write]) throws(InvalidArgument) {
    let isVerify = writes.map { write in
      switch write.operation {
      case .verify: true
      case .update, .delete: false
      }
    }
    guard isVerify.contains(true) else { return }
    var wasVerified: [ResourcePath: Bool] = [:]
    for (write, verifies) in zip(writes, isVerify) {
      switch (wasVerified[write.path], verifies) {
      case (.none, _), (.some(false), false): wasVerified[write.path] = verifies
      case (.some(true), true): throw WriteErrors.verifiedTwice
      case (.some(true), false): throw WriteErrors.verifiedThenWritten
      case (.some(false), true): throw WriteErrors.writtenThenVerified
      }
    }
  }

  private static func checkTransformCounts(_ writes: [Write], max: Int) throws(InvalidArgument) {
    guard writes.reduce(0, { $0 + $1.transforms.count }) > max else { return }
    var counts: [ResourcePath: Int] = [:]
    for write in writes {
      counts[write.path, default: 0] += write.transforms.count
      if counts[write.path, default: 0] > max { throw WriteErrors.manyTransforms }
    }
  }

  // MARK: transforms

  private static func checkTransforms(_ transforms: [FieldTransform]) throws(InvalidArgument) {
    for transform in transforms {
      try checkPath(transform.path)
      try checkOperand(transform)
    }
    if let path = innerPath(of: transforms.map(\.path)) { throw WriteErrors.transformInside(path) }
  }

  /// The names that a transform would create: a client's fields are checked at ingest, these are not.
  private static func checkPath(_ path: FieldPath) throws(InvalidArgument) {
    var bytes = 0
    for (index, segment) in path.segments.enumerated() {
      if ResourceNameParser.isReserved(segment) {
        throw InvalidArgument(
          index == 0 ? "field name \(segment) is reserved" : "field name '\(segment)' is reserved.")
      }
      bytes += segment.utf8.count + (index == 0 ? 0 : 1)
    }
    if bytes > Limits.fieldNameBytesMax {
      throw path.segments.count == 1
        ? InvalidArgument("The property.name is longer than \(Limits.fieldNameBytesMax) bytes.")
        : WriteErrors.invalidNested(path)
    }
    if path.segments.count - 1 > Limits.nestingMax { throw WriteErrors.invalidNested(path) }
  }

  private static func checkOperand(_ transform: FieldTransform) throws(InvalidArgument) {
    switch transform.operation {
    case .serverTime: break
    case .increment(let operand), .maximum(let operand), .minimum(let operand):
      let kind = operand.withUnsafeBytes { ValueView($0).kind }
      guard kind == .integer || kind == .double else { throw WriteErrors.notANumber }
    case .appendMissing(let elements), .removeAll(let elements):
      // The maps on the way and the array itself nest, too.
      let room = Limits.nestingMax - transform.path.segments.count
      for element in elements {
        let (kind, depth) = element.withUnsafeBytes { (ValueView($0).kind, nesting(of: ValueView($0))) }
        if kind == .array { throw WriteErrors.nestedArray }
        if depth > room { throw WriteErrors.invalidNested(transform.path) }
      }
    }
  }

  /// Levels of maps and arrays; canonical values nest at most `Limits.nestingMax`, which bounds recursion.
  private static func nesting(of value: ValueView) -> Int {
    switch value.kind {
    case .array: 1 + value.array.reduce(0) { max($0, nesting(of: $1)) }
    case .map: 1 + value.fields.reduce(0) { max($0, nesting(of: $1.value)) }
    case .vector: 2
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint: 0
    }
  }
}
