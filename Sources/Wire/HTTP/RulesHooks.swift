/// What tools say of rules, for a server that does not know them. The program connects them.

public import Rules

/// Each has an answer without tools: rules judge the same, refusals say less.
public struct RulesHooks: Sendable {
  /// Compiles what somebody sent: text, name, and whether a text that production would refuse for its size is refused.
  public var compile: @Sendable ([UInt8], String, Bool) -> Compilation = { source, name, limitsSource in
    Ruleset.compile(source: source, name: name, limitsSource: limitsSource)
  }
  /// A decision for people, so many columns wide.
  public var explanation: @Sendable (DetailedExplanation, Int) -> String = { explained, _ in
    explained.explanation.message
  }
  /// Coverage as a page, with a remark above it; nil where nobody makes one.
  public var coveragePage: (@Sendable (CoverageReport, String?) -> [UInt8])?

  public init() {}
}
