/// Vectors as a search needs them: the one that is asked about, and the stored ones in place.
///
/// Source: docs/spec/protocol.md 5.9; texts of malformed query vectors: the official emulator.

extension Canonicalizer {
  /// The elements of the encoded `Value` that a vector search asks about. NaN may be among them.
  public static func queryVector(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> [Double] {
    guard case .map(let map) = try OneofMember(message) else { throw notAVector }
    let entries = try entries(of: map, tag: UInt32(FieldsView.mapEntryTag))
    guard let type = entries.first(where: { FieldsView.isTypeKey($0.key) }) else { throw notAVector }
    guard case .string(let name) = try OneofMember(type.value) else {
      throw InvalidArgument("Field __type__ is not a string.")
    }
    guard name.elementsEqual("__vector__".utf8) else { throw notAVector }
    let elements = try VectorReader.elementsMessage(entries.map { ($0.key, $0.value) })
    return try VectorReader.elements(elements, allowsNaN: true)
  }

  private static var notAVector: InvalidArgument { InvalidArgument("Query Value must be of type vector.") }
}

/// The elements of a stored vector, in place.
///
/// INVARIANT (of stored bytes): an element is `0A 09 19` and eight bytes, so elements lie at equal distances.
public struct VectorView {
  private static let elementBytes = 11
  private let elements: UnsafeRawBufferPointer

  /// Nil for a value of another kind.
  public init?(_ value: ValueView) {
    guard value.kind == .vector else { return nil }
    let array = value.vectorElements
    guard array.byteCount % Self.elementBytes == 0 else { return nil }
    elements = UnsafeRawBufferPointer(start: array.start, count: array.byteCount)
  }

  public var count: Int { elements.count / Self.elementBytes }

  @inline(__always)
  public subscript(index: Int) -> Double {
    let bits = elements.loadUnaligned(fromByteOffset: index * Self.elementBytes + 3, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }
}
