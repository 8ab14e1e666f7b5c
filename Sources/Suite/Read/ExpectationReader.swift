/// What a request must come to.

internal import DocModel
internal import Platform
internal import YAML

struct ExpectationReader {
  private static let keys = [
    "allow", "deny", "by", "returns", "lookups", "at", "because", "error", "missing", "write",
  ]
  private static let kinds = DenialKind.allCases.map(\.rawValue)

  let ruleIDs: [String]?

  func read(_ node: YAMLNode) throws(YAMLError) -> Expectation {
    if case .scalar = node.content {
      let word = try node.word(of: ["allow", "deny"])
      return Expectation(word == "allow" ? .allow : .deny([]), text: word, mark: node.start)
    }
    let map = try node.map("an expectation")
    try map.refuseKeys(except: Self.keys)
    var expectation = Expectation(try verdict(map), text: FlowText.of(node), mark: node.start)
    if case .allow = expectation.verdict {
      try refuse(["at", "because", "error", "missing", "write"], in: map, of: "a denial")
    } else {
      try refuse(["by", "returns"], in: map, of: "an allowed request")
    }
    if let node = map["by"] ?? map["at"] { expectation.rule = try rule(node) }
    if let node = map["because"] { expectation.because = try text(node) }
    if let node = map["error"] { expectation.error = try error(node, expectation.verdict) }
    if let node = map["missing"] { expectation.missing = try text(node) }
    if let node = map["write"] { expectation.write = Int(try node.integer(in: 0...10_000)) }
    if let node = map["lookups"] { expectation.lookups = Int(try node.integer(in: 0...20)) }
    if let node = map["returns"] { expectation.returned = try returned(node) }
    try check(expectation, map)
    return expectation
  }

  private func verdict(_ map: YAMLMap) throws(YAMLError) -> Expectation.Verdict {
    switch (map["allow"], map["deny"]) {
    case (.some(let node), .none):
      guard try node.boolean() else { throw node.error("'allow' takes true; write 'deny: true' otherwise") }
      return .allow
    case (.none, .some(let node)):
      if case .scalar(let scalar) = node.content, case .boolean(let flag) = scalar.value {
        guard flag else { throw node.error("'deny' takes a kind or true; write 'allow: true' otherwise") }
        return .deny([])
      }
      let word = try node.word(of: Self.kinds)
      return .deny(DenialKind(rawValue: word).map { [$0] } ?? [])
    case (.some, .some(let node)): throw node.error("an expectation has 'allow' or 'deny', not both")
    case (.none, .none): throw YAMLError("an expectation needs the key 'allow' or 'deny'", at: map.mark)
    }
  }

  private func refuse(_ keys: [String], in map: YAMLMap, of what: String) throws(YAMLError) {
    for key in keys {
      if let entry = map.entry(key) { throw YAMLError("'\(key)' belongs to \(what)", at: entry.key.mark) }
    }
  }

  /// A text that says something: the empty one would be part of everything.
  private func text(_ node: YAMLNode) throws(YAMLError) -> String {
    let text = try node.literal()
    guard !text.isEmpty else { throw node.error("the text is empty, so it would always be found") }
    return text
  }

  private func rule(_ node: YAMLNode) throws(YAMLError) -> String {
    let id = try text(node)
    guard let ruleIDs, !ruleIDs.contains(where: { $0.hasSameBytes(as: id) }) else { return id }
    throw node.error("no rule has the id '\(id)'\(Spelling.suggestion(for: id, among: ruleIDs))")
  }

  private func error(_ node: YAMLNode, _ verdict: Expectation.Verdict) throws(YAMLError) -> ErrorKind? {
    guard case .deny(let kinds) = verdict, kinds.isEmpty || kinds == [.error] || kinds == [.limit] else {
      throw node.error("'error' needs 'deny: error'")
    }
    return ErrorKind(rawValue: try node.word(of: ErrorKind.names))
  }

  private func check(_ expectation: Expectation, _ map: YAMLMap) throws(YAMLError) {
    guard case .deny(let kinds) = expectation.verdict else { return }
    if let entry = map.entry("missing"), !kinds.isEmpty, kinds != [.unprovable] {
      throw YAMLError("'missing' needs 'deny: unprovable'", at: entry.key.mark)
    }
    guard kinds == [.unmatched] else { return }
    for key in ["at", "because"] {
      if let entry = map.entry(key) {
        throw YAMLError("'\(key)' cannot hold where no rule is matched", at: entry.key.mark)
      }
    }
  }

  private func returned(_ node: YAMLNode) throws(YAMLError) -> Expectation.Returned {
    if case .scalar(let scalar) = node.content, case .integer = scalar.value {
      return .count(Int(try node.integer(in: 0...Int64(Int32.max))))
    }
    var paths: [String] = []
    for node in try node.elements() { paths.append(try node.literal()) }
    return .paths(paths)
  }
}
