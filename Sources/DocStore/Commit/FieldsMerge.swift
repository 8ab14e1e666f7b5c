/// Setting and deleting single fields of a document's encoded form.
///
/// Entries are sorted by key bytes and so are the edits, so one walk over both writes the result; what is
/// not edited is copied as it stands. Nothing is decoded.

internal import DocModel

/// What is to happen at one field path.
struct FieldEdit {
  enum Action {
    /// The value to stand there: canonical bytes that outlive the merge.
    case set(UnsafeRawBufferPointer)
    case delete
  }

  let segments: [String]
  let action: Action

  init(_ path: FieldPath, _ action: Action) {
    segments = path.segments
    self.action = action
  }

  var isSet: Bool {
    switch action {
    case .set: true
    case .delete: false
    }
  }
}

enum FieldsMerge {
  /// The fields of a document after `edits`.
  ///
  /// Setting through what is not a map (a vector is none) replaces it with a map; deleting through it
  /// changes nothing and never creates a map. Of two edits of one path the later one counts; an edit that
  /// leads through another one's path counts for nothing.
  /// Source: docs/spec/protocol.md 4.3.
  static func apply(_ edits: [FieldEdit], to base: FieldsView) -> [UInt8] {
    var writer = WireWriter(reserving: base.byteCount + 64)
    guard edits.count > 1 else {
      merge(base, edits[...], depth: 0, &writer)
      return writer.bytes
    }
    // A stable sort, so that the later of two edits of one path stays behind the earlier.
    let order = edits.indices.sorted { left, right in
      let order = compare(edits[left].segments, edits[right].segments)
      return order != 0 ? order < 0 : left < right
    }
    let sorted = order.map { edits[$0] }
    merge(base, sorted[...], depth: 0, &writer)
    return writer.bytes
  }

  private static func compare(_ left: [String], _ right: [String]) -> Int {
    for (a, b) in zip(left, right) where !a.hasSameBytes(as: b) { return a.precedesInBytes(b) ? -1 : 1 }
    return left.count - right.count
  }

  /// Writes the entries of one level. `edits` share their first `depth` segments. What lies between two entries that are
  /// edited is copied in one piece.
  private static func merge(
    _ base: FieldsView, _ edits: ArraySlice<FieldEdit>, depth: Int, _ writer: inout WireWriter
  ) {
    var rest = edits
    var entries = base.makeIterator()
    var copied = base.start
    var place = base.start
    var entry = entries.next()
    while let first = rest.first {
      var name = first.segments[depth]
      let group = rest.count == 1 ? rest : rest.prefix { $0.segments[depth].hasSameBytes(as: name) }
      rest = rest.dropFirst(group.count)
      name.withUTF8 { name in
        let key = UnsafeRawBufferPointer(name)
        while let current = entry, WireCursor.compare(current.key, key) < 0 {
          place = entries.place
          entry = entries.next()
        }
        writer.bytes.append(contentsOf: UnsafeRawBufferPointer(start: copied, count: place - copied))
        var old: ValueView?
        if let current = entry, WireCursor.areEqual(current.key, key) {
          old = current.value
          place = entries.place
          entry = entries.next()
        }
        copied = place
        replace(key, old, group, depth: depth, base.entryTag, &writer)
      }
    }
    let end = base.start + base.byteCount
    writer.bytes.append(contentsOf: UnsafeRawBufferPointer(start: copied, count: end - copied))
  }

  /// Writes one entry that `edits` concern, or leaves it out.
  private static func replace(
    _ key: UnsafeRawBufferPointer, _ old: ValueView?, _ edits: ArraySlice<FieldEdit>, depth: Int,
    _ tag: UInt8, _ writer: inout WireWriter
  ) {
    if let leaf = edits.last(where: { $0.segments.count == depth + 1 }) {
      switch leaf.action {
      case .set(let value): writer.entry(key: key, encodedValue: value, tag: tag)
      case .delete: break
      }
      return
    }
    let inner = old.flatMap { $0.kind == .map ? $0.fields : nil }
    guard inner != nil || edits.contains(where: \.isSet) else {
      // Only deletions, through something that is not a map.
      if let old { writer.entry(key: key, encodedValue: old.bytes, tag: tag) }
      return
    }
    let start = writer.bytes.count + 1
    writer.bytes.append(tag)
    writer.bytes.append(0)
    writer.field(1, bytes: key)
    writer.message(2) { value in
      value.message(6) { map in
        let empty = FieldsView(WireCursor.empty, entryTag: FieldsView.mapEntryTag)
        merge(inner ?? empty, edits, depth: depth + 1, &map)
      }
    }
    writer.closeLength(at: start)
  }
}
