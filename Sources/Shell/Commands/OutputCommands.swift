/// How results look.

import Conditions
import DocModel
import DocStore

enum OutputCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["mode"], .output, "mode [table|doc|json|jsonl|csv|yaml|markdown]", "how results are written",
      ":mode json",
      mode),
    ShellCommand(
      ["x"], .output, "x [auto|on|off]",
      "documents of tables one below the other: auto where rows do not fit the terminal", ":x on", expand),
    ShellCommand(
      ["columns"], .output, "columns [FIELD, …]", "columns of tables; nothing means all",
      ":columns name, rating",
      columns),
    ShellCommand(
      ["pager"], .output, "pager [auto|on|off]",
      "long results in pieces, through $PAGER, or as they are", ":pager off", pager),
    ShellCommand(["more"], .output, "more", "the next lines of a long result", ":more") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":more")
      if session.rest.isEmpty { return session.console.note("nothing more") }
      if session.showMore() {
        session.console.note("-- more: \(Session.counted(session.rest.count, "line")), ':more' --")
      }
    },
    ShellCommand(["nulls"], .output, "nulls [TEXT]", "what null is shown as in tables", ":nulls -") {
      (session, arguments) throws(ShellError) in
      session.settings.style.null = TextEscape.printable(arguments.text)
    },
    ShellCommand(["color", "colour"], .output, "color [on|off]", "whether output is coloured", ":color off") {
      (session, arguments) throws(ShellError) in
      session.console.isColored = try Switch.value(
        try arguments.word(":color [on|off]"), now: session.console.isColored)
    },
  ]

  private static func mode(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let names = OutputMode.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = try arguments.word(":mode MODE") else {
      session.console.result(session.settings.style.mode.rawValue)
      return
    }
    guard let mode = OutputMode(rawValue: word) else {
      throw .unknown(
        "'\(TextEscape.printable(word))' is no mode", word, among: OutputMode.allCases.map(\.rawValue),
        else: "there are \(names)")
    }
    session.settings.style.mode = mode
  }

  private static func expand(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let word = try arguments.word(":x [auto|on|off]") else {
      session.settings.style.expansion = session.settings.style.expansion == .on ? .off : .on
      return
    }
    guard let expansion = PrintStyle.Expansion(rawValue: word) else {
      throw .usage("'\(TextEscape.printable(word))' is neither auto, on nor off")
    }
    session.settings.style.expansion = expansion
  }

  private static func columns(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if arguments.text.isEmpty {
      session.settings.style.columns = nil
      return
    }
    session.settings.style.columns = try StatementParser.read(arguments.text, session.language) {
      (parser) throws(ConditionError) in
      let fields = try parser.fieldPaths()
      try parser.expectEnd()
      return fields
    }
  }

  private static func pager(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let word = try arguments.word(":pager [auto|on|off]") else {
      session.console.result(session.settings.pager.rawValue)
      return
    }
    guard let pager = PagerMode(rawValue: word) else {
      throw .usage("'\(TextEscape.printable(word))' is neither auto, on nor off")
    }
    session.settings.pager = pager
  }
}
