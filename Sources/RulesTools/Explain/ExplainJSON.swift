/// A decision as JSON; docs/explain.md describes the shape.

internal import DocModel
internal import JSON
public import Rules

public enum ExplainJSON {
  public static func text(_ explained: DetailedExplanation) -> String {
    var json = JSONWriter(.markup)
    write(explained, &json)
    return json.text + "\n"
  }

  /// Several decisions, as one array.
  public static func text(_ all: [DetailedExplanation]) -> String {
    var json = JSONWriter(.markup)
    json.array(all) { write($1, &$0) }
    return json.text + "\n"
  }

  private static func write(_ explained: DetailedExplanation, _ json: inout JSONWriter) {
    let decision = explained.explanation.decision
    json.object { json in
      json.member("allowed") { $0.boolean(explained.explanation.isAllowed) }
      json.member("reason") { $0.string("\(decision.reason)") }
      json.member("method") { $0.string("\(explained.method.name)") }
      json.member("path") { $0.string(explained.path.text) }
      json.member("uid") { if let uid = explained.uid { $0.string(uid) } else { $0.null() } }
      json.member("file") { $0.string(explained.source.name) }
      if !explained.explanation.message.isEmpty {
        json.member("officialMessage") { $0.string(explained.explanation.message) }
      }
      if !explained.disjuncts.isEmpty {
        json.member("ways") { $0.array(explained.disjuncts) { $0.string($1) } }
      }
      json.member("rules") { $0.array(explained.rules) { write($1, explained.source, &$0) } }
      json.member("missingFilters") { json in
        json.array(explained.explanation.missingFilters) { json, filter in
          json.object { json in
            json.member("field") { $0.string(filter.field) }
            if let text = filter.text { json.member("filter") { $0.string(text) } }
          }
        }
      }
      json.member("documents") { $0.array(explained.documents) { write($1, &$0) } }
      json.member("cost") { json in
        json.object { json in
          json.member("expressions") { $0.integer(decision.expressions) }
          json.member("expressionsMax") { $0.integer(explained.expressionsMax) }
          json.member("documents") { $0.integer(decision.accesses) }
          json.member("documentsMax") { $0.integer(explained.accessesMax) }
        }
      }
    }
  }

  private static func write(_ rule: ExplainedRule, _ source: SourceText, _ json: inout JSONWriter) {
    json.object { json in
      json.member("id") { $0.string(rule.trace.id) }
      json.member("line") { $0.integer(rule.trace.position.line) }
      json.member("column") { $0.integer(rule.trace.position.column) }
      json.member("way") { $0.integer(rule.trace.disjunct) }
      switch rule.trace.outcome {
      case .granted: json.member("outcome") { $0.string("granted") }
      case .refused: json.member("outcome") { $0.string("refused") }
      case .fault(let fault):
        json.member("outcome") { $0.string("error") }
        json.member("error") { $0.string(fault.message) }
      }
      json.member("deciding") { $0.array(rule.trace.deciding) { $0.string(OneLine.text($1.text)) } }
      if let condition = rule.condition { json.member("condition") { write(condition, source, &$0) } }
    }
  }

  private static func write(_ expression: ExplainedExpression, _ source: SourceText, _ json: inout JSONWriter)
  {
    json.object { json in
      json.member("kind") { $0.string(expression.kind) }
      json.member("text") { $0.string(expression.text) }
      json.member("span") { $0.position(expression.span, in: source) }
      switch expression.outcome {
      case .literal: json.member("evaluated") { $0.boolean(true) }
      case .notEvaluated: json.member("evaluated") { $0.boolean(false) }
      case .value(let value):
        json.member("evaluated") { $0.boolean(true) }
        json.member("value") { $0.value(value, in: source) }
      }
      if !expression.operands.isEmpty {
        json.member("operands") { $0.array(expression.operands) { write($1, source, &$0) } }
      }
      guard let call = expression.call else { return }
      json.member("call") { json in
        json.object { json in
          json.member("function") { $0.string(call.name) }
          json.member("lets") { json in
            json.array(call.lets) { json, binding in
              json.object { json in
                json.member("name") { $0.string(binding.name) }
                json.member("value") { write(binding.value, source, &$0) }
              }
            }
          }
          json.member("result") { write(call.result, source, &$0) }
        }
      }
    }
  }

  private static func write(_ read: DocumentRead, _ json: inout JSONWriter) {
    json.object { json in
      json.member("path") { $0.string(read.path) }
      json.member("by") { $0.array(read.functions) { $0.string($1) } }
      if let isFound = read.isFoundBefore { json.member("found") { $0.boolean(isFound) } }
      if let isFound = read.isFoundAfter { json.member("foundAfterCommit") { $0.boolean(isFound) } }
    }
  }
}
