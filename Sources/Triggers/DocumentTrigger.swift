/// What a trigger is, and what it is given.

public import DocModel

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
  /// The document before the commit; nil when the commit created it.
  public let before: Fields?
  /// The document after the commit; nil when the commit deleted it.
  public let after: Fields?
  /// The commit's version: its time in microseconds, greater than every earlier commit's.
  public let version: Int64

  /// The commit's time.
  public var time: Timestamp { Timestamp(microseconds: version) }

  public var change: Change {
    switch (before, after) {
    case (.none, _): .created
    case (.some, .none): .deleted
    case (.some, .some): .updated
    }
  }
}

/// Code that runs after a document has changed.
///
/// At least once for every change, so `action` must bear repetition: `DocumentEvent.id` tells one. What it
/// writes through the store is an ordinary commit, past the rules, and fires triggers in turn. Nothing
/// stops a trigger whose own writes fire it for ever: write only what differs.
public struct DocumentTrigger: Sendable {
  /// The changes that fire a trigger.
  public enum Event: Hashable, Sendable {
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

  public init(
    _ name: String, on event: Event, _ pattern: String, _ action: @escaping Action
  ) throws(Complaint) {
    self.name = name
    self.event = event
    self.pattern = try PathPattern(pattern)
    self.action = action
  }

  /// What this trigger is given for a change; nil when it does not fire.
  func event(
    _ document: DocumentName, before: Fields?, after: Fields?, version: Int64
  ) -> DocumentEvent? {
    if before == nil, after == nil { return nil }
    guard let parameters = pattern.match(document.path) else { return nil }
    let made = DocumentEvent(
      id: EventID.text(document, version: version, trigger: name), database: document.database,
      path: document.path, parameters: parameters, before: before, after: after, version: version)
    return event.includes(made.change) ? made : nil
  }
}

/// A trigger for documents that come into being.
public func onDocumentCreated(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(Complaint) -> DocumentTrigger {
  try DocumentTrigger(name, on: .created, pattern, action)
}

/// A trigger for documents that were there and changed.
public func onDocumentUpdated(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(Complaint) -> DocumentTrigger {
  try DocumentTrigger(name, on: .updated, pattern, action)
}

/// A trigger for documents that are gone.
public func onDocumentDeleted(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(Complaint) -> DocumentTrigger {
  try DocumentTrigger(name, on: .deleted, pattern, action)
}

/// A trigger for every change.
public func onDocumentWritten(
  _ pattern: String, name: String, _ action: @escaping DocumentTrigger.Action
) throws(Complaint) -> DocumentTrigger {
  try DocumentTrigger(name, on: .written, pattern, action)
}

/// Keys of events.
enum EventID {
  /// The version in hexadecimal, then 128 bits (FNV-1a) of everything else: only documents of one commit
  /// could ever share an id.
  static func text(_ document: DocumentName, version: Int64, trigger: String) -> String {
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for part in [document.database.resourceName, document.path.text, trigger] {
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
