/// Conditions as formulas: `&&`, `||` and `!` over questions that may have no answer.

struct Formula {
  /// LIMIT: different questions of two conditions; there are three answers to each.
  private static let questionsMax = 9

  private enum Answer: CaseIterable { case yes, no, none }

  private indirect enum Part {
    case always(Answer)
    /// By its number.
    case question(Int)
    case and([Part])
    case or([Part])
    case not(Part)
  }

  /// Numbers of questions, by their texts: a text is made once, however many answers are tried.
  private var numbers: [String: Int] = [:]

  /// Whether two conditions have the same value whatever their questions come to.
  static func areSame(_ left: CanonicalTerm, _ right: CanonicalTerm) -> Bool {
    var formula = Formula()
    let (left, right) = (formula.part(left), formula.part(right))
    guard formula.numbers.count <= questionsMax else { return false }
    var answers = [Answer](repeating: .yes, count: formula.numbers.count)
    return agree(left, right, from: 0, &answers)
  }

  private mutating func part(_ term: CanonicalTerm) -> Part {
    switch term {
    case .and(let terms): return .and(parts(terms))
    case .or(let terms): return .or(parts(terms))
    case .not(let inner): return .not(part(inner))
    case .leaf("true"): return .always(.yes)
    case .leaf("false"): return .always(.no)
    case .leaf, .integer, .defaulted, .node:
      let text = term.text
      let number = numbers[text] ?? numbers.count
      numbers[text] = number
      return .question(number)
    }
  }

  private mutating func parts(_ terms: [CanonicalTerm]) -> [Part] {
    var parts: [Part] = []
    for term in terms { parts.append(part(term)) }
    return parts
  }

  private static func agree(_ left: Part, _ right: Part, from place: Int, _ answers: inout [Answer]) -> Bool {
    guard place < answers.count else { return value(left, answers) == value(right, answers) }
    for answer in Answer.allCases {
      answers[place] = answer
      if !agree(left, right, from: place + 1, &answers) { return false }
    }
    return true
  }

  private static func value(_ part: Part, _ answers: [Answer]) -> Answer {
    switch part {
    case .always(let answer): return answer
    case .question(let number): return answers[number]
    case .and(let parts): return value(parts, answers, decidedBy: .no, otherwise: .yes)
    case .or(let parts): return value(parts, answers, decidedBy: .yes, otherwise: .no)
    case .not(let inner):
      switch value(inner, answers) {
      case .yes: return .no
      case .no: return .yes
      case .none: return .none
      }
    }
  }

  /// A part that decides does so wherever it stands, also behind one without an answer.
  private static func value(
    _ parts: [Part], _ answers: [Answer], decidedBy deciding: Answer, otherwise: Answer
  ) -> Answer {
    var result = otherwise
    for part in parts {
      let value = value(part, answers)
      if value == deciding { return deciding }
      if value == .none { result = .none }
    }
    return result
  }
}
