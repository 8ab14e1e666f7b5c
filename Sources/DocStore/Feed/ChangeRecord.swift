/// The stored form of what a commit touched: the document's path, and with a commit's first change where the commit
/// came from. The document's states before and after are in `documents` and `documentHistory`.
///
/// ```
/// first of a commit   path | FF | author | [FF | origin]       (CommitSource)
/// others              path
/// author              'o' system | 'a' administrator | 'n' nobody | 'u' id of the user | 'x' unknown
/// ```
///
/// FF is no byte of UTF-8. Records of stores of format 1 end with the path, and their source is unknown.

internal import DocModel

enum ChangeRecord {
  private static let mark: UInt8 = 0xFF

  /// - Parameter source: of the commit, for its first change; nil for the others.
  static func encoded(
    _ path: ResourcePath, _ source: CommitSource?, in batch: MutationBatch
  ) -> UnsafeRawBufferPointer {
    var path = path.text
    return path.withUTF8 { path in
      let path = UnsafeRawBufferPointer(path)
      guard let source else { return batch.copy(path) }
      var user = ""
      let kind: UInt8
      switch source.author {
      case .unknown: kind = UInt8(ascii: "x")
      case .system: kind = UInt8(ascii: "o")
      case .administrator: kind = UInt8(ascii: "a")
      case .anonymous: kind = UInt8(ascii: "n")
      case .user(let id) where id.utf8.count <= CommitSource.userBytesMax:
        kind = UInt8(ascii: "u")
        user = id
      case .user: kind = UInt8(ascii: "x")
      }
      var origin = source.origin?.text
      let bytes = batch.allocate(
        path.count + 2 + user.utf8.count + (origin.map { 1 + $0.utf8.count } ?? 0))
      var end = 0
      func append(_ part: UnsafeRawBufferPointer) {
        bytes[end..<(end + part.count)].copyBytes(from: part)
        end += part.count
      }
      append(path)
      withUnsafeBytes(of: (mark, kind)) { append($0) }
      user.withUTF8 { append(UnsafeRawBufferPointer($0)) }
      if origin != nil {
        withUnsafeBytes(of: mark) { append($0) }
        origin?.withUTF8 { append(UnsafeRawBufferPointer($0)) }
      }
      return UnsafeRawBufferPointer(bytes)
    }
  }

  /// The document's path alone, of a whole record.
  static func path(_ record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: record.prefix { $0 != mark })
  }

  /// The source of a whole record; nil where it has none.
  static func source(of record: UnsafeRawBufferPointer) -> CommitSource? {
    let text = path(record)
    return text.count == record.count ? nil : source(record[(text.count + 1)...])
  }

  /// The source that follows a path and its mark.
  private static func source(_ bytes: Slice<UnsafeRawBufferPointer>) -> CommitSource {
    guard let kind = bytes.first else { return .unknown }
    let rest = bytes.dropFirst()
    let text = rest.prefix { $0 != mark }
    let origin =
      text.endIndex == rest.endIndex
      ? nil : CommitOrigin(String(decoding: rest[(text.endIndex + 1)...], as: UTF8.self))
    switch kind {
    case UInt8(ascii: "o"): return CommitSource(author: .system, origin: origin)
    case UInt8(ascii: "a"): return CommitSource(author: .administrator, origin: origin)
    case UInt8(ascii: "n"): return CommitSource(author: .anonymous, origin: origin)
    case UInt8(ascii: "u"):
      return CommitSource(author: .user(String(decoding: text, as: UTF8.self)), origin: origin)
    // 'x', or what a later version writes.
    default: return CommitSource(author: .unknown, origin: origin)
    }
  }

  /// Visits the changes of one generation with `after < version <= upTo`, in commit order.
  static func scan(
    _ view: StorageView, _ generation: UInt32, after: Int64, upTo: Int64,
    _ visit: (_ version: Int64, _ path: ResourcePath) -> ScanStep
  ) throws(StorageError) {
    try scanBytes(view, generation, after: after, upTo: upTo) { version, path, _ in visit(version, path) }
  }

  /// As `scan`, with the commit's source, which comes with its first change.
  static func scanSources(
    _ view: StorageView, _ generation: UInt32, after: Int64, upTo: Int64,
    _ visit: (_ version: Int64, _ path: ResourcePath, _ source: CommitSource?) -> ScanStep
  ) throws(StorageError) {
    try scanBytes(view, generation, after: after, upTo: upTo) { version, path, rest in
      visit(version, path, rest.map { source($0) })
    }
  }

  /// `rest`: what is behind the path; nil when nothing is.
  private static func scanBytes(
    _ view: StorageView, _ generation: UInt32, after: Int64, upTo: Int64,
    _ visit: (_ version: Int64, _ path: ResourcePath, _ rest: Slice<UnsafeRawBufferPointer>?) -> ScanStep
  ) throws(StorageError) {
    var isDamaged = false
    let range = KeyLayout.changeRange(generation, after: after, upTo: upTo)
    try view.scan(.changes, range, .forward) { key, value in
      var reader = KeyReader(key, offset: KeyLayout.generationBytes)
      guard let version = reader.int64() else {
        isDamaged = true
        return .stop
      }
      let text = path(value)
      let path = ResourcePath(unchecked: String(decoding: text, as: UTF8.self))
      return visit(version, path, text.count == value.count ? nil : value[(text.count + 1)...])
    }
    if isDamaged { throw .corrupt }
  }
}
