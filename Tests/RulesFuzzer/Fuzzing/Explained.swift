/// Disagreements that are meant to be. Each has its reason here and in docs/differences.md.

/// One row: how it is recognised, and why it is so.
struct ExplainedRow: Sendable {
  enum Test: Sendable {
    /// Our engine agrees as soon as `get` of a missing document fails.
    case missingDocuments
    /// Our engine agrees as soon as it prints floats as the official emulator prints them one by one.
    case floatTexts
    /// Our engine agrees as soon as its clock shows a time that the official reasons name.
    case clock
    /// Both refuse, and each pair of reasons counts as one.
    case texts(@Sendable (_ official: String, _ ours: String) -> Bool)
    /// Both refuse a request of several parts, and the official reasons are all "evaluation error".
    case openRound
    /// The verdict is the official one as soon as each write of a commit is judged by itself.
    case sideBySide
    /// The official engine refuses, and ours met an error inside a literal.
    case brokenLiteral
    /// A query that names its document asks for the state after a commit, and the official reasons are all
    /// "evaluation error", or that another operand is no bool.
    case afterInNamedQuery
    /// Both refuse, and ours met a replacement that names no group; the official reasons are all "evaluation error",
    /// or ours is that replacement.
    case brokenReplacement
    /// Ours met a set in `is set`; the official engine may decide otherwise.
    case setIsSet
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
      name: "digits of a float",
      reason:
        "Java before 19 prints more digits than needed; asked for each number by itself, with its texts ours agrees",
      test: .floatTexts),
    ExplainedRow(
      name: "request.time",
      reason: "nobody can set the official emulator's clock; at the time that its reason names ours agrees",
      test: .clock),
    ExplainedRow(
      name: "open round",
      reason:
        "with several disjuncts or writes it may end with one whose documents it has not fetched yet: evaluation error, where ours names what the documents lead to",
      test: .openRound),
    ExplainedRow(
      name: "accesses of another write",
      reason:
        "what one write asked for is free for the next; the official emulator judges them side by side, and fetches nothing that a verdict does not need",
      test: .sideBySide),
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
    ExplainedRow(
      name: "replacement without group",
      reason:
        "the official engine breaks off at one, and answers UNKNOWN or what it had come to without documents; ours denies with a text of its own",
      test: .brokenReplacement),
    ExplainedRow(
      name: "is set",
      reason:
        "a set is a set, as the reference of the language has it; the official emulator says of no value that it is one",
      test: .setIsSet),
  ]
}
