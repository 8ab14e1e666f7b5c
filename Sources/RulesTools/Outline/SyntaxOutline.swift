/// A syntax tree as named values, for programs and people outside: JSON and an indented tree.
///
/// The shape of every node is in docs/rules-ast.md.
///
/// INVARIANT: `structureJSON` of two texts is the same exactly if the texts are the same program: it
/// has everything the parser found but places, spelling and comments.

internal import DocModel
internal import JSON
public import Rules

/// A value of the outline. Members keep their order.
indirect enum OutlineElement {
  case null
  case flag(Bool)
  case integer(Int64)
  case float(Double)
  /// Text, in which halves of surrogate pairs may stand.
  case utf8([UInt8])
  case elements([OutlineElement])
  case object([OutlineMember])

  static func text(_ text: String) -> OutlineElement { .utf8(Array(text.utf8)) }
  static func members(_ members: [(name: StaticString, value: OutlineElement)]) -> OutlineElement {
    .object(members.map { OutlineMember(name: $0.name, value: $0.value) })
  }

  static func text(_ text: StaticString) -> OutlineElement { .utf8(Array(text.description.utf8)) }
}

/// A member of an object.
struct OutlineMember {
  let name: StaticString
  let value: OutlineElement
}

/// A tree ready to be written.
public struct SyntaxOutline {
  private let parsed: ParseResult
  private let resolution: Resolution?

  /// The outline of a parsed text. With a resolution, names say what they refer to and expressions
  /// what type they have.
  public init(_ parsed: ParseResult, resolution: Resolution? = nil) {
    self.parsed = parsed
    self.resolution = resolution
  }

  /// The whole tree as one line of JSON.
  public func json() -> [UInt8] { SyntaxOutline.json(of: outliner(hasPlaces: true).file(parsed)) }

  /// The tree without places, spelling and comments.
  public func structureJSON() -> [UInt8] { SyntaxOutline.json(of: outliner(hasPlaces: false).file(parsed)) }

  /// The tree as indented text: a line for each node, with its place.
  public func text() -> String {
    var writer = OutlineText()
    writer.write(outliner(hasPlaces: true).file(parsed))
    return writer.text
  }

  private func outliner(hasPlaces: Bool) -> Outliner {
    Outliner(
      places: hasPlaces ? PlaceFinder(parsed.source) : nil, source: parsed.source, resolution: resolution)
  }

  private static func json(of element: OutlineElement) -> [UInt8] {
    var writer = JSONWriter()
    write(element, &writer)
    return writer.bytes
  }

  /// Trees are at most `Parser.treeHeightMax` high, which bounds the recursion.
  private static func write(_ element: OutlineElement, _ writer: inout JSONWriter) {
    switch element {
    case .null: writer.null()
    case .flag(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .float(let number): writer.number(number)
    case .utf8(let bytes): writer.stringWithSurrogates(bytes)
    case .elements(let elements): writer.array(elements) { write($1, &$0) }
    case .object(let members):
      writer.object { object in
        for member in members { object.member(member.name) { write(member.value, &$0) } }
      }
    }
  }
}

/// Lines and columns of offsets, in constant time: `SourceText.position(of:)` counts the characters of
/// a line, which would be too slow for all nodes of a file that is one line.
struct PlaceFinder {
  private static let blockBytes = 64

  private let source: SourceText
  /// Code points before every block of bytes.
  private let countsBefore: [Int32]

  init(_ source: SourceText) {
    self.source = source
    var counts: [Int32] = []
    var count: Int32 = 0
    for (offset, byte) in source.bytes.enumerated() {
      if offset % Self.blockBytes == 0 { counts.append(count) }
      if byte & 0xC0 != 0x80 { count += 1 }
    }
    counts.append(count)
    countsBefore = counts
  }

  func place(of offset: Int32) -> SourcePosition {
    let line = source.lineNumber(of: offset)
    let start = source.lineStarts[line - 1]
    return SourcePosition(line: line, column: Int(count(before: offset) - count(before: start)) + 1)
  }

  private func count(before offset: Int32) -> Int32 {
    let block = Int(offset) / Self.blockBytes
    guard block < countsBefore.count else { return countsBefore.last ?? 0 }
    var count = countsBefore[block]
    for byte in source.bytes[(block * Self.blockBytes)..<Int(offset)] where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }
}
