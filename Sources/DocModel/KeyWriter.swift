/// Ordered keys: bytes whose order is the order of names and values.
///
/// Escape: `00` becomes `00 FF`; a part ends in `00 01`. A part longer than its budget is folded: its
/// longest prefix that splits no escape pair, `00 02`, and 16 bytes of hash; the whole part must then be
/// kept beside the key. `00 02` lies above every end and below every continuation, so folded parts sort
/// after the part that is their prefix, and together.
///
/// INVARIANT: encodings are prefix-free, so two keys compare in their first differing part.
/// Checked by: `KeyWriterTests` (order of keys == order of values over random values).
/// Source: docs/design/storage-and-scale.md section 5.

internal import Platform

public struct KeyWriter {
  public private(set) var bytes: [UInt8]
  /// Whether any part was folded, so that the whole text must be kept in the record.
  public private(set) var isFolded = false
  /// The largest boundary between units (a byte or an escape pair) at or below `cutLimit`.
  private var safeCut = 0
  private var cutLimit = Int.max

  /// Bytes that folding adds: the mark and the hash.
  private static let foldBytes = 2 + 16

  public init(reserving capacity: Int = 128) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  // MARK: fixed parts

  /// Forgets what was written, keeping the memory.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    isFolded = false
  }

  /// Forgets that parts were folded, so that `isFolded` speaks of what is written from now on.
  public mutating func forgetFolds() { isFolded = false }

  /// Bytes of a key as they are.
  public mutating func raw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { units($0) } }

  /// One byte as it is: a mark between parts.
  public mutating func byte(_ value: UInt8) { unit(value) }

  /// Complements everything written since `start`, which turns its order around.
  public mutating func complement(from start: Int) {
    for index in start..<bytes.count { bytes[index] = ~bytes[index] }
  }

  public mutating func uint32(_ value: UInt32) {
    withUnsafeBytes(of: value.bigEndian) { units($0) }
  }

  /// Signed, so that negative numbers sort first.
  public mutating func int64(_ value: Int64) { uint64(Self.ordered(value)) }

  /// The number whose big-endian bytes stand for `value` in a key.
  public static func ordered(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

  public mutating func uint64(_ value: UInt64) {
    withUnsafeBytes(of: value.bigEndian) { units($0) }
  }

  private mutating func unit(_ byte: UInt8) {
    bytes.append(byte)
    if bytes.count <= cutLimit { safeCut = bytes.count }
  }

  /// Many units at once: each byte is one.
  private mutating func units(_ run: UnsafeRawBufferPointer) {
    // A run that begins beyond the limit has no boundary to offer.
    let canCut = bytes.count <= cutLimit
    bytes.append(contentsOf: run)
    if canCut { safeCut = min(bytes.count, cutLimit) }
  }

  private mutating func pair(_ second: UInt8) {
    bytes.append(0)
    bytes.append(second)
    if bytes.count <= cutLimit { safeCut = bytes.count }
  }

  private mutating func escaped(_ text: UnsafeRawBufferPointer) {
    var rest = text
    while let start = rest.baseAddress, let zero = memchr(start, 0, rest.count) {
      let clean = UnsafeRawPointer(zero) - start
      units(UnsafeRawBufferPointer(rebasing: rest[..<clean]))
      pair(0xFF)
      rest = UnsafeRawBufferPointer(rebasing: rest[(clean + 1)...])
    }
    units(rest)
  }

  // MARK: parts with a budget

  /// Runs `write`, and folds what it wrote if that is longer than `budget` leaves room for.
  ///
  /// Everything longer than the cut is folded, not only what exceeds the budget: so two texts that share
  /// the prefix up to the cut are either both folded or one of them ends before it.
  private mutating func folding(budget: Int, _ write: (inout KeyWriter) -> Void) {
    let start = bytes.count
    let outerLimit = cutLimit
    cutLimit = start + budget - Self.foldBytes
    safeCut = start
    write(&self)
    if bytes.count > cutLimit {
      let digest = bytes.withUnsafeBytes { Digest.sha256(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      bytes.removeLast(bytes.count - safeCut)
      bytes.append(0)
      bytes.append(2)
      bytes.append(contentsOf: digest.prefix(16))
      isFolded = true
    }
    cutLimit = outerLimit
  }

  /// A text part: escaped and ended, at most `budget` bytes of key.
  public mutating func part(_ text: UnsafeRawBufferPointer, budget: Int) {
    folding(budget: budget) { writer in
      writer.escaped(text)
      writer.pair(1)
    }
  }

  /// The bytes with which the part of every text that begins with `text` begins, under the same budget.
  ///
  /// When `isFolded` is set afterwards, parts of other texts begin so, too: their whole texts decide.
  public mutating func partPrefix(_ text: UnsafeRawBufferPointer, budget: Int) {
    cutLimit = bytes.count + budget - Self.foldBytes
    safeCut = bytes.count
    escaped(text)
    if bytes.count > cutLimit {
      bytes.removeLast(bytes.count - safeCut)
      bytes.append(0)
      bytes.append(2)
      isFolded = true
    }
    cutLimit = Int.max
  }

  /// A document id: numeric ids (`__id7__`) first, by number.
  public mutating func documentID(_ id: UnsafeRawBufferPointer, budget: Int) {
    folding(budget: budget) { $0.segment(id) }
  }

  /// A path of collection and document ids, in the order of names, ended by 00.
  public mutating func documentPath(_ path: UnsafeRawBufferPointer, budget: Int) {
    folding(budget: budget) { writer in
      var start = 0
      for index in 0...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
        writer.segment(UnsafeRawBufferPointer(rebasing: path[start..<index]))
        start = index + 1
      }
      writer.unit(0)
    }
  }

  /// A value, with a budget. `isDescending` complements every byte.
  public mutating func value(_ value: ValueView, budget: Int, isDescending: Bool = false) {
    let start = bytes.count
    folding(budget: budget) { $0.value(value) }
    if isDescending {
      for index in start..<bytes.count { bytes[index] = ~bytes[index] }
    }
  }

  private mutating func segment(_ segment: UnsafeRawBufferPointer) {
    if let number = NameOrder.numericID(segment) {
      unit(1)
      int64(number)
    } else {
      unit(2)
      escaped(segment)
      pair(1)
    }
  }

  // MARK: values. The tags and forms of docs/design/storage-and-scale.md 5.2.

  private mutating func value(_ value: ValueView) {
    switch value.kind {
    case .null: unit(0x05)
    case .boolean:
      unit(0x0A)
      unit(value.boolean ? 1 : 0)
    case .integer: integer(value.integer)
    case .double: double(value.double)
    case .timestamp:
      unit(0x14)
      int64(value.timestamp.microseconds)
    case .string: text(value.string, tag: 0x19)
    case .bytes: text(value.byteString, tag: 0x1E)
    case .reference: reference(value.reference)
    case .geoPoint:
      unit(0x2D)
      orderedDouble(value.geoPoint.latitude)
      orderedDouble(value.geoPoint.longitude)
    case .array:
      unit(0x32)
      for element in value.array { self.value(element) }
      unit(0x01)
    case .vector: vector(value.vectorElements)
    case .map:
      unit(0x37)
      for entry in value.fields {
        text(entry.key, tag: 0x19)
        self.value(entry.value)
      }
      unit(0x01)
    }
  }

  private mutating func text(_ text: UnsafeRawBufferPointer, tag: UInt8) {
    unit(tag)
    escaped(text)
    pair(1)
  }

  private mutating func vector(_ elements: ArrayView) {
    unit(0x35)
    uint32(UInt32(truncatingIfNeeded: elements.elementCount))
    for element in elements { orderedDouble(element.double) }
  }

  /// Project, database and path segments of a full resource name, then 00.
  private mutating func reference(_ name: UnsafeRawBufferPointer) {
    unit(0x25)
    for (index, segment) in name.split(separator: UInt8(ascii: "/")).enumerated() {
      // Segments 0, 2 and 4 are the words projects, databases and documents.
      if index == 0 || index == 2 || index == 4 { continue }
      self.segment(UnsafeRawBufferPointer(rebasing: segment))
    }
    unit(0x00)
  }

  private mutating func double(_ number: Double) {
    guard !number.isNaN else { return unit(0x0D) }
    unit(0x0F)
    orderedDouble(number)
    unit(0)
    unit(0)
  }

  /// The largest double not above the number, then the distance to it: exact for every int64.
  private mutating func integer(_ number: Int64) {
    unit(0x0F)
    var floor = Double(number)
    if ValueOrder.compare(number, floor) < 0 { floor = floor.nextDown }
    orderedDouble(floor)
    // floor <= number < 2^63, so the conversion cannot trap; the distance is at most 1,023.
    let distance = number &- Int64(floor)
    unit(UInt8(truncatingIfNeeded: distance >> 8))
    unit(UInt8(truncatingIfNeeded: distance))
  }

  private mutating func orderedDouble(_ number: Double) {
    let bits = (number == 0 ? 0.0 : number).bitPattern
    uint64(bits >> 63 == 1 ? ~bits : bits ^ (1 << 63))
  }
}
