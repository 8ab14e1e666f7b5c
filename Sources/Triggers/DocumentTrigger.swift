/// What a trigger is, and what it is given.

public import DocModel
public import DocStore

/// One change of one document, as a trigger sees it.
public struct DocumentEvent: Sendable {
  public enum Change: Hashable, Sendable { case created, updated, deleted }

  /// The idempotency key: the same for every delivery of this change to this trigger, different for every
  /// other. Letters, digits and a dash, so it may be a document's id.
  public let id: String
  public let database: DatabaseID
  public let path: ResourcePath
  /// The parts of the path that the trigger's pattern names.
  public let parameters: [String: String]
  /// The document before the commit, with its times; nil when the commit created it.
  public let beforeImage: DocumentImage?
  /// The document after the commit, with its times; nil when the commit deleted it.
  public let afterImage: DocumentImage?
  /// The commit's version: its time in microseconds, greater than every earlier commit's.
  public let version: Int64
  /// Which chain of triggers the change belongs to.
  public let cause: EventCause
  /// Who made the commit.
  public let author: CommitAuthor
  /// Which attempt at the event this is, from 1.
  public let attempt: Int

  /// The fields before the commit; nil when the commit created the document. Decoded at each call.
  public var before: Fields? { Self.fields(beforeImage) }
  /// The fields after the commit; nil when the commit deleted the document. Decoded at each call.
  public var after: Fields? { Self.fields(afterImage) }

  private static func fields(_ image: DocumentImage?) -> Fields? {
    image.map { image in image.withDocument { Fields($0.fields) } }
  }

  /// A key of the change itself, the same for every trigger.
  public var changeID: String { EventID.text(document, version: version, trigger: "") }

  public var document: DocumentName { DocumentName(database: database, path: path) }

  /// The commit's time.
  public var time: Timestamp { Timestamp(microseconds: version) }

  public var change: Change {
    switch (beforeImage, afterImage) {
    case (.none, _): .created
    case (.some, .none): .deleted
    case (.some, .some): .updated
    }
  }
}

/// Code that runs after a document has changed.
///
/// At least once for every change, so `action` must bear repetition: `DocumentEvent.id` tells one. What it
/// writes through the store is an ordinary commit, past the rules, and fires triggers in turn, up to a depth
/// (`TriggerSettings.depthMax`): write only what differs.
public struct DocumentTrigger: Sendable {
  /// The changes that fire a trigger.
  public enum Event: String, CaseIterable, Sendable {
    case created, updated, deleted
    /// Any of the three.
    case written

    func includes(_ change: DocumentEvent.Change) -> Bool {
      switch (self, change) {
      case (.written, _), (.created, .created), (.updated, .updated), (.deleted, .deleted): true
      case (.created, _), (.updated, _), (.deleted, _): false
      }
    }
  }

  public typealias Action = @Sendable (DocumentEvent) async throws -> Void

  /// Part of every event's id; unique within a runner.
  public let name: String
  public let event: Event
  public let pattern: PathPattern
  public let action: Action
  /// Which databases it is about; nil for any project, or any database.
  public var project: String?
  public var database: String?
  /// Nil for the runner's.
  public var retry: RetryPolicy?
  /// Deliveries under way at a time; nil for the runner's.
  public var concurrency: Int?
  /// Where a trigger goes whose action hands the event to another process.
  public var target: String?
  /// Whether the runner writes its positions down, so that it goes on where it was after a restart.
  public var isRemembered = true

  public init(
    _ name: String, on event: Event, _ pattern: String, _ action: @escaping Action
  ) throws(InvalidArgument) {
    self.name = name
    self.event = event
    self.pattern = try PathPattern(pattern)
    self.action = action
  }

  /// Whether changes of documents of this database can fire it.
  func concerns(_ id: DatabaseID) -> Bool {
    if let project, !project.hasSameBytes(as: id.project) { return false }
    if let database, !database.hasSameBytes(as: id.database) { return false }
    return true
  }
}

/// A trigger for documents that come into being.
public func onDocumentCreated(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(InvalidArgument) -> DocumentTrigger {
  try DocumentTrigger(name, on: .created, pattern, action)
}

/// A trigger for documents that were there and changed.
public func onDocumentUpdated(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(InvalidArgument) -> DocumentTrigger {
  try DocumentTrigger(name, on: .updated, pattern, action)
}

/// A trigger for documents that are gone.
public func onDocumentDeleted(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(InvalidArgument) -> DocumentTrigger {
  try DocumentTrigger(name, on: .deleted, pattern, action)
}

/// A trigger for every change.
public func onDocumentWritten(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(InvalidArgument) -> DocumentTrigger {
  try DocumentTrigger(name, on: .written, pattern, action)
}

/// Keys of events.
enum EventID {
  /// 64 bits (FNV-1a) of a path.
  static func hash(_ path: ResourcePath) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in path.text.utf8 {
      hash ^= UInt64(byte)
      // Wrapping is what the hash is made of.
      hash &*= 0x0000_0100_0000_01B3
    }
    return hash
  }

  /// The version in hexadecimal, then 128 bits (FNV-1a) of everything else: only documents of one commit
  /// could ever share an id.
  static func text(_ document: DocumentName, version: Int64, trigger: String) -> String {
    text([document.database.resourceName, document.path.text, trigger], version: version)
  }

  static func text(_ parts: [String], version: Int64) -> String {
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for part in parts {
      // 0xFF is no byte of UTF-8, so parts cannot run into each other.
      for byte in Array(part.utf8) + [0xFF] {
        hash ^= UInt128(byte)
        // Wrapping is what the hash is made of.
        hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
      }
    }
    let digits = String(hash, radix: 16)
    return String(version, radix: 16) + "-" + String(repeating: "0", count: 32 - digits.count) + digits
  }
}
