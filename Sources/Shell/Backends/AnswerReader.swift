/// Answers of the Firestore service, read from protobuf.
///
/// Source: proto google/firestore/v1/firestore.proto, document.proto (field numbers); spec/streams.md 1.1.

import DocModel
import DocStore

enum AnswerReader {
  private static let unreadable = ShellError(.connection, "the server's answer is no message of Firestore")

  /// Visits the fields of a message that have bytes.
  static func each(
    of message: UnsafeRawBufferPointer, _ visit: (_ number: Int, _ value: UnsafeRawBufferPointer) -> Void
  ) throws(ShellError) {
    var cursor = WireCursor(message)
    while true {
      let tag = cursor.tag()
      if tag == 0 { break }
      if tag & 7 == 2 { visit(Int(tag >> 3), cursor.lengthDelimited()) } else { cursor.skip(tag: tag) }
    }
    if cursor.isCorrupt { throw unreadable }
  }

  /// The last field of a number; nil when there is none.
  static func field(
    _ wanted: Int, of message: UnsafeRawBufferPointer
  ) throws(ShellError) -> UnsafeRawBufferPointer? {
    var found: UnsafeRawBufferPointer?
    try each(of: message) { number, value in if number == wanted { found = value } }
    return found
  }

  /// The last varint of a number; 0 when there is none.
  static func number(_ wanted: Int, of message: UnsafeRawBufferPointer) throws(ShellError) -> UInt64 {
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

  static func microseconds(_ message: UnsafeRawBufferPointer) throws(ShellError) -> Int64 {
    let seconds = Int64(bitPattern: try number(1, of: message))
    let nanoseconds = Int64(bitPattern: try number(2, of: message))
    guard seconds >= Timestamp.secondsMin, seconds <= Timestamp.secondsMax else { throw unreadable }
    return Timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds)).microseconds
  }

  // MARK: documents

  /// The fields of a document message, or of another of its shape.
  static func fields(_ message: UnsafeRawBufferPointer) throws(ShellError) -> Fields {
    do throws(Complaint) {
      return Fields(encoded: try Canonicalizer.fields(ofDocument: message))
    } catch {
      throw ShellError(.connection, "the server's answer holds no document: \(error.message)")
    }
  }

  static func path(_ name: UnsafeRawBufferPointer) -> ResourcePath {
    ResourcePath(unchecked: ValueText.relative(String(decoding: name, as: UTF8.self)))
  }

  /// - Parameter path: where it is, when that is known.
  static func document(
    _ message: UnsafeRawBufferPointer, path: ResourcePath?
  ) throws(ShellError) -> ShellDocument {
    var own = path ?? .root
    var stamps: [Int: UnsafeRawBufferPointer] = [:]
    try each(of: message) { number, value in
      if number == 1, path == nil { own = Self.path(value) }
      if number == 3 || number == 4 { stamps[number] = value }
    }
    var times: [Int: Int64] = [:]
    for (number, stamp) in stamps { times[number] = try microseconds(stamp) }
    return ShellDocument(
      path: own, fields: try fields(message), createTime: times[3] ?? 0, updateTime: times[4] ?? 0)
  }

  // MARK: plans

  /// `collection (a ASC, __name__ ASC)` of an entry of `indexes_used`, which is a `Struct`.
  static func structText(_ message: UnsafeRawBufferPointer) -> String? {
    guard let fields = try? structFields(message) else { return nil }
    let scope = fields["query_scope"].map { $0.lowercased() + " " } ?? ""
    return scope + (fields["properties"] ?? "")
  }

  private static func structFields(_ message: UnsafeRawBufferPointer) throws(ShellError) -> [String: String] {
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

  // MARK: live queries

  /// What a `ListenResponse` says; nil for what needs no showing.
  static func event(_ message: UnsafeRawBufferPointer) throws(ShellError) -> WatchEvent? {
    if let change = try field(2, of: message) { return try targetChange(change) }
    if let change = try field(3, of: message), let document = try field(1, of: change) {
      let shown = try self.document(document, path: nil)
      return try holdsTarget(change) ? .changed(shown) : .removed(shown.path)
    }
    for number in [4, 6] {
      guard let departure = try field(number, of: message), let name = try field(1, of: departure) else {
        continue
      }
      return .removed(path(name))
    }
    return nil
  }

  /// Whether the document is in the target now: `target_ids`, packed or one by one.
  private static func holdsTarget(_ change: UnsafeRawBufferPointer) throws(ShellError) -> Bool {
    if let packed = try field(5, of: change) { return !packed.isEmpty }
    return try number(5, of: change) != 0
  }

  /// Source: `TargetChange.TargetChangeType`.
  private static func targetChange(_ change: UnsafeRawBufferPointer) throws(ShellError) -> WatchEvent? {
    switch try number(1, of: change) {
    case 2:
      guard let cause = try field(3, of: change) else {
        throw ShellError(.failed(code: "CANCELLED"), "the server ended the live query")
      }
      let text = try field(2, of: cause).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw RemoteStatus.error(Int(truncatingIfNeeded: try number(1, of: cause)), text)
    case 3: return .current
    case 4: return .reset
    default: return nil
    }
  }
}
