/// One statement of the shell's language, read.
///
/// statement = read | write | commit | command
/// read      = target { clause } { "|" stage } [ ">" file | ">>" file ]
/// target    = path | "group" name | "**/" name

import Client
import DocModel
import DocStore

enum Statement {
  case empty
  case read(ReadStatement)
  case writes(WriteStatement)
  case command(CommandText)
}

/// What a read is about, and what the shell does with the answer.
struct ReadStatement {
  typealias Target = ListenTarget

  var target: Target
  /// `limit last n`: asked backwards and turned round.
  var isFromEnd = false
  /// Fields of a document that are shown; of a query the server selects them.
  var selection: [FieldPath]?
  var stages: [Stage] = []
  var redirection: Redirection?
}

/// What the shell does with the documents, from left to right.
enum Stage {
  case count
  case sum(FieldPath)
  case average(FieldPath)
  case groupBy(FieldPath)
  /// Of the rows of groups, by their columns.
  case orderGroups([StructuredQuery.Order])
  case limitGroups(Int)
  case table([FieldPath])
  case format(OutputMode)
  case first
  case ids
  /// A write with `$id` and `$path` of each document.
  case each(String)
  /// A program of the system that reads the output.
  case program(String)

  /// As `:explain` names it.
  var text: String {
    switch self {
    case .count: "count"
    case .sum(let field): "sum \(field.text)"
    case .average(let field): "avg \(field.text)"
    case .groupBy(let field): "group by \(field.text)"
    case .orderGroups(let orders):
      "order by "
        + orders.map { $0.path + ($0.direction == .descending ? " desc" : "") }.joined(separator: ", ")
    case .limitGroups(let count): "limit \(count)"
    case .table(let fields): "table " + fields.map(\.text).joined(separator: ", ")
    case .format(let mode): mode.rawValue
    case .first: "first"
    case .ids: "ids"
    case .each(let write): "each \(write)"
    case .program(let command): "! \(command)"
    }
  }
}

extension Stage {
  /// The column that a total of groups makes.
  var column: String { String(text.prefix { $0 != " " }) }
}

extension ReadStatement {
  /// Whether what flows behind the stages so far is groups.
  var hasGroups: Bool {
    stages.contains { if case .groupBy = $0 { true } else { false } }
  }
}

/// `> file`, `>> file`
struct Redirection: Equatable {
  var path: String
  var appends: Bool
}

/// Writes that are committed together.
struct WriteStatement {
  enum Action {
    case write(Write)
    /// `add COLLECTION`
    case add(Write)
    /// `delete PATH recursive`
    case deleteAll(ResourcePath)
  }

  var actions: [Action]

  /// All of them; `refusal` where something else is among them.
  func writes(orSay refusal: String) throws(ShellError) -> [Write] {
    var writes: [Write] = []
    for action in actions {
      switch action {
      case .write(let write), .add(let write): writes.append(write)
      case .deleteAll: throw .usage(refusal)
      }
    }
    return writes
  }

  /// Documents of `add`, whose ids the shell chose.
  var added: [ResourcePath] {
    actions.compactMap { action in
      if case .add(let write) = action { write.path } else { nil }
    }
  }
}

/// `:name rest`
struct CommandText: Equatable {
  var name: String
  var rest: String
  /// Characters before `rest`, for places in messages.
  var restOffset: Int
}

/// How results are written.
enum OutputMode: String, CaseIterable, Sendable {
  case table, doc, json, jsonl, csv, yaml, markdown
}
