/// Rules in a form in which it shows that two texts decide alike.
///
/// Functions are put in where they are called; bounds that a size cannot cross are one bound; what a default
/// value comes to counts, not the value. The conditions of one block for one method are then compared as
/// formulas of three values (true, false, none) over what is left.
///
/// INVARIANT: rulesets that are the same give every request of a suite the same verdict for the same kind of
/// reason. They may differ in what a verdict costs and in how it is explained.
/// Assumed: a request that reads has one moment, so `getAfter` is `get` there; a commit's `verify`, which suites
/// cannot write, is judged as a `get` with two moments.

internal import Rules

struct CanonicalRules: Sendable {
  private struct Entry: Sendable {
    let pattern: String
    let conditions: [CanonicalTerm]
    let text: String

    init(pattern: String, conditions: [CanonicalTerm]) {
      self.pattern = pattern
      self.conditions = conditions
      text = pattern + conditions.map(\.text).joined(separator: ";")
    }
  }

  /// By match and method; matches keep their numbers in mutants.
  private let entries: [Entry]
  private let isCut: Bool

  init(_ rules: Ruleset) {
    var entries: [Entry] = []
    var isCut = false
    for match in rules.resolution.matches {
      let pattern = match.pattern.map { "\($0.kind)" }.joined()
      for method in RuleMethod.allCases {
        var conditions: [CanonicalTerm] = []
        for allow in match.allows where allow.methods.contains(where: { $0.method?.includes(method) == true })
        {
          var writer = CanonicalWriter(rules, isRead: !method.isWrite)
          conditions.append(allow.condition.map { writer.term($0) } ?? .leaf("true"))
          isCut = isCut || writer.isCut
        }
        entries.append(Entry(pattern: pattern, conditions: conditions))
      }
    }
    self.entries = entries
    self.isCut = isCut
  }

  func isSame(as other: CanonicalRules) -> Bool {
    guard !isCut, !other.isCut, entries.count == other.entries.count else { return false }
    return zip(entries, other.entries).allSatisfy { mine, theirs in
      mine.text == theirs.text
        || (mine.pattern == theirs.pattern
          && !mine.conditions.isEmpty && !theirs.conditions.isEmpty
          && Formula.areSame(.or(mine.conditions), .or(theirs.conditions)))
    }
  }
}

extension AllowMethod {
  func includes(_ method: RuleMethod) -> Bool {
    switch self {
    case .read: method == .get || method == .list
    case .write: method.isWrite
    case .get: method == .get
    case .list: method == .list
    case .create: method == .create
    case .update: method == .update
    case .delete: method == .delete
    }
  }
}

/// A condition, written out.
indirect enum CanonicalTerm: Sendable {
  case leaf(String)
  case integer(Int64)
  /// `map.get(key, text)`
  case defaulted([CanonicalTerm], String)
  case and([CanonicalTerm])
  case or([CanonicalTerm])
  case not(CanonicalTerm)
  case node(String, [CanonicalTerm])

  var text: String {
    switch self {
    case .leaf(let text): text
    case .integer(let number): String(number)
    case .defaulted(let terms, let text): "default(" + Self.list(terms) + "," + text + ")"
    case .and(let terms): "and(" + Self.list(terms) + ")"
    case .or(let terms): "or(" + Self.list(terms) + ")"
    case .not(let term): "not(" + term.text + ")"
    case .node(let name, let terms): name + "(" + Self.list(terms) + ")"
    }
  }

  private static func list(_ terms: [CanonicalTerm]) -> String { terms.map(\.text).joined(separator: ",") }
}

struct CanonicalWriter {
  /// LIMIT: terms of one condition with all its functions put in.
  private static let termsMax = 20_000

  private let rules: Ruleset
  /// Whether the condition is one of a read.
  private let isRead: Bool
  private var count = 0
  private(set) var isCut = false

  private struct Frame {
    var parameters: [CanonicalTerm] = []
    var lets: [CanonicalTerm] = []
  }

  private var frame = Frame()

  init(_ rules: Ruleset, isRead: Bool) {
    self.rules = rules
    self.isRead = isRead
  }

  mutating func term(_ node: ExpressionNode) -> CanonicalTerm {
    count += 1
    guard count < Self.termsMax else {
      isCut = true
      return .leaf("…")
    }
    switch node.kind {
    case .parenthesized(let inner): return term(inner)
    case .literal(.integer(let number)): return .integer(number)
    case .literal, .missing: return .leaf(rules.source.text(of: node.span))
    case .identifier(let name): return identifier(name, node)
    case .member(let base, let name, _): return .node("." + name, [term(base)])
    case .index(let base, let index): return .node("[]", [term(base), term(index)])
    case .slice(let base, let lower, let upper):
      return .node("[:]", [base, lower, upper].map { node in node.map { term($0) } ?? .leaf("") })
    case .call(let name, _, let arguments): return call(name, arguments, node)
    case .methodCall(let receiver, let name, _, let arguments):
      if name == "get", arguments.count == 2, case .literal(.string(let text)) = arguments[1].unwrapped.kind,
        let fallback = Self.plain(text)
      {
        return .defaulted([term(receiver), term(arguments[0])], fallback)
      }
      return .node("." + name + "()", terms([receiver] + arguments))
    case .unary(.not, let operand): return .not(term(operand))
    case .unary(.negate, let operand):
      let value = term(operand)
      if case .integer(let number) = value, number != .min { return .integer(-number) }
      return .node("-", [value])
    case .binary(let symbol, _, let left, let right): return binary(symbol, term(left), term(right))
    case .typeTest(let value, let name, _): return question("is " + name, [term(value)])
    case .ternary(let condition, let then, let otherwise):
      return .node("?:", terms([condition, then, otherwise]))
    case .list(let elements): return .node("list", terms(elements))
    case .map(let entries): return .node("map", terms(entries.flatMap { [$0.key, $0.value] }))
    case .path(let segments):
      return .node(
        "path",
        segments.map { segment in
          switch segment.kind {
          case .literal(let text): .leaf("/" + text)
          case .variable(let name): .leaf("/{\(name)\(segment.isGlob ? "=**" : "")}")
          case .interpolation(let value): .node("/$", [term(value)])
          }
        })
    }
  }

  private mutating func terms(_ nodes: [ExpressionNode]) -> [CanonicalTerm] {
    var terms: [CanonicalTerm] = []
    for node in nodes { terms.append(term(node)) }
    return terms
  }

  private func identifier(_ name: String, _ node: ExpressionNode) -> CanonicalTerm {
    let binding = rules.resolution.binding(of: node)
    if case .parameter(let place) = binding, frame.parameters.indices.contains(place) {
      return frame.parameters[place]
    }
    if case .local(let place) = binding, frame.lets.indices.contains(place) { return frame.lets[place] }
    if case .capture(let match, let segment) = binding { return .leaf("$\(match).\(segment)") }
    return .leaf(name)
  }

  private mutating func call(
    _ name: String, _ arguments: [ExpressionNode], _ node: ExpressionNode
  ) -> CanonicalTerm {
    let arguments = terms(arguments)
    guard case .function(let number) = rules.resolution.binding(of: node) else {
      let moment = isRead && name == "getAfter" ? "get" : isRead && name == "existsAfter" ? "exists" : name
      return .node(moment + "()", arguments)
    }
    let function = rules.resolution.functions[number]
    guard function.parameters.count == arguments.count else { return .node(name + "()", arguments) }
    let outer = frame
    defer { frame = outer }
    frame = Frame(parameters: arguments)
    for binding in function.lets { frame.lets.append(term(binding.value)) }
    let result = term(function.result)
    // Arguments and `let`s are evaluated whether they are used or not: what could fail is kept.
    let kept = (arguments + frame.lets).filter { !$0.isSafe }.map(\.withoutFallback)
    return kept.isEmpty ? result : .node("with", [result] + kept)
  }

  private func binary(
    _ symbol: BinaryOperator, _ left: CanonicalTerm, _ right: CanonicalTerm
  ) -> CanonicalTerm {
    switch symbol {
    case .and: return .and([left, right])
    case .or: return .or([left, right])
    case .equal: return question("==", Self.ordered(left, right))
    case .notEqual: return .not(question("==", Self.ordered(left, right)))
    case .greaterOrEqual, .greater:
      // A size is at least nothing.
      guard left.isSize, case .integer(let bound) = right else { break }
      let least = symbol == .greater ? bound.addingReportingOverflow(1).partialValue : bound
      return question(">=", [left, .integer(max(0, least))])
    case .less, .lessOrEqual:
      guard left.isSize, case .integer(let bound) = right else { break }
      let most = symbol == .less ? bound.subtractingReportingOverflow(1).partialValue : bound
      return question("<=", [left, .integer(max(-1, most))])
    case .isIn, .add, .subtract, .multiply, .divide, .remainder: break
    }
    return .node(symbol.rawValue, [left, right])
  }

  private static func ordered(_ left: CanonicalTerm, _ right: CanonicalTerm) -> [CanonicalTerm] {
    left.text <= right.text ? [left, right] : [right, left]
  }

  /// A question about a value that may be a default: what the default's answer is, in place of the default.
  private func question(_ name: String, _ terms: [CanonicalTerm]) -> CanonicalTerm {
    guard let first = terms.first, let (place, fallback, isSize) = first.fallback else {
      return .node(name, terms)
    }
    let answer: Bool
    switch (name, terms.dropFirst().first) {
    case ("is string", nil) where !isSize: answer = true
    case (">=", .integer(let bound)) where isSize: answer = fallback.utf8.count >= bound
    case ("<=", .integer(let bound)) where isSize: answer = fallback.utf8.count <= bound
    default: return .node(name, terms)
    }
    let value = CanonicalTerm.node("default", place)
    return .node(
      "\(name) else \(answer)", [isSize ? .node(".size()", [value]) : value] + terms.dropFirst())
  }

  /// A text whose size is its number of bytes; nil for others.
  private static func plain(_ text: [UInt8]) -> String? {
    text.allSatisfy { $0 < 0x80 } ? String(decoding: text, as: UTF8.self) : nil
  }
}

extension CanonicalTerm {
  fileprivate var isSize: Bool {
    if case .node(".size()", let terms) = self { terms.count == 1 } else { false }
  }

  /// Whether it always has a value, and costs no document.
  fileprivate var isSafe: Bool {
    switch self {
    case .leaf, .integer: true
    case .defaulted, .and, .or, .not, .node: false
    }
  }

  /// What decides whether it has a value: a default always has one.
  fileprivate var withoutFallback: CanonicalTerm {
    if case .defaulted(let place, _) = self { .defaulted(place, "") } else { self }
  }

  /// The map and key, the text that stands for a missing value, and whether the size of it is asked.
  fileprivate var fallback: (place: [CanonicalTerm], text: String, isSize: Bool)? {
    switch self {
    case .defaulted(let place, let text): return (place, text, false)
    case .node(".size()", let terms):
      guard terms.count == 1, case .defaulted(let place, let text) = terms[0] else { return nil }
      return (place, text, true)
    case .node, .leaf, .integer, .and, .or, .not: return nil
    }
  }
}
