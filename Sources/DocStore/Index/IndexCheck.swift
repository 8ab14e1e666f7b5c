/// Whether indexes hold what they should: made anew from the documents and compared.

internal import DocModel

enum IndexCheck {
  static func faults(_ view: StorageView, _ generation: UInt32) throws(StorageError) -> [String] {
    if generation == 0 { return [] }
    let states = DocumentStates(view: view, generation: generation, version: nil, isTallied: false)
    var faults: [String] = []
    for index in try IndexCatalog.indexes(view, generation) where index.isReady {
      let expected = try entries(index, states)
      var found: [[UInt8]: [UInt8]] = [:]
      let range = KeyRange(prefix: IndexLayout.indexPrefix(generation, index.number))
      try view.scan(.indexEntries, range, .forward) { key, value in
        found[Array(key)] = Array(value)
        return .more
      }
      for (key, value) in expected where found[key] != value {
        faults.append("\(index.shape.definition): lacks an entry, \(key)")
      }
      for key in found.keys where expected[key] == nil {
        faults.append("\(index.shape.definition): has an entry too many, \(key)")
      }
    }
    return faults
  }

  private static func entries(
    _ index: StoredIndex, _ states: DocumentStates
  ) throws(StorageError) -> [[UInt8]: [UInt8]] {
    let maker = IndexEntryMaker(index, generation: states.generation)
    var entries: [[UInt8]: [UInt8]] = [:]
    let view = StoreView(
      database: DatabaseID(project: ""), readTime: 0, states: states, recorder: nil, indexes: nil)
    do throws(StoreError) {
      try view.scanGroup(index.shape.collectionID, under: .root) { path, document in
        for entry in maker.entries(path, document.fields) { entries[entry.key] = entry.value }
        return .more
      }
    } catch {
      throw .corrupt
    }
    return entries
  }
}
