/// The fields of messages that nobody judges: descriptors and details of ours, and what a message tells before it is read.

package enum PlainFields {
  /// Visits the texts and messages of a message; other fields are passed over. Ends, and says false, where it is none.
  @discardableResult
  package static func forEach(
    _ message: UnsafeRawBufferPointer, _ visit: (_ number: UInt32, UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      guard tag & 7 == 2 else {
        cursor.skip(tag: tag)
        continue
      }
      let content = cursor.lengthDelimited()
      if !cursor.isCorrupt { visit(tag >> 3, content) }
    }
    return !cursor.isCorrupt
  }

  /// The last number of a field; nil when there is none.
  package static func number(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> UInt64? {
    var cursor = WireCursor(message)
    var found: UInt64?
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      if tag == wanted << 3 { found = cursor.varint() } else { cursor.skip(tag: tag) }
    }
    return found
  }

  /// All that a field holds, bytes or messages.
  package static func all(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    var found: [UnsafeRawBufferPointer] = []
    forEach(message) { number, content in if number == wanted { found.append(content) } }
    return found
  }

  /// The last bytes or message of a field, or at the end of a way through messages; nil when there is none.
  package static func last(_ way: UInt32..., of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer? = message
    for wanted in way {
      guard let inside = found else { return nil }
      found = nil
      forEach(inside) { number, content in if number == wanted { found = content } }
    }
    return found
  }

  /// The last text of a field, such as 1, which is every descriptor's name; empty when there is none.
  package static func text(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> String {
    last(wanted, of: message).map(text) ?? ""
  }

  package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
