/// Disagreements that are meant to be. Each has its reason here and in docs/differences.md.

/// One row: how it is recognised, and why it is so.
struct ExplainedRow: Sendable {
  enum Test: Sendable {
    /// Our engine agrees as soon as `get` of a missing document fails.
    case missingDocuments
    /// Both refuse, and each pair of reasons counts as one.
    case texts(@Sendable (_ official: String, _ ours: String) -> Bool)
    /// Both refuse a request of several parts, and the official reasons are all "evaluation error".
    case openRound
    /// Both refuse, and ours met an error inside a literal.
    case brokenLiteral
    /// A query that names its document asks for the state after a commit, and the official reasons are all
    /// "evaluation error".
    case afterInNamedQuery
  }

  let name: String
  let reason: String
  let test: Test
}

enum Explained {
  static let rows: [ExplainedRow] = [
    ExplainedRow(
      name: "R1 missing document",
      reason:
        "get() of a missing document is null in production and in emulators from 1.22; 1.19 fails with a service call error",
      test: .missingDocuments),
    ExplainedRow(
      name: "order of names",
      reason: "names of one bucket of a hash set stand in the order in which its own maps were filled",
      test: .texts { left, right in
        left.hasPrefix("Variable(s) ") && right.hasPrefix("Variable(s) ") && left.sorted() == right.sorted()
      }),
    ExplainedRow(
      name: "last digits of a float",
      reason: "Java before 19 prints more digits than needed, and its libm rounds the last one differently",
      test: .texts { Digits.rounded($0) == Digits.rounded($1) }),
    ExplainedRow(
      name: "open round",
      reason:
        "with several ways or writes it may end with one whose documents it has not fetched yet: evaluation error, where ours names what the documents lead to",
      test: .openRound),
    ExplainedRow(
      name: "error inside a literal",
      reason:
        "after an error inside a list literal, before its last element, or inside a path literal, the official engine takes what is left over for the values of later expressions; which error it names then is chance",
      test: .brokenLiteral),
    ExplainedRow(
      name: "after, in a query by name",
      reason:
        "the official emulator never has the document of getAfter() and existsAfter() in a query that names its document; ours answers as get() and exists() do",
      test: .afterInNamedQuery),
  ]
}

/// Numbers in texts, without the digits that nobody sees.
enum Digits {
  private static let kept = 14

  /// The text with every number that has a point rounded to 14 digits.
  static func rounded(_ text: String) -> String {
    var out = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(where: \.isNumber) {
      out += rest[..<start]
      let number = rest[start...].prefix { $0.isNumber || $0 == "." }
      out += number.contains(".") ? rounded(number: number) : String(number)
      rest = rest[number.endIndex...]
    }
    return out + rest
  }

  private static func rounded(number: Substring) -> String {
    guard number.count > kept, let value = Double(number) else { return String(number) }
    var scaled = value
    var exponent = 0
    while scaled >= 10 {
      scaled /= 10
      exponent += 1
    }
    while scaled > 0, scaled < 1 {
      scaled *= 10
      exponent -= 1
    }
    let unit = 1e13
    return "\((scaled * unit).rounded() / unit)e\(exponent)"
  }
}
