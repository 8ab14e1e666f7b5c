/// Whole files, mostly ill-formed: do they compile?

public import DocModel
public import Rules

public struct TextTrial: Trial {
  var tokens: [String]

  public static var isWhole: Bool { true }
  public var rules: String { tokens.joined() }
  public var documents: [(path: String, fields: Fields)] { [] }
  public func request(at place: Place) -> RESTRequest { RESTRequest("GET", "/") }
  public func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer { .granted }
  public var size: Int { rules.utf8.count }
  public var key: String { rules }
  public var account: String { "  " + rules.split(separator: "\n").joined(separator: "\n  ") }

  public func reductions(isThorough: Bool) -> [TextTrial] {
    var found: [TextTrial] = []
    var length = isThorough ? 1 : max(1, tokens.count / 2)
    while length >= 1 {
      for start in stride(from: 0, to: tokens.count, by: isThorough ? 1 : length) {
        var copy = tokens
        copy.removeSubrange(start..<min(tokens.count, start + length))
        found.append(TextTrial(tokens: copy))
      }
      length = length == 1 ? 0 : length / 2
    }
    return found
  }
}

extension TextTrial {
  /// Case `number` of a seed.
  public static func generate(seed: UInt64, number: Int) -> TextTrial {
    var author = Author(Seeded(seed: seed ^ 0x7E, number: number))
    author.scope = [("id", .string)]
    author.doubtRate = 15
    var tokens = split(file(&author))
    for _ in 0..<author.random.below(4) { mutate(&tokens, &author.random) }
    return TextTrial(tokens: tokens)
  }

  private static func file(_ author: inout Author) -> String {
    var text = author.random.pick([
      "rules_version = '2';\n", "rules_version='2'\n", "rules_version = '1';\n", "",
      "// c\nrules_version = \"2\";\n",
    ])
    if author.random.happens(150) { text += "function top(a) { return a == 1; }\n" }
    let service = author.random.happens(60) ? author.random.pick(serviceNames) : "cloud.firestore"
    text += "service \(service) {\n"
    if author.random.happens(300) {
      text += "  function s() { let x = 1; return x > \(author.leaf(.int).text); }\n"
    }
    text += "  match /databases/{database}/documents {\n"
    for _ in 0..<1 + author.random.below(2) {
      let path = author.random.pick([
        "/a/{id}", "/a/{id=**}", "/{p=**}/a/{id}", "/a/b/c/{id}", "/a/{id}/b/{c}", "/{id}",
      ])
      text += "    match \(path) {\n"
      if author.random.happens(400) {
        text += author.writeFunctions(count: 1).map { "      \($0.text)\n" }.joined()
      }
      for _ in 0..<author.random.below(3) {
        let methods = author.random.pick([
          "read", "get, list", "write", "create,update", "delete", "read, write", "fetch",
        ])
        text +=
          "      allow \(methods)"
          + author.random.pick([
            ";", ": if true;", ": if \(author.expression(.bool, depth: 2).text);",
            ": if \(author.expression(.bool, depth: 3).text)",
          ]) + "\n"
      }
      if author.random.happens(200) { text += "      match /n/{m} { allow read: if m == id; } /* x */\n" }
      text += "    }\n"
    }
    return text + "  }\n}\n"
  }

  private static let serviceNames = [
    "firebase.storage", "firebase.rules_version", "rules_version", "cloud.f_x", "a_b", "_", "match",
    "match.x", "let",
    "package", "true", "true.a", "cloud-x.y", "-", "1.2", "cloud.", ".", "cloud . firestore", "cloud/*x*/.a",
  ]

  /// Words, strings, white space and single signs.
  private static func split(_ text: String) -> [String] {
    var tokens: [String] = []
    var rest = Substring(text)
    while let first = rest.first {
      let token: Substring
      if first.isLetter || first == "_" || first.isNumber {
        token = rest.prefix { $0.isLetter || $0 == "_" || $0.isNumber }
      } else if first.isWhitespace {
        token = rest.prefix { $0.isWhitespace }
      } else {
        token = rest.prefix(1)
      }
      tokens.append(String(token))
      rest = rest.dropFirst(token.count)
    }
    return tokens
  }

  private static func mutate(_ tokens: inout [String], _ random: inout Seeded) {
    guard tokens.count > 1 else { return }
    let at = random.below(tokens.count)
    switch random.below(7) {
    case 0: tokens.remove(at: at)
    case 1: tokens.insert(tokens[at], at: at)
    case 2: tokens.swapAt(at, random.below(tokens.count))
    case 3: tokens[at] = random.pick(pool)
    case 4: tokens.insert(random.pick(pool), at: at)
    case 5:
      // Everywhere, so that only the name is at fault.
      let name = tokens[at]
      guard name.first?.isLetter == true else { return }
      let word = random.pick(words)
      tokens = tokens.map { $0 == name ? word : $0 }
    default: tokens.removeSubrange(at..<min(tokens.count, at + 1 + random.below(4)))
    }
  }

  /// Words of this language and of others, some of which it keeps for itself.
  private static let words = [
    "abstract", "all", "and", "any", "arguments", "as", "assert", "async", "await", "break", "case", "catch",
    "class",
    "const", "continue", "debug", "default", "defer", "delete", "deny", "do", "each", "elif", "else", "enum",
    "exists",
    "export", "extends", "extern", "final", "finally", "for", "foreach", "from", "func", "goto", "guard",
    "implements",
    "include", "instanceof", "interface", "lambda", "loop", "module", "namespace", "new", "nil", "none",
    "not", "of",
    "or", "package", "private", "public", "repeat", "require", "self", "static", "struct", "super", "switch",
    "then",
    "this", "throw", "try", "type", "typeof", "undefined", "union", "unless", "until", "use", "var", "void",
    "when",
    "where", "while", "with", "xor", "yield",
  ]

  private static let pool = [
    "(", ")", "{", "}", "[", "]", ",", ";", ":", ".", "/", "$(", "=", "==", "===", "!", "&&", "||", "?", "&",
    "|", "<",
    ">", "+", "-", "*", "%", "'", "\"", "'a'", "1", "1.5", "1.", ".5", "0x1", "a", "match", "allow", "if",
    "function",
    "return", "let", "in", "is", "int", "true", "null", "service", "rules_version", "import", "//", "/*",
    "*/", "\n", " ",
    "/a", "{x}", "{x=**}", "=**", "**", "$", "@", "#", "\\", "~", "^", "`", "é", "b'a'", "r'a'", "read",
    "get", "list",
    "resource", "request", "cloud.firestore", "firebase.storage", "(default)", "9223372036854775808", "\t",
    "\r", "\u{B}", "\u{0}",
  ]
}
