/// A condition on one document: read, created, updated or deleted.

public import DocModel
public import Rules

public struct ConditionTrial: SceneTrial {
  /// How the document is matched.
  enum Pattern: CaseIterable, Sendable { case document, glob, nested }

  var functions: [FunctionPhrase]
  var condition: Phrase
  var scene: Scene
  var pattern = Pattern.document

  /// Below its collection.
  var path: String { pattern == .nested ? "§/o/s/x" : "§/x" }

  public var rules: String {
    let open =
      switch pattern {
      case .document: "match /§/{id} {"
      case .glob: "match /§/{id=**} {"
      case .nested: "match /§/{outer} { match /s/{id} {"
      }
    let inside = functions.map { $0.text + " " }.joined()
    return
      "\(open) \(inside)allow \(scene.method.name): if \(condition.text); }\(pattern == .nested ? " }" : "")"
  }

  public var documents: [(path: String, fields: Fields)] { scene.before.map { [(path, $0)] } ?? [] }

  public func request(at place: Place) -> RESTRequest {
    let authorization = scene.uid == nil ? nil : JSONText.token(scene.token)
    let name = place.fill("§root/\(path)")
    if scene.method == .get || scene.method == .list {
      return RESTRequest("GET", "/v1/" + name, authorization: authorization)
    }
    let write =
      scene.method == .delete
      ? #"{"delete":\#(JSONText.string(name))}"#
      : #"{"update":{"name":\#(JSONText.string(name)),"fields":\#(JSONText.fields(place.fill(scene.after ?? [:])))}}"#
    return RESTRequest(
      "POST", place.url + ":commit", body: #"{"writes":[\#(write)]}"#, authorization: authorization)
  }

  public func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer {
    let path = place.fill(path)
    let changes: [(path: String, fields: Fields?)] =
      scene.method.isWrite ? [(path, scene.after.map(place.fill))] : []
    let documents = TrialDocuments(
      self.documents.map { (place.fill($0.path), place.fill($0.fields)) }, changes: changes, witness)
    let request = RuleRequest(
      method: scene.method, path: ResourcePath(unchecked: path), auth: scene.auth,
      time: witness.time, resource: documents.stored(path),
      newResource: scene.after == nil ? nil : documents.stored(path, afterCommit: true))
    return ruleset.answer(request, documents, witness)
  }

  public var size: Int {
    functions.reduce(condition.text.utf8.count) { $0 + $1.text.utf8.count } + 4 * scene.size
      + (pattern == .document ? 0 : 6)
  }

  public func reductions(isThorough: Bool) -> [ConditionTrial] {
    var found = reductionsOfCondition(isThorough: isThorough)
    func add(_ change: (inout ConditionTrial) -> Void) {
      var copy = self
      change(&copy)
      found.append(copy)
    }
    if pattern != .document { add { $0.pattern = .document } }
    return found
  }

  public var key: String { functions.map(\.text).joined() + condition.text }

  public var account: String {
    var lines = functions.map { "  " + $0.text }
    lines.append("  allow \(scene.method.name): if \(condition.text)")
    if pattern != .document { lines.append("  pattern: \(pattern)") }
    if let uid = scene.uid { lines.append("  auth: \(uid) \(JSONText.plain(scene.claims))") }
    if let before = scene.before { lines.append("  before: \(JSONText.fields(before))") }
    if let after = scene.after { lines.append("  after: \(JSONText.fields(after))") }
    return lines.joined(separator: "\n")
  }
}

/// `request.time` of our engine, at first: nobody can set the official emulator's.
enum Clock {
  static let now = Timestamp(seconds: 1_790_000_000, nanoseconds: 0)
}

extension ConditionTrial {
  /// Case `number` of a seed.
  public static func generate(seed: UInt64, number: Int) -> ConditionTrial {
    var author = Author(Seeded(seed: seed, number: number))
    if author.random.happens(15) { return author.extreme() }
    let method = author.random.pick([RuleMethod.get, .get, .get, .create, .update, .update, .delete])
    let scene = author.scene(method)
    let pattern = author.random.happens(850) ? Pattern.document : author.random.pick(Pattern.allCases)
    author.scope = [("database", .string), ("id", pattern == .glob ? .path : .string)]
    if pattern == .nested { author.scope.append(("outer", .string)) }
    let functions = author.random.happens(300) ? author.writeFunctions(count: 1 + author.random.below(3)) : []
    let depth = 1 + author.random.below(5)
    let condition =
      author.random.happens(450) ? author.observation(depth: depth) : author.expression(.bool, depth: depth)
    return ConditionTrial(functions: functions, condition: condition, scene: scene, pattern: pattern)
  }
}

extension Author {
  /// A condition that fails with a message that tells a value: a comparison would tell one bit of it.
  mutating func observation(depth: Int) -> Phrase {
    let (kind, before, after): (Kind, String, String) = random.pick([
      (.int, "{}[string(", ")]"), (.float, "{}[string(", ")]"), (.string, "{}[", "]"), (.string, "{}[", "]"),
      (.any, "{}[string(", ")]"), (.path, "{}[string(", ")]"), (.bytes, "{}[", ".toHexString()]"),
      (.list, "{}[", ".join('|')]"), (.list, "{}[", ".join('|')]"), (.map, "{}[", ".keys().join('|')]"),
      (.bool, "{}[string(", ")]"), (.timestamp, "{}[string(", ".toMillis())]"),
      (.timestamp, "{}[string(", ".nanos())]"),
      (.duration, "{}[string(", ".seconds())]"), (.duration, "{}[string(", ".nanos())]"),
      (.set, "{}[string(", ".size())]"), (.string, "{}[", ".toUtf8().toHexString()]"),
      (.float, "{}[string(int(", " * 1000.0))]"), (.map, "{}[string(", ".values()[0])]"),
      (.path, "{}[", "[0]]"), (.any, "", ""),
    ])
    var inner = expression(kind, depth: depth)
    if inner.isOperator { inner = inner.inParentheses }
    return Phrase(.bool, parts: [before, after], children: [inner])
  }
}
