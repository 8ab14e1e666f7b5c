/// libyaml's parser as a pull reader: one document, any size, constant memory.

internal import CYAML
internal import Platform

/// Reads one document, event by event.
///
/// Refuses what no file of ours may hold: tags, a second document, an encoding other than UTF-8,
/// nesting beyond `depthMax`, and anchors where the dialect has none.
///
/// INVARIANT: after an error or `documentEnd` the reader is not asked again.
public final class YAMLEventReader {
  /// LIMIT: levels of collections. Documents have 20; forms and suites add their own around them.
  public static let depthMax = 64

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: ParserInput
  private let dialect: YAMLDialect
  private var depth = 0

  public init(_ source: YAMLSource, dialect: YAMLDialect) throws(YAMLError) {
    self.dialect = dialect
    input = try ParserInput(source)
    parser = .allocate(capacity: 1)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      throw YAMLError("not enough memory to read YAML", at: .start)
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    // The parser holds the input unretained: both live exactly as long as this reader.
    yaml_parser_set_input(
      parser,
      { context, buffer, capacity, count in
        guard let context, let buffer, let count else { return 0 }
        let input = Unmanaged<ParserInput>.fromOpaque(context).takeUnretainedValue()
        guard let read = input.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        else {
          return 0
        }
        count.pointee = read
        return 1
      }, Unmanaged.passUnretained(input).toOpaque())
    try openDocument()
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deinitialize(count: 1)
    parser.deallocate()
  }

  private func openDocument() throws(YAMLError) {
    while true {
      var raw = try pull()
      defer { yaml_event_delete(&raw) }
      if raw.type == YAML_DOCUMENT_START_EVENT { return }
      if raw.type == YAML_STREAM_END_EVENT {
        throw YAMLError("the file is empty", at: .start)
      }
    }
  }

  /// The next event.
  public func next() throws(YAMLError) -> YAMLEvent {
    var raw = try pull()
    defer { yaml_event_delete(&raw) }
    let start = YAMLMark(raw.start_mark)
    switch raw.type {
    case YAML_SCALAR_EVENT:
      let scalar = raw.data.scalar
      try refuseTag(scalar.tag, at: start)
      let text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return event(
        .scalar(text: text, style: Self.style(scalar.style)), raw,
        anchor: try anchor(scalar.anchor, at: start))
    case YAML_ALIAS_EVENT:
      if let advice = dialect.aliasAdvice {
        throw YAMLError("aliases are not supported \(advice)", at: start)
      }
      return event(.alias(Self.text(raw.data.alias.anchor) ?? ""), raw)
    case YAML_SEQUENCE_START_EVENT:
      try refuseTag(raw.data.sequence_start.tag, at: start)
      try enter(at: start)
      return event(.sequenceStart, raw, anchor: try anchor(raw.data.sequence_start.anchor, at: start))
    case YAML_MAPPING_START_EVENT:
      try refuseTag(raw.data.mapping_start.tag, at: start)
      try enter(at: start)
      return event(.mappingStart, raw, anchor: try anchor(raw.data.mapping_start.anchor, at: start))
    case YAML_SEQUENCE_END_EVENT:
      depth -= 1
      return event(.sequenceEnd, raw)
    case YAML_MAPPING_END_EVENT:
      depth -= 1
      return event(.mappingEnd, raw)
    default:
      // Inside a document only its end is left.
      try expectStreamEnd()
      return event(.documentEnd, raw)
    }
  }

  private func expectStreamEnd() throws(YAMLError) {
    var raw = try pull()
    defer { yaml_event_delete(&raw) }
    guard raw.type == YAML_STREAM_END_EVENT else {
      throw YAMLError("a second document begins here; a file holds one", at: YAMLMark(raw.start_mark))
    }
  }

  private func enter(at mark: YAMLMark) throws(YAMLError) {
    depth += 1
    guard depth <= Self.depthMax else {
      throw YAMLError("lists and maps nest more than \(Self.depthMax) levels deep", at: mark)
    }
  }

  private func refuseTag(_ tag: UnsafeMutablePointer<yaml_char_t>?, at mark: YAMLMark) throws(YAMLError) {
    guard tag != nil else { return }
    throw YAMLError("tags are not supported\(dialect.tagAdvice)", at: mark)
  }

  private func anchor(
    _ name: UnsafeMutablePointer<yaml_char_t>?, at mark: YAMLMark
  ) throws(YAMLError) -> String? {
    guard let text = Self.text(name) else { return nil }
    if let advice = dialect.aliasAdvice { throw YAMLError("anchors are not supported \(advice)", at: mark) }
    return text
  }

  private func event(_ kind: YAMLEvent.Kind, _ raw: yaml_event_t, anchor: String? = nil) -> YAMLEvent {
    YAMLEvent(kind: kind, anchor: anchor, start: YAMLMark(raw.start_mark), end: YAMLMark(raw.end_mark))
  }

  private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    guard let bytes else { return nil }
    return String(
      decoding: UnsafeBufferPointer(
        start: bytes,
        count: strlen(
          UnsafeRawPointer(bytes)
            .assumingMemoryBound(to: CChar.self))), as: UTF8.self)
  }

  private static func style(_ style: yaml_scalar_style_t) -> YAMLScalarStyle {
    switch style {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
    case YAML_LITERAL_SCALAR_STYLE: .literal
    case YAML_FOLDED_SCALAR_STYLE: .folded
    default: .plain
    }
  }

  private func pull() throws(YAMLError) -> yaml_event_t {
    var raw = yaml_event_t()
    guard yaml_parser_parse(parser, &raw) == 1 else {
      throw ParserError(parser: parser.pointee, input: input).error
    }
    return raw
  }
}

extension YAMLMark {
  /// libyaml counts from 0, columns in characters.
  init(_ mark: yaml_mark_t) {
    self.init(line: mark.line + 1, column: mark.column + 1)
  }
}

/// What the parser reads from: the source without its byte order mark.
final class ParserInput {
  let source: YAMLSource
  /// Where the text begins: 3 behind a byte order mark.
  let textStart: Int
  private var offset: Int
  private(set) var readErrorCode: Int32 = 0

  init(_ source: YAMLSource) throws(YAMLError) {
    var head: [UInt8] = [0, 0, 0, 0]
    let count = head.withUnsafeMutableBytes { source.read(into: $0, at: 0) } ?? 0
    let bytes = head[..<count]
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
      || bytes.starts(with: [0, 0, 0xFE, 0xFF])
    {
      throw YAMLError("the file is not UTF-8: it begins with the mark of UTF-16 or UTF-32", at: .start)
    }
    self.source = source
    textStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    offset = textStart
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    guard let count = source.read(into: buffer, at: offset) else {
      readErrorCode = errno
      return nil
    }
    offset += count
    return count
  }
}
