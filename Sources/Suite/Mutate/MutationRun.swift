/// Every mutant of a suite's rules against the suite's cases, on all cores.

internal import Access
internal import Rules
internal import RulesTools
internal import Synchronization

/// Deals out mutants by number.
private final class MutantQueue: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}

struct MutationRun: Sendable {
  let file: SuiteFile
  let recorded: [RecordedCase]
  let mutants: [Mutant]
  /// By expression number: the cases that evaluate it.
  private let touching: [[Int]]

  init(_ file: SuiteFile, _ recorded: [RecordedCase], _ mutants: [Mutant]) {
    self.file = file
    self.recorded = recorded
    self.mutants = mutants
    var touching = [[Int]](repeating: [], count: file.rules.syntax.expressionCount)
    for (index, recorded) in recorded.enumerated() {
      for number in recorded.touched { touching[number].append(index) }
    }
    self.touching = touching
  }

  enum MutantStatus: Sendable {
    case killed, survived, equivalent
    /// It does not compile.
    case invalid
  }

  /// What becomes of each mutant, in their order.
  func run(workers: Int) async throws(SuiteFailure) -> [MutantStatus] {
    let queue = MutantQueue()
    let original = CanonicalRules(file.rules)
    let results: [Result<[(Int, MutantStatus)], SuiteFailure>] = await withTaskGroup { group in
      for _ in 0..<max(1, workers) {
        group.addTask { work(queue, original) }
      }
      var results: [Result<[(Int, MutantStatus)], SuiteFailure>] = []
      for await result in group { results.append(result) }
      return results
    }
    var fates = [MutantStatus](repeating: .survived, count: mutants.count)
    for result in results {
      for (index, fate) in try result.get() { fates[index] = fate }
    }
    return fates
  }

  /// Takes one mutant after the other until there is none.
  private func work(_ queue: MutantQueue, _ original: CanonicalRules) -> Result<
    [(Int, MutantStatus)], SuiteFailure
  > {
    var judge = MutantJudge(file)
    defer { judge.close() }
    // The cases that notice most are asked first.
    var kills = [Int](repeating: 0, count: recorded.count)
    var fates: [(Int, MutantStatus)] = []
    while true {
      let index = queue.next()
      guard index < mutants.count else { return .success(fates) }
      do throws(SuiteFailure) {
        fates.append((index, try fate(of: mutants[index], &judge, &kills, original)))
      } catch {
        return .failure(error)
      }
    }
  }

  private func fate(
    of mutant: Mutant, _ judge: inout MutantJudge, _ kills: inout [Int], _ original: CanonicalRules
  ) throws(SuiteFailure) -> MutantStatus {
    let source = file.rules.source
    let compilation = RulesCompiler.compile(
      source: mutant.edit.applied(to: source.bytes), name: source.name, limitsSource: false, repairs: false)
    guard let rules = compilation.ruleset else { return .invalid }
    let texts = RuleTexts(rules, from: file.rules, by: mutant.edit)
    for index in candidates(of: mutant).sorted(by: { kills[$0] > kills[$1] }) {
      if try judge.fails(recorded[index], rules, texts) {
        kills[index] += 1
        return .killed
      }
    }
    return CanonicalRules(rules).isSame(as: original) ? .equivalent : .survived
  }

  /// Cases that the change may concern: those that evaluate the expression, or the nearest one around it that
  /// was written down.
  private func candidates(of mutant: Mutant) -> [Int] {
    guard let root = mutant.expressions.last else { return Array(recorded.indices) }
    let nearest = mutant.expressions.first { !touching[$0].isEmpty }
    return touching[nearest ?? root]
  }

  /// Whether any case could notice the change.
  func isReached(_ mutant: Mutant) -> Bool { !candidates(of: mutant).isEmpty }
}
