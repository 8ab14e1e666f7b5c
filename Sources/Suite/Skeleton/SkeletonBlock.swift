/// One block of rules with a path that fits it, documents and requests.

internal import Conditions
internal import DocModel
internal import RulesTools

struct SkeletonBlock {
  let block: RulesSurvey.Block
  /// A document's.
  let path: [String]
  /// The segments of the path that stand for captures, by the place in the pattern.
  private let captured: [Int: String]

  /// Nil when no document can be below the pattern.
  init?(_ block: RulesSurvey.Block) {
    var path: [String] = []
    var captured: [Int: String] = [:]
    for (index, segment) in block.segments.enumerated() {
      switch segment {
      case .name(let name): path.append(name)
      case .capture:
        let isCaller = block.allFacts.contains { fact in
          fact == RulesSurvey.Fact(place: .capture(index), operand: .caller)
            || fact == RulesSurvey.Fact(place: .caller, operand: .capture(index))
        }
        path.append(
          isCaller ? SkeletonPersonas.user : Self.word(block, index) ?? Self.example(path))
      case .glob:
        // A glob is a document and what is below it, or the collections above what comes behind.
        let rest = block.segments.count - index - 1
        while (path.count + rest) % 2 == 1 || path.count == index { path.append(Self.example(path)) }
      }
      captured[index] = path.last
    }
    guard path.count % 2 == 0, !path.isEmpty else { return nil }
    self.block = block
    self.path = path
    self.captured = captured
  }

  /// The text that a rule compares a capture with.
  private static func word(_ block: RulesSurvey.Block, _ index: Int) -> String? {
    block.allFacts.lazy.compactMap { fact -> String? in
      guard fact.place == .capture(index), case .value(.string(let text)) = fact.operand, !text.isEmpty,
        !text.contains("/")
      else { return nil }
      return text
    }.first
  }

  /// `note1` below `notes`; a collection where one belongs.
  private static func example(_ path: [String]) -> String {
    guard path.count % 2 == 1, let collection = path.last else { return "things" }
    if collection.hasSuffix("ies") { return collection.dropLast(3) + "y1" }
    return (collection.hasSuffix("s") && collection.count > 1 ? String(collection.dropLast()) : collection)
      + "1"
  }

  var pathText: String { path.joined(separator: "/") }
  var collection: String { path.dropLast().joined(separator: "/") }
  /// What names of grids can hold.
  var label: String { SkeletonBlock.label(pathText) }

  static func label(_ text: String) -> String {
    String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || "/_.-".contains($0)) ? $0 : "_" })
  }

  /// `no notes/note1`
  var absentState: String { "no " + label }

  // MARK: documents

  /// What is stored: what conditions on stored documents want, and what a create would send.
  var stored: SuiteNode {
    var node = SuiteNode.map([])
    for fact in Self.ordered(block.allFacts) {
      if case .stored(let field) = fact.place { set(&node, field, fact.operand, isSent: false) }
    }
    for fact in Self.ordered(block.facts["create"] ?? []) {
      guard case .sent(let field) = fact.place else { continue }
      set(&node, field, owners.contains(field) ? .caller : fact.operand, isSent: false)
    }
    return node
  }

  /// What a write sends so that conditions on the data are true: owners stay who they are, and an update leaves out what must
  /// stay as it is.
  func sent(_ method: String) -> SuiteNode {
    var node = SuiteNode.map([])
    let facts = block.facts[method] ?? []
    for fact in Self.ordered(facts) {
      guard case .sent(let field) = fact.place else { continue }
      let isKept = facts.contains { $0.place == fact.place && $0.operand == .unchanged }
      if method == "update", isKept { continue }
      set(&node, field, owners.contains(field) ? .caller : fact.operand, isSent: true)
    }
    return node
  }

  /// Fields that conditions of the block compare with the caller.
  var owners: [[String]] {
    var fields: [[String]] = []
    for fact in block.allFacts where fact.operand == .caller {
      switch fact.place {
      case .stored(let field), .sent(let field): if !fields.contains(field) { fields.append(field) }
      case .caller, .claim, .changed, .capture, .document: continue
      }
    }
    return fields
  }

  /// What a value is says more than that there is one.
  private static func ordered(_ facts: [RulesSurvey.Fact]) -> [RulesSurvey.Fact] {
    facts.filter { $0.operand != .present } + facts.filter { $0.operand == .present }
  }

  private func set(_ node: inout SuiteNode, _ field: [String], _ operand: RulesSurvey.Operand, isSent: Bool) {
    // The first comparison counts; a field of what is no map cannot be set.
    var inner = node
    for (depth, name) in field.enumerated() {
      guard let member = inner.members.first(where: { $0.name == name }) else { break }
      if depth == field.count - 1 { return }
      guard case .map = member.node else { return }
      inner = member.node
    }
    node = node.setting(text(operand, isSent: isSent), at: field[...])
  }

  /// A value of the kind, as suites have it.
  func text(_ operand: RulesSurvey.Operand, isSent: Bool = false) -> String {
    switch operand {
    case .caller: return SkeletonPersonas.user
    case .capture(let index): return SuiteText.scalar(captured[index] ?? "text")
    case .unchanged: return "text"
    case .now: return isSent ? SuiteText.serverTime : Self.time
    case .value(let value): return SuiteText.value(value)
    case .other(let value): return Self.another(value)
    case .list(let element): return "[\(text(element))]"
    case .present: return "text"
    case .type(let name):
      switch name {
      case "int", "number", "float": return "1"
      case "bool": return "true"
      case "list", "set": return "[text]"
      case "map": return "{text: text}"
      case "timestamp": return Self.time
      case "path": return "{$ref: \(SuiteText.scalar(pathText))}"
      case "latlng": return "{$geo: [0, 0]}"
      case "bytes": return "{$bytes: aGk=}"
      case "null": return "null"
      default: return "text"
      }
    }
  }

  /// A value that is not the one given, and of its kind where there is another of that kind.
  static func another(_ value: Value) -> String {
    switch value {
    case .boolean(let flag): "\(!flag)"
    case .integer(let number): "\(number &+ 1)"
    case .string("another"): "third"
    case .string: "another"
    default: "text"
    }
  }

  private static let time = "{$time: \(SuiteSkeleton.clock)}"

  /// Where a document lies that is looked up; nil when it depends on what cannot be known.
  func path(of parts: [RulesSurvey.PathPart], uid: String) -> String? {
    var path: [String] = []
    for part in parts {
      switch part {
      case .name(let name): path.append(name)
      case .caller: path.append(uid)
      case .capture(let index):
        guard let name = captured[index] else { return nil }
        path.append(name)
      }
    }
    return path.count % 2 == 0 ? path.joined(separator: "/") : nil
  }
}

extension RulesSurvey.Block {
  /// Of all methods, each once, in their order.
  var allFacts: [RulesSurvey.Fact] {
    var all: [RulesSurvey.Fact] = []
    for method in methods {
      for fact in facts[method] ?? [] where !all.contains(fact) { all.append(fact) }
    }
    return all
  }
}
