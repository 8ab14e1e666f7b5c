/// Many writes as commits that servers take.

import DocModel
import DocStore

/// Writes that are committed together.
struct WriteBatch {
  /// LIMIT: writes of one commit.
  static let countMax = 200
  /// LIMIT: bytes of one commit that has more than one write; servers take 10 MiB.
  static let bytesMax = 8 << 20

  private(set) var writes: [Write] = []
  private var byteCount = 0
  private let messages: RequestMessages

  init(_ database: DatabaseID) { messages = RequestMessages(database: database) }

  /// Takes a write if there is room for it; whatever its size, the first one has room.
  mutating func take(_ write: Write) -> Bool {
    let size = messages.commit([write], nil).count
    let hasRoom = writes.count < Self.countMax && byteCount + size <= Self.bytesMax
    guard writes.isEmpty || hasRoom else { return false }
    writes.append(write)
    byteCount += size
    return true
  }

  /// All writes, in their order.
  static func batches(of writes: [Write], in database: DatabaseID) -> [[Write]] {
    var batches: [[Write]] = []
    var batch = WriteBatch(database)
    for write in writes where !batch.take(write) {
      batches.append(batch.writes)
      batch = WriteBatch(database)
      _ = batch.take(write)
    }
    return batch.writes.isEmpty ? batches : batches + [batch.writes]
  }
}
