/// `:fault`: what goes wrong on purpose. The language is `InjectedFaultParser`'s; faults are the server's, or of the
/// store in this process.

import Conditions
import DocModel
import Faults

enum FaultCommand {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["fault"], .live, "fault [RULE | list | clear [NUMBER]]",
      "make requests fail, wait or lose their stream; ':help faults' has the rules",
      ":fault ABORTED on commit 2 of alice", fault)
  ]

  private static func fault(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let words = arguments.words
    switch (words.first ?? "list", words.count) {
    case ("list", 0...1): try list(session)
    case ("clear", 1): try clear(nil, session)
    case ("clear", 2):
      guard let number = Int(words[1]) else { throw .usage("usage: :fault clear [NUMBER]") }
      try clear(number, session)
    case ("list", _), ("clear", _): throw .usage("usage: :fault [RULE | list | clear [NUMBER]]")
    default:
      let number = try session.backend.inject(try read(arguments))
      session.console.note("fault \(number) is set; ':fault' lists, ':fault clear \(number)' ends it")
    }
  }

  /// The rule, with a caret below what is wrong with it.
  private static func read(_ arguments: CommandArguments) throws(ShellError) -> InjectedFault {
    do throws(InjectedFaultError) { return try InjectedFaultParser.read(arguments.text) } catch {
      let offset = arguments.command.restOffset + error.offset
      throw StatementParser.syntaxError(
        ConditionError(message: "column \(offset + 1): \(error.message)", offset: offset), arguments.statement
      )
    }
  }

  private static func list(_ session: Session) throws(ShellError) {
    let rows: [[Value]] = try session.backend.injectedFaults().map { fault in
      [
        .integer(Int64(fault.number)), .string(fault.rule), .integer(Int64(fault.matched)),
        .integer(Int64(fault.injected)), .string(fault.isOver ? "over" : "set"),
      ]
    }
    if rows.isEmpty { return session.console.note("no faults are set; ':help faults' has the rules") }
    session.show(["number", "fault", "matched", "injected", "state"], rows)
  }

  private static func clear(_ number: Int?, _ session: Session) throws(ShellError) {
    let count = try session.backend.clearFaults(number)
    if let number, count == 0 { throw ShellError(.failed(code: "NOT_FOUND"), "there is no fault \(number)") }
    session.console.note(count == 1 ? "1 fault cleared" : "\(count) faults cleared")
  }

  // MARK: completion

  /// What may come next.
  /// - Parameters:
  ///   - words: those behind `:fault`.
  ///   - callers: who is known.
  ///   - paths: what completes a path.
  static func completions(
    _ words: [String], callers: [String], paths: () -> [String]
  ) -> [String] {
    switch words.last {
    case nil:
      return InjectedFaultParser.statuses.map { $0 + " " }
        + ["delay ", "drop listen ", "drop every listen ", "list", "clear "]
    case "delay": return ["100ms ", "800ms ", "2s "]
    case "drop": return ["listen ", "every listen "]
    case "every": return ["listen "]
    case "listen" where words.first == "drop": return ["after ", "of ", "under "]
    case "on", ",": return InjectedFaultParser.calls
    case "of": return callers
    case "under": return paths()
    case "after", "list", "clear": return []
    case .some(let last):
      if words.count >= 2, words[words.count - 2] == "after" { return ["messages "] }
      let isDrop = words.first == "drop"
      let left = (isDrop ? [] : ["on"]) + ["of", "under"]
      return InjectedFaultParser.statuses.contains(last) || words.count > 1
        ? left.filter { !words.contains($0) }.map { $0 + " " } : []
    }
  }
}
