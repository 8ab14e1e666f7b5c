/// What is written down about triggers, and its bytes.

internal import DocModel
internal import DocStore

/// An event of one trigger in one database that is done with: its version and 64 bits of its document's path.
struct EventMark: Hashable, Sendable {
  let version: Int64
  let document: UInt64

  init(version: Int64, document: UInt64) {
    self.version = version
    self.document = document
  }

  init(_ version: Int64, _ path: ResourcePath) {
    self.version = version
    document = EventID.hash(path)
  }
}

/// One line of the journal. Field numbers are the file's format.
enum JournalRecord: Sendable {
  /// Everything up to a version is done with, but in these databases only up to these versions.
  case checkpoint(String, since: Int64, [DatabaseID: Int64])
  /// Single events beyond that are done with.
  case done(String, DatabaseID, [EventMark])
  case deadLetter(DeadLetter)
  case deadLetterGone(trigger: String, id: String)
  case triggerGone(String)
  /// How a trigger was registered, in its owner's words.
  case registration(String, [UInt8])
  /// A trigger, or without a name all of them, paused at a time in microseconds; nil: goes on.
  case paused(String?, since: Int64?)
  /// All that is known of a scheduled function.
  case scheduled(String, ScheduleMemory)
  /// A database that is done, of the run that is under way and was due at this time in microseconds.
  case scheduledDone(String, time: Int64, DatabaseID)

  var encoded: [UInt8] {
    var writer = WireWriter(reserving: 64)
    switch self {
    case .checkpoint(let name, let since, let positions):
      writer.message(1) {
        $0.field(1, text: name)
        $0.field(2, varint: UInt64(bitPattern: since))
        for (database, version) in positions {
          $0.message(3) {
            $0.database(1, database)
            $0.field(3, varint: UInt64(bitPattern: version))
          }
        }
      }
    case .done(let name, let database, let marks):
      writer.message(3) {
        $0.field(1, text: name)
        $0.database(2, database)
        for mark in marks {
          $0.field(4, varint: UInt64(bitPattern: mark.version))
          $0.field(5, varint: mark.document)
        }
      }
    case .deadLetter(let deadLetter): writer.message(4) { $0.deadLetter(deadLetter) }
    case .deadLetterGone(let name, let id):
      writer.message(5) {
        $0.field(1, text: name)
        $0.field(2, text: id)
      }
    case .triggerGone(let name): writer.message(6) { $0.field(1, text: name) }
    case .registration(let name, let body):
      writer.message(7) {
        $0.field(1, text: name)
        $0.field(2, bytes: body)
      }
    case .paused(let name, let since):
      writer.message(8) {
        if let name { $0.field(1, text: name) }
        $0.field(2, varint: UInt64(bitPattern: since ?? 0))
      }
    case .scheduled(let name, let memory):
      writer.message(9) {
        $0.field(1, text: name)
        $0.schedule(memory)
      }
    case .scheduledDone(let name, let time, let database):
      writer.message(10) {
        $0.field(1, text: name)
        $0.database(2, database)
        $0.field(4, varint: UInt64(bitPattern: time))
      }
    }
    return writer.bytes
  }

  /// Nil for bytes that are no record.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var outer = WireCursor(bytes)
    let tag = outer.tag()
    let fields = RecordFields(outer.lengthDelimited())
    guard !outer.isCorrupt, !fields.isCorrupt else { return nil }
    let name = fields.text(1)
    switch tag >> 3 {
    case 1:
      var positions: [DatabaseID: Int64] = [:]
      for inner in fields.messages(3) { positions[inner.database(1)] = inner.integer(3) }
      self = .checkpoint(name, since: fields.integer(2), positions)
    case 3:
      let marks = zip(fields.integers(4), fields.integers(5)).map {
        EventMark(version: $0, document: UInt64(bitPattern: $1))
      }
      self = .done(name, fields.database(2), marks)
    case 4:
      guard let deadLetter = DeadLetter(fields) else { return nil }
      self = .deadLetter(deadLetter)
    case 5: self = .deadLetterGone(trigger: name, id: fields.text(2))
    case 6: self = .triggerGone(name)
    case 7: self = .registration(name, fields.bytes(2))
    case 8:
      let since = fields.integer(2)
      self = .paused(fields.has(1) ? name : nil, since: since == 0 ? nil : since)
    case 9: self = .scheduled(name, ScheduleMemory(fields))
    case 10: self = .scheduledDone(name, time: fields.integer(4), fields.database(2))
    default: return nil
    }
  }
}

extension ScheduleMemory {
  fileprivate init(_ fields: RecordFields) {
    self.init(definition: fields.text(2), since: fields.integer(3))
    let time = fields.integer(4)
    if time != 0 { underWay = Run(time: time, isAsked: fields.integer(5) == 1) }
    let paused = fields.integer(6)
    if paused != 0 { pausedSince = paused }
    done = Set(fields.messages(7).map { $0.database(1) })
    if fields.has(8) { registration = fields.bytes(8) }
  }
}

/// The fields of a flat message, by number.
struct RecordFields {
  private var numbers: [UInt32: [Int64]] = [:]
  private var contents: [UInt32: [[UInt8]]] = [:]
  private(set) var isCorrupt = false

  init(_ bytes: UnsafeRawBufferPointer) {
    var cursor = WireCursor(bytes)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      switch tag & 7 {
      case 0: numbers[tag >> 3, default: []].append(Int64(bitPattern: cursor.varint()))
      case 2: contents[tag >> 3, default: []].append(Array(cursor.lengthDelimited()))
      default: cursor.skip(tag: tag)
      }
    }
    isCorrupt = cursor.isCorrupt
  }

  func integers(_ number: UInt32) -> [Int64] { numbers[number] ?? [] }
  func integer(_ number: UInt32) -> Int64 { numbers[number]?.last ?? 0 }
  func bytes(_ number: UInt32) -> [UInt8] { contents[number]?.last ?? [] }
  func messages(_ number: UInt32) -> [RecordFields] {
    (contents[number] ?? []).map { $0.withUnsafeBytes { RecordFields($0) } }
  }
  func text(_ number: UInt32) -> String { String(decoding: bytes(number), as: UTF8.self) }
  func has(_ number: UInt32) -> Bool { contents[number] != nil }
  func author(_ number: UInt32) -> CommitAuthor {
    switch integer(number) {
    case 1: .system
    case 2: .administrator
    case 3: .anonymous
    case 4: .user(text(number + 1))
    // Nothing, or what a later version writes.
    default: .unknown
    }
  }
  func database(_ number: UInt32) -> DatabaseID {
    DatabaseID(project: text(number), database: text(number + 1))
  }
}

extension WireWriter {
  fileprivate mutating func database(_ number: Int, _ database: DatabaseID) {
    field(number, text: database.project)
    field(number + 1, text: database.database)
  }

  /// Fields from 2 on; times of nothing are 0.
  fileprivate mutating func schedule(_ memory: ScheduleMemory) {
    field(2, text: memory.definition)
    field(3, varint: UInt64(bitPattern: memory.since))
    field(4, varint: UInt64(bitPattern: memory.underWay?.time ?? 0))
    field(5, varint: memory.underWay?.isAsked ?? false ? 1 : 0)
    field(6, varint: UInt64(bitPattern: memory.pausedSince ?? 0))
    for database in memory.done { message(7) { $0.database(1, database) } }
    if let registration = memory.registration { field(8, bytes: registration) }
  }

  fileprivate mutating func deadLetter(_ deadLetter: DeadLetter) {
    let event = deadLetter.event
    field(1, text: deadLetter.trigger)
    database(2, event.database)
    field(4, text: event.path.text)
    field(5, varint: UInt64(bitPattern: event.version))
    field(6, text: event.id)
    field(7, varint: UInt64(deadLetter.attempts))
    field(8, text: deadLetter.reason)
    field(9, varint: UInt64(bitPattern: deadLetter.time))
    field(10, text: event.cause.text)
    for (index, parameter) in event.parameters.sorted(by: { $0.key < $1.key }).enumerated() {
      // Both halves in one text: names of parameters are plain.
      field(Self.parameterField + index, text: parameter.key + "=" + parameter.value)
    }
    if let before = event.beforeImage { message(11) { $0.image(before) } }
    if let after = event.afterImage { message(12) { $0.image(after) } }
    author(13, event.author)
  }

  /// The kind of author, and behind it the id of a user. Nothing for one that is unknown, as before authors were kept.
  private mutating func author(_ number: Int, _ author: CommitAuthor) {
    switch author {
    case .unknown: break
    case .system: field(number, varint: 1)
    case .administrator: field(number, varint: 2)
    case .anonymous: field(number, varint: 3)
    case .user(let id):
      field(number, varint: 4)
      field(number + 1, text: id)
    }
  }

  fileprivate static var parameterField: Int { 100 }

  private mutating func image(_ image: DocumentImage) {
    field(1, varint: UInt64(bitPattern: image.createTime))
    field(2, varint: UInt64(bitPattern: image.updateTime))
    field(3, bytes: image.withDocument { Array($0.fields.bytes) })
  }
}

extension DeadLetter {
  fileprivate init?(_ fields: RecordFields) {
    var parameters: [String: String] = [:]
    var number = UInt32(WireWriter.parameterField)
    while fields.has(number) {
      let halves = fields.text(number).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2 { parameters[String(halves[0])] = String(halves[1]) }
      number += 1
    }
    func image(_ number: UInt32) -> DocumentImage? {
      guard fields.has(number) else { return nil }
      let inner = fields.bytes(number).withUnsafeBytes { RecordFields($0) }
      return inner.bytes(3).withUnsafeBytes {
        DocumentImage(
          StoredDocument(
            createTime: inner.integer(1), updateTime: inner.integer(2), fields: FieldsView(document: $0)))
      }
    }
    self.init(
      trigger: fields.text(1),
      event: DocumentEvent(
        id: fields.text(6), database: fields.database(2), path: ResourcePath(unchecked: fields.text(4)),
        parameters: parameters, beforeImage: image(11), afterImage: image(12), version: fields.integer(5),
        cause: EventCause(text: fields.text(10)) ?? .none, author: fields.author(13),
        attempt: Int(fields.integer(7))),
      attempts: Int(fields.integer(7)), reason: fields.text(8), time: fields.integer(9))
  }
}
