/// The documents that changed after the time of a view, for the parts of a read that need them: the plan, which asks
/// whether there are few enough, and the scan, which leaves them out of its index.
///
/// State and its owner: the view, which is used on one thread.

internal import DocModel

final class ChangedDocuments {
  private enum Finding {
    case few(Set<ResourcePath>)
    case tooMany
  }

  private let version: Int64
  private var finding: Finding?
  /// How often the changes were looked through.
  private(set) var scanCount = 0

  init(after version: Int64) { self.version = version }

  /// Nil when there are more than `StoreView.changedMax`.
  func paths(in view: StorageView, _ generation: UInt32) throws(StorageError) -> Set<ResourcePath>? {
    if finding == nil { finding = try find(in: view, generation) }
    switch finding {
    case .few(let paths): return paths
    case .tooMany, nil: return nil
    }
  }

  private func find(in view: StorageView, _ generation: UInt32) throws(StorageError) -> Finding {
    scanCount += 1
    var changed: Set<ResourcePath> = []
    try ChangeRecord.scan(view, generation, after: version, upTo: .max) { _, path in
      changed.insert(path)
      return changed.count > StoreView.changedMax ? .stop : .more
    }
    return changed.count > StoreView.changedMax ? .tooMany : .few(changed)
  }
}
