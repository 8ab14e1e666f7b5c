/// Scripts: reading them, checking what comes of them, variables.

import DocModel
import DocStore
import Rules
import Suite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files that the shell reads whole.
enum ScriptFile {
  /// LIMIT: bytes of one file.
  private static let bytesMax = 64 << 20

  static func contents(_ path: String) throws(ShellError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw failure(path) }
      bytes.append(contentsOf: chunk[..<count])
      guard bytes.count <= bytesMax else { throw .usage("`\(path)` is larger than \(bytesMax >> 20) MiB") }
    }
  }

  private static func failure(_ path: String) -> ShellError {
    .usage("cannot read `\(path)`: \(String(cString: strerror(errno)))")
  }
}

extension Session {
  /// LIMIT: scripts that read scripts.
  private static let scriptDepthMax = 16

  /// Runs the statements of a text; the first failure ends it.
  func run(block text: String, name: String? = nil) throws(ShellError) {
    guard scriptDepth < Self.scriptDepthMax else { throw .usage("scripts read each other too deep") }
    scriptDepth += 1
    defer { scriptDepth -= 1 }
    var assembler = StatementAssembler()
    for line in TextLines.of(text) {
      guard let statement = assembler.take(line) else { continue }
      try run(statement, name, assembler.firstLine)
      if exitStatus != nil { return }
    }
    if let statement = assembler.takeRest() { try run(statement, name, assembler.firstLine) }
  }

  private func run(_ statement: String, _ name: String?, _ line: Int) throws(ShellError) {
    for statement in Self.parts(statement) {
      do throws(ShellError) {
        try Interruption.check()
        try execute(statement)
      } catch {
        guard let name else { throw error }
        var placed = error
        placed.places.append("\(name):\(line)")
        throw placed
      }
    }
  }

  /// Statements of one line have semicolons between them. What goes to a program of the system, behind `:!` or
  /// `| !`, is its own up to the end.
  static func parts(_ text: String) -> [String] {
    var parts: [String] = []
    var current: [UInt8] = []
    var depth = 0
    var quote: UInt8?
    var isEscaped = false
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if quote == nil, depth == 0,
        InputScanner.beginsProgram(bytes, at: index, isFirst: current.allSatisfy(InputScanner.isBlank))
      {
        return parts + [String(decoding: current + bytes[index...], as: UTF8.self)]
      }
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == open {
          quote = nil
        }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
        quote = byte
      } else if "([{".utf8.contains(byte) {
        depth += 1
      } else if ")]}".utf8.contains(byte) {
        depth -= 1
      } else if byte == UInt8(ascii: ";"), depth == 0 {
        parts.append(String(decoding: current, as: UTF8.self))
        current = []
        continue
      }
      current.append(byte)
    }
    return parts + [String(decoding: current, as: UTF8.self)]
  }
}

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
    ShellCommand(["echo"], .script, "echo TEXT", "write a text", ":echo checked") {
      (session, arguments) throws(ShellError) in
      session.console.result(TextEscape.printable(arguments.text))
    },
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

  // MARK: assert

  private static func assert(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    var parser = StatementParser(arguments.text, session.language)
    let claim = try parser.located { (parser) throws(ConditionError) in try parser.claim() }
    let result = try session.evaluate(claim.read)
    guard let comparison = claim.comparison else {
      if result.isEmpty { throw ShellError(.assertion, "assertion failed: \(arguments.text)") }
      return
    }
    let found = try value(result, claim.field)
    guard comparison.holds(found, claim.value) else {
      throw ShellError(
        .assertion,
        "assertion failed: \(arguments.text): it is \(found.map { ValueText.literal($0) } ?? "missing")")
    }
  }

  private static func value(_ result: ShellResult, _ field: FieldPath?) throws(ShellError) -> Value? {
    switch result {
    case .figure(let value): return value
    case .documents(let documents):
      guard let field else { return .integer(Int64(documents.count)) }
      guard documents.count <= 1 else { throw .usage("a field of several documents; use '| first'") }
      return documents.first.flatMap { $0.fields.value(at: field) }
    case .ids(let ids): return .array(ids.map { .string($0) })
    case .rows(_, let rows): return .integer(Int64(rows.count))
    case .nothing: return nil
    }
  }

  // MARK: expect

  private static func expect(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let usage = "usage: :expect allow STATEMENT, :expect deny[:REASON] STATEMENT"
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw .usage(usage) }
    let verdict = parts[0].split(separator: ":", maxSplits: 1).map(String.init)
    guard let word = verdict.first, word == "deny" || (word == "allow" && verdict.count == 1) else {
      throw .usage(usage)
    }
    if session.caller.isAdministrator {
      throw .usage("administrators pass by the rules; ':as PERSONA' first")
    }
    var body = parts[1]
    if body.hasPrefix("{"), body.hasSuffix("}") { body = String(body.dropFirst().dropLast()) }
    var statements: [String] = []
    var assembler = StatementAssembler()
    for line in TextLines.of(body) {
      if let statement = assembler.take(line) { statements += Session.parts(statement) }
    }
    if let statement = assembler.takeRest() { statements += Session.parts(statement) }
    var judged = 0
    for statement in statements {
      guard let request = try request(statement, session) else { continue }
      try expect(
        request, statement, isAllowed: word == "allow", reason: verdict.count == 2 ? verdict[1] : nil, session
      )
      judged += 1
    }
    // What checks nothing must not look like a check that passed.
    if judged == 0 { throw .usage("':expect \(parts[0])' has no statement to judge") }
  }

  private static func expect(
    _ request: RulesDesk.Request, _ statement: String, isAllowed: Bool, reason: String?, _ session: Session
  ) throws(ShellError) {
    if session.recorder != nil {
      session.record(session.observe(request, request.form), expected: isAllowed, reason: reason)
    }
    let verdict = try session.desk.judge(request, as: session.caller, by: try session.ruleset())
    session.lastVerdict = verdict
    let text = TextLines.of(statement).joined(separator: " ")
    guard let denied = verdict.denied else {
      if let refusal = verdict.refusal, !isAllowed { throw refusal }
      if isAllowed { return }
      throw ShellError(.assertion, "expected a denial, but the rules allow: \(text)")
    }
    let lines = DenialPrinter.lines(denied, as: session.caller, width: session.console.size.columns)
    if isAllowed {
      throw ShellError(.assertion, "expected to be allowed: \(text)", details: lines)
    }
    guard let reason else { return }
    let found = "\(denied.explanation.decision.reason)"
    let isMeant =
      found == reason || denied.rules.contains { $0.trace.id == reason }
      || denied.rules.contains { $0.trace.deciding.contains { $0.text.range(ofBytes: reason) != nil } }
    if !isMeant {
      throw ShellError(
        .assertion, "expected a denial because of \(reason), but the reason is \(found): \(text)",
        details: lines)
    }
  }

  private static func request(
    _ statement: String, _ session: Session
  ) throws(ShellError) -> RulesDesk.Request? {
    switch try StatementParser.parse(statement, session.language) {
    case .empty: return nil
    case .command: throw .usage("':expect' takes reads and writes")
    case .read(let read):
      switch read.target {
      case .document(let path): return .get(path)
      case .query(let query): return .list(query)
      }
    case .writes(let writes):
      var list: [Write] = []
      for action in writes.actions {
        switch action {
        case .write(let write), .add(let write): list.append(write)
        case .deleteAll: throw .usage("'delete … recursive' passes by the rules")
        }
      }
      return .writes(list)
    }
  }

  // MARK: variables and settings

  private static func bind(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    if arguments.text.isEmpty {
      for name in session.variables.keys.sorted() {
        session.console.result("$\(name) = \(ValueText.literal(session.variables[name] ?? .null))")
      }
      return
    }
    let parts = arguments.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].filter { $0 != " " && $0 != "$" }
    let isName =
      !name.isEmpty
      && name.utf8.allSatisfy {
        $0 == 0x5F || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || (0x30...0x39).contains($0)
      }
    guard parts.count == 2, isName else { throw .usage("usage: :let NAME = VALUE, :let NAME = READ") }
    session.variables[String(name)] = try value(String(parts[1]), session)
  }

  private static func value(_ text: String, _ session: Session) throws(ShellError) -> Value {
    var parser = StatementParser(text, session.language)
    if let value = try? parser.values.value(), parser.isAtEnd() { return value }
    parser = StatementParser(text, session.language)
    let read = try parser.located { (parser) throws(ConditionError) in try parser.read() }
    switch try session.evaluate(read) {
    case .figure(let value): return value
    case .documents(let documents):
      if case .document = read.target { return documents.first.map { .map($0.fields) } ?? .null }
      return .array(documents.map { .map($0.fields) })
    case .ids(let ids): return .array(ids.map { .string($0) })
    case .rows(let columns, let rows):
      return .array(rows.map { .map(Fields(zip(columns, $0).map { ($0, $1) })) })
    case .nothing: return .null
    }
  }

  /// Settings that are commands, too.
  private static let settings = ["mode", "x", "columns", "pager", "nulls", "color", "timing"]

  private static func set(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let parts = arguments.text.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = parts.first else {
      let settings = session.settings
      session.console.result("mode     \(settings.style.mode.rawValue)")
      session.console.result("x        \(settings.style.isExpanded ? "on" : "off")")
      session.console.result(
        "columns  \(settings.style.columns?.map(\.text).joined(separator: ", ") ?? "all")")
      session.console.result("pager    \(settings.pager.rawValue)")
      session.console.result("nulls    \(settings.style.null)")
      session.console.result("color    \(session.console.isColored ? "on" : "off")")
      session.console.result("timing   \(settings.showsFigures ? "on" : "off")")
      return
    }
    guard Self.settings.contains(name) else {
      throw .usage(
        "there is no setting '\(TextEscape.printable(name))'; there are \(Self.settings.joined(separator: ", "))"
      )
    }
    try CommandTable.run(
      CommandText(name: name, rest: parts.count == 2 ? parts[1] : "", restOffset: 0), arguments.statement,
      on: session)
  }

  private static func system(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard !arguments.text.isEmpty else { throw .usage("usage: :! COMMAND") }
    fflush(nil)
    let status = Glibc.system(arguments.text)
    if status != 0 { throw .failed("`\(TextEscape.printable(arguments.text))` ended with \(status >> 8)") }
  }
}

/// What is claimed of a read.
struct Claim {
  enum Comparison: CaseIterable {
    case equal, notEqual, atMost, below, atLeast, above

    var symbol: String {
      switch self {
      case .equal: "=="
      case .notEqual: "!="
      case .atMost: "<="
      case .below: "<"
      case .atLeast: ">="
      case .above: ">"
      }
    }

    /// Equal and ordered as the service has it: 1 and 1.0 are equal, and only values of one kind compare.
    func holds(_ left: Value?, _ right: Value) -> Bool {
      guard let left else { return self == .notEqual }
      let isNumber = { (value: Value) in value.kind == .integer || value.kind == .double }
      let areComparable = left.kind == right.kind || (isNumber(left) && isNumber(right))
      let order = Self.order(left, right)
      switch self {
      case .equal: return areComparable && order == 0
      case .notEqual: return !areComparable || order != 0
      case .atMost: return areComparable && order <= 0
      case .below: return areComparable && order < 0
      case .atLeast: return areComparable && order >= 0
      case .above: return areComparable && order > 0
      }
    }

    private static func order(_ left: Value, _ right: Value) -> Int {
      left.encoded.withUnsafeBytes { left in
        right.encoded.withUnsafeBytes { right in ValueOrder.compare(ValueView(left), ValueView(right)) }
      }
    }
  }

  let read: ReadStatement
  let field: FieldPath?
  let comparison: Comparison?
  let value: Value
}

extension StatementParser {
  /// `READ`, `READ == 8`, `users/bob username == "bob"`
  mutating func claim() throws(ConditionError) -> Claim {
    let read = try openRead()
    if isAtEnd() { return Claim(read: read, field: nil, comparison: nil, value: .null) }
    var field: FieldPath?
    var comparison = eatComparison()
    if comparison == nil {
      field = try fieldPath()
      comparison = eatComparison()
    }
    guard let comparison else { throw values.error("expected ==, !=, <, <=, > or >=") }
    let value = try values.value()
    try expectEnd()
    return Claim(read: read, field: field, comparison: comparison, value: value)
  }

  private mutating func eatComparison() -> Claim.Comparison? {
    Claim.Comparison.allCases.first { values.eat($0.symbol) }
  }
}
