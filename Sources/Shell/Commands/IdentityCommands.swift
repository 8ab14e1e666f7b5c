/// Who asks.

import Conditions
import DocModel
import DocStore
internal import Platform

enum IdentityCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["as"], .identity, "as PERSONA | {uid: …} | anon [{ STATEMENTS }]",
      "send requests as a persona, as any user, or not signed in; with a block, only its statements",
      ":as {uid: \"x\", claims: {role: \"coach\"}}", become),
    ShellCommand(["admin"], .identity, "admin", "ask as administrator: past the rules", ":admin") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":admin")
      try change(session, .administrator)
    },
    ShellCommand(["who", "whoami"], .identity, "who", "tell who asks, with the claims", ":who", who),
    ShellCommand(
      ["personas"], .identity, "personas [FILE]", "list the personas, or read them from a suite or a file",
      ":personas rules/inspired.rules-test.yaml", personas),
  ]

  private static func change(_ session: Session, _ caller: Caller) throws(ShellError) {
    if session.transaction != nil {
      throw .usage("the transaction belongs to \(session.caller.name); ':commit' or ':rollback' ends it")
    }
    session.caller = caller
  }

  private static func become(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard !arguments.text.isEmpty else { throw .usage("usage: :as PERSONA, :as {uid: \"x\"}, :as anon") }
    var parser = StatementParser(arguments.text, session.language)
    let caller: Caller
    if arguments.text.hasPrefix("{") {
      let value = try parser.located { (parser) throws(ConditionError) in try parser.values.value() }
      caller = try Caller(name: nil, value, database: session.backend.database, now: session.now)
    } else {
      let name = try parser.located { (parser) throws(ConditionError) in try parser.pathText() }
      caller = try self.caller(name, session)
    }
    let rest = parser.rest()
    if rest.isEmpty { return try change(session, caller) }
    guard rest.hasPrefix("{"), rest.hasSuffix("}") else {
      throw .usage("behind the persona comes nothing or a block: :as alice { users/bob }")
    }
    let before = session.caller
    try change(session, caller)
    defer { session.caller = before }
    // A transaction is its caller's: left open it would go on as somebody whom the rules may allow more.
    do throws(ShellError) {
      try session.run(block: String(rest.dropFirst().dropLast()))
    } catch {
      if let lost = session.abandonTransaction() { session.console.message(lost.message) }
      throw error
    }
    guard session.transaction != nil else { return }
    let lost = session.abandonTransaction().map { "; " + $0.message } ?? ""
    throw .failed("the block ends in a transaction of \(caller.name), which is rolled back" + lost)
  }

  /// A persona by name. Where no personas are known, as beside a server, a name is whoever has it as uid; where some
  /// are, an unknown name is a slip.
  static func caller(_ name: String, _ session: Session) throws(ShellError) -> Caller {
    if let persona = session.personas.first(where: { $0.name.hasSameBytes(as: name) }) {
      if let contested = session.contestedPersonas.first(where: { $0.name.hasSameBytes(as: name) }) {
        session.console.note(
          "several suites have a '\(TextEscape.printable(name))'; this is that of \(TextEscape.printable(contested.suite)). "
            + "':personas FILE' takes those of another one")
      }
      return persona
    }
    switch name {
    case "admin": return .administrator
    case "anon", "nobody": return .anonymous
    default:
      if session.personas.isEmpty {
        session.console.note(
          "no personas are known here, and \(TextEscape.printable(name)) is the uid without claims; "
            + "--personas FILE has others")
        return try Caller(
          name: name, .map(["uid": .string(name)]), database: session.backend.database, now: session.now)
      }
      let own = session.personas.map(\.name)
      let known = own + ["anon", "admin"].filter { !own.contains($0) }
      let near = Spelling.nearest(to: name, among: known).map { " did you mean '\($0)'?" } ?? ""
      throw .unknown(
        "there is no persona '\(TextEscape.printable(name))';\(near) known are \(known.joined(separator: ", "))."
          + " ':as {uid: \"\(TextEscape.printable(name))\"}' is anybody")
    }
  }

  private static func who(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    try arguments.nothing(":who")
    switch session.caller.identity {
    case .administrator: session.console.result("admin: past the rules")
    case .anonymous: session.console.result("anon: nobody is signed in, request.auth is null")
    case .user(let uid, let claims):
      session.console.result(
        "\(TextEscape.printable(session.caller.name)): uid \(TextEscape.quoted(uid)), token "
          + ValueText.literal(.map(claims)))
    }
  }

  private static func personas(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if !arguments.text.isEmpty {
      session.contestedPersonas = []
      session.personas = try PersonaFile.read(
        arguments.text, database: session.backend.database, now: session.now)
    }
    for persona in session.personas {
      session.console.result(
        TextEscape.padded(TextEscape.printable(persona.name), to: 12)
          + (persona.uid.map { "  uid \(TextEscape.quoted($0))" } ?? "  nobody"))
    }
    if session.personas.isEmpty { session.console.note("none; ':personas FILE' reads those of a suite") }
  }
}
