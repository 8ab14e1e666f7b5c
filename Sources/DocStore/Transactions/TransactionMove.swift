/// A transaction on its way from one server to another one of the same store: what it has read, and up to which commit
/// that is known to be unchanged.
///
/// A client's calls may come to any server. One that has no transaction of a call's token asks the others for it; the one
/// that has it lets go of it and tells what it knew, and the asking one goes on with it under the same token. What commits
/// have done meanwhile is found in the store.
///
/// ```
/// transaction? COUNTER QUESTION                        who has it?
/// transaction COUNTER QUESTION PART PARTS BASE64       what it has read, a message in protobuf's form, in parts
/// ```
///
/// An answer is for one question: everybody hears it, also who asks for the transaction only later, when it has read more.
///
/// What a query has read is moved as its collection: more than its condition, so that such a transaction may be given up
/// for a change that did not concern it.

internal import DocModel
internal import Platform

struct TransactionMove {
  let counter: UInt64
  let database: DatabaseID
  let owner: CommitAuthor
  let isPessimistic: Bool
  let isStale: Bool
  /// How often its attempts were given up.
  let aborts: Int
  /// Microseconds since it began and since it was used, which clocks of two machines agree on.
  let age: Int64
  let idle: Int64
  /// Every commit up to this version is accounted for.
  let seen: Int64
  let documents: [ResourcePath]
  let scopes: [QueryScope]
  /// How it ended, where it has: then it stays where it is.
  let outcome: TransactionEntry.Outcome?
  /// The questions that it has moved for last. Each may have been asked more than once.
  let answered: [UInt64]

  /// LIMIT: bytes of one that is moved, and documents. One that has read more is given up.
  static let bytesMax = 200_000
  static let documentsMax = 5_000
  /// What one message has of it.
  private static let partBytes = 4_500
  private static let answeredMax = 16

  var isTooLarge: Bool {
    documents.count > Self.documentsMax || encoded.count > Self.bytesMax
  }

  // MARK: bytes

  var encoded: [UInt8] {
    var writer = WireWriter()
    writer.field(1, varint: counter)
    writer.field(2, text: database.project)
    writer.field(3, text: database.database)
    writer.field(4, text: owner.text)
    writer.field(5, varint: isPessimistic ? 1 : 0)
    writer.field(6, varint: isStale ? 1 : 0)
    writer.field(7, varint: UInt64(aborts))
    writer.field(8, varint: UInt64(max(0, age)))
    writer.field(9, varint: UInt64(max(0, idle)))
    writer.field(10, varint: UInt64(max(0, seen)))
    for path in documents { writer.field(11, text: path.text) }
    for scope in scopes { writer.field(12, bytes: Self.encoded(scope)) }
    if let outcome { writer.field(13, varint: outcome.rawValue) }
    for question in answered {
      var bytes = WireWriter()
      bytes.field(1, varint: question)
      writer.field(14, bytes: bytes.bytes)
    }
    return writer.bytes
  }

  init?(_ bytes: [UInt8]) {
    let moved = bytes.withUnsafeBytes { bytes -> TransactionMove? in
      guard let counter = PlainFields.number(1, of: bytes), let seen = PlainFields.number(10, of: bytes),
        let owner = CommitAuthor(text: PlainFields.text(4, of: bytes))
      else { return nil }
      let scopes = PlainFields.all(12, of: bytes).compactMap(Self.scope)
      guard scopes.count == PlainFields.all(12, of: bytes).count else { return nil }
      return TransactionMove(
        counter: counter,
        database: DatabaseID(
          project: PlainFields.text(2, of: bytes), database: PlainFields.text(3, of: bytes)),
        owner: owner, isPessimistic: PlainFields.number(5, of: bytes) == 1,
        isStale: PlainFields.number(6, of: bytes) == 1,
        aborts: Int(clamping: PlainFields.number(7, of: bytes) ?? 0),
        age: Int64(clamping: PlainFields.number(8, of: bytes) ?? 0),
        idle: Int64(clamping: PlainFields.number(9, of: bytes) ?? 0), seen: Int64(clamping: seen),
        documents: PlainFields.all(11, of: bytes).map { ResourcePath(unchecked: PlainFields.text($0)) },
        scopes: scopes,
        outcome: PlainFields.number(13, of: bytes).flatMap { TransactionEntry.Outcome(rawValue: $0) },
        answered: PlainFields.all(14, of: bytes).compactMap { PlainFields.number(1, of: $0) })
    }
    guard let moved else { return nil }
    self = moved
  }

  init(_ entry: TransactionEntry, seen: Int64, for question: UInt64, _ now: Int64) {
    var outcome: TransactionEntry.Outcome?
    if case .ended(let found) = entry.phase { outcome = found }
    self.init(
      counter: entry.id, database: entry.database, owner: entry.owner, isPessimistic: entry.isPessimistic,
      isStale: entry.isStale, aborts: entry.lineage.aborts, age: now - entry.began,
      idle: now - entry.lastUsed, seen: seen, documents: Array(entry.documents),
      scopes: Array(entry.scopes.union(entry.predicates.map(\.membership.scope))), outcome: outcome,
      answered: entry.answered.suffix(Self.answeredMax - 1) + [question])
  }

  private init(
    counter: UInt64, database: DatabaseID, owner: CommitAuthor, isPessimistic: Bool, isStale: Bool,
    aborts: Int, age: Int64, idle: Int64, seen: Int64, documents: [ResourcePath], scopes: [QueryScope],
    outcome: TransactionEntry.Outcome?, answered: [UInt64]
  ) {
    self.counter = counter
    self.database = database
    self.owner = owner
    self.isPessimistic = isPessimistic
    self.isStale = isStale
    self.aborts = aborts
    self.age = age
    self.idle = idle
    self.seen = seen
    self.documents = documents
    self.scopes = scopes
    self.outcome = outcome
    self.answered = answered
  }

  /// The number of the field is the kind of the scope.
  private static func encoded(_ scope: QueryScope) -> [UInt8] {
    var writer = WireWriter()
    switch scope {
    case .collection(let path): writer.field(1, text: path.text)
    case .group(let id, let ancestor):
      writer.field(2, text: ancestor.text)
      writer.field(5, text: id)
    case .children(let parent): writer.field(3, text: parent.text)
    case .descendants(let ancestor): writer.field(4, text: ancestor.text)
    }
    return writer.bytes
  }

  private static func scope(_ bytes: UnsafeRawBufferPointer) -> QueryScope? {
    func path(_ number: UInt32) -> ResourcePath? {
      PlainFields.last(number, of: bytes).map { ResourcePath(unchecked: PlainFields.text($0)) }
    }
    if let path = path(1) { return .collection(path) }
    if let path = path(2) { return .group(collectionID: PlainFields.text(5, of: bytes), below: path) }
    if let path = path(3) { return .children(of: path) }
    return path(4).map { .descendants(of: $0) }
  }

  // MARK: messages

  enum Message {
    case wanted(UInt64, question: UInt64)
    case part(UInt64, question: UInt64, Int, of: Int, [UInt8])

    /// Nil for what is neither.
    init?(_ text: String) {
      let words = text.split(separator: " ")
      guard words.count >= 3, let counter = UInt64(words[1]), let question = UInt64(words[2]) else {
        return nil
      }
      if words[0] == "transaction?" {
        self = .wanted(counter, question: question)
      } else if words[0] == "transaction", words.count == 6, let part = Int(words[3]),
        let count = Int(words[4]),
        0 <= part, part < count, count <= TransactionMove.bytesMax / TransactionMove.partBytes + 1,
        let bytes = Base64.decode(String(words[5]))
      {
        self = .part(counter, question: question, part, of: count, bytes)
      } else {
        return nil
      }
    }
  }

  static func wish(_ counter: UInt64, question: UInt64) -> String { "transaction? \(counter) \(question)" }

  static func texts(_ counter: UInt64, question: UInt64, _ bytes: [UInt8]) -> [String] {
    let starts = Array(stride(from: 0, to: bytes.count, by: partBytes))
    return starts.enumerated().map { part, start in
      let content = Base64.encode(bytes[start..<min(start + partBytes, bytes.count)])
      let text = String(decoding: content, as: UTF8.self)
      return "transaction \(counter) \(question) \(part) \(starts.count) \(text)"
    }
  }
}

extension CommitAuthor {
  /// Each author's own.
  var text: String {
    switch self {
    case .unknown: "unknown"
    case .system: "system"
    case .administrator: "administrator"
    case .anonymous: "anonymous"
    case .user(let uid): "user \(uid)"
    }
  }

  init?(text: String) {
    switch text {
    case "unknown": self = .unknown
    case "system": self = .system
    case "administrator": self = .administrator
    case "anonymous": self = .anonymous
    default:
      guard text.hasPrefix("user ") else { return nil }
      self = .user(String(text.dropFirst(5)))
    }
  }
}

// MARK: - Letting go and taking over

extension TransactionTable {
  /// Whether a token may be of a transaction that another server has.
  func isElsewhere(_ token: [UInt8]) -> UInt64? {
    guard let id = seal.glance(token), !id.isReadOnly else { return nil }
    return state.withLock { $0.isElsewhere(id.counter) } ? id.counter : nil
  }

  /// Lets go of a transaction that nothing is being done for at the moment, or tells how it ended. Nil where there is none
  /// such.
  ///
  /// - Parameter seen: every commit up to that version has been noted here.
  func letGo(_ counter: UInt64, seen: Int64, for question: UInt64) -> TransactionMove? {
    perform { state, now, effects in
      guard let entry = state.entries[counter], !entry.answered.contains(question) else { return nil }
      state.lookAtTime(of: entry, now, &effects)
      switch entry.phase {
      case .ended(.moved), .committing: return nil
      case .ended: return TransactionMove(entry, seen: seen, for: question, now)
      case .open: break
      }
      guard entry.readsUnderWay == 0, entry.turnWaits.isEmpty, entry.parked == nil else { return nil }
      let move = TransactionMove(entry, seen: seen, for: question, now)
      if move.isTooLarge {
        // It cannot go on where its client is, and would keep what it has read until it is idle for long.
        state.end(entry, .aborted, &effects)
        return TransactionMove(entry, seen: seen, for: question, now)
      }
      state.end(entry, .moved, &effects)
      return move
    }
  }

  /// Goes on with a transaction here.
  ///
  /// - Parameter seen: no commit between the move's own version and this one has changed what it has read, or it is stale.
  ///   `beginRead` was called before that version was looked up.
  func takeOver(_ move: TransactionMove, seen: Int64, isStale: Bool) {
    perform { state, now, effects in
      state.sweep(now, &effects)
      state.makeRoom()
      guard state.isElsewhere(move.counter), state.entries.count < TransactionLimits.countMax else { return }
      let entry = TransactionEntry(
        id: move.counter, database: move.database, owner: move.owner,
        mode: move.isPessimistic ? .pessimistic : .optimistic, began: now - move.age,
        lastUsed: now - move.idle)
      entry.lineage.aborts = move.aborts
      entry.answered = move.answered
      if let outcome = move.outcome { return state.remember(entry, outcome) }
      guard (try? state.quota.take(move.owner)) != nil else { return }
      state.entries[entry.id] = entry
      state.openReadWrite += 1
      for path in move.documents { state.note(path, by: entry.id, seen: seen) }
      for scope in move.scopes { state.note(scope, by: entry.id, seen: seen) }
      if isStale { entry.isStale = true }
    }
  }
}

extension TransactionState {
  func isElsewhere(_ counter: UInt64) -> Bool {
    // One of this server's own may have been forgotten after it had moved.
    guard let entry = entries[counter] else { return series != 0 }
    if case .ended(.moved) = entry.phase { return true }
    return false
  }

  /// Whether another server has begun it.
  func isForeign(_ counter: UInt64) -> Bool { counter >> 32 != series }
}
