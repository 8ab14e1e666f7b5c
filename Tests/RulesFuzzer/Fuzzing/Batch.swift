/// Many trials in one ruleset: rules are loaded once, then each trial's request is asked.

internal import DocModel
internal import Rules

/// Both answers.
struct Outcome: Sendable {
  let ours: Answer
  let official: Answer
  /// The row that explains why they differ.
  var row: ExplainedRow?
}

/// Asks both engines.
final class Batch<Case: Trial> {
  private let official: OfficialEmulator
  private let floats: FloatTexts

  init(_ official: OfficialEmulator) {
    self.official = official
    floats = FloatTexts(official.sibling("floats"))
  }

  private static func head(_ version: Int) -> String {
    "rules_version = '\(version)';\nservice cloud.firestore { match /databases/{database}/documents {\n"
  }

  private func place(_ index: Int) -> Place { Place(project: official.project, collection: "t\(index)") }

  private func ruleset(_ trials: [Case], _ members: [Int]) -> String {
    Self.head(members.first.map { trials[$0].languageVersion } ?? 2)
      + members.map { place($0).fill(trials[$0].rules) + "\n" }.joined() + "}}\n"
  }

  /// Files of their own: only whether they compile.
  private func compile(_ trials: [Case]) throws(ConnectionError) -> [Outcome] {
    var outcomes: [Outcome] = []
    for trial in trials {
      let ours = Ruleset.compile(source: trial.rules, name: "fuzz.rules").ruleset
      let loading = try official.load(trial.rules)
      outcomes.append(
        Outcome(
          ours: ours == nil ? .refused : .granted,
          official: loading == .accepted
            ? .granted : loading == .refused ? .refused : .invalid("its compiler fails")))
    }
    return outcomes
  }

  /// Answers in the order of the trials.
  func ask(_ trials: [Case]) throws(ConnectionError) -> [Outcome] {
    if Case.isWhole { return try compile(trials) }
    var ours: [Answer] = Array(repeating: .refused, count: trials.count)
    var theirs = ours
    var compiling: [Int] = []
    var refused: [Int] = []
    for index in trials.indices {
      let compilation = Ruleset.compile(source: ruleset(trials, [index]), name: "fuzz.rules")
      if compilation.ruleset == nil { refused.append(index) } else { compiling.append(index) }
    }
    try store(trials)
    for index in refused {
      switch try official.load(ruleset(trials, [index])) {
      case .accepted: theirs[index] = .granted
      case .refused: theirs[index] = .refused
      case .failed: theirs[index] = .invalid("its compiler fails")
      }
    }
    var rows: [Int: ExplainedRow] = [:]
    for (_, members) in Dictionary(grouping: compiling, by: { trials[$0].languageVersion }).sorted(by: {
      $0.key < $1.key
    }) {
      try ask(trials, members, &ours, &theirs, &rows)
    }
    return trials.indices.map { Outcome(ours: ours[$0], official: theirs[$0], row: rows[$0]) }
  }

  private func store(_ trials: [Case]) throws(ConnectionError) {
    var documents = World.documents
    for index in trials.indices {
      let place = place(index)
      documents += trials[index].documents.map { (place.fill($0.path), place.fill($0.fields)) }
    }
    try official.store(documents)
  }

  /// Halves what the official compiler refuses until the guilty ones are alone.
  private func ask(
    _ trials: [Case], _ members: [Int], _ ours: inout [Answer], _ theirs: inout [Answer],
    _ rows: inout [Int: ExplainedRow]
  ) throws(ConnectionError) {
    guard !members.isEmpty else { return }
    let source = ruleset(trials, members)
    guard let compiled = Ruleset.compile(source: source, name: "fuzz.rules", limitsSource: false).ruleset
    else {
      // Alone they compile: together they reach a limit of files.
      guard members.count > 1 else { return }
      return try askHalves(trials, members, &ours, &theirs, &rows)
    }
    let loading = try official.load(source)
    guard loading == .accepted else {
      if members.count > 1 { return try askHalves(trials, members, &ours, &theirs, &rows) }
      ours[members[0]] = .granted
      if loading == .failed { theirs[members[0]] = .invalid("its compiler fails") }
      return
    }
    for index in members {
      let judged = Judged(
        trial: trials[index], ruleset: compiled, place: place(index),
        official: try official.judge(trials[index].request(at: place(index))), floats: floats)
      let outcome = try judged.outcome()
      ours[index] = outcome.ours
      theirs[index] = outcome.official
      rows[index] = outcome.row
    }
  }

  private func askHalves(
    _ trials: [Case], _ members: [Int], _ ours: inout [Answer], _ theirs: inout [Answer],
    _ rows: inout [Int: ExplainedRow]
  ) throws(ConnectionError) {
    let middle = members.count / 2
    try ask(trials, Array(members[..<middle]), &ours, &theirs, &rows)
    try ask(trials, Array(members[middle...]), &ours, &theirs, &rows)
  }
}
