/// The entries of documents, and what a change does to them.

internal import DocModel

/// One entry on its way to the engine.
struct IndexEntry: Equatable {
  let key: [UInt8]
  let value: [UInt8]
}

/// What was done for entries.
final class IndexWork {
  /// Keys that were made.
  fileprivate(set) var keys = 0
}

/// Makes the entries of one index. Used on one thread.
struct IndexEntryMaker {
  let index: StoredIndex
  let work = IndexWork()
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

  /// What the entries of a document are made of.
  private struct Parts {
    let values: [ValueView]
    /// Of the array, when the index has one.
    let elements: [ValueView]?
  }

  /// Nil for a document that has no entries, because it lacks a field.
  private func parts(of fields: FieldsView) -> Parts? {
    var values: [ValueView] = []
    var elements: [ValueView]?
    for (lookup, part) in zip(lookups, index.shape.parts) {
      guard let value = lookup.value(in: fields) else { return nil }
      values.append(value)
      guard part.mode == .contains else { continue }
      guard value.kind == .array else { return nil }
      elements = Array(value.array)
    }
    return Parts(values: values, elements: elements)
  }

  /// The entries of a document: none when it lacks a field, several for the elements of an array.
  func entries(_ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> [IndexEntry] {
    guard let parts = parts(of: fields) else { return [] }
    return entries(path, parts, parts.elements.map { $0[...] })
  }

  /// - Parameter elements: those of the array's that entries are made for; nil for an index without an array.
  private func entries(
    _ path: UnsafeRawBufferPointer, _ parts: Parts, _ elements: ArraySlice<ValueView>?
  ) -> [IndexEntry] {
    let prefix = prefix(of: path)
    guard let elements else { return [entry(prefix, path, parts.values, element: nil)] }
    // Equal elements have equal keys.
    var seen: Set<[UInt8]> = []
    var entries: [IndexEntry] = []
    for element in elements {
      let entry = entry(prefix, path, parts.values, element: element)
      if seen.insert(entry.key).inserted { entries.append(entry) }
    }
    return entries
  }

  /// What takes the entries of one state of a document to those of the next.
  struct Change {
    var removed: [[UInt8]] = []
    /// Among them may be entries that are there already.
    var put: [IndexEntry] = []
  }

  /// The cost grows with what differs: of elements that an array has in both states no keys are made.
  func change(
    _ path: UnsafeRawBufferPointer, from before: FieldsView?, to after: FieldsView?
  ) -> Change {
    let old = before.flatMap { parts(of: $0) }
    let new = after.flatMap { parts(of: $0) }
    var gone = old?.elements.map { $0[...] }
    var come = new?.elements.map { $0[...] }
    if let old, let new, let oldElements = old.elements, let newElements = new.elements,
      agreeBesideArray(old, new)
    {
      let difference = ElementDifference(oldElements, newElements)
      gone = difference.gone
      come = difference.come
    }
    let goneEntries = old.map { entries(path, $0, gone) } ?? []
    let comeEntries = new.map { entries(path, $0, come) } ?? []
    let goneKeys = Set(goneEntries.lazy.map(\.key))
    var removed = goneKeys.subtracting(comeEntries.lazy.map(\.key))
    if let new, let gone { keep(new, besides: gone, path, in: &removed) }
    return Change(
      removed: goneEntries.lazy.map(\.key).filter(removed.contains),
      put: comeEntries.filter { !goneKeys.contains($0.key) })
  }

  /// Takes the keys of elements that stay out of those to be removed: another element may have the key of one that goes.
  private func keep(
    _ new: Parts, besides gone: ArraySlice<ValueView>, _ path: UnsafeRawBufferPointer,
    in removed: inout Set<[UInt8]>
  ) {
    guard !removed.isEmpty, let elements = new.elements else { return }
    let alike = KeyLikeness(gone)
    let prefix = prefix(of: path)
    for element in elements where alike.includes(element) {
      if removed.isEmpty { return }
      removed.remove(entry(prefix, path, new.values, element: element).key)
    }
  }

  private func agreeBesideArray(_ old: Parts, _ new: Parts) -> Bool {
    for (part, (before, after)) in zip(index.shape.parts, zip(old.values, new.values))
    where part.mode != .contains && !Self.areEqual(before, after) {
      return false
    }
    return true
  }

  private static func areEqual(_ a: ValueView, _ b: ValueView) -> Bool {
    WireCursor.areEqual(a.bytes, b.bytes)
  }

  private func prefix(of path: UnsafeRawBufferPointer) -> [UInt8] {
    IndexLayout.prefix(generation, index.number, index.shape.scope, parent: Self.parent(of: path))
  }

  /// The keys of all entries that lead to a document, whatever its fields were. Walks through the index.
  func forEachEntry(
    of path: UnsafeRawBufferPointer, in view: StorageView, _ body: ([UInt8]) -> Void
  ) throws(StorageError) {
    var writer = KeyWriter()
    _ = writer.indexName(path, index.shape.scope)
    let name = writer.bytes
    try view.scan(.indexEntries, KeyRange(prefix: prefix(of: path)), .forward) { key, value in
      if let entry = IndexEntryValue(value), entry.nameOffset <= key.count,
        key[entry.nameOffset...].elementsEqual(name)
      {
        body(Array(key))
      }
      return .more
    }
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
    work.keys += 1
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
    let change = maker.change(path, from: before, to: after)
    for key in change.removed { remove(.indexEntries, key) }
    for entry in change.put { put(.indexEntries, entry.key, entry.value) }
  }
}
