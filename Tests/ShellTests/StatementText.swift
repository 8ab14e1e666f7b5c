/// Statements in words, for tests of the language.

import Client
import DocModel
import DocStore

@testable import Shell

/// What was understood, in words.
func describe(_ statement: Statement) -> String {
  switch statement {
  case .empty: "empty"
  case .command(let command): "command \(command.name) [\(command.rest)]"
  case .read(let read): describe(read)
  case .writes(let writes): writes.actions.map(describe).joined(separator: "; ")
  }
}

private func describe(_ read: ReadStatement) -> String {
  var parts: [String] = []
  switch read.target {
  case .document(let path): parts.append("get \(path.text)")
  case .query(let query):
    let from = query.from.map { ($0.includesDescendants ? "**/" : "") + $0.collectionID }.joined()
    parts.append("query \(query.parent.text)|\(from)")
    if let filter = query.filter { parts.append("where \(describe(filter))") }
    parts += query.orders.map { "order \($0.path) \($0.direction == .ascending ? "asc" : "desc")" }
    if let start = query.start { parts.append("start \(describe(start))") }
    if let end = query.end { parts.append("end \(describe(end))") }
    if let limit = query.limit { parts.append("limit \(limit)\(read.isFromEnd ? " last" : "")") }
    if query.offset > 0 { parts.append("offset \(query.offset)") }
    if let projection = query.projection { parts.append("select \(projection.joined(separator: ","))") }
    if let nearest = query.nearest {
      parts.append("near \(nearest.field) \(nearest.measure.map { "\($0)" } ?? "-") \(nearest.limit ?? 0)")
    }
  }
  parts += read.stages.map { "| \($0.text)" }
  if let redirection = read.redirection {
    parts.append("\(redirection.appends ? ">>" : ">") \(redirection.path)")
  }
  return parts.joined(separator: " ")
}

private func describe(_ cursor: StructuredQuery.Cursor) -> String {
  (cursor.isBefore ? "before " : "after ") + cursor.values.map(text).joined(separator: ",")
}

private func text(_ operand: StructuredQuery.Operand) -> String {
  guard case .value(let bytes) = operand else { return "?" }
  return bytes.withUnsafeBytes { ValueText.literal(Value(ValueView($0))) }
}

private func describe(_ filter: StructuredQuery.Filter) -> String {
  switch filter {
  case .composite(let comparison, let filters):
    "(" + filters.map(describe).joined(separator: comparison == .and ? " and " : " or ") + ")"
  case .field(let path, let comparison, let operand): "\(path) \(comparison?.name ?? "?") \(text(operand))"
  case .unary(let path, let comparison): "\(path ?? "?") \(comparison.map { "\($0)" } ?? "?")"
  case .unset: "unset"
  }
}

private func describe(_ action: WriteStatement.Action) -> String {
  switch action {
  case .write(let write): describe(write)
  case .add(let write): "add \(write.path.parent.text) \(describe(write).drop { $0 != "{" })"
  case .deleteAll(let path): "delete all \(path.text)"
  }
}

private func describe(_ write: Write) -> String {
  var parts: [String] = []
  switch write.operation {
  case .delete: parts.append("delete \(write.path.text)")
  case .verify: parts.append("verify \(write.path.text)")
  case .update(let fields, let mask):
    parts.append("set \(write.path.text) \(ValueText.literal(.map(Fields(encoded: fields))))")
    if let mask { parts.append("mask \(mask.map(\.text).joined(separator: ","))") }
  }
  for transform in write.transforms {
    switch transform.operation {
    case .serverTime: parts.append("time \(transform.path.text)")
    case .increment(let operand): parts.append("inc \(transform.path.text) \(text(.value(operand)))")
    case .maximum, .minimum: parts.append("extreme \(transform.path.text)")
    case .appendMissing(let list): parts.append("union \(transform.path.text) \(list.count)")
    case .removeAll(let list): parts.append("remove \(transform.path.text) \(list.count)")
    }
  }
  switch write.precondition {
  case .none: break
  case .exists(let flag): parts.append(flag ? "if there" : "if not there")
  case .updateTime: parts.append("if unchanged")
  }
  return parts.joined(separator: " ")
}
