/// Checked trees to plans.
///
/// Everything that can be known at compile time is settled here: slots, captures, literals, pre-encoded
/// keys, patterns, and the chains that Planner+Fusion makes one node of.

internal import CRE2
internal import DocModel

/// Plans one ruleset.
struct Planner {
  let syntax: RulesetSyntax
  let resolution: Resolution
  let style: PlanStyle
  let pool = ConstantPool()
  let memos = MemoPlan()
  let patterns: PatternTable
  /// By function number; planned on first use.
  private(set) var functions: [FunctionPlan]
  /// By match number: the position of each capture among all captures from the service down, by
  /// segment of the block's own pattern.
  private var captureIndexes: [[Int: Int]]

  private(set) var blocks: [BlockPlan] = []
  private(set) var blockPatterns: [[PatternStep]] = []
  /// By allow number: the block it stands in and the text of the whole pattern.
  private(set) var allowPlaces: [AllowPlace]

  init(_ syntax: RulesetSyntax, _ resolution: Resolution, style: PlanStyle) {
    self.syntax = syntax
    self.resolution = resolution
    self.style = style
    functions = resolution.functions.map {
      FunctionPlan(name: $0.name.text, parameterCount: $0.parameters.count)
    }
    captureIndexes = Array(repeating: [:], count: syntax.matchCount)
    allowPlaces = Array(repeating: AllowPlace(), count: syntax.allowCount)
    var literals = PatternLiterals()
    literals.collect(syntax, resolution)
    patterns = PatternTable(literals: literals.found)
  }

  mutating func run() {
    for service in syntax.services where service.name.text == "cloud.firestore" {
      for match in service.matches { numberCaptures(match, from: 0) }
    }
    for index in functions.indices { plan(function: index) }
    for service in syntax.services where service.name.text == "cloud.firestore" {
      for match in service.matches { plan(match, prefix: [], prefixText: "") }
    }
  }

  private mutating func numberCaptures(_ match: MatchSyntax, from first: Int) {
    var next = first
    for (segment, pattern) in match.pattern.enumerated() {
      if case .literal = pattern.kind { continue }
      captureIndexes[match.number][segment] = next
      next += 1
    }
    for inner in match.matches { numberCaptures(inner, from: next) }
  }

  private mutating func plan(function index: Int) {
    let function = resolution.functions[index]
    let lets = function.lets.map { plan($0.value) }
    functions[index].finish(lets: lets, body: plan(function.result))
  }

  private mutating func plan(_ match: MatchSyntax, prefix: [PatternStep], prefixText: String) {
    let steps =
      prefix
      + match.pattern.map { segment -> PatternStep in
        switch segment.kind {
        case .literal(let text): .literal(Array(text.utf8))
        case .capture: .capture
        case .globCapture: .glob
        }
      }
    let text = prefixText + match.pattern.map { "/" + Self.text(of: $0.kind) }.joined()
    if !match.allows.isEmpty {
      var byMethod = [[AllowPlan]](repeating: [], count: RuleMethod.allCases.count)
      for allow in match.allows {
        let plan = AllowPlan(number: allow.number, condition: allow.condition.map { self.plan($0) })
        for method in Self.methods(of: allow) { byMethod[Int(method.rawValue)].append(plan) }
        allowPlaces[allow.number] = AllowPlace(allow, in: match, pattern: text)
      }
      blocks.append(BlockPlan(allows: byMethod, captureCount: steps.count { $0.isCapture }))
      blockPatterns.append(steps)
    }
    for inner in match.matches { plan(inner, prefix: steps, prefixText: text) }
  }

  private static func text(of kind: PatternSegmentSyntax.Kind) -> String {
    switch kind {
    case .literal(let text): text
    case .capture(let name): "{\(name)}"
    case .globCapture(let name): "{\(name)=**}"
    }
  }

  private static func methods(of allow: AllowSyntax) -> Set<RuleMethod> {
    var methods: Set<RuleMethod> = []
    for written in allow.methods {
      switch written.method {
      case .read: methods.formUnion([.get, .list])
      case .write: methods.formUnion([.create, .update, .delete])
      case .get: methods.insert(.get)
      case .list: methods.insert(.list)
      case .create: methods.insert(.create)
      case .update: methods.insert(.update)
      case .delete: methods.insert(.delete)
      case nil: break
      }
    }
    return methods
  }

  /// The index of a capture among those of the whole pattern.
  func captureIndex(match: Int, segment: Int) -> Int { captureIndexes[match][segment] ?? 0 }
}

extension PatternStep {
  var isCapture: Bool {
    switch self {
    case .literal: false
    case .capture, .glob: true
    }
  }
}

/// Where an `allow` stands, for traces.
struct AllowPlace: Sendable {
  var id = ""
  var span = Span(start: 0, end: 0)
  var condition: Span?

  init() {}

  init(_ allow: AllowSyntax, in match: MatchSyntax, pattern: String) {
    // The root that every pattern has is left out of the name.
    let parts = pattern.split(separator: "/")
    let isRooted = parts.count >= 3 && parts[0] == "databases" && parts[2] == "documents"
    let short = isRooted ? parts[3...].map { "/" + $0 }.joined() : pattern
    let methods = allow.methods.map(\.name.text).joined(separator: ", ")
    id = allow.id?.text ?? match.id?.text ?? "\(short.isEmpty ? "/" : short) \(methods)"
    span = allow.span
    condition = allow.condition?.span
  }
}

/// The literal patterns of a ruleset.
struct PatternLiterals {
  private(set) var found: [[UInt8]] = []

  mutating func collect(_ syntax: RulesetSyntax, _ resolution: Resolution) {
    for function in resolution.functions {
      for binding in function.lets { collect(binding.value) }
      collect(function.result)
    }
    for match in resolution.matches {
      for allow in match.allows { if let condition = allow.condition { collect(condition) } }
    }
  }

  private mutating func collect(_ node: ExpressionNode) {
    if case .methodCall(_, let name, _, let arguments) = node.kind,
      ["matches", "replace", "split"].contains(name),
      let first = arguments.first?.unwrapped, case .literal(.string(let pattern)) = first.kind
    {
      found.append(pattern)
    }
    for child in node.children { collect(child) }
  }
}
