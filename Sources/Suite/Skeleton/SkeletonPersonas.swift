/// Who asks, as the claims and look-ups of a ruleset tell.

internal import Conditions
internal import DocModel
internal import RulesTools

/// A user of a skeleton.
struct SkeletonPersona {
  let name: String
  var uid: String?
  /// As suites have it: `{admin: true}`.
  var claims = SuiteNode.map([])
  var isVerified = false
  var provider: String?

  /// `{uid: editor, claims: {role: editor}}`
  var text: String {
    guard let uid else { return "null" }
    var parts = ["uid: \(SuiteText.scalar(uid))"]
    if !claims.members.isEmpty { parts.append("claims: \(claims.text)") }
    if isVerified { parts.append("email_verified: true") }
    if let provider { parts.append("provider: \(SuiteText.scalar(provider))") }
    return "{" + parts.joined(separator: ", ") + "}"
  }
}

/// Nobody, a user who owns things, another one, and one for each thing that makes a difference to the rules.
struct SkeletonPersonas {
  static let user = "user"
  static let other = "other"

  /// LIMIT: columns of a grid that can be read.
  private static let countMax = 9

  private(set) var all = [
    SkeletonPersona(name: "anon"), SkeletonPersona(name: user, uid: user),
    SkeletonPersona(name: other, uid: other),
  ]
  /// Documents that make somebody what they are: `users/editor` with `role: editor`.
  private(set) var documents:
    [(path: [RulesSurvey.PathPart], field: [String], operand: RulesSurvey.Operand, uid: String)] = []

  init(_ survey: RulesSurvey) {
    for block in survey.blocks {
      for method in block.methods {
        for fact in block.facts[method] ?? [] { add(fact) }
      }
    }
  }

  private mutating func add(_ fact: RulesSurvey.Fact) {
    guard all.count < Self.countMax else { return }
    switch (fact.place, fact.operand) {
    case (.claim(let names), .value(let value)):
      let persona = self.persona(names, value)
      let isThere = all.contains { $0.sameClaims(as: persona) }
      if !isThere { all.append(persona) }
    case (.caller, .value(.string(let uid))) where !all.contains { $0.uid == uid }:
      all.append(SkeletonPersona(name: name(uid), uid: uid))
    case (.document(let path, let field), _) where path.contains(.caller): add(path, field, fact.operand)
    default: break
    }
  }

  private func persona(_ names: [String], _ value: Value) -> SkeletonPersona {
    if names == ["email_verified"] {
      return SkeletonPersona(name: name("verified"), uid: uid("verified"), isVerified: true)
    }
    if names == ["firebase", "sign_in_provider"], case .string(let provider) = value {
      return SkeletonPersona(name: name(provider), uid: uid(provider), provider: provider)
    }
    let word: String
    if case .string(let text) = value, !text.isEmpty { word = text } else { word = names.last ?? "claimant" }
    return SkeletonPersona(
      name: name(word), uid: uid(word),
      claims: SuiteNode.map([]).setting(SuiteText.value(value), at: names[...]))
  }

  private mutating func add(_ path: [RulesSurvey.PathPart], _ field: [String], _ operand: RulesSurvey.Operand)
  {
    let isKnown = documents.contains { $0.path == path && $0.field == field && $0.operand == operand }
    if isKnown { return }
    let word: String
    switch operand {
    case .value(.string(let text)), .list(.value(.string(let text))): word = text
    default: word = field.last ?? "member"
    }
    // One field more of the same document is one fact more about the same user.
    let uid = uid(word)
    if !all.contains(where: { $0.uid == uid }) { all.append(SkeletonPersona(name: name(word), uid: uid)) }
    documents.append((path, field, operand, uid))
  }

  // MARK: names

  private func uid(_ word: String) -> String { Self.word(word) }

  /// A name that no other has, and not the one that passes by the rules.
  private func name(_ word: String) -> String {
    let base = Self.word(word)
    var name = base == Persona.admin.name ? "admin_user" : base
    while all.contains(where: { $0.name == name }) { name += "2" }
    return name
  }

  /// LIMIT: characters of a name.
  private static let wordMax = 16

  /// What can stand above a column.
  private static func word(_ text: String) -> String {
    let word = text.unicodeScalars.prefix(wordMax).map { scalar -> String in
      scalar.isASCII && UInt8(scalar.value).isWordByte ? String(scalar) : "_"
    }.joined()
    return word.first.map { $0.isNumber } ?? true ? "u" + word : word
  }
}

extension SkeletonPersona {
  fileprivate func sameClaims(as other: SkeletonPersona) -> Bool {
    claims.text == other.claims.text && isVerified == other.isVerified && provider == other.provider
  }
}
