/// What a shell asks about the last requests of a store, in this process or behind a port.

import Access
import DocModel
import DocStore
import JSON
import Requests
import Rules
internal import RulesTools

/// Rules and what they are called.
struct CandidateRules {
  let name: String
  let source: [UInt8]

  /// Fails with all that is wrong with them.
  func compiled(limitsSource: Bool = true) throws(ShellError) -> Ruleset {
    let compilation = RulesCompiler.compile(source: source, name: name, limitsSource: limitsSource)
    if let ruleset = compilation.ruleset { return ruleset }
    throw ShellError(
      .failed(code: "INVALID_ARGUMENT"),
      DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics))
  }
}

/// Answers are those of the HTTP interface: docs/operations.md.
enum RequestQuestion {
  case list(RequestKind, after: Int, last: Int)
  case explain(id: String, CandidateRules?, width: Int)
  case shadow(CandidateRules, after: Int)
}

extension RemoteBackend {
  var isShared: Bool { true }

  func requests(_ question: RequestQuestion) throws(ShellError) -> JSONValue {
    let answer: [UInt8]
    switch question {
    case .list(let kind, let after, let last):
      answer = try administrate("GET", ":requests?kind=\(kind.rawValue)&after=\(after)&last=\(last)")
    case .explain(let id, let rules, let width):
      answer = try administrate(
        "POST", ":explainRequest?id=\(Self.escaped(id))&width=\(width)", body: rules.map(Self.body) ?? [])
    case .shadow(let rules, let after):
      answer = try administrate("POST", ":shadowRequests?after=\(after)", body: Self.body(rules))
    }
    return try told("requests", try? JSONReader.read(answer))
  }
}

extension EmbeddedBackend {
  /// A store in this process is this session's alone.
  var isShared: Bool { false }

  func requests(_ question: RequestQuestion) throws(ShellError) -> JSONValue {
    let answer: [UInt8]
    switch question {
    case .list(let kind, let after, let last):
      answer = RequestReport.list(guarded, feed, database, kind, after: after, last: last)
    case .explain(let id, let text, let width):
      var rules: Ruleset?
      if let text { rules = try text.compiled(limitsSource: false) }
      let found = try storing { () throws(StoreError) in
        try RequestReport.explanation(guarded, feed, database, id: id, by: rules) {
          ExplainText.text($0, width: width)
        }
      }
      guard let found else {
        throw ShellError(.failed(code: "NOT_FOUND"), "no request `\(id)` is kept that rules judged")
      }
      answer = found
    case .shadow(let text, let after):
      answer = RequestReport.shadow(
        guarded, feed, database, after: after, by: try text.compiled(limitsSource: false))
    }
    guard let json = try? JSONReader.read(answer) else {
      throw .failed("the answer about requests cannot be read")
    }
    return json
  }
}
