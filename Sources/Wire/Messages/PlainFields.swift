/// The fields of messages that nobody judges: descriptors and details of ours, and what a message tells before it is read.

internal import DocModel

enum PlainFields {
  /// Visits the texts and messages of a message; other fields are passed over. Ends where it is no message.
  static func forEach(
    _ message: UnsafeRawBufferPointer, _ visit: (_ number: UInt32, UnsafeRawBufferPointer) -> Void
  ) {
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      guard tag & 7 == 2 else {
        cursor.skip(tag: tag)
        continue
      }
      let content = cursor.lengthDelimited()
      if cursor.isCorrupt { return }
      visit(tag >> 3, content)
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

  /// All that a field holds, bytes or messages.
  static func all(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    var found: [UnsafeRawBufferPointer] = []
    forEach(message) { number, content in if number == wanted { found.append(content) } }
    return found
  }

  /// The last bytes or message of a field; nil when there is none.
  static func last(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    forEach(message) { number, content in if number == wanted { found = content } }
    return found
  }

  /// The last text of a field, such as 1, which is every descriptor's name; empty when there is none.
  static func text(_ wanted: UInt32, of message: UnsafeRawBufferPointer) -> String {
    last(wanted, of: message).map(text) ?? ""
  }

  static func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
}
