/// The entries of documents, and what a change does to them.

internal import DocModel

/// One entry on its way to the engine.
struct IndexEntry: Equatable {
  let key: [UInt8]
  let value: [UInt8]
}

/// Makes the entries of one index. Used on one thread.
struct IndexEntryMaker {
  let index: StoredIndex
  private let generation: UInt32
  private let lookups: [FieldLookup]
  private let memory = OperandMemory()
  private let budget: Int

  init(_ index: StoredIndex, generation: UInt32) {
    self.index = index
    self.generation = generation
    let memory = memory
    lookups = index.shape.parts.map { FieldLookup($0.path, memory) }
    budget = IndexLayout.valueBudget(parts: lookups.count)
  }

  /// The entries of a document: none when it lacks a field, several for the elements of an array.
  func entries(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> [IndexEntry] {
    var values: [ValueView] = []
    var elements: ArrayView?
    for (lookup, part) in zip(lookups, index.shape.parts) {
      guard let value = lookup.value(in: fields) else { return [] }
      values.append(value)
      guard part.mode == .contains else { continue }
      guard value.kind == .array else { return [] }
      elements = value.array
    }
    let prefix = IndexLayout.prefix(
      generation, index.number, index.shape.scope, parent: Self.parent(of: path))
    guard let elements else { return [entry(prefix, path, values, element: nil)] }
    // Equal elements have equal keys.
    var seen: Set<[UInt8]> = []
    var entries: [IndexEntry] = []
    for element in elements {
      let entry = entry(prefix, path, values, element: element)
      if seen.insert(entry.key).inserted { entries.append(entry) }
    }
    return entries
  }

  /// Whether two states of a document have the same entries because the fields have the same bytes.
  func agrees(_ before: FieldsView, _ after: FieldsView) -> Bool {
    for lookup in lookups {
      switch (lookup.value(in: before), lookup.value(in: after)) {
      case (.none, .none): continue
      case (.some(let old), .some(let new)):
        if !WireCursor.areEqual(old.bytes, new.bytes) { return false }
      case (.none, .some), (.some, .none): return false
      }
    }
    return true
  }

  private func entry(
    _ prefix: [UInt8], _ path: UnsafeRawBufferPointer, _ values: [ValueView], element: ValueView?
  ) -> IndexEntry {
    var writer = KeyWriter(reserving: 160)
    writer.raw(prefix)
    var folds: [Int] = []
    for (part, value) in zip(index.shape.parts, values) {
      let indexed = part.mode == .contains ? element ?? value : value
      if let fold = writer.indexPart(indexed, part.mode, budget: budget) { folds.append(fold) }
    }
    let nameOffset = writer.bytes.count
    if let fold = writer.indexName(path, index.shape.scope) { folds.append(fold) }
    return IndexEntry(
      key: writer.bytes,
      value: IndexEntryValue.encoded(nameOffset: nameOffset, folds: folds, path: path))
  }

  /// The document that a document's collection lies under; nothing for the root.
  static func parent(of path: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var end = path.count
    for _ in 0..<2 { end = path[..<max(0, end)].lastIndex(of: UInt8(ascii: "/")) ?? 0 }
    return UnsafeRawBufferPointer(rebasing: path[..<end])
  }
}

extension MutationBatch {
  /// Brings an index from one state of a document to the next.
  func maintain(
    _ maker: IndexEntryMaker, _ path: UnsafeRawBufferPointer, before: FieldsView?, after: FieldsView?
  ) {
    if let before, let after, maker.agrees(before, after) { return }
    let old = before.map { maker.entries(path, $0) } ?? []
    let new = after.map { maker.entries(path, $0) } ?? []
    for entry in old where !new.contains(where: { $0.key == entry.key }) { remove(.indexEntries, entry.key) }
    for entry in new where !old.contains(where: { $0.key == entry.key }) {
      put(.indexEntries, entry.key, entry.value)
    }
  }
}
