/// One request out of the blue, explained: what `docsh rules explain` asks.
///
/// Values are written as in suites and seeds, which JSON is part of.

internal import Access
public import DocModel
public import DocStore
public import EngineLMDB
internal import Fixtures
internal import Platform
public import Rules
internal import YAML

/// A request as text.
public struct RequestText: Sendable {
  /// `get`, `list`, `create`, `update` or `delete`.
  public var method: String
  /// A document; for `list` a collection, or nothing when there is a query.
  public var path: String?
  /// `{uid: bob, claims: {...}}`; nil for nobody.
  public var auth: String?
  /// The fields that a write sends.
  public var data: String?
  /// The fields that the document has before; nil leaves it as it is stored.
  public var resource: String?
  /// `{from: posts, where: [...], ...}`
  public var query: String?

  public init(method: String) { self.method = method }
}

/// Why a request could not be made.
public struct RequestTextError: Error, Sendable, CustomStringConvertible {
  public let description: String
}

public enum RequestExplainer {
  /// Asks the rules and tells everything about their answers; nothing stays written.
  ///
  /// - Parameter store: holds the documents that there are; gets `resource`, and the write if it is allowed.
  public static func explain(
    _ text: RequestText, rules: Ruleset, store: DocumentStore<LMDBEngine>, database: DatabaseID
  ) throws(RequestTextError) -> [DetailedExplanation] {
    let rulesets = RulesetRegistry()
    rulesets.setStandard(rules)
    let log = JudgementLog()
    let guarded = GuardedStore(
      store, rulesets: rulesets, detail: .terse, witness: { log.add($0) }, witnessDetail: .values)
    let reader = RequestTextReader(database: database, clock: store.environment.now())
    try reader.prepare(text, store)
    let request = try reader.request(text)
    do throws(StoreError) {
      try perform(request, on: guarded, database)
    } catch {
      switch error {
      case .permissionDenied: break
      case .notFound, .alreadyExists, .failedPrecondition, .invalid, .aborted, .resourceExhausted,
        .targetExists, .storage, .engine:
        // Rules are asked first; without an answer of theirs the store's is all there is to tell.
        if log.isEmpty {
          throw RequestTextError(description: "the store refuses the request: \(error.message)")
        }
      }
    }
    return log.takeAll().compactMap(\.detailed)
  }

  private static func perform(
    _ request: RequestTextReader.Ask, on guarded: GuardedStore<LMDBEngine>, _ database: DatabaseID
  ) throws(StoreError) {
    switch request.action {
    case .get(let path):
      try guarded.get(DocumentName(database: database, path: path), as: request.credentials) { _, _ in }
    case .list(let query): _ = try guarded.run(query, as: request.credentials) { _ in .stop }
    case .write(let write): try guarded.commitAndWait(database, [write], as: request.credentials)
    }
  }
}

/// Texts to a request.
struct RequestTextReader {
  enum Action {
    case get(ResourcePath)
    case list(NormalizedQuery)
    case write(Write)
  }

  struct Ask {
    let action: Action
    let credentials: Credentials
  }

  static let methods = ["get", "list", "create", "update", "delete"]

  let database: DatabaseID
  let clock: Int64

  /// Writes the document that `resource` describes, past the rules.
  func prepare(_ text: RequestText, _ store: DocumentStore<LMDBEngine>) throws(RequestTextError) {
    guard let resource = text.resource else { return }
    let path = try document(text)
    let write = Write(path, .update(fields: try fields(resource, "--resource"), mask: nil))
    do throws(StoreError) { try store.commitAndWait(database, [write]) } catch {
      throw RequestTextError(description: "cannot store --resource: \(error.message)")
    }
  }

  func request(_ text: RequestText) throws(RequestTextError) -> Ask {
    Ask(action: try action(text), credentials: try credentials(text.auth))
  }

  private func action(_ text: RequestText) throws(RequestTextError) -> Action {
    switch text.method {
    case "get": return .get(try document(text))
    case "list": return .list(try query(text))
    case "create":
      return .write(
        try write(text) { (compiler, node) throws(YAMLError) in .create(try compiler.compile(node)) })
    case "update":
      return .write(
        try write(text) { (compiler, node) throws(YAMLError) in .update(try compiler.compileChanges(node)) })
    case "delete": return .write(Write(try document(text), .delete))
    default:
      let suggestion = Spelling.suggestion(for: text.method, among: Self.methods)
      throw RequestTextError(
        description:
          "'\(text.method)' is no method\(suggestion); there are \(Self.methods.joined(separator: ", "))")
    }
  }

  /// A write as suites have it; of an update the data are fields by path, the others stay.
  private func write(
    _ text: RequestText,
    _ operation: (inout FormCompiler, YAMLNode) throws(YAMLError) -> WriteForm.Operation
  ) throws(RequestTextError) -> Write {
    let path = try document(text)
    return try reading(text.data ?? "{}", "--data") { (node) throws(YAMLError) in
      guard case .mapping = node.content else {
        throw node.error("the fields of a document are a map; found \(node.kindName)")
      }
      var compiler = FormCompiler(database: database, vocabulary: .suites)
      let form = WriteForm(path: path, operation: try operation(&compiler, node), mark: node.start)
      var builder = WriteBuilder(evaluator: FormEvaluator(database: database, now: clock))
      return try builder.write(form)
    }
  }

  private func fields(_ text: String, _ name: String) throws(RequestTextError) -> [UInt8] {
    let value = try reading(text, name) { (node) throws(YAMLError) in
      guard case .map(let fields) = try ConstantReader(database: database, now: clock).value(node) else {
        throw node.error("the fields of a document are a map; found \(node.kindName)")
      }
      return fields
    }
    do { return try Canonicalizer.fields(value) } catch {
      throw RequestTextError(description: "\(name): \(error.message)")
    }
  }

  private func document(_ text: RequestText) throws(RequestTextError) -> ResourcePath {
    guard let written = text.path else { throw RequestTextError(description: "say which document: --path") }
    let path = try resourcePath(written)
    guard path.isDocument else {
      throw RequestTextError(
        description: "'\(written)' is no document; a document's path has an even number of segments")
    }
    return path
  }

  private func resourcePath(_ written: String) throws(RequestTextError) -> ResourcePath {
    let text = written.hasPrefix("/") ? String(written.dropFirst()) : written
    do throws(InvalidArgument) { return try ResourceNameParser.relativePath(text) } catch {
      throw RequestTextError(description: "'\(written)' is no path: \(error.message)")
    }
  }

  private func query(_ text: RequestText) throws(RequestTextError) -> NormalizedQuery {
    guard let query = text.query else {
      guard let path = text.path else {
        throw RequestTextError(description: "say what to list: --path COLLECTION or --query '{from: …}'")
      }
      return try reading(path.hasPrefix("/") ? String(path.dropFirst()) : path, "--path") {
        (node) throws(YAMLError) in
        try QueryReader(database: database, clock: clock).read(node)
      }
    }
    return try reading(query, "--query") { (node) throws(YAMLError) in
      try QueryReader(database: database, clock: clock).read(node)
    }
  }

  private func credentials(_ auth: String?) throws(RequestTextError) -> Credentials {
    guard let auth, auth != "null" else { return .anonymous }
    return try reading("caller: " + auth, "--auth") { (node) throws(YAMLError) in
      guard let entry = try node.entries().first else { throw node.error("expected {uid: …}") }
      return try PersonaReader.read(entry, database: database, clock: clock).credentials
    }
  }

  /// Reads a text as YAML; errors name the option it came from.
  private func reading<R>(
    _ text: String, _ name: String, _ body: (YAMLNode) throws(YAMLError) -> R
  ) throws(RequestTextError) -> R {
    let source = YAMLSource(name: name, text: text)
    do throws(YAMLError) {
      return try body(try YAMLDocument.parse(source))
    } catch {
      throw RequestTextError(description: source.diagnostic(for: error).description)
    }
  }
}
