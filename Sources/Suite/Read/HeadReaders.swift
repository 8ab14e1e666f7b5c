/// The small things of a suite: instants, limits, personas, overlays.

internal import Access
internal import DocModel
internal import Fixtures
internal import Rules
internal import YAML

enum InstantReader {
  /// A time as text, or as `{$time: ...}`.
  /// - Parameter now: what `now` means; nil where nothing is meant.
  static func microseconds(_ node: YAMLNode, now: Int64? = nil) throws(YAMLError) -> Int64 {
    var node = node
    if case .mapping(let entries) = node.content, entries.count == 1, entries[0].key.text == "$time" {
      node = entries[0].value
    }
    let text = try node.literal()
    guard let instant = TimeText.instant(text, now: now) else {
      throw node.error(
        "'\(text)' is no time; write 2026-03-01T09:00:00Z" + (now == nil ? "" : " or now+1d12h"))
    }
    let microseconds = instant.microseconds
    guard microseconds % 1_000 == 0, microseconds >= 0 else {
      throw node.error("a clock shows whole milliseconds after 1970, as server timestamps do")
    }
    return microseconds
  }
}

extension CaseLimits {
  init(_ node: YAMLNode) throws(YAMLError) {
    let map = try node.map("limits")
    try map.refuseKeys(except: ["lookups", "expressions", "ms"])
    self.init()
    if let lookups = map["lookups"] { self.lookups = Int(try lookups.integer(in: 0...20)) }
    if let expressions = map["expressions"] { self.expressions = Int(try expressions.integer(in: 0...1_000)) }
    if let milliseconds = map["ms"] { self.milliseconds = try milliseconds.number() }
  }
}

extension Persona {
  static let anonymous = Persona(name: "", credentials: .anonymous)
  static let admin = Persona(name: "admin", credentials: .admin)
}

enum PersonaReader {
  static func read(_ entry: YAMLEntry, database: DatabaseID, clock: Int64) throws(YAMLError) -> Persona {
    let name = entry.key.text
    if name == "admin" {
      throw YAMLError("'admin' is always there: it passes by the rules; use another name", at: entry.key.mark)
    }
    if entry.value.isNull { return Persona(name: name, credentials: .anonymous) }
    let map = try entry.value.map("a persona")
    try map.refuseKeys(except: ["uid", "claims", "provider", "email_verified"])
    let uid = try map.required("uid").literal()
    var token = try claims(map["claims"], database, clock)
    addStandardClaims(to: &token, uid, database, clock)
    let provider = try map["provider"].map { node throws(YAMLError) in try node.literal() } ?? "custom"
    token["firebase"] = .map(["identities": .map([:]), "sign_in_provider": .string(provider)])
    if let verified = map["email_verified"] { token["email_verified"] = .boolean(try verified.boolean()) }
    return Persona(name: name, credentials: .user(AuthFacts(uid: uid, claims: token)), claims: token)
  }

  private static func claims(
    _ node: YAMLNode?, _ database: DatabaseID, _ clock: Int64
  ) throws(YAMLError) -> Fields {
    guard let node else { return Fields() }
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    var evaluator = FormEvaluator(database: database, now: clock)
    let value = try evaluator.evaluate(try compiler.compile(node), at: DrawPlace(seed: 0))
    guard case .plain(.map(let fields)) = value else { throw node.error("claims are a map") }
    return fields
  }

  /// What every ID token holds. Source: docs/spec/rules-language.md 2.11.
  private static func addStandardClaims(
    to token: inout Fields, _ uid: String, _ database: DatabaseID, _ clock: Int64
  ) {
    let seconds = clock / 1_000_000
    let standard: [(String, Value)] = [
      ("sub", .string(uid)), ("user_id", .string(uid)), ("aud", .string(database.project)),
      ("iss", .string("https://securetoken.google.com/" + database.project)), ("iat", .integer(seconds)),
      ("auth_time", .integer(seconds)), ("exp", .integer(seconds + 3_600)),
    ]
    for (name, value) in standard where token[name] == nil { token[name] = value }
  }
}

enum OverlayReader {
  /// A map from paths to what changes in them.
  static func read(
    _ node: YAMLNode, database: DatabaseID, source: YAMLSource
  ) throws(YAMLError) -> Overlay {
    var entries: [Overlay.Entry] = []
    for entry in try node.isNull ? [] : node.entries() {
      let path = try DocumentPath.parse(entry.key.text, at: entry.key.mark)
      entries.append(
        Overlay.Entry(
          path: path, mark: entry.key.mark, source: source, change: try change(entry.value, database)))
    }
    return Overlay(entries: entries)
  }

  private static func change(_ node: YAMLNode, _ database: DatabaseID) throws(YAMLError) -> Overlay.Change {
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    guard case .mapping(let entries) = node.content else {
      throw node.error("the fields of a document are a map; found \(node.kindName)")
    }
    if entries.contains(where: { $0.key.text == "$absent" }) {
      // Compiled for its errors: `$absent` takes true and stands alone.
      _ = try compiler.compile(node)
      return .removed
    }
    if node.isForm { return .whole(try compiler.compile(node)) }
    return .fields(try compiler.compileChanges(node))
  }
}

extension YAMLNode {
  /// Whether a map is a value form, such as `{$like: profile}`.
  var isForm: Bool {
    guard case .mapping(let entries) = content else { return false }
    return entries.contains { entry in
      let key = entry.key.text
      return key.hasPrefix("$") && !key.hasPrefix("$$") && !key.hasPrefix("${")
    }
  }
}
