/// The texts of a run, one for every index.
public struct RulesTexts: Sendable {
  private let seed: UInt64
  private let files: [[UInt8]]
  private let isShort: Bool

  /// - Parameters:
  ///   - files: texts that mutations start from, besides our own.
  ///   - isShort: texts of one rule, mostly below 400 bytes, of which a machine does many more.
  public init(seed: UInt64, files: [[UInt8]] = [], isShort: Bool = false) {
    self.seed = seed
    self.files = SeedTexts.files + files.map { Array($0.prefix(TextMutation.bytesMax)) }
    self.isShort = isShort
  }

  /// The text number `index`: always the same for one seed and one set of files.
  public func text(_ index: UInt64) -> [UInt8] {
    var random = FuzzRandom(seed: seed, index: index)
    if isShort { return shortText(&random) }
    switch random.below(200) {
    case 0: return hostile(&random)
    case 1..<70:
      return mutated(random.pick(files), random)
    case 70..<120: return generated(random)
    case 120..<175: return mutated(generated(FuzzRandom(seed: random.next())), random)
    default: return soup(&random)
    }
  }

  private func generated(_ random: FuzzRandom) -> [UInt8] {
    var grammar = RulesetGrammar(random)
    return grammar.ruleset()
  }

  private func mutated(_ text: [UInt8], _ random: FuzzRandom) -> [UInt8] {
    var mutation = TextMutation(random: random, files: files)
    return mutation.mutated(text)
  }

  /// One rule: as the grammar makes it, changed, or with words for a condition.
  private func shortText(_ random: inout FuzzRandom) -> [UInt8] {
    switch random.below(10) {
    case 0..<4: return rule(random)
    case 4..<8: return mutated(rule(FuzzRandom(seed: random.next())), random)
    default: return soup(&random, wordsMax: 16)
    }
  }

  private func rule(_ random: FuzzRandom) -> [UInt8] {
    var grammar = RulesetGrammar(random)
    return grammar.rule()
  }

  private func hostile(_ random: inout FuzzRandom) -> [UInt8] {
    let shape = random.pick(HostileTexts.shapes)
    return shape.build(1 << (4 + random.below(10)))
  }

  private func soup(_ random: inout FuzzRandom, wordsMax: Int = 60) -> [UInt8] {
    let separator = random.oneIn(2) ? " " : ""
    let words = (0..<(1 + random.below(wordsMax))).map { _ in random.pick(SeedTexts.words) }.joined(
      separator: separator)
    guard random.oneIn(2) else { return Array(words.utf8) }
    let head =
      "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { match /t/{id} {"
    return Array("\(head) allow read, write: if \(words); }}}".utf8)
  }
}
