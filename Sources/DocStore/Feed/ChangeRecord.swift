/// The stored form of what a commit touched: the document's path. Its states before and after are in
/// `documents` and `documentHistory`.

internal import DocModel

enum ChangeRecord {
  static func encoded(_ path: ResourcePath, in batch: MutationBatch) -> UnsafeRawBufferPointer {
    var text = path.text
    return text.withUTF8 { batch.copy(UnsafeRawBufferPointer($0)) }
  }

  /// Visits the changes of one generation with `after < version <= upTo`, in commit order.
  static func scan(
    _ view: StorageView, _ generation: UInt32, after: Int64, upTo: Int64,
    _ visit: (_ version: Int64, _ path: ResourcePath) -> ScanStep
  ) throws(StorageError) {
    var isDamaged = false
    let range = KeyLayout.changeRange(generation, after: after, upTo: upTo)
    try view.scan(.changes, range, .forward) { key, value in
      var reader = KeyReader(key, offset: KeyLayout.generationBytes)
      guard let version = reader.int64() else {
        isDamaged = true
        return .stop
      }
      return visit(version, ResourcePath(unchecked: String(decoding: value, as: UTF8.self)))
    }
    if isDamaged { throw .corrupt }
  }
}
