/// Which fields of a document an answer shows: a query's projection, or a read's mask.
///
/// Source: spec/protocol.md 1.5 and 5.7.

public import DocModel

/// A set of field paths, ready to prune encoded fields.
///
/// An empty mask shows no fields at all.
public struct FieldMask: Hashable, Sendable {
  /// The paths as given, without the document name.
  public let paths: [FieldPath]
  private let roots: [Branch]

  /// One name on the way to shown fields.
  ///
  /// INVARIANT: branches of one parent are sorted by the bytes of their keys, each key once; a branch
  /// without children is shown whole.
  private struct Branch: Hashable, Sendable {
    let key: [UInt8]
    var children: [Branch]
  }

  public init(_ paths: [FieldPath]) {
    self.paths = paths.filter { !$0.isDocumentName }
    roots = Self.branches(self.paths.map { path in path.segments.map { Array($0.utf8) }[...] })
  }

  /// Reads the texts of a mask message.
  public init(parsing texts: [String]) throws(Complaint) {
    var paths: [FieldPath] = []
    for text in texts { paths.append(try FieldPath.parse(text)) }
    self.init(paths)
  }

  private static func branches(_ paths: [ArraySlice<[UInt8]>]) -> [Branch] {
    let keys = Set(paths.compactMap(\.first)).sorted { $0.lexicographicallyPrecedes($1) }
    return keys.map { key in
      let tails = paths.filter { $0.first == key }.map { $0.dropFirst() }
      // A path that ends here shows all that lies below, whatever other paths say.
      let isWhole = tails.contains { $0.isEmpty }
      return Branch(key: key, children: isWhole ? [] : branches(tails))
    }
  }

  /// Whether nothing is shown, so that documents need not even be read.
  public var showsNothing: Bool { roots.isEmpty }

  /// The shown part of a document's fields, encoded alike.
  public func project(_ fields: FieldsView) -> [UInt8] {
    var writer = WireWriter(reserving: min(fields.byteCount, 1 << 12))
    append(fields, to: &writer)
    return writer.bytes
  }

  /// Appends the shown part to what is being written.
  public func append(_ fields: FieldsView, to writer: inout WireWriter) {
    Self.append(fields, roots[...], to: &writer)
  }

  /// Fields and branches are both sorted, so one walk along both is enough.
  private static func append(
    _ fields: FieldsView, _ branches: ArraySlice<Branch>, to writer: inout WireWriter
  ) {
    var rest = branches
    for entry in fields {
      while let branch = rest.first, order(branch.key, entry.key) < 0 { rest.removeFirst() }
      guard let branch = rest.first else { return }
      guard order(branch.key, entry.key) == 0 else { continue }
      if branch.children.isEmpty {
        writer.entry(key: entry.key, encodedValue: entry.value.bytes, tag: fields.entryTag)
      } else if entry.value.kind == .map {
        appendMap(entry, branch.children, tag: fields.entryTag, to: &writer)
      }
    }
  }

  /// A map of which only some fields are shown; none of it when it has none of them.
  private static func appendMap(
    _ entry: FieldsView.Entry, _ children: [Branch], tag: UInt8, to writer: inout WireWriter
  ) {
    let start = writer.bytes.count
    writer.bytes.append(tag)
    writer.bytes.append(0)
    writer.field(1, bytes: entry.key)
    var isEmpty = true
    writer.message(2) { value in
      value.message(6) { map in
        let before = map.bytes.count
        append(entry.value.fields, children[...], to: &map)
        isEmpty = map.bytes.count == before
      }
    }
    if isEmpty {
      writer.bytes.removeLast(writer.bytes.count - start)
    } else {
      writer.closeLength(at: start + 1)
    }
  }

  private static func order(_ key: [UInt8], _ other: UnsafeRawBufferPointer) -> Int {
    key.withUnsafeBytes { WireCursor.compare($0, other) }
  }
}
