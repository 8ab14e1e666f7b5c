/// Trees out of events, with bounds.

/// Builds nodes from where an event reader stands.
///
/// Keys of one map are distinct, byte for byte. With a dialect that has anchors, an alias is replaced
/// by what it names; the tree then shares memory, and `nodesMax` bounds what a walk over it would see.
public struct YAMLTreeReader {
  /// LIMIT: nodes of one tree with all aliases expanded. Bounds what a small file may turn into.
  public static let nodesMax = 1_000_000

  private let events: YAMLEventReader
  private let nodesMax: Int
  private var nodesLeft: Int
  private var anchors: [ByteText: AnchoredNode] = [:]

  private struct AnchoredNode {
    let node: YAMLNode
    let count: Int
  }

  public init(_ events: YAMLEventReader, nodesMax: Int = YAMLTreeReader.nodesMax) {
    self.events = events
    self.nodesMax = nodesMax
    nodesLeft = nodesMax
  }

  /// The tree that begins with the next event. Each tree has the whole budget of nodes.
  public mutating func readTree() throws(YAMLError) -> YAMLNode {
    try readTree(beginningWith: try events.next())
  }

  /// The tree whose first event was already taken.
  public mutating func readTree(beginningWith event: YAMLEvent) throws(YAMLError) -> YAMLNode {
    nodesLeft = nodesMax
    return try node(event)
  }

  private mutating func node(_ event: YAMLEvent) throws(YAMLError) -> YAMLNode {
    let before = nodesLeft
    let node: YAMLNode
    switch event.kind {
    case .scalar(let text, let style):
      try spend(1, at: event.start)
      let scalar = try YAMLScalar(text: text, style: style, at: event.start)
      node = YAMLNode(content: .scalar(scalar), start: event.start, end: event.end)
    case .alias(let name):
      guard let anchored = anchors[ByteText(name)] else {
        throw YAMLError("no anchor is called '\(name)' before this place", at: event.start)
      }
      try spend(anchored.count, at: event.start)
      node = anchored.node
    case .sequenceStart:
      try spend(1, at: event.start)
      node = try sequence(event)
    case .mappingStart:
      try spend(1, at: event.start)
      node = try mapping(event)
    case .sequenceEnd, .mappingEnd, .documentEnd:
      throw YAMLError("a value is missing here", at: event.start)
    }
    if let name = event.anchor {
      anchors[ByteText(name)] = AnchoredNode(node: node, count: before - nodesLeft)
    }
    return node
  }

  private mutating func sequence(_ first: YAMLEvent) throws(YAMLError) -> YAMLNode {
    var elements: [YAMLNode] = []
    while true {
      let event = try events.next()
      if case .sequenceEnd = event.kind {
        return YAMLNode(content: .sequence(elements), start: first.start, end: event.end)
      }
      elements.append(try node(event))
    }
  }

  private mutating func mapping(_ first: YAMLEvent) throws(YAMLError) -> YAMLNode {
    var entries: [YAMLEntry] = []
    var seen = KeyRegister()
    while true {
      let event = try events.next()
      if case .mappingEnd = event.kind {
        return YAMLNode(content: .mapping(entries), start: first.start, end: event.end)
      }
      let key = try YAMLKey(event)
      try seen.insert(key)
      try spend(1, at: key.mark)
      entries.append(YAMLEntry(key: key, value: try node(try events.next())))
    }
  }

  private mutating func spend(_ count: Int, at mark: YAMLMark) throws(YAMLError) {
    guard nodesLeft >= count else {
      throw YAMLError("the file is too large: more than \(nodesMax) values and keys in one place", at: mark)
    }
    nodesLeft -= count
  }
}

extension YAMLKey {
  /// The key that an event inside a map is; throws when it cannot be one.
  public init(_ event: YAMLEvent) throws(YAMLError) {
    guard case .scalar(let text, let style) = event.kind else {
      throw YAMLError("a key must be a text", at: event.start)
    }
    if style == .plain, text == "<<" { throw YAMLError("merge keys are not supported", at: event.start) }
    self.init(text: text, style: style, mark: event.start)
  }
}

/// The keys of one map so far.
public struct KeyRegister {
  /// Small maps are searched faster than hashed.
  private static let hashedFrom = 16

  private var few: [YAMLKey] = []
  private var many: [ByteText: Int32] = [:]

  public init() {}

  /// Adds a key; throws when the map has it already.
  public mutating func insert(_ key: YAMLKey) throws(YAMLError) {
    if let line = line(of: key) {
      throw YAMLError("the key '\(key.text)' is already in this map, at line \(line)", at: key.mark)
    }
    if few.count < Self.hashedFrom {
      few.append(key)
    } else {
      many[ByteText(key.text)] = key.mark.line
    }
  }

  private func line(of key: YAMLKey) -> Int32? {
    if let found = few.first(where: { $0.text.utf8.elementsEqual(key.text.utf8) }) { return found.mark.line }
    return many.isEmpty ? nil : many[ByteText(key.text)]
  }
}

/// A text compared by its bytes. Swift's own comparison equates canonically equivalent texts.
struct ByteText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteText, right: ByteText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Whole documents at once.
public enum YAMLDocument {
  /// LIMIT: bytes of a document that is read as one tree. Larger files are for the event reader.
  public static let bytesMax = 64 * 1_024 * 1_024

  public static func parse(
    _ source: YAMLSource, dialect: YAMLDialect = .plain, nodesMax: Int = YAMLTreeReader.nodesMax
  ) throws(YAMLError) -> YAMLNode {
    if let count = source.byteCount, count > bytesMax {
      throw YAMLError(
        "the file is too large: \(count) bytes, at most \(bytesMax) can be read at once", at: .start)
    }
    let events = try YAMLEventReader(source, dialect: dialect)
    var trees = YAMLTreeReader(events, nodesMax: nodesMax)
    let root = try trees.readTree()
    // Asking for the end finds what stands behind the root.
    _ = try events.next()
    return root
  }

  public static func parse(
    _ bytes: [UInt8], name: String, dialect: YAMLDialect = .plain
  ) throws(YAMLError) -> YAMLNode {
    try parse(YAMLSource(name: name, bytes: bytes), dialect: dialect)
  }
}
