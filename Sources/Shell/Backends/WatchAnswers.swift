/// Answers of a live query.
///
/// Source: proto google/firestore/v1/firestore.proto (field numbers); docs/spec/streams.md 1.1.

import Client
import DocModel

extension AnswerReader {
  /// What a `ListenResponse` says; nil for what needs no showing.
  static func event(_ message: UnsafeRawBufferPointer) throws(ClientFailure) -> WatchEvent? {
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
  private static func holdsTarget(_ change: UnsafeRawBufferPointer) throws(ClientFailure) -> Bool {
    if let packed = try field(5, of: change) { return !packed.isEmpty }
    return try number(5, of: change) != 0
  }

  /// Source: `TargetChange.TargetChangeType`.
  private static func targetChange(_ change: UnsafeRawBufferPointer) throws(ClientFailure) -> WatchEvent? {
    switch try number(1, of: change) {
    case 2:
      guard let cause = try field(3, of: change) else {
        throw .status(code: 1, message: "the server ended the live query")
      }
      let text = try field(2, of: cause).map { String(decoding: $0, as: UTF8.self) } ?? ""
      throw .status(code: Int(truncatingIfNeeded: try number(1, of: cause)), message: text)
    case 3: return .current
    case 4: return .reset
    default: return nil
    }
  }
}
