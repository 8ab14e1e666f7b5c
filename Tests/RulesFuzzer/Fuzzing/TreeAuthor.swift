/// Making trees of `match` blocks and requests that they grant.

internal import DocModel

extension TreeTrial {
  /// Case `number` of a seed.
  public static func generate(seed: UInt64, number: Int) -> TreeTrial {
    var author = TreeAuthor(random: Seeded(seed: seed ^ 0x7EE, number: number))
    return author.trial()
  }
}

private struct TreeAuthor {
  var random: Seeded
  var version = 2

  /// Names of the trial's own, so that no other trial's blocks or groups meet its documents.
  static let names = ["§", "§a", "§b"]

  mutating func trial() -> TreeTrial {
    version = random.happens(250) ? 1 : 2
    var roots: [TreeTrial.Block] = []
    for _ in 0..<1 + random.below(2) { roots.append(root()) }
    return TreeTrial(languageVersion: version, roots: roots, question: question(roots))
  }

  /// A block that begins with a name, or with a glob and a name.
  private mutating func root() -> TreeTrial.Block {
    let name = TreeTrial.Step.literal(random.pick(Self.names))
    guard version == 2, random.happens(500) else { return block([name], hasGlob: false, depth: 0) }
    return block([.glob, name], hasGlob: true, depth: 0)
  }

  private mutating func block(_ first: [TreeTrial.Step], hasGlob: Bool, depth: Int) -> TreeTrial.Block {
    var steps = first
    var hasGlob = hasGlob
    for _ in 0..<random.below(3) + (first.isEmpty ? 1 : 0) {
      // Version 1 allows a glob at the end of a pattern, and in any of nested ones.
      if case .glob? = steps.last, version == 1 { break }
      switch random.below(10) {
      case 0...2 where !hasGlob || (version == 1 && random.happens(200)):
        hasGlob = true
        steps.append(.glob)
      case 0...5: steps.append(.capture)
      default: steps.append(.literal(random.pick(Self.names)))
      }
    }
    var inner: [TreeTrial.Block] = []
    if depth < 3 {
      for _ in 0..<random.pick([0, 1, 1, 2]) { inner.append(block([], hasGlob: hasGlob, depth: depth + 1)) }
    }
    var allows: [String] = []
    for _ in 0..<(inner.isEmpty ? 1 : random.below(2)) { allows.append(condition()) }
    return TreeTrial.Block(steps: steps, allows: allows, inner: inner)
  }

  /// Half of them grant; the others tell what the captures are.
  private mutating func condition() -> String {
    random.pick([
      "true", "true", "true", "{}[#]", "{}[#]", "{}[string(@)]", "@ != null", "~ is path", "@ is string",
      "/x/$(~) != /x/y", "{}[string(/x/$(~)/y)]", "~ != /x/y", "{}[string(~[0])]", "{}[~[0] + '|' + #]",
      "[@].size() == 1", "!exists(/databases/$(database)/documents/$(~))", "# != 'x'",
      "/$(~) == ~", "string(/$(@)) != 'x'", "@ in ['§a', '§b']", "{'k': ~}.k != null",
    ])
  }

  // MARK: what is asked

  private mutating func question(_ roots: [TreeTrial.Block]) -> TreeTrial.Question {
    var segments = random.happens(900) ? fitting(roots) : free()
    if random.happens(100) { segments[random.below(segments.count)] = random.pick(Self.names) }
    guard random.happens(500) else { return .get(even(segments)) }
    segments = even(segments)
    let collection = segments[segments.count - 2]
    var parent = Array(segments.dropLast(2))
    guard random.happens(450) else { return .list(parent: parent, collection: collection, isGroup: false) }
    // The group is above what the path was made for, anywhere.
    parent.removeLast(parent.isEmpty ? 0 : 2 * random.below(parent.count / 2 + 1))
    return .list(parent: parent, collection: collection, isGroup: true)
  }

  private mutating func free() -> [String] { (0..<2 + random.below(6)).map { _ in segment() } }

  private mutating func segment() -> String { random.pick(Self.names + ["x", "y"]) }

  private mutating func even(_ segments: [String]) -> [String] {
    segments.count % 2 == 0 && !segments.isEmpty ? segments : segments + [segment()]
  }

  /// A path that one block fits as its text reads, or as blocks overlap behind a glob.
  private mutating func fitting(_ roots: [TreeTrial.Block]) -> [String] {
    var chain: [[TreeTrial.Step]] = []
    var blocks = roots
    while !blocks.isEmpty {
      let block = random.pick(blocks)
      chain.append(block.steps)
      if !block.allows.isEmpty, random.happens(500) { break }
      blocks = block.inner
    }
    return random.happens(500) ? inRow(chain) : overlapping(chain)
  }

  private mutating func inRow(_ chain: [[TreeTrial.Step]]) -> [String] {
    var segments: [String] = []
    for step in chain.joined() { append(step, to: &segments) }
    return segments
  }

  private mutating func overlapping(_ chain: [[TreeTrial.Step]]) -> [String] {
    var segments: [String] = []
    var position = 0
    for steps in chain {
      var start: Int?
      for step in steps {
        if case .glob = step {
          append(step, to: &segments)
          position = segments.count
          start = position
          continue
        }
        if position < segments.count {
          if case .literal(let name) = step { segments[position] = name }
        } else {
          append(step, to: &segments)
        }
        position += 1
      }
      if let start { position = start }
    }
    return segments
  }

  private mutating func append(_ step: TreeTrial.Step, to segments: inout [String]) {
    switch step {
    case .literal(let name): segments.append(name)
    case .capture: segments.append(segment())
    case .glob: for _ in 0..<random.below(4) { segments.append(segment()) }
    }
  }
}
