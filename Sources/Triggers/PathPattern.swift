/// Which documents a trigger is about: `users/{uid}`, `posts/{post}/comments/{comment}`, `{path=**}/likes/{id}`.
///
/// Source: docs/spec/streams.md 5.1.

public import DocModel

/// A pattern over whole document paths.
///
/// `*`, `{x}` and `{x=*}` stand for one segment, `**` and `{x=**}` for one or more, and a `*` inside a
/// segment for any bytes of it. Names in braces become parameters.
public struct PathPattern: Sendable, CustomStringConvertible {
  private enum Segment: Sendable {
    case literal([UInt8])
    /// The texts between the stars, in order; at least two.
    case glob([[UInt8]])
    case one(name: String?)
    case many(name: String?)

    var name: String? {
      switch self {
      case .one(let name), .many(let name): name
      case .literal, .glob: nil
      }
    }
  }

  public let text: String
  private let segments: [Segment]

  public var description: String { text }

  /// Reads a pattern; says what is wrong with one that no document could match.
  public init(_ text: String) throws(InvalidArgument) {
    self.text = text
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let segment = try Self.segment(Array(part), of: text)
      if let name = segment.name, !names.insert(name).inserted {
        throw Self.error(text, "has two parameters called \"\(name)\"")
      }
      segments.append(segment)
    }
    let isOpenEnded = segments.contains { if case .many = $0 { true } else { false } }
    if !isOpenEnded, segments.count % 2 != 0 {
      throw Self.error(text, "names a collection, not documents")
    }
    self.segments = segments
  }

  /// The parameters by name when the pattern matches the whole path; nil when it does not.
  public func match(_ path: ResourcePath) -> [String: String]? {
    let parts = path.segments
    var parameters: [String: String] = [:]
    guard Self.match(segments[...], parts[...], &parameters) else { return nil }
    return parameters
  }

  // MARK: reading

  private static func error(_ text: String, _ what: String) -> InvalidArgument {
    InvalidArgument("Path pattern \"\(text)\" \(what).")
  }

  private static func segment(_ bytes: [UInt8], of text: String) throws(InvalidArgument) -> Segment {
    if bytes.isEmpty { throw error(text, "has an empty segment") }
    if bytes.elementsEqual("*".utf8) { return .one(name: nil) }
    if bytes.elementsEqual("**".utf8) { return .many(name: nil) }
    let open = UInt8(ascii: "{")
    let close = UInt8(ascii: "}")
    if bytes.first == open, bytes.last == close {
      return try parameter(bytes[1..<(bytes.count - 1)], of: text)
    }
    if bytes.contains(open) || bytes.contains(close) {
      throw error(text, "has a brace inside a segment")
    }
    let pieces = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    return pieces.count == 1 ? .literal(bytes) : .glob(pieces)
  }

  private static func parameter(_ inside: ArraySlice<UInt8>, of text: String) throws(InvalidArgument)
    -> Segment
  {
    let halves = inside.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    let name = halves.first ?? []
    guard !name.isEmpty, name.allSatisfy(isNameByte) else {
      throw error(text, "has a parameter without a plain name")
    }
    let owned = String(decoding: name, as: UTF8.self)
    guard halves.count == 2 else { return .one(name: owned) }
    if halves[1].elementsEqual("*".utf8) { return .one(name: owned) }
    if halves[1].elementsEqual("**".utf8) { return .many(name: owned) }
    throw error(text, "gives the parameter \"\(owned)\" something else than * or **")
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isWordByte || byte == UInt8(ascii: "-")
  }

  // MARK: matching

  private typealias Part = Substring.UTF8View.SubSequence

  private static func match(
    _ segments: ArraySlice<Segment>, _ parts: ArraySlice<Part>, _ parameters: inout [String: String]
  ) -> Bool {
    guard let segment = segments.first else { return parts.isEmpty }
    guard let part = parts.first else { return false }
    switch segment {
    case .literal(let bytes):
      guard part.elementsEqual(bytes) else { return false }
    case .glob(let pieces):
      guard matches(Array(part), pieces) else { return false }
    case .one(let name):
      if let name { parameters[name] = String(Substring(part)) }
    case .many(let name):
      return matchMany(name, segments.dropFirst(), parts, &parameters)
    }
    return match(segments.dropFirst(), parts.dropFirst(), &parameters)
  }

  /// Takes as few segments as the rest of the pattern allows.
  private static func matchMany(
    _ name: String?, _ rest: ArraySlice<Segment>, _ parts: ArraySlice<Part>,
    _ parameters: inout [String: String]
  ) -> Bool {
    // Each remaining segment of the pattern needs one of the path.
    guard parts.count > rest.count else { return false }
    let longest = parts.count - rest.count
    for count in (rest.isEmpty ? longest : 1)...longest where match(rest, parts.dropFirst(count), &parameters)
    {
      if let name {
        parameters[name] = parts.prefix(count).map { String(Substring($0)) }.joined(separator: "/")
      }
      return true
    }
    return false
  }

  private static func matches(_ bytes: [UInt8], _ pieces: [[UInt8]]) -> Bool {
    let first = pieces[0]
    let last = pieces[pieces.count - 1]
    guard bytes.count >= first.count + last.count, bytes.starts(with: first),
      bytes.suffix(last.count).elementsEqual(last)
    else { return false }
    var rest = bytes[first.count..<(bytes.count - last.count)]
    // The earliest place for each piece leaves the most room for the next.
    for piece in pieces[1..<(pieces.count - 1)] {
      while !rest.starts(with: piece) {
        if rest.isEmpty { return false }
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst(piece.count)
    }
    return true
  }
}
