/// What the writes of one commit to one document come to.
///
/// The service makes one change of them before it asks what is stored: the first one's precondition is the change's, the
/// last one says whether it writes or deletes, and rules see it once, with the document before and after the whole
/// commit. A later precondition is held against the writes before it alone; one that cannot hold behind them, or
/// names a version that the first does not, is refused whatever is stored.
///
/// Source: the official emulator, asked for every sequence of up to three writes, on documents that are there and
/// that are not.

internal import DocModel

struct MergedWrites {
  /// Of the first write: the only one that what is stored is asked for.
  let precondition: Precondition
  private let firstOperation: Operation
  /// Of the last write.
  private(set) var operation: Operation
  /// Of every write; nil when one writes the whole document, which one without a mask does, or one behind a delete.
  private var masks: [[FieldPath]]?
  /// Of all writes behind the last delete, also of those whose fields a later write replaces.
  private(set) var transforms: [FieldTransform]

  /// Whether there is more than one.
  private(set) var areSeveral = false

  enum Operation: Hashable { case update, delete, verify }

  init(_ first: Write) {
    precondition = first.precondition
    firstOperation = Operation(first)
    operation = firstOperation
    masks = first.mask.map { [$0] }
    transforms = first.transforms
  }

  /// Takes the next write of the commit to the document.
  mutating func add(_ next: Write) throws(InvalidArgument) {
    let nextOperation = Operation(next)
    switch (next.precondition, operation) {
    case (.none, _), (.exists(false), .delete), (.exists(true), .update), (.exists, .verify): break
    case (.exists(true), .delete): throw WriteErrors.merge("delete", nextOperation.words(else: "update"))
    case (.exists(false), .update): throw WriteErrors.merge(writeWord, nextOperation.words(else: "insert"))
    case (.updateTime(let version), _):
      if operation == .delete, nextOperation == .update { throw WriteErrors.merge("delete", "update") }
      if version != self.version { throw WriteErrors.mergeVersions(self.version, version) }
    }
    if let mask = next.mask { masks?.append(mask) } else { masks = nil }
    if nextOperation == .delete { transforms = [] } else { transforms += next.transforms }
    operation = nextOperation
    areSeveral = true
  }

  /// What the masks come to; nil for the whole document. A later write's paths come first.
  var mask: [FieldPath]? { masks.map { Array($0.reversed().joined()) } }

  /// What the change is to the rules. A precondition says it, also when it will turn out unmet, otherwise what is stored.
  func kind(isStored: Bool) -> WriteKind {
    switch operation {
    case .delete: return .delete
    case .verify: return .verify
    case .update: break
    }
    switch precondition {
    case .exists(true): return .update
    case .exists(false): return .create
    // Version 0 is that of a document that is not there.
    case .updateTime(0) where firstOperation == .update: return .create
    case .updateTime where firstOperation == .update: return .update
    case .none, .updateTime: return isStored ? .update : .create
    }
  }

  /// What the service calls a change that writes.
  private var writeWord: String {
    switch precondition {
    case .exists(true): "update"
    case .exists(false): "insert"
    case .updateTime(0) where firstOperation == .update: "insert"
    case .updateTime where firstOperation == .update: "update"
    case .none, .updateTime: "upsert"
    }
  }

  private var version: Int64? {
    switch precondition {
    case .updateTime(let version): version
    case .none, .exists: nil
    }
  }
}

extension Write {
  fileprivate var mask: [FieldPath]? {
    if case .update(_, let mask) = operation { mask } else { nil }
  }
}

extension MergedWrites.Operation {
  init(_ write: Write) {
    switch write.operation {
    case .update: self = .update
    case .delete: self = .delete
    case .verify: self = .verify
    }
  }

  fileprivate func words(else written: String) -> String { self == .delete ? "delete" : written }
}

extension WriteErrors {
  fileprivate static func merge(_ first: String, _ next: String) -> InvalidArgument {
    InvalidArgument("Cannot \(first) then \(next) an entity in the same request.")
  }

  fileprivate static func mergeVersions(_ first: Int64?, _ next: Int64?) -> InvalidArgument {
    InvalidArgument(
      "Cannot collapse mutations with different version preconditions (\(text(first)) and \(text(next)))")
  }

  private static func text(_ version: Int64?) -> String {
    version.map { "VersionPrecondition{exactBaseVersion=\($0), maxBaseVersion=null}" } ?? "null"
  }
}
