/// From counts to a report.

extension CoverageReport {
  init(_ ruleset: Ruleset, _ state: RuleCoverage.State) {
    let maker = CoverageMaker(ruleset, state)
    source = ruleset.source
    spans = ruleset.spans
    entries = CoverageOutline(ruleset.syntax).roots.compactMap { maker.entry($0) }
    allows = maker.allows()
    functions = ruleset.resolution.functions.map { function in
      FunctionCoverage(
        number: function.number, name: function.name.text,
        position: ruleset.source.position(of: function.span.start), calls: state.calls[function.number])
    }
    units = maker.units()
    operations = state.operations
    isCut = state.isCut
  }
}

private struct CoverageMaker {
  let ruleset: Ruleset
  let state: RuleCoverage.State
  /// By allow number: the blocks around it, as names.
  private var blocks: [[String]]
  private var conditions: [ExpressionNode?]
  private var isForeign: [Bool]

  init(_ ruleset: Ruleset, _ state: RuleCoverage.State) {
    self.ruleset = ruleset
    self.state = state
    blocks = Array(repeating: [], count: ruleset.syntax.allowCount)
    conditions = Array(repeating: nil, count: ruleset.syntax.allowCount)
    isForeign = Array(repeating: false, count: ruleset.syntax.allowCount)
    for service in ruleset.syntax.services {
      for match in service.matches {
        collect(match, around: [], isForeign: service.name.text != "cloud.firestore")
      }
    }
  }

  private mutating func collect(_ match: MatchSyntax, around: [String], isForeign: Bool) {
    let names = around + Self.names(match, ruleset.source)
    for allow in match.allows {
      blocks[allow.number] = names
      conditions[allow.number] = allow.condition
      self.isForeign[allow.number] = isForeign
    }
    for inner in match.matches { collect(inner, around: names, isForeign: isForeign) }
  }

  private static func names(_ match: MatchSyntax, _ source: SourceText) -> [String] {
    var names = [source.text(of: match.patternSpan)]
    if let id = match.id { names.append(id.text) }
    let written = match.pattern.compactMap { segment -> String? in
      if case .literal(let text) = segment.kind { text } else { nil }
    }
    if let last = written.last { names.append(last) }
    return names
  }

  // MARK: entries

  func entry(_ root: OutlineRoot) -> CoverageEntry? {
    guard let node = root.node else { return nil }
    switch root.owner {
    case .function(let function): return entry(node, opportunities: state.calls[function.number])
    case .allow(let allow):
      let counts = state.allows[allow.number]
      return entry(node, opportunities: counts.granted + counts.refused + counts.failed)
    }
  }

  private func entry(_ node: OutlineNode, opportunities: Int) -> CoverageEntry {
    let children = node.children.map { entry($0, opportunities: opportunities) }
    switch node.subject {
    case .expression(let number):
      let counts = state.entries[number]
      return CoverageEntry(
        number: number, span: node.span, opportunities: opportunities, evaluations: counts.evaluations,
        truths: counts.truths, falsehoods: counts.falsehoods, errors: counts.errors, values: counts.values,
        children: children)
    case .lets(let function):
      let result = result(of: function)
      return CoverageEntry(
        number: nil, span: node.span, opportunities: opportunities, evaluations: result.evaluations,
        truths: result.truths, falsehoods: result.falsehoods, errors: result.errors, values: result.values,
        children: children)
    }
  }

  /// What a function gave: the values of its `return`.
  private func result(of function: FunctionSyntax) -> RuleCoverage.Entry {
    let result = function.result.unwrapped
    guard case .literal(let literal) = result.kind else { return state.entries[result.number] }
    let calls = state.calls[function.number]
    var entry = RuleCoverage.Entry()
    entry.evaluations = calls
    if calls > 0 { entry.values = [CountedValue(value: Self.value(of: literal), count: calls)] }
    if case .boolean(let flag) = literal { entry.truths = flag ? calls : 0 }
    if case .boolean(let flag) = literal { entry.falsehoods = flag ? 0 : calls }
    return entry
  }

  private static func value(of literal: LiteralSyntax) -> RecordedValue {
    switch literal {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .float(let number): .float(RecordedValue.FloatBits(number))
    case .string(let text): .string(text)
    case .bytes(let bytes): .bytes(bytes)
    }
  }

  // MARK: allows and units

  func allows() -> [AllowCoverage] {
    ruleset.syntax.allows.map { allow in
      let counts = state.allows[allow.number]
      let place = allow.condition?.span.start ?? allow.span.start
      return AllowCoverage(
        number: allow.number, id: id(of: allow), position: ruleset.source.position(of: place),
        granted: counts.granted, refused: counts.refused, failed: counts.failed,
        isConstant: Self.constant(allow.condition) != nil, isForeign: isForeign[allow.number])
    }
  }

  private func id(of allow: AllowSyntax) -> String {
    let known = ruleset.allowPlaces[allow.number].id
    return known.isEmpty ? allow.methods.map(\.name.text).joined(separator: ", ") : known
  }

  /// The answer of a condition that has only one.
  private static func constant(_ condition: ExpressionNode?) -> Bool? {
    guard let condition else { return true }
    if case .literal(.boolean(let flag)) = condition.unwrapped.kind { return flag }
    return nil
  }

  func units() -> [CoverageUnit] {
    let callers = FunctionCallers(ruleset)
    return BooleanUnits(ruleset.syntax, ruleset.resolution).units.map { unit in
      switch unit.owner {
      case .allow(let number): self.unit(unit, ruleset.allowPlaces[number].id, blocks[number])
      case .function(let number):
        self.unit(
          unit, ruleset.resolution.functions[number].name.text + "()",
          callers.allows(calling: number).flatMap { blocks[$0] })
      }
    }.sorted { $0.span.start < $1.span.start }
  }

  private func unit(_ unit: BooleanUnit, _ owner: String, _ blocks: [String]) -> CoverageUnit {
    let names = Array(Set(blocks)).sorted()
    if unit.isAllow, case .allow(let number) = unit.owner {
      let counts = state.allows[number]
      let span = unit.expression?.span ?? ruleset.allowPlaces[number].span
      let constant = Self.constant(unit.expression)
      return CoverageUnit(
        owner: owner, isAllow: true, span: span, position: ruleset.source.position(of: span.start),
        text: OneLine.text(ruleset.source.text(of: span)), truths: counts.granted,
        falsehoods: counts.refused + counts.failed, errors: counts.failed,
        evaluations: counts.granted + counts.refused + counts.failed, wantsTrue: constant != false,
        wantsFalse: constant != true, blocks: names)
    }
    let number = unit.expression?.number ?? 0
    let span = ruleset.spans[number]
    let counts = state.entries[number]
    return CoverageUnit(
      owner: owner, isAllow: false, span: span, position: ruleset.source.position(of: span.start),
      text: OneLine.text(ruleset.source.text(of: span)), truths: counts.truths,
      falsehoods: counts.falsehoods, errors: counts.errors, evaluations: counts.evaluations,
      wantsTrue: true, wantsFalse: true, blocks: names)
  }
}

/// Which `allow`s call which functions, also through others.
private struct FunctionCallers {
  /// By function number.
  private var callers: [Set<Int>]

  init(_ ruleset: Ruleset) {
    let resolution = ruleset.resolution
    callers = Array(repeating: [], count: resolution.functions.count)
    for allow in ruleset.syntax.allows {
      guard let condition = allow.condition else { continue }
      var reached: Set<Int> = []
      Self.walk(condition, resolution, &reached)
      for function in reached { callers[function].insert(allow.number) }
    }
  }

  func allows(calling function: Int) -> [Int] { Array(callers[function]) }

  private static func walk(_ node: ExpressionNode, _ resolution: Resolution, _ reached: inout Set<Int>) {
    if case .function(let number) = resolution.binding(of: node), reached.insert(number).inserted {
      let function = resolution.functions[number]
      for binding in function.lets { walk(binding.value, resolution, &reached) }
      walk(function.result, resolution, &reached)
    }
    for child in node.children { walk(child, resolution, &reached) }
  }
}

extension RulesetSyntax {
  /// Every `allow`, by number.
  var allows: [AllowSyntax] {
    var found: [AllowSyntax] = []
    func collect(_ match: MatchSyntax) {
      found += match.allows
      for inner in match.matches { collect(inner) }
    }
    for service in services { for match in service.matches { collect(match) } }
    return found.sorted { $0.number < $1.number }
  }
}

/// Source text on one line, for lists.
package enum OneLine {
  package static func text(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// At most `most` characters, with the middle left out.
  package static func text(_ text: String, most: Int) -> String {
    let line = Self.text(text)
    guard line.count > most, most > 3 else { return line }
    let head = (most - 1) * 2 / 3
    return line.prefix(head) + "…" + line.suffix(most - 1 - head)
  }
}
