/// One element of a commit, as the API has them.
///
/// Source: proto google/firestore/v1/write.proto; docs/spec/protocol.md section 4.

public import DocModel

public struct Write: Sendable {
  public enum Operation: Sendable {
    /// Sets fields. `fields` is the stored form that `Canonicalizer` gives, nothing else may stand here.
    /// Without a mask the document becomes `fields`; with one, masked paths are set or deleted and the
    /// rest is kept. An empty mask changes nothing but creates the document.
    case update(fields: [UInt8], mask: [FieldPath]?)
    case delete
    /// Checks the precondition and writes nothing.
    case verify
  }

  public var path: ResourcePath
  public var operation: Operation
  /// Applied in order after the update, each seeing the result of the one before.
  public var transforms: [FieldTransform]
  public var precondition: Precondition

  public init(
    _ path: ResourcePath, _ operation: Operation, transforms: [FieldTransform] = [],
    precondition: Precondition = .none
  ) {
    self.path = path
    self.operation = operation
    self.transforms = transforms
    self.precondition = precondition
  }

  /// Whether it asks nothing of what is stored: it sets the whole document, or deletes it, and has no precondition.
  var replacesAll: Bool {
    if precondition != .none || !transforms.isEmpty { return false }
    return switch operation {
    case .update(_, let mask): mask == nil
    case .delete: true
    case .verify: false
    }
  }

  /// The `transform` form of a write: an update with an empty mask.
  public static func transform(
    _ path: ResourcePath, _ transforms: [FieldTransform], precondition: Precondition = .none
  ) -> Write {
    Write(path, .update(fields: [], mask: []), transforms: transforms, precondition: precondition)
  }
}

/// What must be true of a document before a write applies, judged with the commit's other writes to it: `MergedWrites`.
public enum Precondition: Hashable, Sendable {
  case none
  case exists(Bool)
  /// The stored update time, in microseconds.
  case updateTime(Int64)
}

/// One server-side change of one field. Operands are canonical encoded values.
public struct FieldTransform: Sendable {
  public enum Operation: Sendable {
    /// The commit's time, in whole milliseconds.
    case serverTime
    case increment([UInt8])
    case maximum([UInt8])
    case minimum([UInt8])
    case appendMissing([[UInt8]])
    case removeAll([[UInt8]])
  }

  public var path: FieldPath
  public var operation: Operation

  public init(_ path: FieldPath, _ operation: Operation) {
    self.path = path
    self.operation = operation
  }

  public static func increment(_ path: FieldPath, by operand: Value) -> FieldTransform {
    FieldTransform(path, .increment(operand.encoded))
  }

  public static func maximum(_ path: FieldPath, _ operand: Value) -> FieldTransform {
    FieldTransform(path, .maximum(operand.encoded))
  }

  public static func minimum(_ path: FieldPath, _ operand: Value) -> FieldTransform {
    FieldTransform(path, .minimum(operand.encoded))
  }

  public static func appendMissing(_ path: FieldPath, _ elements: [Value]) -> FieldTransform {
    FieldTransform(path, .appendMissing(elements.map(\.encoded)))
  }

  public static func removeAll(_ path: FieldPath, _ elements: [Value]) -> FieldTransform {
    FieldTransform(path, .removeAll(elements.map(\.encoded)))
  }
}

/// What became of one write.
public struct WriteResult: Hashable, Sendable {
  /// Of the document as the whole commit leaves it: the commit's version; the old update time when nothing changed;
  /// nil when there is none.
  public var updateTime: Int64?
  /// One canonical encoded value a transform: the new value, or null for array transforms.
  public var transformResults: [[UInt8]]

  public init(updateTime: Int64?, transformResults: [[UInt8]] = []) {
    self.updateTime = updateTime
    self.transformResults = transformResults
  }
}

/// What became of a commit.
public struct CommitResult: Hashable, Sendable {
  /// Microseconds since the epoch; greater than every earlier commit's.
  public var commitTime: Int64
  /// One result a write, in order.
  public var results: [WriteResult]

  public init(commitTime: Int64, results: [WriteResult]) {
    self.commitTime = commitTime
    self.results = results
  }
}
