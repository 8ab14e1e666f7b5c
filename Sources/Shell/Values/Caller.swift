/// Who asks: an administrator, nobody, or a user with claims.

import Access
import DocModel
import JSON
import Rules
import YAML

struct Caller {
  enum Identity {
    case administrator
    case anonymous
    /// All claims of the token, the standard ones included.
    case user(uid: String, claims: Fields)
  }

  /// As the prompt shows it.
  let name: String
  let identity: Identity
  /// As a suite writes a persona: null, or a map with a uid.
  let facts: Value

  static let administrator = Caller(name: "admin", identity: .administrator)
  static let anonymous = Caller(name: "anon", identity: .anonymous)

  var isAdministrator: Bool {
    if case .administrator = identity { true } else { false }
  }

  var uid: String? {
    if case .user(let uid, _) = identity { uid } else { nil }
  }

  var credentials: Credentials {
    switch identity {
    case .administrator: .admin
    case .anonymous: .anonymous
    case .user(let uid, let claims): .user(AuthFacts(uid: uid, claims: claims))
    }
  }

  /// The `authorization` header; nil for nobody. User tokens are unsigned, as local identity providers make
  /// them.
  var authorization: String? {
    switch identity {
    case .administrator: return AdministratorKey.clientAuthorization
    case .anonymous: return nil
    case .user(_, let claims):
      let header = Base64.urlSafeText(JSONWriter.bytes(of: ["alg": "none", "typ": "JWT"]))
      let payload = ValueJSON(isPlain: true).text(.map(claims))
      return "Bearer \(header).\(Base64.urlSafeText(payload.utf8))."
    }
  }

  init(name: String, identity: Identity, facts: Value = .null) {
    self.name = name
    self.identity = identity
    self.facts = facts
  }

  /// - Parameters:
  ///   - value: null for nobody, or `{uid, claims, provider, email_verified}` as in suites.
  ///   - now: microseconds since the epoch, for the times of the token.
  init(name: String?, _ value: Value, database: DatabaseID, now: Int64) throws(ShellError) {
    if value == .null {
      self.init(name: name ?? "anon", identity: .anonymous)
      return
    }
    guard case .map(var facts) = value, case .string(let uid)? = facts["uid"] else {
      throw .usage("a persona is null or {uid: \"x\", claims: {role: \"coach\"}}")
    }
    try Self.moveClaims(&facts)
    let known = ["uid", "claims", "provider", "email_verified"]
    if let stray = facts.entries.first(where: { !known.contains($0.name) }) {
      throw .usage(
        "'\(stray.name)' is no part of a persona; there are \((known + Self.namedClaims).joined(separator: ", ")), "
          + "and claims takes any others")
    }
    var claims = Fields()
    switch facts["claims"] {
    case .map(let given): claims = given
    case nil, .null: break
    case .some: throw .usage("claims are a map: {role: \"coach\"}")
    }
    let seconds = now / 1_000_000
    // What every ID token holds. Source: docs/spec/rules-language.md 2.11.
    let standard: [(String, Value)] = [
      ("sub", .string(uid)), ("user_id", .string(uid)), ("aud", .string(database.project)),
      ("iss", .string("https://securetoken.google.com/" + database.project)), ("iat", .integer(seconds)),
      ("auth_time", .integer(seconds)), ("exp", .integer(seconds + 86_400)),
    ]
    for (name, value) in standard where claims[name] == nil { claims[name] = value }
    var provider = "custom"
    if case .string(let given)? = facts["provider"] { provider = given }
    claims["firebase"] = .map(["identities": .map([:]), "sign_in_provider": .string(provider)])
    if case .boolean(let verified)? = facts["email_verified"] {
      claims["email_verified"] = .boolean(verified)
    }
    self.init(name: name ?? uid, identity: .user(uid: uid, claims: claims), facts: .map(facts))
  }

  /// Claims of every token that people write beside the uid; suites have them among the claims.
  private static let namedClaims = ["email", "phone_number", "name", "picture"]

  private static func moveClaims(_ facts: inout Fields) throws(ShellError) {
    for name in namedClaims {
      guard let value = facts[name] else { continue }
      var claims = Fields()
      if case .map(let given)? = facts["claims"] { claims = given }
      guard claims[name] == nil || claims[name] == value else {
        throw .usage("'\(name)' is there twice, beside the uid and among the claims")
      }
      claims[name] = value
      facts["claims"] = .map(claims)
      facts[name] = nil
    }
  }
}

/// The personas of a suite, or of a file with nothing else.
enum PersonaFile {
  static func read(_ path: String, database: DatabaseID, now: Int64) throws(ShellError) -> [Caller] {
    let source: YAMLSource
    do throws(YAMLSourceError) { source = try YAMLSource(path: path) } catch {
      throw .unknown("\(error)")
    }
    do throws(YAMLError) {
      let root = try YAMLDocument.parse(source).map("a file of personas")
      let personas = try (root["personas"])?.entries() ?? root.entries
      return try callers(personas, database, now)
    } catch {
      throw .usage(source.diagnostic(for: error).description)
    }
  }

  private static func callers(
    _ entries: [YAMLEntry], _ database: DatabaseID, _ now: Int64
  ) throws(YAMLError) -> [Caller] {
    var callers: [Caller] = []
    for entry in entries {
      do throws(ShellError) {
        callers.append(
          try Caller(name: entry.key.text, value(entry.value), database: database, now: now))
      } catch {
        throw entry.value.error(error.message)
      }
    }
    return callers
  }

  private static func value(_ node: YAMLNode) -> Value {
    switch node.content {
    case .sequence(let elements): return .array(elements.map(value))
    case .mapping(let entries): return .map(Fields(entries.map { ($0.key.text, value($0.value)) }))
    case .scalar(let scalar):
      switch scalar.value {
      case .null: return .null
      case .boolean(let flag): return .boolean(flag)
      case .integer(let number): return .integer(number)
      case .double(let number): return .double(number)
      case .string: return .string(scalar.text)
      }
    }
  }
}
