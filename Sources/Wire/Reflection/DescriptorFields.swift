/// The fields of descriptors, which describe protobuf by protobuf.
///
/// What is read here is ours and whole, so nothing is said of what is not.
/// Source: google/protobuf/descriptor.proto.

internal import DocModel

enum DescriptorFields {
  /// Visits the texts and messages of a message; other fields are passed over.
  static func forEach(
    _ message: UnsafeRawBufferPointer, _ visit: (_ number: UInt32, UnsafeRawBufferPointer) -> Void
  ) {
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      if tag & 7 == 2 { visit(tag >> 3, cursor.lengthDelimited()) } else { cursor.skip(tag: tag) }
    }
  }

  /// The last number of a field; nil when there is none.
  static func number(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> UInt64? {
    var cursor = WireCursor(message)
    var found: UInt64?
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      if tag == wanted << 3 { found = cursor.varint() } else { cursor.skip(tag: tag) }
    }
    return found
  }

  /// The last text of a field, such as 1, which is every descriptor's name; empty when there is none.
  static func text(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> String {
    var found = ""
    forEach(message) { number, content in if number == wanted { found = text(content) } }
    return found
  }

  static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}
