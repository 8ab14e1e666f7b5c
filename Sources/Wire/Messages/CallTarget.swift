/// What a call is about, as far as the beginning of its message tells, for people who watch a server.

internal import DocModel

enum CallTarget {
  /// `users/bob`, `users`, `3 writes`; empty when the message does not tell.
  static func text(_ method: String, _ message: UnsafeRawBufferPointer) -> String {
    switch ServerMetrics.shortName(method) {
    case "Commit", "BatchWrite":
      let count = PlainFields.all(2, of: message).count
      return count == 1 ? "1 write" : "\(count) writes"
    case "BatchGetDocuments":
      let count = PlainFields.all(2, of: message).count
      return count == 1 ? relative(PlainFields.last(2, of: message)) : "\(count) documents"
    case "UpdateDocument": return relative(PlainFields.last(1, 1, of: message))
    case "RunQuery", "PartitionQuery":
      return collection(parent: PlainFields.last(1, of: message), query: PlainFields.last(2, of: message))
    case "RunAggregationQuery":
      return collection(parent: PlainFields.last(1, of: message), query: PlainFields.last(2, 1, of: message))
    case "ListDocuments", "CreateDocument":
      let parent = relative(PlainFields.last(1, of: message))
      let id = PlainFields.last(2, of: message).map(text) ?? ""
      return parent.isEmpty ? id : parent + "/" + id
    default: return relative(PlainFields.last(1, of: message))
    }
  }

  /// The collection of a structured query: its first `from`.
  private static func collection(parent: UnsafeRawBufferPointer?, query: UnsafeRawBufferPointer?) -> String {
    let parent = relative(parent)
    let id = query.flatMap { PlainFields.last(2, 2, of: $0) }.map(text) ?? "*"
    return parent.isEmpty ? id : parent + "/" + id
  }

  /// A resource name without its database.
  private static func relative(_ name: UnsafeRawBufferPointer?) -> String {
    guard let name else { return "" }
    let parts = text(name).split(separator: "/")
    return parts.count > 5 ? parts[5...].joined(separator: "/") : ""
  }

  /// LIMIT: bytes of a name that are shown.
  private static let bytesMax = 1_500

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix(bytesMax), as: UTF8.self)
  }
}
