/// One thing that both engines are asked.

public import DocModel
public import Rules

/// What an engine makes of a trial.
public enum Answer: Equatable, Sendable, CustomStringConvertible {
  /// The rules do not compile.
  case refused
  case granted
  /// One entry per `allow` that was tried, as the official emulator words them.
  case denied([String])
  /// Neither: the request itself is not valid.
  case invalid(String)

  public var description: String {
    switch self {
    case .refused: "does not compile"
    case .granted: "allow"
    case .denied(let entries): "deny: " + entries.joined(separator: " | ")
    case .invalid(let text): "invalid request: \(text)"
    }
  }

  /// Verdict without reasons.
  var letter: Character {
    switch self {
    case .refused: "R"
    case .granted: "A"
    case .denied: "D"
    case .invalid: "I"
    }
  }
}

/// A request over REST.
public struct RESTRequest: Sendable {
  public var method: String
  /// After the host.
  public var target: String
  public var body: String?
  public var authorization: String?

  init(_ method: String, _ target: String, body: String? = nil, authorization: String? = nil) {
    self.method = method
    self.target = target
    self.body = body
    self.authorization = authorization
  }
}

/// Where a trial takes place: its own collection of a project.
public struct Place: Sendable {
  public let project: String
  /// A name that no other trial of the batch has; `§` in a trial's texts stands for it.
  public let collection: String

  public var root: String { "projects/\(project)/databases/(default)/documents" }
  public var url: String { "/v1/\(root)" }

  /// A text with the place filled in.
  public func fill(_ text: String) -> String {
    guard text.utf8.contains(0xA7) else { return text }
    var out = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "§") {
      out += rest[..<mark]
      rest = rest[rest.index(after: mark)...]
      if rest.hasPrefix("root") {
        out += root
        rest = rest.dropFirst(4)
      } else {
        out += collection
      }
    }
    return out + rest
  }

  func fill(_ value: Value) -> Value {
    switch value {
    case .reference(let name): .reference(fill(name))
    case .array(let elements): .array(elements.map(fill))
    case .map(let fields): .map(fill(fields))
    // The official emulator's REST loses the sign.
    case .double(let number) where number == 0: .double(0)
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .geoPoint, .vector: value
    }
  }

  func fill(_ fields: Fields) -> Fields { Fields(fields.entries.map { ($0.name, fill($0.value)) }) }
}

/// A generated case. All texts may contain `§`, see `Place`.
public protocol Trial: Shrinkable, Sendable {
  /// One `match` block, on one line; a whole file if `isWhole`.
  var rules: String { get }
  /// Of the rules language; trials of one version share a file.
  var languageVersion: Int { get }
  /// Whether the rules are a file of their own, and only whether they compile is asked.
  static var isWhole: Bool { get }
  /// What is stored beforehand, beside the world.
  var documents: [(path: String, fields: Fields)] { get }
  /// The request that is judged.
  func request(at place: Place) -> RESTRequest
  /// Our engine's answer.
  func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer
  /// What two findings of one cause have in common.
  var key: String { get }
  /// What a finding prints.
  var account: String { get }
  /// Answers that are as good as `judge`'s: the official emulator names the reason of any refused write.
  func alternatives(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> [Answer]
  /// Of the official emulator's reasons those that tell the outcome, as many as ours has.
  func decisive(_ entries: [String], _ own: [String]) -> [String]
  /// Whether it is a query that names its document and asks for the state after a commit.
  var asksAfterByName: Bool { get }
}

/// A trial of one condition and its functions, for one request.
protocol SceneTrial: Trial {
  var functions: [FunctionPhrase] { get set }
  var condition: Phrase { get set }
  var scene: Scene { get set }
}

extension SceneTrial {
  /// Trials in which one of the three is smaller.
  func reductionsOfCondition(isThorough: Bool) -> [Self] {
    var found: [Self] = []
    func add(_ change: (inout Self) -> Void) {
      var copy = self
      change(&copy)
      found.append(copy)
    }
    for reduced in condition.reductions(isThorough: isThorough) { add { $0.condition = reduced } }
    for index in functions.indices {
      add { $0.functions.remove(at: index) }
      for reduced in functions[index].reductions(isThorough: isThorough) {
        add { $0.functions[index] = reduced }
      }
    }
    for reduced in scene.reductions { add { $0.scene = reduced } }
    return found
  }
}

extension Trial {
  public var languageVersion: Int { 2 }

  public static var isWhole: Bool { false }

  public var asksAfterByName: Bool { false }

  public func alternatives(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> [Answer] { [] }

  public func decisive(_ entries: [String], _ own: [String]) -> [String] {
    Reasons.decisive(entries, own)
  }
}

/// Documents of one trial for our engine.
final class TrialDocuments: DocumentAccess {
  private var before: [String: [UInt8]]
  private var after: [String: [UInt8]]
  private let written: Set<String>
  private let witness: Witness
  private var held: [UnsafeMutableRawBufferPointer] = []

  /// - Parameter changes: what a commit leaves; nil deletes.
  init(
    _ documents: [(path: String, fields: Fields)], changes: [(path: String, fields: Fields?)] = [],
    _ witness: Witness
  ) {
    self.witness = witness
    before = Self.world
    for (path, fields) in documents { before[path] = fields.encoded }
    after = before
    for (path, fields) in changes { after[path] = fields?.encoded }
    written = Set(changes.map(\.path))
    super.init()
  }

  deinit { for buffer in held { buffer.deallocate() } }

  private static let world: [String: [UInt8]] = Dictionary(
    uniqueKeysWithValues: World.documents.map { ($0.path, $0.fields.encoded) })

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    stored(String(decoding: path, as: UTF8.self), afterCommit: afterCommit)
  }

  override var failsAtMissingDocuments: Bool { witness.failsAtMissingDocuments }

  override func text(of number: Double) -> String? { witness.text(of: number) }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    written.contains(String(decoding: path, as: UTF8.self))
  }

  func stored(_ path: String, afterCommit: Bool = false) -> FieldsView? {
    (afterCommit ? after : before)[path].map(hold)
  }

  private func hold(_ bytes: [UInt8]) -> FieldsView {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    buffer.copyBytes(from: bytes)
    held.append(buffer)
    return FieldsView(document: UnsafeRawBufferPointer(rebasing: buffer[0..<bytes.count]))
  }
}

extension Ruleset {
  /// The answer to one operation.
  func answer(_ request: RuleRequest, _ documents: DocumentAccess, _ witness: Witness) -> Answer {
    let decision = decide(request, documents: documents)
    witness.look(at: self, request, documents)
    let explanation = explain(request, documents: documents)
    if decision.isAllowed != explanation.isAllowed {
      return .invalid("decide and explain disagree: \(decision.isAllowed), \(explanation.message)")
    }
    return explanation.isAllowed ? .granted : .denied(Reasons.entries(explanation.message))
  }
}
