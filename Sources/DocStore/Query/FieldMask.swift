/// Which fields of a document an answer shows: a query's projection, or a read's mask.
///
/// Source: docs/spec/protocol.md 1.5 and 5.7.

public import DocModel
internal import Platform

/// A set of field paths that prunes encoded fields.
///
/// An empty mask shows no fields at all. A mask costs nothing but its paths until the first document is pruned: who asks
/// for many paths of a document that they may not read is refused before the paths are sorted.
public struct FieldMask: Hashable, Sendable {
  /// The paths as given, without the document name.
  public let paths: [FieldPath]
  private let tree = LazyTree()

  public init(_ paths: [FieldPath]) { self.paths = paths.filter { !$0.isDocumentName } }

  /// Reads the texts of a mask message.
  public init(parsing texts: [String]) throws(InvalidArgument) {
    var paths: [FieldPath] = []
    paths.reserveCapacity(texts.count)
    for text in texts { paths.append(try FieldPath.parse(text)) }
    self.init(paths)
  }

  public static func == (left: FieldMask, right: FieldMask) -> Bool { left.paths == right.paths }

  public func hash(into hasher: inout Hasher) { hasher.combine(paths) }

  /// Whether nothing is shown, so that documents need not even be read.
  public var showsNothing: Bool { paths.isEmpty }

  /// Does now what the first pruning would do, for whoever prunes on a thread that has no time.
  public func prepare() { _ = roots }

  private var roots: [Branch] { tree.branches(of: paths) }

  /// The shown part of a document's fields, encoded alike.
  public func project(_ fields: FieldsView) -> [UInt8] {
    var writer = WireWriter(reserving: min(fields.byteCount, 1 << 12))
    append(fields, to: &writer)
    return writer.bytes
  }

  /// Appends the shown part to what is being written.
  public func append(_ fields: FieldsView, to writer: inout WireWriter) {
    Self.append(fields, roots, to: &writer)
  }

  /// Fields and branches are both sorted, so one walk along both is enough.
  private static func append(_ fields: FieldsView, _ branches: [Branch], to writer: inout WireWriter) {
    var index = 0
    for entry in fields {
      index = Branch.firstIndex(of: branches, notBefore: entry.key, from: index)
      guard index < branches.count else { return }
      let branch = branches[index]
      guard branch.order(to: entry.key) == 0 else { continue }
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
        append(entry.value.fields, children, to: &map)
        isEmpty = map.bytes.count == before
      }
    }
    if isEmpty {
      writer.bytes.removeLast(writer.bytes.count - start)
    } else {
      writer.closeLength(at: start + 1)
    }
  }
}

// MARK: - The paths as a tree

/// One name on the way to shown fields.
///
/// INVARIANT: branches of one parent are sorted by the bytes of their keys, each key once; a branch without children is
/// shown whole.
private struct Branch: Sendable {
  let key: [UInt8]
  let children: [Branch]

  func order(to other: UnsafeRawBufferPointer) -> Int {
    key.withUnsafeBytes { WireCursor.compare($0, other) }
  }

  /// Fields lie no deeper: what a longer path names is in no document. Bounds the recursion.
  private static let depthMax = Limits.nestingReadMax + 1

  /// The tree of paths, in the time that sorting them takes.
  static func tree(of paths: [FieldPath]) -> [Branch] {
    let isSorted = zip(paths, paths.dropFirst()).allSatisfy { $0 <= $1 }
    let sorted = isSorted ? paths : paths.sorted()
    let keys = sorted.map { $0.segments.prefix(depthMax + 2).map { Array($0.utf8) } }
    let branches = branches(of: keys[...], below: 0)
    if Invariants.areDue(at: paths.count) { checkInvariants(branches) }
    return branches
  }

  static func checkInvariants(_ branches: [Branch]) {
    assert(
      zip(branches, branches.dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) },
      "branches are sorted by their keys, each key once")
    for branch in branches { checkInvariants(branch.children) }
  }

  /// The branches of sorted paths that agree in their first `depth` segments and go on behind them.
  private static func branches(of paths: ArraySlice<[[UInt8]]>, below depth: Int) -> [Branch] {
    var branches: [Branch] = []
    var start = paths.startIndex
    while start < paths.endIndex {
      let key = paths[start][depth]
      let end = paths[start...].firstIndex { $0[depth] != key } ?? paths.endIndex
      // A path that ends here comes first, and shows all that lies below whatever other paths say.
      if paths[start].count == depth + 1 {
        branches.append(Branch(key: key, children: []))
      } else if depth < depthMax {
        let children = Self.branches(of: paths[start..<end], below: depth + 1)
        if !children.isEmpty { branches.append(Branch(key: key, children: children)) }
      }
      start = end
    }
    return branches
  }

  /// The first branch from `start` on whose key is not before `key`. Mostly it is near; where a mask has far more names
  /// than a document, it is found in growing steps.
  static func firstIndex(of branches: [Branch], notBefore key: UnsafeRawBufferPointer, from start: Int) -> Int
  {
    var low = start
    var step = 1
    while low + step <= branches.count, branches[low + step - 1].order(to: key) < 0 {
      low += step
      step *= 2
    }
    // Those before `low` are before the key; the one at `high` is not, if there is one.
    var high = min(low + step - 1, branches.count)
    while low < high {
      let middle = low + (high - low) / 2
      if branches[middle].order(to: key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The tree of a mask, made when it is first needed; whoever comes second on another thread takes the first's.
private final class LazyTree: Sendable {
  private final class Made: Sendable {
    let branches: [Branch]

    init(_ branches: [Branch]) { self.branches = branches }
  }

  private let made = LazyReference<Made>()

  func branches(of paths: [FieldPath]) -> [Branch] {
    if let made = made.load() { return made.branches }
    return made.storeIfNil(Made(Branch.tree(of: paths))).branches
  }
}
