/// A compiled ruleset: what judges operations.

internal import DocModel
internal import Platform

/// What compiling gives.
public struct Compilation: Sendable {
  /// Nil when a diagnostic is an error.
  public let ruleset: Ruleset?
  /// In the order of the source.
  public let diagnostics: [Diagnostic]
  public let source: SourceText

  package init(ruleset: Ruleset?, diagnostics: [Diagnostic], source: SourceText) {
    self.ruleset = ruleset
    self.diagnostics = diagnostics
    self.source = source
  }
}

/// A ruleset, ready to judge. Compile once per release; share between threads.
///
/// INVARIANT: immutable; the pool owns everything that plans point to. The shared mutable parts are the
/// table of patterns, the recording plan, the words of refusals and the prover, which lock themselves.
public final class Ruleset: @unchecked Sendable {  // Immutable, see above.
  /// The text it was compiled from.
  public let source: SourceText
  /// The tree it was compiled from, for coverage, documentation and formatting.
  public let syntax: RulesetSyntax
  /// What names refer to.
  public let resolution: Resolution

  let pool: ConstantPool
  let matcher: PathMatcher
  let blocks: [BlockPlan]
  let allows: AllowTable
  /// The rules of files; nil when there are none.
  let storage: ServiceRules?
  /// How many field paths are kept while they are evaluated once more.
  package let memoCount: Int
  let patterns: PatternTable
  package let allowPlaces: [AllowPlace]
  private let spanTable = LazyReference<SpanTable>()
  /// For coverage and explanations; nothing is in it until one is asked for.
  let recording = RecordingPlan()
  /// The words of refusals.
  let clientReasons = ClientReasonsCache()
  /// What logic says of queries; nil where nobody connected a prover.
  package let prover: (any ListProver)?

  private init(_ parsed: ParseResult, _ planner: Planner, _ prover: (any ListProver)?) {
    self.prover = prover
    source = parsed.source
    syntax = parsed.syntax
    resolution = planner.resolution
    pool = planner.pool
    blocks = planner.blocks
    allows = AllowTable(planner.blocks, planner.pool)
    memoCount = planner.memos.count
    patterns = planner.patterns
    allowPlaces = planner.allowPlaces
    matcher = PathMatcher(
      patterns: planner.blockPatterns, languageVersion: parsed.syntax.languageVersion, pool: planner.pool)
    storage = planner.storageRules
  }

  /// Compiles a ruleset. `name` is what messages call the file; with `limitsSource` a text that
  /// production would refuse for its size is refused. Finds what the official compiler finds; what logic and lints
  /// say of a ruleset, RulesTools says.
  public static func compile(source text: String, name: String, limitsSource: Bool = true) -> Compilation {
    compile(source: Array(text.utf8), name: name, limitsSource: limitsSource)
  }

  public static func compile(
    source bytes: [UInt8], name: String, limitsSource: Bool = true, repairs: Bool = true
  ) -> Compilation {
    let parsed = RulesParser.parse(source: bytes, name: name, repairs: repairs)
    return compile(parsed, RulesChecker.check(parsed, limitsSource: limitsSource), prover: nil)
  }

  /// The rest of compiling what was parsed and checked.
  package static func compile(
    _ parsed: ParseResult, _ checked: CheckResult, prover: (any ListProver)?
  ) -> Compilation {
    guard !checked.diagnostics.containsError else {
      return Compilation(ruleset: nil, diagnostics: checked.diagnostics, source: parsed.source)
    }
    var planner = Planner(parsed.syntax, checked.resolution, style: .fused)
    planner.run()
    return Compilation(
      ruleset: Ruleset(parsed, planner, prover), diagnostics: checked.diagnostics, source: parsed.source)
  }

  /// Judges one operation.
  ///
  /// Allocates nothing once `documents` is warm, unless a condition computes values. The document
  /// accesses of several calls between two `documents.beginRequest()` are counted together.
  public func decide(_ request: borrowing RuleRequest, documents: DocumentAccess) -> Decision {
    decide(request, documents, isRepeat: false)
  }

  @inline(__always)
  func decide(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess, isRepeat: Bool
  ) -> Decision {
    documents.evaluationReference._withUnsafeGuaranteedRef { evaluation in
      evaluation.isTracing = false
      evaluation.open(request, documents, self, isRepeat: isRepeat)
      if request.method == .list {
        return decideList(request, request.query?.expandedDisjuncts(), evaluation)
      }
      evaluation.openDocument(request)
      matcher.match(evaluation)
      return judge(evaluation)
    }
  }

  /// The same for a list whose disjuncts are known.
  func decide(
    list request: borrowing RuleRequest, _ disjuncts: [ListDisjunct]?, _ documents: DocumentAccess,
    isRepeat: Bool
  ) -> Decision {
    let evaluation = documents.evaluation
    evaluation.isTracing = false
    evaluation.open(request, documents, self, isRepeat: isRepeat)
    return decideList(request, disjuncts, evaluation)
  }

  /// Tries the `allow`s of documents' rules.
  @inline(__always)
  package func judge(_ e: Evaluation) -> Decision { judge(e, allows) }

  /// Tries the `allow`s of all matched blocks in the order of the source.
  @inline(__always)
  package func judge(_ e: Evaluation, _ allows: AllowTable) -> Decision {
    var reason = Decision.Reason.unmatched
    var index = 0
    let found = e.matches.found
    while index < found.count {
      let block = found[index]
      index &+= 1
      var (allow, end) = allows.range(block: block, method: e.method)
      if allow == end { continue }
      e.bindCaptures(allows.captures(block: block))
      while allow < end {
        guard let condition = allows[allow] else { return e.decision(.granted) }
        allow &+= 1
        let value = condition._withUnsafeGuaranteedRef { $0.value(e) }
        if e.isExhausted {
          e.exhaustedCondition = condition._withUnsafeGuaranteedRef { $0.number }
          return e.decision(.budget)
        }
        if value.isTrue { return e.decision(.granted) }
        if !value.isFalse {
          reason = .fault
        } else if reason == .unmatched {
          reason = .condition
        }
      }
    }
    return e.decision(reason)
  }
}

extension Evaluation {
  @inline(__always)
  func decision(_ reason: Decision.Reason) -> Decision {
    Decision(reason: reason, expressions: spentExpressions, accesses: log.operationCount)
  }
}

extension Ruleset {
  /// Where expressions stand, by number. Made when an explanation first asks.
  var spans: [Span] {
    if let known = spanTable.load() { return known.spans }
    return spanTable.storeIfNil(SpanTable(count: syntax.expressionCount, resolution)).spans
  }
}

/// Spans of all expressions of a ruleset.
private final class SpanTable: Sendable {
  let spans: [Span]

  init(count: Int, _ resolution: Resolution) {
    var spans = Array(repeating: Span(start: 0, end: 0), count: count)
    for function in resolution.functions {
      for binding in function.lets { Self.collect(binding.value, &spans) }
      Self.collect(function.result, &spans)
    }
    for match in resolution.matches {
      for allow in match.allows { if let condition = allow.condition { Self.collect(condition, &spans) } }
    }
    self.spans = spans
  }

  private static func collect(_ node: ExpressionNode, _ spans: inout [Span]) {
    spans[node.number] = node.span
    for child in node.children { collect(child, &spans) }
  }
}
