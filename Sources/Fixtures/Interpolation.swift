/// Texts with names in them: `posts/post_${i:02}`.

internal import DocModel
public import YAML

/// A text cut into literal parts and uses of names.
struct Interpolation: Sendable {
  enum Part: Sendable {
    case text(String)
    case use(NameUse)
  }

  let parts: [Part]

  /// The text, when it uses no name.
  var literal: String? {
    switch parts.count {
    case 0: return ""
    case 1:
      guard case .text(let text) = parts[0] else { return nil }
      return text
    default: return nil
    }
  }

  /// The one use that the whole text is, so that it stands for the value itself.
  var wholeUse: NameUse? {
    guard parts.count == 1, case .use(let use) = parts[0], use.width == nil else { return nil }
    return use
  }

  /// Cuts a text; `$${` is a literal `${`.
  init(_ text: String, at mark: YAMLMark) throws(YAMLError) {
    guard text.utf8.contains(UInt8(ascii: "$")) else {
      parts = text.utf8.isEmpty ? [] : [.text(text)]
      return
    }
    parts = try InterpolationScanner.parts(of: text, escapeGives: "${", at: mark, literal: Part.text) {
      (use) throws(YAMLError) in .use(try NameUse(use, at: mark))
    }
  }
}

/// Cuts texts with `${…}` in them.
public enum InterpolationScanner {
  /// The parts of a text in order: literal text, and what stands between the braces of each `${…}`. `$${` gives
  /// `escaped`.
  public static func parts<Part>(
    of text: String, escapeGives escaped: String, at mark: YAMLMark, literal makeLiteral: (String) -> Part,
    use makeUse: (ArraySlice<UInt8>) throws(YAMLError) -> Part
  ) throws(YAMLError) -> [Part] {
    var parts: [Part] = []
    var literal: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if rest.starts(with: "$${".utf8) {
        literal.append(contentsOf: escaped.utf8)
        rest = rest.dropFirst(3)
      } else if rest.starts(with: "${".utf8) {
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
          throw YAMLError("'${' without '}'; a literal '${' is written '$${'", at: mark)
        }
        if !literal.isEmpty { parts.append(makeLiteral(String(decoding: literal, as: UTF8.self))) }
        literal = []
        parts.append(try makeUse(rest[(rest.startIndex + 2)..<end]))
        rest = rest[(end + 1)...]
      } else {
        literal.append(byte)
        rest = rest.dropFirst()
      }
    }
    if !literal.isEmpty { parts.append(makeLiteral(String(decoding: literal, as: UTF8.self))) }
    return parts
  }
}

/// One `${name.part:width}`.
struct NameUse: Sendable {
  let name: String
  /// The steps into a map.
  let path: [String]
  /// Digits that an integer is padded to.
  let width: Int?

  /// LIMIT: digits of a 64-bit integer.
  private static let widthMax = 19

  /// What stands between the braces.
  init(_ bytes: ArraySlice<UInt8>, at mark: YAMLMark) throws(YAMLError) {
    let text = String(decoding: bytes, as: UTF8.self)
    let halves = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard names.allSatisfy(Identifier.isValid) else {
      throw YAMLError("'${\(text)}' does not name a value; names are letters, digits and _", at: mark)
    }
    name = String(decoding: names[0], as: UTF8.self)
    path = names.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    guard halves.count == 2 else {
      width = nil
      return
    }
    guard halves[1].first == UInt8(ascii: "0"),
      let width = Int(String(decoding: halves[1], as: UTF8.self)), (1...Self.widthMax).contains(width)
    else {
      throw YAMLError(
        "'${\(text)}': after the colon stands a width from 01 to \(Self.widthMax), as in ${i:03}", at: mark)
    }
    self.width = width
  }

  /// `name.part`, as in messages.
  var text: String { ([name] + path).joined(separator: ".") }
}

/// Names of values.
public enum Identifier {
  /// Whether the bytes are `[A-Za-z_][A-Za-z0-9_]*`.
  static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, !first.isDigit else { return false }
    return bytes.allSatisfy(\.isWordByte)
  }

  /// Whether a text can name a value.
  public static func isValid(_ text: String) -> Bool { isValid(Array(text.utf8)) }
}

/// The names that can be used at a place, inner ones last.
public struct Scope: Sendable {
  private var entries: [(name: String, value: TypedValue)] = []

  public init() {}

  public mutating func define(_ name: String, _ value: TypedValue) { entries.append((name, value)) }

  public subscript(name: String) -> TypedValue? {
    entries.last { $0.name.hasSameBytes(as: name) }?.value
  }

  /// All names, innermost first, each once.
  public var names: [String] {
    var names: [String] = []
    for entry in entries.reversed() where !names.contains(where: { $0.hasSameBytes(as: entry.name) }) {
      names.append(entry.name)
    }
    return names
  }

  /// How many definitions there are; `forget(after:)` goes back to it.
  public var count: Int { entries.count }

  public mutating func forget(after count: Int) { entries.removeLast(entries.count - count) }
}
