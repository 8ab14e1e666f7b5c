/// Answers of the Firestore service, read from protobuf.
///
/// Source: proto google/firestore/v1/firestore.proto, document.proto (field numbers); docs/spec/streams.md 1.1.

package import DocModel

/// A document as a server has it.
package struct AnsweredDocument {
  package let path: ResourcePath
  package var fields: Fields
  /// Microseconds since the epoch.
  package var createTime: Int64
  package var updateTime: Int64

  package init(path: ResourcePath, fields: Fields, createTime: Int64, updateTime: Int64) {
    self.path = path
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }
}

package enum AnswerReader {
  private static let unreadable = ClientFailure.connection("the server's answer is no message of Firestore")

  /// Visits the fields of a message that have bytes.
  package static func each(
    of message: UnsafeRawBufferPointer, _ visit: (_ number: Int, _ value: UnsafeRawBufferPointer) -> Void
  ) throws(ClientFailure) {
    guard PlainFields.forEach(message, { visit(Int($0), $1) }) else { throw unreadable }
  }

  /// The last field of a number; nil when there is none.
  package static func field(
    _ wanted: Int, of message: UnsafeRawBufferPointer
  ) throws(ClientFailure) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    try each(of: message) { number, value in if number == wanted { found = value } }
    return found
  }

  /// The last varint of a number; 0 when there is none.
  package static func number(_ wanted: Int, of message: UnsafeRawBufferPointer) throws(ClientFailure)
    -> UInt64
  {
    var cursor = WireCursor(message)
    var found: UInt64 = 0
    while true {
      let tag = cursor.tag()
      if tag == 0 { break }
      if tag == UInt32(wanted) << 3 { found = cursor.varint() } else { cursor.skip(tag: tag) }
    }
    if cursor.isCorrupt { throw unreadable }
    return found
  }

  package static func microseconds(_ message: UnsafeRawBufferPointer) throws(ClientFailure) -> Int64 {
    let seconds = Int64(bitPattern: try number(1, of: message))
    let nanoseconds = Int64(bitPattern: try number(2, of: message))
    guard seconds >= Timestamp.secondsMin, seconds <= Timestamp.secondsMax else { throw unreadable }
    return Timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds)).microseconds
  }

  // MARK: documents

  /// The fields of a document message, or of another of its shape, in the stored form.
  package static func storedFields(_ message: UnsafeRawBufferPointer) throws(ClientFailure) -> [UInt8] {
    do throws(InvalidArgument) { return try Canonicalizer.fields(ofDocument: message) } catch {
      throw ClientFailure.connection("the server's answer holds no document: \(error.message)")
    }
  }

  package static func fields(_ message: UnsafeRawBufferPointer) throws(ClientFailure) -> Fields {
    Fields(encoded: try storedFields(message))
  }

  package static func path(_ name: UnsafeRawBufferPointer) -> ResourcePath {
    let name = String(decoding: name, as: UTF8.self)
    guard let root = name.firstRange(of: "/documents/") else { return ResourcePath(unchecked: name) }
    return ResourcePath(unchecked: String(name[root.upperBound...]))
  }

  /// - Parameter path: where it is, when that is known.
  package static func document(
    _ message: UnsafeRawBufferPointer, path: ResourcePath?
  ) throws(ClientFailure) -> AnsweredDocument {
    var own = path ?? .root
    var stamps: [Int: UnsafeRawBufferPointer] = [:]
    try each(of: message) { number, value in
      if number == 1, path == nil { own = Self.path(value) }
      if number == 3 || number == 4 { stamps[number] = value }
    }
    var times: [Int: Int64] = [:]
    for (number, stamp) in stamps { times[number] = try microseconds(stamp) }
    return AnsweredDocument(
      path: own, fields: try fields(message), createTime: times[3] ?? 0, updateTime: times[4] ?? 0)
  }

  // MARK: plans

  /// `collection (a ASC, __name__ ASC)` of an entry of `indexes_used`, which is a `Struct`.
  package static func structText(_ message: UnsafeRawBufferPointer) -> String? {
    guard let fields = try? structFields(message) else { return nil }
    let scope = fields["query_scope"].map { $0.lowercased() + " " } ?? ""
    return scope + (fields["properties"] ?? "")
  }

  private static func structFields(_ message: UnsafeRawBufferPointer) throws(ClientFailure) -> [String:
    String]
  {
    var entries: [UnsafeRawBufferPointer] = []
    try each(of: message) { number, value in if number == 1 { entries.append(value) } }
    var fields: [String: String] = [:]
    for entry in entries {
      guard let name = try field(1, of: entry), let value = try field(2, of: entry),
        let text = try field(3, of: value)
      else { continue }
      fields[String(decoding: name, as: UTF8.self)] = String(decoding: text, as: UTF8.self)
    }
    return fields
  }
}
