/// What is done with a rules text, all of it: for the fuzzers and for the seeded test.
///
/// Lexer, parser, checker, messages, plan, decisions, explanations and the formatter. Nothing here may trap,
/// hang, overflow the stack or take memory without bound, whatever the text is.

internal import DocModel
internal import Rules
internal import RulesTools

/// Something that must hold for every text and did not.
public struct RulesViolation: Error, CustomStringConvertible {
  public let description: String
}

/// How far a text came.
public enum RulesOutcome: Sendable {
  case refused, compiled
}

/// INVARIANT: used by one thread at a time. It lives as long as the run on purpose: what one text leaves
/// behind must not matter to the next.
public final class RulesExercise {
  private let documents = FuzzDocuments()
  private let requests: FuzzRequests
  /// Which explanations are asked for; all of them would be most of the time.
  private var turn = 0
  /// Whether texts are formatted, too.
  private let formats: Bool
  /// How many of the operations one text judges; the next text judges those that follow.
  private let requestsPerText: Int

  /// - Parameter requestsPerText: nil for all of them.
  public init(formats: Bool = true, requestsPerText: Int? = nil) {
    requests = FuzzRequests(documents)
    self.formats = formats
    self.requestsPerText = min(requests.all.count, requestsPerText ?? requests.all.count)
  }

  /// One text. With `isThorough`, what costs more than all the rest is done, too: a broken text is parsed up to a
  /// hundred times to tell its mistakes apart, one that compiles is looked through for remarks.
  @discardableResult
  public func run(_ text: [UInt8], isThorough: Bool = true) throws(RulesViolation) -> RulesOutcome {
    let compilation = RulesCompiler.compile(
      source: text, name: "fuzz.rules", remarks: isThorough, repairs: isThorough)
    try examine(compilation)
    if formats, isThorough || compilation.ruleset != nil { try FormatExercise.run(text, compilation) }
    guard let ruleset = compilation.ruleset else { return .refused }
    turn &+= 1
    for place in 0..<requestsPerText {
      let number = (turn &* requestsPerText &+ place) % requests.all.count
      try judge(ruleset, requests.all[number], number)
    }
    return .compiled
  }

  private func examine(_ compilation: Compilation) throws(RulesViolation) {
    let size = Int32(compilation.source.bytes.count)
    for diagnostic in compilation.diagnostics {
      guard let span = diagnostic.span else { continue }
      guard span.start >= 0, span.start <= span.end, span.end <= size else {
        throw RulesViolation(description: "\(diagnostic.id) lies outside the text")
      }
    }
    guard compilation.diagnostics.containsError == (compilation.ruleset == nil) else {
      throw RulesViolation(description: "errors and a ruleset, or neither")
    }
    let renderer = DiagnosticRenderer(source: compilation.source)
    for diagnostic in compilation.diagnostics.prefix(4) {
      guard !renderer.render(diagnostic).isEmpty else {
        throw RulesViolation(description: "\(diagnostic.id) says nothing")
      }
    }
    _ = OfficialIssue.issues(of: compilation.diagnostics, in: compilation.source)
  }

  private func judge(
    _ ruleset: Ruleset, _ request: RuleRequest, _ number: Int
  ) throws(RulesViolation) {
    documents.beginRequest()
    let first = ruleset.decide(request, documents: documents)
    documents.beginRequest()
    let second = ruleset.decide(request, documents: documents)
    guard first.reason == second.reason, first.expressions == second.expressions else {
      throw RulesViolation(
        description: "request \(number) is decided \(first) and then \(second)")
    }
    guard (turn &+ number) % 4 == 0 else { return }
    documents.beginRequest()
    let explanation = ruleset.explain(request, documents: documents)
    guard explanation.decision.reason == first.reason else {
      throw RulesViolation(
        description: "request \(number) is decided \(first) and explained \(explanation.decision)")
    }
  }
}
