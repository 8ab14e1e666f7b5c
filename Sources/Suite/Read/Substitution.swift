/// Rows of a table put into the YAML of a case: `${name}` and `${name.part}`.
///
/// It happens on the tree, before anything is read, so a row may stand for whatever a file can say: a
/// value, a path, a persona, a query, an expectation. A scalar that is nothing but one use becomes the
/// row's node, with the row's place, so errors point at the row.

internal import DocModel
internal import Fixtures
internal import Platform
internal import YAML

/// The names of one row.
struct Row {
  let names: [(name: String, value: YAMLNode)]

  static let none = Row(names: [])

  init(names: [(name: String, value: YAMLNode)]) { self.names = names }

  /// A row as a table writes it.
  init(_ node: YAMLNode) throws(YAMLError) {
    var names: [(name: String, value: YAMLNode)] = []
    for entry in try node.map("a row of 'each'").entries { names.append((entry.key.text, entry.value)) }
    self.names = names
  }

  // MARK: trees

  /// The tree with every use replaced.
  func substitute(in node: YAMLNode) throws(YAMLError) -> YAMLNode {
    switch node.content {
    case .scalar(let scalar):
      guard scalar.text.utf8.contains(UInt8(ascii: "$")) else { return node }
      return try substitute(in: scalar, of: node)
    case .sequence(let elements):
      var replaced: [YAMLNode] = []
      replaced.reserveCapacity(elements.count)
      for element in elements { replaced.append(try substitute(in: element)) }
      return YAMLNode(.sequence(replaced), like: node)
    case .mapping(let entries):
      var replaced: [YAMLEntry] = []
      var seen = KeyRegister()
      replaced.reserveCapacity(entries.count)
      for entry in entries {
        let key = try text(entry.key.text, at: entry.key.mark)
        let next = entry.replacing(key: key, value: try substitute(in: entry.value))
        // `${field}` of a row takes the place of a field that is written out: a row differs from the rest in it.
        if !key.hasSameBytes(as: entry.key.text),
          let place = replaced.firstIndex(where: { $0.key.text.hasSameBytes(as: key) })
        {
          replaced[place] = next
          continue
        }
        try seen.insert(next.key)
        replaced.append(next)
      }
      return YAMLNode(.mapping(replaced), like: node)
    }
  }

  private func substitute(in scalar: YAMLScalar, of node: YAMLNode) throws(YAMLError) -> YAMLNode {
    let pieces = try TextPiece.cut(scalar.text, at: node.start)
    if pieces.count == 1, case .use(let use) = pieces[0], use.width == nil {
      return try value(of: use, at: node.start)
    }
    guard pieces.contains(where: \.isUse) else { return node }
    return YAMLNode(.scalar(.string(try text(pieces, at: node.start))), like: node)
  }

  // MARK: texts

  /// A text with every use replaced by a text, a number or a boolean.
  func text(_ text: String, at mark: YAMLMark) throws(YAMLError) -> String {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
    return try self.text(try TextPiece.cut(text, at: mark), at: mark)
  }

  /// A name for people: lists and maps are written out.
  func title(_ node: YAMLNode) throws(YAMLError) -> String {
    var title = ""
    for piece in try TextPiece.cut(try node.literal(), at: node.start) {
      switch piece {
      case .literal(let literal): title += literal
      case .use(let use): title += FlowText.of(try value(of: use, at: node.start))
      }
    }
    return title
  }

  private func text(_ pieces: [TextPiece], at mark: YAMLMark) throws(YAMLError) -> String {
    var result = ""
    for piece in pieces {
      switch piece {
      case .literal(let literal): result += literal
      case .use(let use): result += try padded(try value(of: use, at: mark), use, at: mark)
      }
    }
    return result
  }

  private func padded(_ node: YAMLNode, _ use: TextPiece.Use, at mark: YAMLMark) throws(YAMLError) -> String {
    guard case .scalar(let scalar) = node.content, !node.isNull else {
      throw YAMLError(
        "'${\(use.text)}' is \(node.kindName); only texts, numbers and booleans can stand inside a text",
        at: mark)
    }
    guard let width = use.width else { return scalar.text }
    guard case .integer(let number) = scalar.value else {
      throw YAMLError("'${\(use.text)}' is \(node.kindName); only integers can be padded", at: mark)
    }
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }

  private func value(of use: TextPiece.Use, at mark: YAMLMark) throws(YAMLError) -> YAMLNode {
    guard var node = names.first(where: { $0.name.utf8.elementsEqual(use.name.utf8) })?.value else {
      let known = names.map(\.name)
      let list = known.isEmpty ? "no names are known" : "known: " + known.joined(separator: ", ")
      throw YAMLError(
        "no value is called '\(use.name)' here; \(list)\(Spelling.suggestion(for: use.name, among: known))",
        at: mark)
    }
    var walked = use.name
    for step in use.path {
      guard case .mapping(let entries) = node.content else {
        throw YAMLError("'\(walked)' is \(node.kindName), so it has no '\(step)'", at: mark)
      }
      guard let next = entries.first(where: { $0.key.text.utf8.elementsEqual(step.utf8) })?.value else {
        throw YAMLError("'\(walked)' has no '\(step)'", at: mark)
      }
      walked += "." + step
      node = next
    }
    return node
  }
}

/// A piece of a text: as it stands, or a use of a name. `$${` stays as it is: it is the escape of a
/// literal `${`, which whoever reads the text undoes.
enum TextPiece {
  struct Use {
    let name: String
    let path: [String]
    /// Digits that an integer is padded to.
    let width: Int?

    var text: String { ([name] + path).joined(separator: ".") }
  }

  case literal(String)
  case use(Use)

  var isUse: Bool {
    switch self {
    case .literal: false
    case .use: true
    }
  }

  /// LIMIT: digits of a 64-bit integer.
  private static let widthMax = 19

  static func cut(_ text: String, at mark: YAMLMark) throws(YAMLError) -> [TextPiece] {
    try InterpolationScanner.parts(of: text, escapeGives: "$${", at: mark, literal: TextPiece.literal) {
      (bytes) throws(YAMLError) in .use(try use(bytes, at: mark))
    }
  }

  private static func use(_ bytes: ArraySlice<UInt8>, at mark: YAMLMark) throws(YAMLError) -> Use {
    let halves = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    let names = halves[0].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    var width: Int?
    if halves.count == 2 {
      let digits = String(decoding: halves[1], as: UTF8.self)
      guard digits.hasPrefix("0"), let number = Int(digits), (1...widthMax).contains(number) else {
        throw YAMLError("after the colon stands a width from 01 to \(widthMax), as in ${i:03}", at: mark)
      }
      width = number
    }
    guard let name = names.first, names.allSatisfy({ !$0.isEmpty }) else {
      let text = String(decoding: bytes, as: UTF8.self)
      throw YAMLError("'${\(text)}' does not name a value", at: mark)
    }
    return Use(name: name, path: Array(names.dropFirst()), width: width)
  }
}

/// A node on one line, as YAML's flow style writes it: for names and reports.
enum FlowText {
  /// LIMIT: characters of a written-out node.
  private static let charactersMax = 60

  static func of(_ node: YAMLNode) -> String {
    let text = full(node)
    guard text.unicodeScalars.count > charactersMax else { return text }
    var short = String.UnicodeScalarView()
    short.append(contentsOf: text.unicodeScalars.prefix(charactersMax - 1))
    return String(short) + "…"
  }

  private static func full(_ node: YAMLNode) -> String {
    switch node.content {
    case .scalar(let scalar): node.isNull ? "null" : scalar.text.isEmpty ? "''" : scalar.text
    case .sequence(let elements): "[" + elements.map(full).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\($0.key.text): \(full($0.value))" }.joined(separator: ", ") + "}"
    }
  }
}
