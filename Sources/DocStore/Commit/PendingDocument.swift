/// A document while several writes of one commit, or one with many paths, are applied to it.

internal import DocModel

final class PendingDocument {
  /// LIMIT: paths of a single write that are applied by walking the document for each.
  private static let walkedPathsMax = 16

  /// Of the document as the writes so far leave it; nil when there is none.
  private(set) var createTime: Int64?
  private(set) var fields: PendingFields
  private let batch: MutationBatch

  init(_ record: DocumentRecord?, in batch: MutationBatch) {
    self.batch = batch
    createTime = record?.createTime
    fields = PendingFields(document: record?.fields ?? .none, in: batch)
  }

  /// Whether a document that one write changes is better kept pending.
  static func suits(_ write: Write) -> Bool {
    switch write.operation {
    case .update(_, let mask): (mask?.count ?? 0) + write.transforms.count > walkedPathsMax
    case .delete, .verify: false
    }
  }

  /// Applies a write; the results of its transforms.
  func apply(_ write: Write, version: Int64, serverTime: Int64) -> [[UInt8]] {
    switch write.operation {
    case .verify: return []
    case .delete:
      createTime = nil
      fields = PendingFields(document: .none, in: batch)
      return []
    case .update(let body, let mask):
      createTime = createTime ?? version
      if let mask {
        fields.apply(body, mask: mask)
      } else {
        body.withUnsafeBytes { fields.replace(document: $0) }
      }
      return write.transforms.map { fields.apply($0, serverTime: serverTime) }
    }
  }
}
