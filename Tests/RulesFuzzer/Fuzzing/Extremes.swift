/// Cases at the limits: the evaluation budget, depth, document accesses, calls, the length of patterns.

internal import Rules

extension Author {
  /// A condition at or near a limit.
  mutating func extreme() -> ConditionTrial {
    let scene = self.scene(random.pick([.get, .update, .create, .delete]))
    var functions: [FunctionPhrase] = []
    let condition: Phrase
    switch random.below(9) {
    case 0: condition = balanced(random.pick([320, 333, 334, 335, 336, 350]), "&&", "true")
    case 1: condition = chain(95 + random.below(8), " && ", "true")
    case 2: condition = chain(95 + random.below(8), " || ", "false")
    case 3:
      let depth = 94 + random.below(8)
      condition = Phrase(
        .bool,
        String(repeating: random.pick(["(", "!(", "!"]), count: depth) + "true"
          + String(repeating: ")", count: depth))
    case 4: condition = accesses(8 + random.below(5))
    case 5: (functions, condition) = doubling(6 + random.below(4))
    case 6: (functions, condition) = tower(19 + random.below(5))
    case 7: condition = longPattern()
    default:
      let inner = expression(.bool, depth: 2)
      condition = Phrase(
        .bool, parts: ["", " || ", ""],
        children: [balanced(random.pick([330, 334, 400]), "&&", "true").inParentheses, inner.inParentheses],
        isOperator: true)
    }
    return ConditionTrial(functions: functions, condition: condition, scene: scene)
  }

  /// A tree of operators, as flat as it can be.
  private func balanced(_ count: Int, _ symbol: String, _ literal: String) -> Phrase {
    if count <= 1 { return Phrase(.bool, literal) }
    return Phrase(
      .bool, parts: ["(", " \(symbol) ", ")"],
      children: [balanced(count / 2, symbol, literal), balanced(count - count / 2, symbol, literal)])
  }

  private func chain(_ count: Int, _ separator: String, _ literal: String) -> Phrase {
    Phrase(
      .bool, parts: ["", ""], children: (0..<count).map { _ in Phrase(.bool, literal) }, separator: separator,
      isOperator: true)
  }

  /// Different documents, asked for by different functions, some of them twice.
  private mutating func accesses(_ count: Int) -> Phrase {
    var children: [Phrase] = []
    for index in 0..<count {
      let path = "/databases/$(database)/documents/u/c\(index)"
      let call = random.pick([
        "exists(\(path))", "existsAfter(\(path))", "get(\(path)).data.n == \(index)",
        "getAfter(\(path)).id == 'c\(index)'",
      ])
      children.append(Phrase(.bool, call))
      if random.happens(200) { children.append(Phrase(.bool, "exists(\(path))")) }
    }
    if random.happens(300) {
      children.append(Phrase(.bool, "exists(/databases/$(database)/documents/u/none)"))
    }
    return Phrase(
      .bool, parts: ["", random.pick(["", " || true", " && true"])], children: children,
      separator: random.pick([" && ", " && ", " || false || "]), isOperator: true)
  }

  /// Functions that call the one before twice: the cost doubles.
  private func doubling(_ count: Int) -> ([FunctionPhrase], Phrase) {
    let functions = (0..<count).map { number in
      FunctionPhrase(
        name: "f\(number)", parameters: [], lets: [],
        result: Phrase(.bool, number == 0 ? "true" : "f\(number - 1)() && f\(number - 1)()"))
    }
    return (functions, Phrase(.bool, "f\(count - 1)()"))
  }

  /// Functions that call each other, as deep as calls may go.
  private func tower(_ count: Int) -> ([FunctionPhrase], Phrase) {
    let functions = (0..<count).map { number in
      FunctionPhrase(
        name: "f\(number)", parameters: ["x"], lets: [],
        result: Phrase(.bool, number == 0 ? "x" : "f\(number - 1)(x)"))
    }
    return (functions, Phrase(.bool, "f\(count - 1)(true)"))
  }
}
