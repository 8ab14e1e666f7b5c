/// What decides the words of a refusal, in one evaluation.
///
/// Finding the words evaluates every part of a condition again, for each part that it is in. All that the words depend
/// on is found on the way of one evaluation: which `allow`s are tried, and what comes out of the parts that logic and
/// calls join.

/// The `allow`s that were tried and what their parts came to, in the order of evaluation.
///
/// INVARIANT: two refusals by one ruleset with equal trails have the same words. Logic and calls are functions of what
/// they join, and words are made of the rules' text, the places of faults and the messages of faults.
struct RefusalTrail: Hashable {
  /// LIMIT: of a trail that is kept. A message may hold what a client sent.
  private static let wordsMax = 512
  /// What a condition may have spent if its parts are to have what it came to: walking through it evaluates the
  /// arguments of calls twice more, and then nothing may be exhausted that was not.
  private static let spentMax = Evaluation.budget / 4
  /// The same for steps, of which a thousand parts may each take as many as the whole.
  private static let workShare = 4_096

  /// What the low byte of a word says it is; a text is followed by its bytes.
  private enum Mark: UInt64 {
    case allow, boolean, fault, other, text
  }

  private var words: [UInt64] = []

  init() { words.reserveCapacity(32) }

  func hash(into hasher: inout Hasher) { words.withUnsafeBytes { hasher.combine(bytes: $0) } }

  /// An `allow` is tried: the place of its condition in the table, which differs by method.
  mutating func begin(allow: Int) { note(.allow, UInt64(truncatingIfNeeded: allow)) }

  /// A part came to a value.
  mutating func note(_ value: Operand, _ e: Evaluation) {
    switch value {
    case .boolean(let flag): note(.boolean, flag ? 1 : 0)
    case .fault(let code, let node, let detail):
      note(.fault, UInt64(code.rawValue) | UInt64(UInt32(bitPattern: node)) &<< 16)
      if detail >= 0 { note(text: e.message(detail)) }
    default: note(.other, UInt64(value.kind.rawValue))
    }
  }

  private mutating func note(_ mark: Mark, _ content: UInt64) { words.append(mark.rawValue | content &<< 8) }

  private mutating func note(text: String) {
    var text = text
    text.withUTF8 { bytes in
      note(.text, UInt64(bytes.count))
      guard bytes.count < 8 * Self.wordsMax else {
        words += repeatElement(0, count: Self.wordsMax)
        return
      }
      for start in stride(from: 0, to: bytes.count, by: 8) {
        words.append(
          bytes[start..<min(start + 8, bytes.count)].reduce(0) { $0 &<< 8 | UInt64($1) })
      }
    }
  }

  /// Whether what was evaluated so far decides the words.
  func isTelling(_ e: Evaluation) -> Bool {
    words.count < Self.wordsMax && e.spent <= Self.spentMax && e.work <= e.workMax / Self.workShare
  }
}
