/// The commands of scripts: what they check, variables, settings, programs.

import Client
import Conditions
import DocModel
import DocStore
import Platform

enum ScriptCommands {
  static let all: [ShellCommand] = [
    ShellCommand(["read"], .script, "read FILE", "run the statements of a file", ":read smoke.docsh") {
      (session, arguments) throws(ShellError) in
      guard let file = try arguments.word(":read FILE") else { throw .usage("usage: :read FILE") }
      try session.run(block: String(decoding: try ScriptFile.contents(file), as: UTF8.self), name: file)
    },
    ShellCommand(
      ["assert"], .script, "assert READ [FIELD] [OPERATOR VALUE]",
      "fail unless the read gives something, or what is said of it is true", ":assert users | count == 8",
      assert),
    ShellCommand(
      ["expect"], .script, "expect allow|deny[:REASON] STATEMENT | { … }",
      "fail unless the rules allow or deny it; nothing is written", ":expect deny users/bob", expect),
    ShellCommand(
      ["echo"], .script, "echo TEXT", "write a text, with the values of variables; \\$ is a dollar sign",
      ":echo $n users", echo),
    ShellCommand(
      ["let"], .script, "let NAME = VALUE | READ", "name a value for `$NAME`", ":let n = users | count", bind),
    ShellCommand(
      ["set"], .script, "set [NAME VALUE]", "settings, as ':mode' and the like set them", ":set mode json",
      set),
    ShellCommand(["exit", "quit", "q"], .script, "exit [CODE]", "end the shell", ":exit 0") {
      (session, arguments) throws(ShellError) in
      guard let word = try arguments.word(":exit [CODE]") else {
        session.exitStatus = ShellStatus.success
        return
      }
      guard let code = Int32(word), (0...255).contains(code) else { throw .usage("a code is 0 to 255") }
      session.exitStatus = code
    },
    ShellCommand(["!"], .script, "! COMMAND", "run a program of the system", ":! date", system),
  ]

  // MARK: variables and settings

  private static func echo(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var text = ""
    var rest = arguments.text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\", rest.first == "$" {
        text.unicodeScalars.append(rest.removeFirst())
        continue
      }
      let name = String(String.UnicodeScalarView(rest.prefix { $0.isASCII && UInt8(ascii: $0).isWordByte }))
      // A price is no variable.
      guard scalar == "$", let first = name.utf8.first, !first.isDigit else {
        text.unicodeScalars.append(scalar)
        continue
      }
      guard let value = session.variables[name] else {
        throw .unknown(
          "there is no variable '$\(name)'", name, among: session.variables.keys.sorted(),
          else: "':let \(name) = …' makes it, and \\$ is a dollar sign")
      }
      rest.removeFirst(name.unicodeScalars.count)
      text += ValueText.cell(value)
    }
    session.console.result(TextEscape.printable(text))
  }

  private static func bind(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if arguments.text.isEmpty {
      for name in session.variables.keys.sorted() {
        session.console.result("$\(name) = \(ValueText.literal(session.variables[name] ?? .null))")
      }
      return
    }
    let parts = arguments.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].filter { $0 != " " && $0 != "$" }
    let isName = !name.isEmpty && name.utf8.allSatisfy(\.isWordByte)
    guard parts.count == 2, isName else { throw .usage("usage: :let NAME = VALUE, :let NAME = READ") }
    session.variables[String(name)] = try value(String(parts[1]), session)
  }

  private static func value(_ text: String, _ session: Session) throws(ShellError) -> Value {
    var parser = StatementParser(text, session.language)
    if let value = try? parser.values.value(), parser.isAtEnd() { return value }
    let read = try StatementParser.read(text, session.language)
    switch try session.evaluate(read) {
    case .scalar(let value): return value
    case .documents(let documents):
      if case .document = read.target { return documents.first.map { .map($0.fields) } ?? .null }
      return .array(documents.map { .map($0.fields) })
    case .ids(let ids): return .array(ids.map { .string($0) })
    case .rows(let columns, let rows):
      return .array(rows.map { .map(Fields(zip(columns, $0).map { ($0, $1) })) })
    case .shown, .nothing: return .null
    }
  }

  /// Settings that are commands, too.
  private static let settings = ["mode", "x", "columns", "pager", "nulls", "color", "timing"]

  private static func set(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = parts.first else {
      let settings = session.settings
      session.console.result("mode     \(settings.style.mode.rawValue)")
      session.console.result("x        \(settings.style.expansion.rawValue)")
      session.console.result(
        "columns  \(settings.style.columns?.map(\.text).joined(separator: ", ") ?? "all")")
      session.console.result("pager    \(settings.pager.rawValue)")
      session.console.result("nulls    \(settings.style.null)")
      session.console.result("color    \(session.console.isColored ? "on" : "off")")
      session.console.result("timing   \(settings.showsTiming ? "on" : "off")")
      return
    }
    guard Self.settings.contains(name) else {
      throw .unknown(
        "there is no setting '\(TextEscape.printable(name))'", name, among: Self.settings,
        else: "there are \(Self.settings.joined(separator: ", "))")
    }
    try CommandTable.run(
      CommandText(name: name, rest: parts.count == 2 ? parts[1] : "", restOffset: 0), arguments.statement,
      on: session)
  }

  private static func system(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard !arguments.text.isEmpty else { throw .usage("usage: :! COMMAND") }
    try Program.run(arguments.text)
  }
}
