/// One user's conversation with a store: who asks, where, how results look, and what is under way.

import Access
import Client
import DocModel
import DocStore
import JSON
import Rules

/// How answers are shown and what is asked before.
struct SessionSettings {
  var style = PrintStyle()
  /// Whether times and counts follow results.
  var showsTiming = true
  var pager = PagerMode.auto
  /// Whether nothing is asked before documents are deleted or many are changed.
  var assumesYes = false
  /// Whether a missing document, an empty result, is a failure.
  var failsOnMissing = false
  var failsOnEmpty = false
  /// Whether errors are JSON.
  var writesJSONErrors = false
}

/// When results go through a pager.
enum PagerMode: String, CaseIterable {
  case auto, on, off
}

/// Owner: the thread that runs the shell.
final class Session {
  /// A transaction under way: its reads see one state, its writes wait for `:commit`.
  struct OpenTransaction {
    let token: TransactionToken
    let isReadOnly: Bool
    let caller: Caller
    var writes: [Write] = []
    var hasFailed = false
  }

  let backend: any Backend
  let console: Console
  private(set) var evaluator: RulesEvaluator
  var settings = SessionSettings()
  var caller = Caller.administrator
  var personas: [Caller] = []
  /// Names that another suite of the project gives to somebody else, and the suites whose personas were taken.
  var contestedPersonas: [(name: String, suite: String)] = []
  var place = ResourcePath.root
  var variables: [String: Value] = [:]
  var transaction: OpenTransaction?
  /// What `:why` tells.
  var lastVerdict: RulesEvaluator.Verdict?
  /// Rules that are judged beside the loaded ones.
  var shadow: RulesShadow?
  /// What `:more` shows.
  var rest: [String] = []
  var history: [String] = []
  /// What completion knows of fields, by collection id.
  var fieldSketches: [String: [String]] = [:]
  /// Set by `:exit`.
  var exitStatus: Int32?
  /// Asks a question; nil when there is nobody to ask.
  var ask: ((String) -> Bool)?
  /// Asks after a screen of lines whether to go on; nil when there is nobody to ask.
  var askMore: (() -> MoreAnswer)?
  /// Starts the user's pager; nil when there is none.
  var openPager: (() -> Program?)?
  /// Nanoseconds that the reader of the result under way took for it.
  var pausedTime: Int64 = 0
  /// Lets an editor change a text; nil when there is none.
  var edit: ((String) -> String?)?
  /// What the program around the shell does for it.
  var tools = ShellTools()
  /// What `:cost` tells.
  var lastCost: CostBasis?
  /// What writes down, as a suite, what is asked.
  var recorder: Recorder?
  /// Documents of the result under way, for the recorder.
  var returned: [ResourcePath] = []
  /// Documents of the result under way, for advice.
  var seen = ReadSample()
  /// Whether its reader had enough before its end.
  var isReturnedInPart = false
  /// Scripts inside scripts.
  var scriptDepth = 0

  init(_ backend: any Backend, console: Console) {
    self.backend = backend
    self.console = console
    evaluator = Self.evaluator(of: backend)
  }

  private static func evaluator(of backend: any Backend) -> RulesEvaluator {
    RulesEvaluator(
      database: backend.database, now: { Self.time(of: backend) },
      fetch: { (path) throws(ShellError) in try backend.document(path) })
  }

  /// Gives those whose tokens this session makes new ones, of the store's time.
  func renewTokens() throws(ShellError) {
    let (database, now) = (backend.database, now)
    func renewed(_ old: Caller) throws(ShellError) -> Caller {
      guard case .user = old.identity else { return old }
      return try Caller(name: old.name, old.facts, database: database, now: now)
    }
    caller = try renewed(caller)
    for index in personas.indices { personas[index] = try renewed(personas[index]) }
  }

  /// Goes to another database of the same store.
  func use(_ database: DatabaseID) {
    backend.database = database
    evaluator = Self.evaluator(of: backend)
    place = .root
    fieldSketches = [:]
    lastVerdict = nil
    lastCost = nil
  }

  /// `demo (alice)* /users/bob> `; red for administrators, who pass by the rules.
  var prompt: String {
    let limits = backend.readOnlyReason == nil ? "" : ", read-only"
    let who =
      caller.isAdministrator
      ? console.red("(admin\(limits))") : "(\(TextEscape.printable(caller.name))\(limits))"
    let mark = transaction.map { $0.hasFailed ? "!" : "*" } ?? ""
    let at = place.isRoot ? "" : " /" + TextEscape.printable(place.text)
    return "\(TextEscape.printable(backend.database.project)) \(who)\(mark)\(at)> "
  }

  /// The time of the store, in microseconds; that of this machine where the store does not say.
  var now: Int64 { Self.time(of: backend) }

  private static func time(of backend: any Backend) -> Int64 {
    (try? backend.clock())?.time ?? Environment.system.now()
  }

  var language: LanguageContext {
    LanguageContext(
      database: backend.database, place: place, now: self.now, variables: variables,
      commands: CommandTable.names)
  }

  // MARK: statements

  /// Runs one statement.
  func execute(_ text: String) throws(ShellError) {
    do throws(ShellError) {
      switch try StatementParser.parse(text, language) {
      case .empty: break
      case .command(let command): try CommandTable.run(command, text, on: self)
      case .read(let read): try self.read(read)
      case .writes(let writes): try write(writes)
      }
      try console.checkResults()
    } catch {
      if error.isOfStatement { transaction?.hasFailed = true }
      throw error
    }
  }

  /// Runs a statement and tells its errors; the status to end with.
  /// - Parameter place: file and line where it stands.
  @discardableResult
  func perform(_ text: String, at place: String? = nil) -> Int32 {
    defer { RequestCommands.followShadow(self) }
    do throws(ShellError) {
      try Interruption.check()
      try execute(text)
      return ShellStatus.success
    } catch {
      var placed = error
      if let place { placed.places.append(place) }
      report(placed)
      return error.status
    }
  }

  func report(_ error: ShellError) {
    Self.report(error, to: console, asJSON: settings.writesJSONErrors)
  }

  /// An error for people, or for machines.
  static func report(_ error: ShellError, to console: Console, asJSON: Bool) {
    if asJSON { return console.put(message: json(error)) }
    for place in error.places { console.message("\(place):") }
    if error.kind == .denied, !error.details.isEmpty {
      for (index, line) in error.details.enumerated() {
        console.message(index == 0 && console.isColored ? "\u{1B}[31m\(line)\u{1B}[0m" : line)
      }
      return
    }
    let message = TextLines.of(error.message).map { TextEscape.printable($0) }.joined(separator: "\n")
    let label =
      switch error.kind {
      case .failed(let code): code + ": "
      case .syntax: "syntax: "
      case .denied: "DENIED: "
      case .connection: "connection: "
      case .usage, .unknown, .assertion, .missing, .interrupted: ""
      }
    console.message((console.isColored ? "\u{1B}[31m\(label)\u{1B}[0m" : label) + message)
    for line in error.details { console.message(line) }
  }

  private static func json(_ error: ShellError) -> String {
    var writer = JSONWriter()
    writer.object { outer in
      outer.member("error") { writer in
        writer.object { object in
          object.member("code") { $0.printable(error.code) }
          object.member("message") { $0.printable(error.message) }
          if let place = error.places.first { object.member("at") { $0.printable(place) } }
          guard let denial = error.denial else { return }
          if let rule = denial.rule { object.member("rule") { $0.printable(rule) } }
          if let file = denial.file { object.member("file") { $0.printable(file) } }
          if let line = denial.line { object.member("line") { $0.integer(line) } }
          object.member("reason") { $0.printable(denial.reason) }
        }
      }
    }
    return writer.text
  }

  // MARK: rules

  /// The rules that guard the database.
  func ruleset() throws(ShellError) -> Ruleset {
    guard let rules = try backend.rules() else {
      throw .failed("no rules are loaded; ':rules load FILE' loads some")
    }
    return try evaluator.ruleset(rules.name, rules.source)
  }

  /// Runs what may be denied; a denial is explained. What has a form is recorded, when something is.
  func explaining<R>(
    _ request: @autoclosure () -> RulesEvaluator.Request, recordedAs form: RecordedForm? = nil,
    _ body: () throws(ShellError) -> R
  ) throws(ShellError) -> R {
    var observed: ObservedRequest?
    if let form, recorder != nil { observed = observe(request(), form) }
    do throws(ShellError) {
      let result = try body()
      record(observed, failure: nil)
      return result
    } catch {
      record(observed, failure: error)
      guard error.kind == .denied else { throw error }
      throw explained(error, request())
    }
  }

  private func explained(_ error: ShellError, _ request: RulesEvaluator.Request) -> ShellError {
    guard let rules = try? ruleset(), let verdict = try? evaluator.judge(request, as: caller, by: rules),
      let denied = verdict.denied
    else { return error }
    lastVerdict = verdict
    var explained = error
    explained.details = DenialPrinter.lines(denied, as: caller, width: console.size.columns)
    explained.denial = DenialPrinter.facts(denied)
    return explained
  }

  // MARK: output

  /// Shows lines: through the pager when they do not fit, or as they are.
  func show(_ lines: [String]) {
    let pager = ResultPager(self)
    _ = pager.put(lines)
    pager.finish()
  }

  /// Shows rows under the heads of their columns.
  func show(_ columns: [String], _ rows: [[Value]]) {
    show(ResultPrinter.lines(.rows(columns: columns, rows), settings.style))
  }

  /// LIMIT: lines shown before the shell asks whether to go on.
  static let pageLines = 51

  /// The next lines of what was left; whether there are still more.
  func showMore() -> Bool {
    let next = rest.prefix(Self.pageLines)
    rest.removeFirst(next.count)
    for line in next { console.result(line) }
    return !rest.isEmpty
  }

  /// Asks before something that cannot be undone.
  func confirm(_ question: String) throws(ShellError) {
    if settings.assumesYes { return }
    guard let ask else { throw .usage("\(question): not asked in a script; say --yes") }
    guard ask(question) else { throw ShellError(.interrupted, "not done") }
  }
}
