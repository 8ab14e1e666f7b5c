/// One trial with the official answer: which of our answers to compare, and why they may differ.

internal import Rules

struct Judged<Case: Trial> {
  /// LIMIT: how often a case is judged again because it prints further floats.
  private static var roundsMax: Int { 5 }

  let trial: Case
  let ruleset: Ruleset
  let place: Place
  /// With all its entries.
  let official: Answer
  let floats: FloatTexts

  func outcome() throws(ConnectionError) -> Outcome {
    let plain = compare(Witness())
    guard plain.ours != plain.official else { return plain }
    for row in Explained.rows {
      if let explained = try row.outcome(self, plain) { return explained }
    }
    return plain
  }

  /// Our answer to a witness and the part of the official one that it stands against.
  func compare(_ witness: Witness) -> Outcome {
    let ours = trial.judge(ruleset, at: place, witness)
    guard case .denied(let entries) = official, case .denied(let own) = ours else {
      return Outcome(ours: ours, official: official)
    }
    let outcome = Outcome(ours: ours, official: .denied(trial.decisive(entries, own)))
    if outcome.ours == outcome.official { return outcome }
    for case .denied(let other) in trial.alternatives(ruleset, at: place, witness)
    where other == trial.decisive(entries, other) {
      return Outcome(ours: .denied(other), official: .denied(other))
    }
    return outcome
  }
}

extension ExplainedRow {
  /// The outcome with this row as its explanation; nil when it does not explain it.
  fileprivate func outcome<Case: Trial>(
    _ judged: Judged<Case>, _ plain: Outcome
  ) throws(ConnectionError) -> Outcome? {
    let isExplained =
      switch test {
      case .missingDocuments:
        judged.isAgreed(Witness(failsAtMissingDocuments: true))
      case .floatTexts: try judged.isAgreedInOfficialDigits()
      case .clock: judged.isAgreedAtOfficialTime()
      case .texts(let areSame): Self.areSame(plain, areSame)
      case .openRound: judged.isOpenRound(plain)
      case .sideBySide: judged.isAgreedSideBySide(plain)
      case .brokenLiteral: judged.metBrokenLiteral(plain)
      case .afterInNamedQuery: judged.trial.asksAfterByName && judged.isUndecided(plain, orTypeError: true)
      case .setIsSet: judged.metSet()
      case .brokenReplacement: judged.metReplacement(plain)
      }
    return isExplained ? Outcome(ours: plain.ours, official: plain.official, row: self) : nil
  }

  /// Whether both refuse, entry by entry for reasons that count as one.
  private static func areSame(_ outcome: Outcome, _ areSame: (String, String) -> Bool) -> Bool {
    guard case .denied(let theirs) = outcome.official, case .denied(let ours) = outcome.ours,
      theirs.count == ours.count
    else { return false }
    return zip(theirs, ours).allSatisfy { $0 == $1 || areSame($0, $1) }
  }
}

extension Judged {
  fileprivate func isAgreed(_ witness: Witness) -> Bool {
    let outcome = compare(witness)
    return outcome.ours == outcome.official
  }

  /// Whether ours agrees as soon as it prints floats as the official emulator does.
  fileprivate func isAgreedInOfficialDigits() throws(ConnectionError) -> Bool {
    for failsAtMissing in [false, true] {
      // With other texts it may come by other numbers.
      for _ in 0..<Self.roundsMax {
        let witness = Witness(failsAtMissingDocuments: failsAtMissing, floats: floats)
        let outcome = compare(witness)
        guard !witness.unknownFloats.isEmpty else {
          if outcome.ours == outcome.official { return true }
          break
        }
        try floats.learn(witness.unknownFloats)
      }
    }
    return false
  }

  /// Whether ours agrees as soon as its clock shows a time that the official reasons name.
  fileprivate func isAgreedAtOfficialTime() -> Bool {
    guard case .denied(let entries) = official, trial.rules.contains("request") else { return false }
    return entries.lazy.flatMap(Reasons.times).contains { time in
      [false, true].contains { isAgreed(Witness(failsAtMissingDocuments: $0, time: time)) }
    }
  }

  /// Whether the verdict is the official one as soon as no write profits from what another one asked for.
  fileprivate func isAgreedSideBySide(_ plain: Outcome) -> Bool {
    guard plain.ours.letter != plain.official.letter else { return false }
    return [false, true].contains { failsAtMissing in
      let witness = Witness(failsAtMissingDocuments: failsAtMissing, isSideBySide: true)
      return trial.judge(ruleset, at: place, witness).letter == plain.official.letter
    }
  }

  /// Whether the official engine refused before it had all documents.
  fileprivate func isOpenRound(_ plain: Outcome) -> Bool {
    guard case .denied = plain.ours, isUndecided(plain) else { return false }
    return !trial.alternatives(ruleset, at: place, Witness()).isEmpty
  }

  /// Whether the official engine refused and names nothing but "evaluation error".
  ///
  /// - Parameter orTypeError: or that another operand is no bool, beside which the undecided one is not seen.
  fileprivate func isUndecided(_ plain: Outcome, orTypeError: Bool = false) -> Bool {
    guard case .denied(let theirs) = plain.official else { return false }
    return theirs.allSatisfy {
      $0.hasPrefix("evaluation error at ") || (orTypeError && $0.contains("] Expected: [bool]. for "))
    }
  }

  /// Whether the official engine refuses, and an error inside a literal was met.
  fileprivate func metBrokenLiteral(_ plain: Outcome) -> Bool {
    guard case .denied(let theirs) = plain.official else { return false }
    if case .denied(let ours) = plain.ours, theirs.count != ours.count { return false }
    return hasMet(\.metBrokenLiteral)
  }

  /// Whether `is set` was true of something.
  fileprivate func metSet() -> Bool { trial.rules.contains("is set") && hasMet(\.metSet) }

  /// Whether the official engine broke off, and a replacement was met that names no group.
  ///
  /// It then answers what it had come to without documents: an evaluation error, or an error of another operand.
  fileprivate func metReplacement(_ plain: Outcome) -> Bool {
    guard trial.rules.contains(".replace("), case .denied = plain.official,
      case .denied(let ours) = plain.ours
    else { return false }
    let isOurs = ours.contains { $0.hasPrefix("The replacement names ") }
    return (isOurs || isUndecided(plain)) && hasMet(\.metReplacement)
  }

  /// Whether a look at every expression finds what is asked for, with or without missing documents that fail.
  private func hasMet(_ sight: (Witness) -> Bool) -> Bool {
    [false, true].contains { failsAtMissing in
      let witness = Witness(failsAtMissingDocuments: failsAtMissing, isThorough: true)
      _ = trial.judge(ruleset, at: place, witness)
      // The official engine also looks at the disjuncts of a query behind the first that is refused.
      _ = trial.alternatives(ruleset, at: place, witness)
      return sight(witness)
    }
  }
}
