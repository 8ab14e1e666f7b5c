/// A document's fields while many changes of one commit are laid over them.
///
/// Each change goes into a tree of the fields that were named so far, and the document is written once, behind
/// the last one. So what a commit costs grows with what is sent and with the size of the document, not with the
/// product of both: four thousand masked updates of a document of a megabyte write one megabyte, not four thousand.
///
/// What comes out is what `FieldsMerge` and `TransformApplication` give when they are applied one after the other.
/// Checked by: PendingFieldsTests, with random changes.

internal import DocModel

/// A map of fields, or what one of them holds.
///
/// INVARIANT: `children` are empty unless there are `fields`; then they say what stands at their keys instead.
/// INVARIANT: all bytes are those of the batch, or of what the first state was made of, which outlive this.
final class PendingFields {
  /// LIMIT: fields looked for one by one before they are put into a table.
  private static let walksMax = 8

  private let batch: MutationBatch
  /// The value as it was set or stored; nil where nothing is, and for a document.
  private var value: ValueView?
  /// What is in it, where it is a map, or a document.
  private var fields: FieldsView?
  private var children: [BytesInPlace: PendingFields] = [:]
  /// An array that transforms are changing; then nothing else is here.
  private var array: PendingArray?
  private var walks = 0
  private var table: [BytesInPlace: ValueView]?

  /// The fields of a document.
  init(document: FieldsView, in batch: MutationBatch) {
    self.batch = batch
    fields = document
  }

  private init(_ value: ValueView?, in batch: MutationBatch) {
    self.batch = batch
    set(value)
  }

  private func set(_ new: ValueView?) {
    value = new
    fields = new.flatMap { $0.kind == .map ? $0.fields : nil }
    forgetInside()
  }

  private func forgetInside() {
    children = [:]
    array = nil
    walks = 0
    table = nil
  }

  // MARK: changes

  /// Makes these all the fields of the document.
  func replace(document: UnsafeRawBufferPointer) {
    forgetInside()
    fields = FieldsView(document: batch.copy(document))
  }

  /// Sets or deletes what a mask names.
  func apply(_ body: [UInt8], mask: [FieldPath]) {
    body.withUnsafeBytes { bytes in
      let new = PendingFields(document: FieldsView(document: bytes), in: batch)
      // Paths inside of another one come before it, which then says what is there.
      for path in mask.sorted().reversed() where !path.isDocumentName {
        if let value = new.stored(at: path) {
          place(of: path).set(ValueView(batch.copy(value.bytes)))
        } else {
          delete(path)
        }
      }
    }
  }

  /// Applies a transform; its result.
  func apply(_ transform: FieldTransform, serverTime: Int64) -> [UInt8] {
    let place = place(of: transform.path)
    switch transform.operation {
    case .appendMissing(let elements): place.beginArray().append(missing: elements, in: batch)
    case .removeAll(let elements): place.beginArray().remove(all: elements)
    case .serverTime, .increment, .maximum, .minimum:
      // What has changes inside is a map, and an array no number.
      let old = place.children.isEmpty && place.array == nil ? place.value : nil
      let result = TransformApplication.apply(transform.operation, to: old, serverTime)
      place.set(ValueView(batch.copy(result)))
      return result
    }
    return Value.null.encoded
  }

  private func beginArray() -> PendingArray {
    if let array { return array }
    let stored = value.flatMap { $0.kind == .array ? Array($0.array) : nil }
    set(nil)
    let new = PendingArray(stored ?? [])
    array = new
    return new
  }

  /// Where a value is to be set. What is on the way and no map becomes one.
  private func place(of path: FieldPath) -> PendingFields {
    var place = self
    for segment in path.segments {
      if place.fields == nil {
        place.set(nil)
        place.fields = FieldsView(WireCursor.empty, entryTag: FieldsView.mapEntryTag)
      }
      place = place.child(segment)
    }
    return place
  }

  /// Deletes what is there; through what is no map that changes nothing.
  private func delete(_ path: FieldPath) {
    var place = self
    for segment in path.segments {
      guard place.fields != nil, place.has(segment) else { return }
      place = place.child(segment)
    }
    place.set(nil)
  }

  // MARK: fields by name

  private func has(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { key in
      children[BytesInPlace(UnsafeRawBufferPointer(key))] != nil || stored(UnsafeRawBufferPointer(key)) != nil
    }
  }

  private func child(_ name: String) -> PendingFields {
    var name = name
    return name.withUTF8 { bytes in
      let key = UnsafeRawBufferPointer(bytes)
      if let known = children[BytesInPlace(key)] { return known }
      let new = PendingFields(stored(key), in: batch)
      children[BytesInPlace(batch.copy(key))] = new
      return new
    }
  }

  /// A field as it was before its children were.
  private func stored(_ key: UnsafeRawBufferPointer) -> ValueView? {
    guard let fields else { return nil }
    walks += 1
    if walks > Self.walksMax, table == nil {
      var table: [BytesInPlace: ValueView] = [:]
      for entry in fields { table[BytesInPlace(entry.key)] = entry.value }
      self.table = table
    }
    return table.map { $0[BytesInPlace(key)] } ?? fields.value(keyBytes: key)
  }

  /// A value of a document that is only looked into.
  private func stored(at path: FieldPath) -> ValueView? {
    var place = self
    for segment in path.segments.dropLast() {
      guard place.fields != nil, place.has(segment) else { return nil }
      place = place.child(segment)
    }
    var last = path.segments[path.segments.count - 1]
    return last.withUTF8 { place.stored(UnsafeRawBufferPointer($0)) }
  }

  func checkInvariants() {
    assert(children.isEmpty || fields != nil, "only what has fields has children")
    assert(array == nil || (value == nil && fields == nil), "an array that is changed is nothing else")
    assert(table == nil || fields != nil, "only fields have a table")
    array?.checkInvariants()
    for child in children.values { child.checkInvariants() }
  }

  // MARK: the result

  /// The fields after all changes.
  var encoded: [UInt8] {
    if Invariants.areDue(at: children.count) { checkInvariants() }
    var writer = WireWriter(reserving: (fields?.byteCount ?? 0) + 64)
    write(FieldsView.documentEntryTag, &writer)
    return writer.bytes
  }

  /// Writes what is inside: both sorted by key bytes, so one walk over both does.
  private func write(_ tag: UInt8, _ writer: inout WireWriter) {
    guard let fields else { return }
    var entries = fields.makeIterator()
    var entry = entries.next()
    for (key, child) in children.sorted(by: { WireCursor.compare($0.key.bytes, $1.key.bytes) < 0 }) {
      while let current = entry, WireCursor.compare(current.key, key.bytes) < 0 {
        writer.entry(key: current.key, encodedValue: current.value.bytes, tag: tag)
        entry = entries.next()
      }
      if let current = entry, WireCursor.areEqual(current.key, key.bytes) { entry = entries.next() }
      child.writeEntry(key.bytes, tag, &writer)
    }
    while let current = entry {
      writer.entry(key: current.key, encodedValue: current.value.bytes, tag: tag)
      entry = entries.next()
    }
  }

  private func writeEntry(_ key: UnsafeRawBufferPointer, _ tag: UInt8, _ writer: inout WireWriter) {
    if let array {
      array.encoded.withUnsafeBytes { writer.entry(key: key, encodedValue: $0, tag: tag) }
    } else if fields == nil || (children.isEmpty && value != nil) {
      if let value { writer.entry(key: key, encodedValue: value.bytes, tag: tag) }
    } else {
      let start = writer.bytes.count + 1
      writer.bytes.append(tag)
      writer.bytes.append(0)
      writer.field(1, bytes: key)
      writer.message(2) { value in value.message(6) { write(FieldsView.mapEntryTag, &$0) } }
      writer.closeLength(at: start)
    }
  }
}

/// An array while transforms add to it and take away.
private final class PendingArray {
  /// Nil where one was taken away.
  private var elements: [ValueView?]
  /// Of the elements with one key the last one, and of each the one before it; -1 at the end.
  private var last: [[UInt8]: Int] = [:]
  private var previous: [Int] = []

  init(_ stored: [ValueView]) {
    elements = stored
    previous.reserveCapacity(stored.count)
    for (index, element) in stored.enumerated() { link(ElementKey.of(element), index) }
  }

  private func link(_ key: [UInt8], _ index: Int) {
    previous.append(last.updateValue(index, forKey: key) ?? -1)
  }

  func append(missing new: [[UInt8]], in batch: MutationBatch) {
    for element in new {
      let key = element.withUnsafeBytes { ElementKey.of(ValueView($0)) }
      guard last[key] == nil else { continue }
      link(key, elements.count)
      elements.append(ValueView(batch.copy(element)))
    }
  }

  func remove(all unwanted: [[UInt8]]) {
    for element in unwanted {
      let key = element.withUnsafeBytes { ElementKey.of(ValueView($0)) }
      var index = last.removeValue(forKey: key) ?? -1
      while index >= 0 {
        elements[index] = nil
        index = previous[index]
      }
    }
  }

  func checkInvariants() {
    assert(previous.count == elements.count, "every element is linked")
    assert(
      previous.enumerated().allSatisfy { $0.element < $0.offset && $0.element >= -1 },
      "links lead to elements that stand before")
    assert(last.values.allSatisfy { elements[$0] != nil }, "the last element of a key is there")
  }

  var encoded: [UInt8] {
    TransformApplication.encodeArray { writer in
      for case .some(let element) in elements { writer.field(1, bytes: element.bytes) }
    }
  }
}
