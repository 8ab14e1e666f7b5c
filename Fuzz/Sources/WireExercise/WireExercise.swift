/// What is done with untrusted bytes, all of it, on one input: for the fuzzer and for the seeded test.
///
/// Nothing here may read outside the input, hang, overflow the stack or trap, whatever the bytes are.
/// Reading outside shows as a trap when the input ends at an unmapped page or under AddressSanitizer.

internal import DocModel

/// Something that must hold for every input and did not.
public struct WireViolation: Error, CustomStringConvertible {
  public let description: String
}

public enum WireExercise {
  /// How often a walk enters something; bytes that are views of themselves cannot make it endless.
  private static let stepsMax = 20_000
  private static let depthMax = 24

  /// Walks and canonicalises `input`; returns whether it was an acceptable document.
  @discardableResult
  public static func run(_ input: UnsafeRawBufferPointer) throws(WireViolation) -> Bool {
    try skim(input)
    var walk = Walk(input: input)
    try walk.fields(FieldsView(document: input), depth: 0)
    try walk.fields(FieldsView(input, entryTag: FieldsView.mapEntryTag), depth: 0)
    try walk.value(ValueView(input), depth: 0)
    try walk.elements(ArrayView(input), depth: 0)
    _ = Value(ValueView(input))
    _ = Fields(FieldsView(document: input))
    for use in [Canonicalizer.Use.document, .transform, .comparison] {
      _ = try? Canonicalizer.value(input, named: "f", for: use)
    }
    guard let canonical = try? Canonicalizer.fields(ofDocument: input) else { return false }
    try checkCanonical(canonical)
    return true
  }

  /// Tag after tag, as a parser that knows no field would.
  private static func skim(_ input: UnsafeRawBufferPointer) throws(WireViolation) {
    var cursor = WireCursor(input)
    var left = cursor.remaining
    while !cursor.isAtEnd {
      cursor.skip(tag: cursor.tag())
      guard cursor.remaining >= 0, cursor.remaining < left else {
        throw WireViolation(description: "the cursor stands still or left its bytes")
      }
      left = cursor.remaining
    }
    if cursor.isCorrupt, cursor.tag() != 0 || cursor.varint() != 0 || !cursor.lengthDelimited().isEmpty {
      throw WireViolation(description: "a corrupt cursor went on reading")
    }
  }

  /// The promises about what the canonicaliser lets through.
  private static func checkCanonical(_ canonical: [UInt8]) throws(WireViolation) {
    guard let again = canonical.withUnsafeBytes({ try? Canonicalizer.fields(ofDocument: $0) }),
      again == canonical
    else {
      throw WireViolation(description: "the canonical form is not accepted as it is")
    }
    let decoded = Fields(encoded: canonical)
    guard decoded.encoded == canonical else {
      throw WireViolation(description: "decoding and encoding changes the canonical form")
    }
    let values = decoded.entries.map(\.value.encoded)
    for left in values {
      for right in values.prefix(8) { try checkOrder(left, right) }
    }
    let size = canonical.withUnsafeBytes { StorageSize.fields(FieldsView(document: $0)) }
    guard size >= 0, size <= 64 * canonical.count else {
      throw WireViolation(description: "a size of \(size)")
    }
  }

  private static func checkOrder(_ left: [UInt8], _ right: [UInt8]) throws(WireViolation) {
    let order = left.withUnsafeBytes { a in
      right.withUnsafeBytes { b in ValueOrder.compare(ValueView(a), ValueView(b)).signum() }
    }
    let (leftKey, rightKey) = (key(left), key(right))
    let keyOrder = leftKey.withUnsafeBytes { a in
      rightKey.withUnsafeBytes { b in WireCursor.compare(a, b).signum() }
    }
    guard order == keyOrder else { throw WireViolation(description: "keys are not ordered as their values") }
  }

  private static func key(_ value: [UInt8]) -> [UInt8] {
    var writer = KeyWriter()
    value.withUnsafeBytes { writer.value(ValueView($0), budget: 1 << 30) }
    return writer.bytes
  }

  /// A walk over views of bytes that need not be canonical.
  private struct Walk {
    let input: UnsafeRawBufferPointer
    private var steps = 0
    /// Keeps the reads from being optimised away.
    private var sum: UInt8 = 0

    init(input: UnsafeRawBufferPointer) { self.input = input }

    mutating func fields(_ view: FieldsView, depth: Int) throws(WireViolation) {
      guard depth < depthMax else { return }
      for entry in view {
        try touch(entry.key)
        try value(entry.value, depth: depth + 1)
        if steps > stepsMax { return }
      }
      _ = view.value(named: "value")
    }

    mutating func elements(_ view: ArrayView, depth: Int) throws(WireViolation) {
      guard depth < depthMax else { return }
      for element in view {
        try value(element, depth: depth + 1)
        if steps > stepsMax { return }
      }
      _ = view[1]
    }

    mutating func value(_ view: ValueView, depth: Int) throws(WireViolation) {
      try touch(view.bytes)
      // Every accessor, also those of other kinds: a wrong guess must be as harmless as a right one.
      try touch(view.string)
      try touch(view.byteString)
      try touch(view.reference)
      _ = view.boolean
      _ = view.integer
      _ = view.double
      _ = view.timestamp.microseconds
      _ = view.geoPoint.isValid
      switch view.kind {
      case .array: try elements(view.array, depth: depth)
      case .vector, .map:
        try fields(view.fields, depth: depth)
        try elements(view.vectorElements, depth: depth)
      case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint: break
      }
    }

    private mutating func touch(_ bytes: UnsafeRawBufferPointer) throws(WireViolation) {
      steps += 1
      guard !bytes.isEmpty, let base = bytes.baseAddress, let start = input.baseAddress else { return }
      guard base >= start, base + bytes.count <= start + input.count else {
        throw WireViolation(description: "a view outside the input")
      }
      sum &+= bytes[0] &+ bytes[bytes.count - 1]
      _ = UTF8Check.isValid(bytes)
    }
  }
}
