/// Queries over the store.

internal import DocModel

extension StoreView: QuerySource {
  public func noting(_ query: NormalizedQuery) -> (source: StoreView, note: QueryNote?) {
    guard let recorder else { return (self, nil) }
    return (unrecorded, recorder.note(query))
  }

  public func scan(
    _ range: NameRange, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    try scanCollection(
      range.collection, from: range.lower, to: range.upper,
      range.direction == .ascending ? .forward : .reverse, visit)
  }

  public func scan(
    _ scope: QueryScope, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    switch scope {
    case .collection(let collection): try scanCollection(collection, .forward, visit)
    case .group(let collectionID, let ancestor): try scanGroup(collectionID, under: ancestor, visit)
    case .children(let parent): try scanChildren(of: parent, visit)
    case .descendants(let ancestor): try scanDescendants(of: ancestor, visit)
    }
  }

  public func scanWithMissing(
    _ range: NameRange, _ visit: (_ path: UnsafeRawBufferPointer, StoredDocument?) -> ScanStep
  ) throws(StoreError) {
    var missing = try missingDocumentIDs(in: range.collection).map { range.collection.appending($0) }
      .filter(range.contains)[...]
    var isStopped = false
    func visitMissing(while isNext: (UnsafeRawBufferPointer) -> Bool) {
      while !isStopped, var path = missing.first?.text {
        let step: ScanStep? = path.withUTF8 { bytes in
          let bytes = UnsafeRawBufferPointer(bytes)
          return isNext(bytes) ? visit(bytes, nil) : nil
        }
        guard let step else { return }
        missing.removeFirst()
        isStopped = step == .stop
      }
    }
    try scan(range) { path, document in
      visitMissing { NameOrder.comparePaths($0, path) < 0 }
      if !isStopped { isStopped = visit(path, document) == .stop }
      return isStopped ? .stop : .more
    }
    visitMissing { _ in true }
  }
}
