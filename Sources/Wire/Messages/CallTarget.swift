/// What a call is about, as far as the beginning of its message tells, for people who watch a server.

internal import DocModel

enum CallTarget {
  /// `users/bob`, `users`, `3 writes`; empty when the message does not tell.
  static func text(_ method: String, _ message: UnsafeRawBufferPointer) -> String {
    let name = method.split(separator: "/").last.map(String.init) ?? method
    switch name {
    case "Commit", "BatchWrite":
      let count = count(of: 2, in: message)
      return count == 1 ? "1 write" : "\(count) writes"
    case "BatchGetDocuments":
      let count = count(of: 2, in: message)
      return count == 1 ? relative(field(2, of: message)) : "\(count) documents"
    case "UpdateDocument": return relative(field(1, of: message).flatMap { field(1, of: $0) })
    case "RunQuery", "PartitionQuery":
      return collection(parent: field(1, of: message), query: field(2, of: message))
    case "RunAggregationQuery":
      return collection(
        parent: field(1, of: message), query: field(2, of: message).flatMap { field(1, of: $0) })
    case "ListDocuments", "CreateDocument":
      let parent = relative(field(1, of: message))
      let id = field(2, of: message).map(text) ?? ""
      return parent.isEmpty ? id : parent + "/" + id
    default: return relative(field(1, of: message))
    }
  }

  /// The collection of a structured query: its first `from`.
  private static func collection(parent: UnsafeRawBufferPointer?, query: UnsafeRawBufferPointer?) -> String {
    let parent = relative(parent)
    let id = query.flatMap { field(2, of: $0) }.flatMap { field(2, of: $0) }.map(text) ?? "*"
    return parent.isEmpty ? id : parent + "/" + id
  }

  /// A resource name without its database.
  private static func relative(_ name: UnsafeRawBufferPointer?) -> String {
    guard let name else { return "" }
    let parts = text(name).split(separator: "/")
    return parts.count > 5 ? parts[5...].joined(separator: "/") : ""
  }

  /// The last field of a number that holds bytes.
  static func field(_ number: UInt32, of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    each(number, of: message) { found = $0 }
    return found
  }

  private static func count(of number: UInt32, in message: UnsafeRawBufferPointer) -> Int {
    var count = 0
    each(number, of: message) { _ in count += 1 }
    return count
  }

  static func each(
    _ number: UInt32, of message: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      if tag == MessageFields.tag(number) {
        let bytes = cursor.lengthDelimited()
        if cursor.isCorrupt { return }
        body(bytes)
      } else {
        cursor.skip(tag: tag)
      }
      if cursor.isCorrupt { return }
    }
  }

  /// Whether a field that holds a boolean is there and true; the last one counts.
  static func isSet(_ number: UInt32, of message: UnsafeRawBufferPointer) -> Bool {
    var cursor = WireCursor(message)
    var isSet = false
    while !cursor.isAtEnd, !cursor.isCorrupt {
      let tag = cursor.tag()
      if tag == number << 3 { isSet = cursor.varint() != 0 } else { cursor.skip(tag: tag) }
    }
    return isSet && !cursor.isCorrupt
  }

  /// LIMIT: bytes of a name that are shown.
  private static let bytesMax = 1_500

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix(bytesMax), as: UTF8.self)
  }
}
