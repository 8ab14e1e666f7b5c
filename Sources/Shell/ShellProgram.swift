/// The shell as a program: where its statements come from, and how it ends.

package import DocModel
package import DocStore
package import EngineLMDB
import Platform
package import Rules

/// Where statements come from that were there before the shell began.
package enum ShellInput: Equatable, Sendable {
  /// `-c`
  case statements(String)
  /// `-f`
  case file(String)
}

/// What the command line says.
package struct ShellOptions: Sendable {
  /// What `-c` and `-f` say, in the order of the command line.
  package var inputs: [ShellInput] = []
  /// `--var NAME=VALUE`
  package var variables: [(name: String, value: String)] = []
  package var isQuiet = false
  package var mode: String?
  package var writesJSONErrors = false
  package var persona: String?
  package var personaFiles: [String] = []
  /// Suites that nobody named, whose personas are known if they can be read.
  package var foundSuites: [String] = []
  package var database = DatabaseID(project: "demo")
  package var assumesYes = false
  package var keepsGoing = false
  package var isPlainJSON = false
  package var failsOnMissing = false
  package var failsOnEmpty = false
  package var readsRC = true
  /// Whether a conversation follows what `-c` and `-f` say.
  package var converses = false
  /// The suite that what is done goes to.
  package var recording: String?

  package init() {}
}

/// Where the documents are.
package enum ShellPlace {
  /// A store of this process.
  case embedded(
    DocumentStore<LMDBEngine>, location: String, rules: Ruleset?, isOpenWithoutRules: Bool,
    readOnlyReason: String?, clock: StandingClock?)
  /// A running server: `host:port`.
  case remote(String)
}

package enum ShellProgram {
  /// Runs a shell to its end; the status for the system.
  package static func run(
    _ options: ShellOptions, on place: ShellPlace, tools: ShellTools = ShellTools()
  ) -> Int32 {
    Interruption.install()
    let console = Console.standard()
    console.isQuiet = options.isQuiet
    console.writesJSON = options.writesJSONErrors
    do throws(ShellError) {
      let session = try session(options, place, console)
      session.tools = tools
      let isAtTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      let readsInput = options.converses || options.inputs.isEmpty
      if let recording = options.recording {
        // Where a conversation follows there is somebody to ask; scripts before it are not.
        if isAtTerminal && readsInput { session.ask = { Conversation.ask($0) } }
        try session.beginRecording(recording)
        session.ask = nil
      }
      defer { session.endRecording() }
      var driver = ScriptDriver(session: session, keepsGoing: options.keepsGoing)
      for input in options.inputs where !driver.isOver {
        switch input {
        case .statements(let text): driver.take(text: text, name: nil)
        case .file(let file): driver.take(file: file)
        }
      }
      if !readsInput || driver.isOver { return session.end(driver.status) }
      if isAtTerminal {
        let status = Conversation.run(session, readsRC: options.readsRC)
        return session.end(driver.status == ShellStatus.success ? status : driver.status)
      }
      driver.takeStandardInput()
      return session.end(driver.status)
    } catch {
      Session.report(error, to: console, asJSON: options.writesJSONErrors)
      return error.status
    }
  }

  /// Whether what is asked is answered without documents: help, and nothing else.
  package static func needsNoStore(_ options: ShellOptions) -> Bool {
    let context = LanguageContext(database: options.database, now: 0)
    let parts = options.inputs.map { input -> [String]? in
      guard case .statements(let text) = input else { return nil }
      return StatementAssembler.pieces(text).flatMap { Session.parts($0.text) }
    }
    guard !options.converses, options.recording == nil, !parts.isEmpty else { return false }
    return parts.allSatisfy { parts in
      parts?.allSatisfy { part in
        switch try? StatementParser.parse(part, context) {
        case .command(let command): CommandTable.command(command.name)?.needsStore == false
        case .empty: true
        default: false
        }
      } == true
    }
  }

  static func session(
    _ options: ShellOptions, _ place: ShellPlace, _ console: Console
  ) throws(ShellError) -> Session {
    let backend: any Backend
    switch place {
    case .embedded(let store, let location, let rules, let isOpen, let readOnlyReason, let clock):
      backend = EmbeddedBackend(
        store, database: options.database, location: location, rules: rules, isOpenWithoutRules: isOpen,
        readOnlyReason: readOnlyReason, clock: clock)
    case .remote(let address):
      backend = try RemoteBackend(address, database: options.database)
    }
    let session = Session(backend, console: console)
    session.settings.style.isPlainJSON = options.isPlainJSON
    session.settings.assumesYes = options.assumesYes
    session.settings.failsOnMissing = options.failsOnMissing
    session.settings.failsOnEmpty = options.failsOnEmpty
    session.settings.writesJSONErrors = options.writesJSONErrors
    session.settings.showsTiming = !options.isQuiet && console.isTerminal
    if let mode = options.mode { try session.execute(":mode " + mode) }
    for file in options.personaFiles {
      session.personas += try PersonaFile.read(file, database: options.database, now: session.now)
    }
    session.take(personasOf: options.foundSuites)
    for variable in options.variables { session.variables[variable.name] = .string(variable.value) }
    if let persona = options.persona { try session.execute(":as " + persona) }
    return session
  }
}

extension Session {
  /// The personas of a project's suites. Where two suites give a name to two users the first is taken, and remembered as
  /// contested: which of them is meant only their file can tell.
  fileprivate func take(personasOf suites: [String]) {
    var origins: [String] = []
    let given = personas.count
    for suite in suites {
      for persona in (try? PersonaFile.read(suite, database: backend.database, now: now)) ?? [] {
        guard let place = personas.firstIndex(where: { $0.name.hasSameBytes(as: persona.name) }) else {
          personas.append(persona)
          origins.append(suite)
          continue
        }
        if place >= given, personas[place].facts != persona.facts,
          !contestedPersonas.contains(where: { $0.name.hasSameBytes(as: persona.name) })
        {
          contestedPersonas.append((persona.name, origins[place - given]))
        }
      }
    }
  }
}

/// Statements of scripts, one after the other, up to the first that fails.
struct ScriptDriver {
  let session: Session
  let keepsGoing: Bool
  /// The first failure's code, or what `:exit` says.
  private(set) var status = ShellStatus.success
  private(set) var isOver = false

  init(session: Session, keepsGoing: Bool) {
    self.session = session
    self.keepsGoing = keepsGoing
  }

  /// A whole script.
  mutating func take(text: String, name: String?) {
    for piece in StatementAssembler.pieces(text) {
      if isOver { return }
      perform(piece, name)
    }
  }

  /// A script of a file; one that cannot be read is a failure like others.
  mutating func take(file: String) {
    do throws(ShellError) {
      take(text: String(decoding: try ScriptFile.contents(file), as: UTF8.self), name: file)
    } catch {
      stop(error)
    }
  }

  /// Lines as they come, so that a writer sees each answer before its next line.
  mutating func takeStandardInput() {
    var assembler = StatementAssembler()
    let input = InputLines(STDIN_FILENO)
    while !isOver {
      switch input.next() {
      case .line(let line):
        if let piece = assembler.take(line) { perform(piece, nil) }
        // Whoever waits for the answer sends no more.
        if assembler.isComplete, !input.hasMore(within: Self.goesOnMilliseconds),
          let piece = assembler.takeRest()
        {
          perform(piece, nil)
        }
      case .end:
        if let piece = assembler.takeRest() { perform(piece, nil) }
        return
      case .interrupted: stop(ShellError(.interrupted, "interrupted"))
      case .tooLong:
        stop(.usage("a line of standard input is longer than \(InputLines.lineBytesMax >> 20) MiB"))
      case .failed(let code): stop(.failed("cannot read standard input: \(String(cString: strerror(code)))"))
      }
    }
  }

  private mutating func stop(_ error: ShellError) {
    session.report(error)
    if status == ShellStatus.success { status = error.status }
    isOver = true
  }

  /// How long a next line may take that goes on with a statement of standard input.
  private static let goesOnMilliseconds: Int32 = 20

  private mutating func perform(_ piece: StatementAssembler.Piece, _ name: String?) {
    for part in Session.parts(piece.text) where !isOver {
      perform(part, at: name.map { "\($0):\(piece.line)" })
    }
  }

  private mutating func perform(_ statement: String, at place: String?) {
    session.history.append(statement)
    let status = session.perform(statement, at: place)
    if self.status == ShellStatus.success { self.status = status }
    if let exit = session.exitStatus {
      if exit != ShellStatus.success || self.status == ShellStatus.success { self.status = exit }
      isOver = true
    } else if status == ShellStatus.interrupted || (status != ShellStatus.success && !keepsGoing) {
      isOver = true
    }
  }
}
