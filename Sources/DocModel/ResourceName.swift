/// Databases and documents by name.

/// One database of one project.
public struct DatabaseID: Hashable, Sendable, CustomStringConvertible {
  public let project: String
  public let database: String

  public init(project: String, database: String = "(default)") {
    self.project = project
    self.database = database
  }

  /// `projects/P/databases/D`
  public var resourceName: String { text(end: "") }

  /// `projects/P/databases/D/documents`: the parent of root collections.
  public var documentsRoot: String { text(end: "/documents") }

  private static let projects: StaticString = "projects/"
  private static let databases: StaticString = "/databases/"

  /// Joined in one piece of memory: every answer names its document.
  private func text(end: StaticString) -> String {
    var project = project
    var database = database
    return project.withUTF8 { project in
      database.withUTF8 { database in
        let count =
          Self.projects.utf8CodeUnitCount + project.count + Self.databases.utf8CodeUnitCount
          + database.count + end.utf8CodeUnitCount
        return String(unsafeUninitializedCapacity: count) { memory in
          var text = UnsafeMutableRawBufferPointer(memory)
          Self.projects.withUTF8Buffer { text.take($0) }
          text.take(project)
          Self.databases.withUTF8Buffer { text.take($0) }
          text.take(database)
          end.withUTF8Buffer { text.take($0) }
          return count
        }
      }
    }
  }

  public var description: String { resourceName }
}

extension UnsafeMutableRawBufferPointer {
  /// Copies bytes to the beginning, which moves behind them.
  fileprivate mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
    copyMemory(from: UnsafeRawBufferPointer(bytes))
    self = UnsafeMutableRawBufferPointer(rebasing: self[bytes.count...])
  }
}

/// Where a document or a collection lies below its database's root: `users/bob`, `users/bob/posts`.
///
/// An even number of segments names a document (none: the root), an odd number a collection.
/// Equality, order and hash are those of the bytes, segment texts included.
///
/// INVARIANT: no empty segment; checked where names come in, by `ResourceName`.
public struct ResourcePath: Sendable, CustomStringConvertible {
  /// Segments joined by `/`; empty for the root.
  public let text: String

  /// `text` must already be known to be well formed; use `ResourceName` for what a client sent.
  public init(unchecked text: String) { self.text = text }

  public static let root = ResourcePath(unchecked: "")

  public var description: String { text }

  public var isRoot: Bool { text.utf8.isEmpty }

  public var segments: [Substring.UTF8View.SubSequence] { text.utf8.split(separator: UInt8(ascii: "/")) }

  public var segmentCount: Int {
    isRoot ? 0 : text.utf8.reduce(1) { $0 + ($1 == UInt8(ascii: "/") ? 1 : 0) }
  }

  public var isDocument: Bool { !isRoot && segmentCount % 2 == 0 }
  public var isCollection: Bool { segmentCount % 2 == 1 }

  /// The last segment: the document id, or the collection id.
  public var lastSegment: String {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
    return String(text[text.utf8.index(after: slash)...])
  }

  /// Everything before the last segment; the root for a path of one segment.
  public var parent: ResourcePath {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return ResourcePath(unchecked: String(text[..<slash]))
  }

  public func appending(_ segment: String) -> ResourcePath {
    isRoot ? ResourcePath(unchecked: segment) : ResourcePath(unchecked: text + "/" + segment)
  }

  /// Whether this path lies strictly below `ancestor`.
  public func isBelow(_ ancestor: ResourcePath) -> Bool {
    if ancestor.isRoot { return !isRoot }
    var own = text.utf8.makeIterator()
    for byte in ancestor.text.utf8 where own.next() != byte { return false }
    return own.next() == UInt8(ascii: "/")
  }
}

extension ResourcePath: Hashable, Comparable {
  public static func == (left: ResourcePath, right: ResourcePath) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Order of names: segment by segment, numeric ids first (docs/spec/protocol.md 3.3).
  public static func < (left: ResourcePath, right: ResourcePath) -> Bool {
    var left = left.text
    var right = right.text
    return left.withUTF8 { a in
      right.withUTF8 { b in
        NameOrder.comparePaths(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b)) < 0
      }
    }
  }
}

/// A document of a database.
public struct DocumentName: Hashable, Sendable, CustomStringConvertible {
  public let database: DatabaseID
  public let path: ResourcePath

  public init(database: DatabaseID, path: ResourcePath) {
    self.database = database
    self.path = path
  }

  /// `projects/P/databases/D/documents/users/bob`
  public var resourceName: String { database.documentsRoot + "/" + path.text }

  public var description: String { resourceName }
}

/// The order of names and their parts, over bytes. Source: docs/spec/protocol.md 3.3.
public enum NameOrder {
  /// The number of a `__id7__` segment; nil for every other text.
  ///
  /// Only the shortest decimal text counts (no `+`, no leading zero, no `-0`): a second text of one number
  /// would be a second document under the key of the first.
  public static func numericID(_ segment: UnsafeRawBufferPointer) -> Int64? {
    guard segment.count >= 7, segment.count <= 26, segment.starts(with: "__id".utf8),
      segment[segment.count - 1] == UInt8(ascii: "_"), segment[segment.count - 2] == UInt8(ascii: "_")
    else { return nil }
    let isNegative = segment[4] == UInt8(ascii: "-")
    let digits = segment[(isNegative ? 5 : 4)..<(segment.count - 2)]
    guard let first = digits.first, first != UInt8(ascii: "0") || (digits.count == 1 && !isNegative)
    else { return nil }
    // Summed below zero, because the least int64 has no positive counterpart.
    var negated: Int64 = 0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let scaled = negated.multipliedReportingOverflow(by: 10)
      let next = scaled.partialValue.subtractingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if scaled.overflow || next.overflow { return nil }
      negated = next.partialValue
    }
    if isNegative { return negated }
    return negated == .min ? nil : -negated
  }

  /// Negative, zero or positive as `left` sorts before, with or after `right`.
  public static func compareSegments(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    switch (numericID(left), numericID(right)) {
    case (.some(let a), .some(let b)): return a < b ? -1 : (a > b ? 1 : 0)
    case (.some, .none): return -1
    case (.none, .some): return 1
    case (.none, .none): return compareBytes(left, right)
    }
  }

  /// Order of two relative paths; a path sorts before its extensions.
  public static func comparePaths(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    var a = left[...]
    var b = right[...]
    while true {
      if a.isEmpty || b.isEmpty { return a.isEmpty ? (b.isEmpty ? 0 : -1) : 1 }
      let endA = a.firstIndex(of: UInt8(ascii: "/")) ?? a.endIndex
      let endB = b.firstIndex(of: UInt8(ascii: "/")) ?? b.endIndex
      let order = compareSegments(
        UnsafeRawBufferPointer(rebasing: a[a.startIndex..<endA]),
        UnsafeRawBufferPointer(rebasing: b[b.startIndex..<endB]))
      if order != 0 { return order }
      a = endA == a.endIndex ? a[endA...] : a[(endA + 1)...]
      b = endB == b.endIndex ? b[endB...] : b[(endB + 1)...]
    }
  }

  /// Unsigned bytes; a prefix sorts first.
  @inlinable
  public static func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    WireCursor.compare(left, right)
  }
}
