/// What the log of commits says, and its bytes. Field numbers are the files' format.

internal import DocModel
package import DocStore

/// How a file of the log begins.
struct CommitLogSlot: Hashable, Sendable {
  /// Which of the files is newer; that of no other file.
  var generation: UInt64
  /// The commit that the file's records follow.
  var base: UInt64
  /// The head that the data file had with that commit, all of which is on disk; empty where that is not known.
  var head: [UInt8] = []

  init(generation: UInt64, base: UInt64, head: [UInt8] = []) {
    self.generation = generation
    self.base = base
    self.head = head
  }

  var framed: [UInt8] {
    var writer = WireWriter(reserving: 256)
    writer.message(1) {
      $0.field(1, varint: generation)
      $0.field(2, varint: base)
      $0.field(3, bytes: head)
    }
    var bytes: [UInt8] = []
    RecordFrame.append(writer.bytes, to: &bytes)
    return bytes
  }

  /// Nil where no slot was written, or half of one.
  init?(_ buffer: UnsafeRawBufferPointer, at offset: Int) {
    guard let content = RecordFrame.content(buffer, at: offset, CommitLogFile.slotBytes) else { return nil }
    var outer = WireCursor(content)
    guard outer.tag() == 1 << 3 | 2 else { return nil }
    var fields = WireCursor(outer.lengthDelimited())
    self.init(generation: 0, base: 0)
    while !fields.isAtEnd {
      let tag = fields.tag()
      switch tag >> 3 {
      case 1: generation = fields.varint()
      case 2: base = fields.varint()
      case 3: head = Array(fields.lengthDelimited())
      default: fields.skip(tag: tag)
      }
    }
    if fields.isCorrupt || generation == 0 { return nil }
  }
}

/// One batch.
package struct CommitLogRecord {
  let generation: UInt64
  /// The library's number of the transaction that applies it.
  let commit: UInt64
  private let mutations: WireCursor

  fileprivate enum Kind: UInt64 {
    case put = 1
    case remove = 2
    case removeRange = 3
  }

  package static func framed(_ batch: MutationBatch, generation: UInt64, commit: UInt64) -> [UInt8] {
    var writer = WireWriter(reserving: batch.byteCount + 24 * batch.mutations.count + 32)
    writer.message(2) {
      $0.field(1, varint: generation)
      $0.field(2, varint: commit)
      for mutation in batch.mutations { $0.message(3) { $0.mutation(mutation) } }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(writer.bytes.count + RecordFrame.headBytes)
    RecordFrame.append(writer.bytes, to: &bytes)
    return bytes
  }

  /// Nil for what is no record.
  package init?(_ content: UnsafeRawBufferPointer) {
    var outer = WireCursor(content)
    guard outer.tag() == 2 << 3 | 2 else { return nil }
    var fields = WireCursor(outer.lengthDelimited())
    guard fields.tag() == 1 << 3 else { return nil }
    generation = fields.varint()
    guard fields.tag() == 2 << 3 else { return nil }
    commit = fields.varint()
    mutations = fields
    if fields.isCorrupt || outer.isCorrupt { return nil }
  }

  /// Puts the mutations into an empty batch; false for what this program does not know.
  package func fill(_ batch: MutationBatch) -> Bool {
    var rest = mutations
    while !rest.isAtEnd {
      guard rest.tag() == 3 << 3 | 2, Self.add(rest.lengthDelimited(), to: batch) else { return false }
    }
    return !rest.isCorrupt
  }

  private static func add(_ bytes: UnsafeRawBufferPointer, to batch: MutationBatch) -> Bool {
    var fields = WireCursor(bytes)
    var kind: Kind?
    var keyspace: Keyspace?
    var key: [UInt8] = []
    var value: [UInt8] = []
    var limit = 0
    while !fields.isAtEnd {
      switch fields.tag() {
      case 1 << 3: kind = Kind(rawValue: fields.varint())
      case 2 << 3: keyspace = Keyspace(rawValue: UInt8(clamping: fields.varint()))
      case 3 << 3 | 2: key = Array(fields.lengthDelimited())
      case 4 << 3 | 2: value = Array(fields.lengthDelimited())
      case 5 << 3: limit = Int(clamping: fields.varint())
      default: return false
      }
    }
    guard !fields.isCorrupt, let kind, let keyspace else { return false }
    switch kind {
    case .put: batch.put(keyspace, key, value)
    case .remove: batch.remove(keyspace, key)
    case .removeRange:
      batch.removeRange(keyspace, KeyRange(lower: key, upper: value.isEmpty ? nil : value), limit: limit)
    }
    return true
  }
}

extension WireWriter {
  fileprivate mutating func mutation(_ mutation: Mutation) {
    var kind = CommitLogRecord.Kind.put
    var limit: Int?
    switch mutation.kind {
    case .put: break
    case .remove: kind = .remove
    case .removeRange(let most): (kind, limit) = (.removeRange, most)
    }
    field(1, varint: kind.rawValue)
    field(2, varint: UInt64(mutation.keyspace.rawValue))
    field(3, bytes: mutation.key)
    field(4, bytes: mutation.value)
    if let limit { field(5, varint: UInt64(limit)) }
  }
}
