/// Checked trees to plans.
///
/// Everything that can be known at compile time is settled here: slots, captures, literals, pre-encoded
/// keys, patterns, and the chains that Planner+Fusion makes one node of.

internal import CRE2
internal import DocModel

/// Whom a piece of a ruleset serves.
enum PlannedService {
  case documents, files
  /// Functions of a file that has rules of both: planned without what only one of them has.
  case any
}

/// Plans one ruleset.
package struct Planner {
  package let syntax: RulesetSyntax
  package let resolution: Resolution
  let style: PlanStyle
  package let pool = ConstantPool()
  package let memos: MemoPlan
  let patterns = PatternTable()
  /// Of the function being planned: lets come after its parameters in a frame.
  private(set) var parameterCount = 0
  /// By function number; planned on first use.
  private(set) var functions: [FunctionPlan]
  /// By match number: the position of each capture among all captures from the service down, by
  /// segment of the block's own pattern.
  private var captureIndexes: [[Int: Int]]

  private(set) var storageRules: ServiceRules?
  /// Whom the expressions that are planned now serve.
  private(set) var service = PlannedService.documents

  private(set) var blocks: [BlockPlan] = []
  private(set) var blockPatterns: [BlockPattern?] = []
  /// By allow number: the block it stands in and the text of the whole pattern.
  private(set) var allowPlaces: [AllowPlace]

  /// - Parameter memoStart: the end of the places that another plan of the ruleset keeps field paths in.
  package init(_ syntax: RulesetSyntax, _ resolution: Resolution, style: PlanStyle, memoStart: Int = 0) {
    memos = MemoPlan(from: memoStart)
    self.syntax = syntax
    self.resolution = resolution
    self.style = style
    functions = resolution.functions.map {
      FunctionPlan(name: $0.name.text, parameterCount: $0.parameters.count)
    }
    captureIndexes = Array(repeating: [:], count: syntax.matchCount)
    allowPlaces = Array(repeating: AllowPlace(), count: syntax.allowCount)
  }

  package mutating func run() {
    for service in syntax.services where Self.serviceNames.contains(service.name.text) {
      for match in service.matches { numberCaptures(match, from: 0) }
    }
    for index in functions.indices {
      service = audience(of: resolution.functions[index].span)
      plan(function: index)
    }
    service = .files
    storageRules = planStorage()
    service = .documents
    for service in syntax.services where service.name.text == "cloud.firestore" {
      for match in service.matches { plan(match, inside: [], names: []) }
    }
  }

  static let storageName = "firebase.storage"
  private static let serviceNames = ["cloud.firestore", storageName]

  /// The rules of files, which have patterns of their own.
  private mutating func planStorage() -> ServiceRules? {
    let services = syntax.services.filter { $0.name.text == Self.storageName }
    guard !services.isEmpty else { return nil }
    for service in services { for match in service.matches { plan(match, inside: [], names: []) } }
    defer {
      blocks = []
      blockPatterns = []
    }
    return ServiceRules(
      matcher: PathMatcher(patterns: blockPatterns, languageVersion: syntax.languageVersion, pool: pool),
      blocks: blocks, allows: AllowTable(blocks, pool))
  }

  /// Whom a function serves.
  private func audience(of span: Span) -> PlannedService {
    let services = syntax.services
    if !services.contains(where: { $0.name.text == Self.storageName }) { return .documents }
    let own = services.first { $0.span.start <= span.start && span.end <= $0.span.end }
    guard let own else { return .any }
    return own.name.text == Self.storageName ? .files : .documents
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
    parameterCount = function.parameters.count
    let lets = function.lets.map { plan($0.value) }
    functions[index].finish(lets: lets, body: plan(function.result))
  }

  private mutating func plan(
    _ match: MatchSyntax, inside outer: [[PatternSegmentSyntax]], names prefixNames: [String]
  ) {
    let patterns = outer + [match.pattern]
    let names = prefixNames + match.pattern.map(\.text)
    let first = blocks.count
    if !match.allows.isEmpty {
      let pattern = Self.shortPattern(names)
      var byMethod = [[AllowPlan]](repeating: [], count: RuleMethod.count)
      for allow in match.allows {
        let plan = AllowPlan(number: allow.number, condition: allow.condition.map { self.plan($0) })
        let methods = Self.methods(of: allow)
        for method in RuleMethod.allCases where methods >> method.rawValue & 1 == 1 {
          byMethod[Int(method.rawValue)].append(plan)
        }
        allowPlaces[allow.number] = AllowPlace(allow, in: match, pattern: pattern)
      }
      let whole = BlockPattern(patterns, languageVersion: syntax.languageVersion)
      let captures = whole.map { CapturePlace.all(of: $0, languageVersion: syntax.languageVersion) }
      blocks.append(BlockPlan(allows: byMethod, captures: captures ?? []))
      blockPatterns.append(whole)
    }
    for inner in match.matches { plan(inner, inside: patterns, names: names) }
    if !match.matches.isEmpty, match.pattern.contains(where: \.isGlob) { sortBelowGlob(from: first) }
  }

  /// Of the blocks below a glob, itself included, the service tries those first for which it takes the fewest
  /// segments, and otherwise in the order of the source. Source: the official emulator.
  private mutating func sortBelowGlob(from first: Int) {
    func stepsBehindGlob(_ index: Int) -> Int {
      guard let steps = blockPatterns[index]?.steps, let glob = steps.firstIndex(of: .glob) else { return 0 }
      return steps.count - glob
    }
    let steps = (first..<blocks.count).map(stepsBehindGlob)
    let order = steps.indices.sorted { steps[$0] == steps[$1] ? $0 < $1 : steps[$0] > steps[$1] }
    blocks.replaceSubrange(first..., with: order.map { blocks[first + $0] })
    blockPatterns.replaceSubrange(first..., with: order.map { blockPatterns[first + $0] })
  }

  /// The pattern of an allow's name: the root that every pattern has is left out.
  private static func shortPattern(_ names: [String]) -> String {
    let isRooted =
      names.count >= 3
      && (names[0] == "databases" && names[2] == "documents" || names[0] == "b" && names[2] == "o")
    let short = isRooted ? names[3...] : names[...]
    return short.isEmpty ? "/" : short.map { "/" + $0 }.joined()
  }

  /// One bit for each method.
  private static func methods(of allow: AllowSyntax) -> UInt8 {
    var methods: UInt8 = 0
    func insert(_ method: RuleMethod) { methods |= 1 << method.rawValue }
    for written in allow.methods {
      switch written.method {
      case .read:
        insert(.get)
        insert(.list)
      case .write:
        insert(.create)
        insert(.update)
        insert(.delete)
      case .get: insert(.get)
      case .list: insert(.list)
      case .create: insert(.create)
      case .update: insert(.update)
      case .delete: insert(.delete)
      case nil: break
      }
    }
    return methods
  }

  /// The index of a capture among those of the whole pattern.
  package func captureIndex(match: Int, segment: Int) -> Int { captureIndexes[match][segment] ?? 0 }
}

/// Where an `allow` stands, for traces.
package struct AllowPlace: Sendable {
  var id = ""
  package var span = Span(start: 0, end: 0)
  var condition: Span?

  init() {}

  init(_ allow: AllowSyntax, in match: MatchSyntax, pattern: String) {
    let methods = allow.methods.map(\.name.text).joined(separator: ", ")
    id = allow.id?.text ?? match.id?.text ?? "\(pattern) \(methods)"
    span = allow.span
    condition = allow.condition?.span
  }
}
