/// Many writes as commits that servers take.

package import DocModel
package import DocStore

/// Writes that are committed together.
package struct WriteBatch {
  /// LIMIT: writes of one commit.
  package static let countMax = 200
  /// LIMIT: bytes of one commit that has more than one write; servers take 10 MiB.
  package static let bytesMax = 8 << 20

  package private(set) var writes: [Write] = []
  private var byteCount = 0
  private let messages: RequestMessages

  package init(_ database: DatabaseID) { messages = RequestMessages(database: database) }

  /// Takes a write if there is room for it; whatever its size, the first one has room.
  package mutating func take(_ write: Write) -> Bool {
    let size = messages.commit([write], nil).count
    let hasRoom = writes.count < Self.countMax && byteCount + size <= Self.bytesMax
    guard writes.isEmpty || hasRoom else { return false }
    writes.append(write)
    byteCount += size
    return true
  }

  /// All writes, in their order.
  package static func batches(of writes: [Write], in database: DatabaseID) -> [[Write]] {
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
