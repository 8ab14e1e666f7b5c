/// What the indexes hold of a document: how many entries, how large, how much a commit is charged for them.
///
/// Ascending and descending are an entry each; an array has two more for each distinct element; a map is
/// indexed itself and so are the fields in it; a composite has an entry for each element of its array field,
/// or one. The sizes are those of docs/spec/protocol.md 3.6. Both agree with what the service was recorded to take
/// and to refuse: 19,999 distinct elements and 20,000; 29,650,337 charged bytes and 29,654,463.
///
/// Source: docs/spec/production-differences.md 3.9, L7 to L10.

internal import DocModel

struct IndexCharge {
  private(set) var entries = 0
  private(set) var bytes = 0
  private(set) var hasTooLarge = false

  private let collectionID: String
  private let indexes: DefinedIndexes
  private let isUntouched: Bool
  /// What every entry of a single collection and of a group holds beside its values.
  private let collectionBase: Int
  private let groupBase: Int
  /// What an entry of a single collection holds of the parent document's name.
  private let parentBytes: Int
  private var key = KeyWriter()

  /// The charge of one document.
  init(_ path: ResourcePath, _ fields: FieldsView, _ indexes: DefinedIndexes) {
    collectionID = path.parent.lastSegment
    self.indexes = indexes
    isUntouched = indexes.isUntouched(collectionID)
    let name = StorageSize.name(path)
    let parent = path.parent.parent
    // A document of a root collection has no parent document.
    parentBytes = parent.isRoot ? 0 : StorageSize.name(parent)
    collectionBase = name + parentBytes + 32
    groupBase = name + 48
    walk(fields, [], pathBytes: 0)
    for composite in indexes.composites(collectionID, serving: .collection) where composite.vector == nil {
      add(composite, fields, nameBytes: name)
    }
  }

  private mutating func add(_ count: Int, size: Int, limit: Int) {
    entries += count
    bytes += count * size
    if size > limit { hasTooLarge = true }
  }

  // MARK: fields

  /// Depth is that of stored documents, at most `Limits.nestingMax`.
  private mutating func walk(_ fields: FieldsView, _ prefix: [String], pathBytes: Int) {
    for entry in fields {
      let ownBytes = pathBytes + (pathBytes == 0 ? 0 : 1) + entry.key.count
      var segments = prefix
      if !isUntouched { segments.append(String(decoding: entry.key, as: UTF8.self)) }
      add(entry.value, FieldPath(segments: segments), pathBytes: ownBytes)
      if entry.value.kind == .map { walk(entry.value.fields, segments, pathBytes: ownBytes) }
    }
  }

  private mutating func add(_ value: ValueView, _ path: FieldPath?, pathBytes: Int) {
    let own = path.map { indexes.indexes(of: $0, collectionID) } ?? FieldOverride.automatic
    for index in own {
      let base = (index.scope == .collection ? collectionBase : groupBase) + pathBytes + 1
      switch index.mode {
      case .ascending, .descending: add(1, of: Self.held(value), base: base, index.scope)
      case .contains:
        guard value.kind == .array else { continue }
        for size in distinctSizes(of: value.array) { add(2, of: size, base: base, index.scope) }
      }
    }
  }

  /// Entries of one value. The parent's name counts towards the limit of a single collection only beside a value that
  /// is cut: the service was recorded to refuse 5,530 bytes with such a value, and to take a name of 4,208 bytes, whose
  /// entry would have 7,289, with a short one. Source: docs/spec/production-differences.md L7, L9.
  private mutating func add(_ count: Int, of held: Int, base: Int, _ scope: IndexDefinition.Scope) {
    let limit =
      switch scope {
      case .collection: IndexLimits.entryBytesMax + (held < IndexLimits.valueBytesMax ? parentBytes : 0)
      case .collectionGroup: IndexLimits.wideEntryBytesMax
      }
    add(count, size: base + held, limit: limit)
  }

  /// Sizes of the elements that differ from each other.
  private mutating func distinctSizes(of elements: ArrayView) -> [Int] {
    var seen: Set<[UInt8]> = []
    var sizes: [Int] = []
    for element in elements {
      key.removeAll()
      key.orderPart(element, .ascending)
      if seen.insert(key.bytes).inserted { sizes.append(Self.held(element)) }
    }
    return sizes
  }

  /// What an index holds of a value.
  private static func held(_ value: ValueView) -> Int {
    min(StorageSize.value(value), IndexLimits.valueBytesMax)
  }

  // MARK: composites

  private mutating func add(_ composite: CompositeIndex, _ fields: FieldsView, nameBytes: Int) {
    var size = composite.definition.scope == .collection ? collectionBase : nameBytes + 32
    var elementSizes: [Int]?
    for field in composite.ownFields {
      guard let value = fields.value(at: field.path) else { return }
      if field.mode == .contains {
        guard value.kind == .array else { return }
        elementSizes = distinctSizes(of: value.array)
      } else {
        size += Self.held(value)
      }
    }
    for element in elementSizes ?? [0] {
      add(1, size: size + element, limit: IndexLimits.wideEntryBytesMax)
    }
  }
}

/// Quick looks that spare most commits the walk.
extension IndexCharge {
  /// Whether a document might break a limit of its own. Its encoded fields have at most one entry for two
  /// bytes in automatic indexes, and no more for each composite; its values count at most four times their
  /// encoded bytes.
  static func mayBreakLimits(pathBytes: Int, fieldBytes: Int, composites: Int) -> Bool {
    pathBytes > 600 || fieldBytes * (1 + composites) > IndexLimits.entriesMax
      || (composites > 0 && 4 * (pathBytes + fieldBytes) + 64 > IndexLimits.wideEntryBytesMax)
  }

  /// Whether documents of so many bytes together might be charged too much.
  static func mayBeCharged(pathBytesMax: Int, fieldBytes: Int, composites: Int) -> Bool {
    pathBytesMax > 300 || fieldBytes * (1 + composites) > 16_384
  }
}

/// A quick sum.
extension IndexCharge {
  /// At least what a document with automatic indexes alone is charged for, itself included: elements that are
  /// equal count each, and a parent document's name as much as the own one.
  static func automaticAtMost(_ path: ResourcePath, _ fields: FieldsView) -> Int {
    let name = StorageSize.name(path)
    var entryBytes = 0
    let size = walk(fields, entryBase: 2 * name + 32, &entryBytes)
    return entryBytes + size + name + 32
  }

  /// Adds up two entries for each field and for each element of an array; gives the size of the fields.
  /// Depth is that of stored documents, at most `Limits.nestingMax`.
  ///
  /// - Parameter entryBase: what an entry holds beside its value and the name of its field.
  private static func walk(_ fields: FieldsView, entryBase: Int, _ entryBytes: inout Int) -> Int {
    var size = 0
    for entry in fields {
      let base = entryBase + entry.key.count + 1
      let own: Int
      switch entry.value.kind {
      case .map: own = walk(entry.value.fields, entryBase: base, &entryBytes)
      case .array:
        var sum = 0
        for element in entry.value.array {
          let held = StorageSize.value(element)
          entryBytes += 2 * (base + min(held, IndexLimits.valueBytesMax))
          sum += held
        }
        own = sum
      case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .vector:
        own = StorageSize.value(entry.value)
      }
      entryBytes += 2 * (base + min(own, IndexLimits.valueBytesMax))
      size += entry.key.count + 1 + own
    }
    return size
  }
}
