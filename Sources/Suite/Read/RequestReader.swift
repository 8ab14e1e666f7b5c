/// One request of a case, an operation or a step.

internal import DocModel
internal import DocStore
internal import Fixtures
internal import Platform
internal import YAML

struct RequestReader {
  static let actionKeys = [
    "get", "getAll", "list", "count", "create", "set", "merge", "update", "delete", "commit", "transaction",
    "listen", "relisten",
  ]
  static let writeKeys = ["create", "set", "merge", "update", "delete"]
  /// What may stand beside the action.
  static let sideKeys = ["as", "data", "given", "at", "id", "expect", "after"]

  let database: DatabaseID
  let clock: Int64
  let personas: [Persona]
  /// Nil while the rules are not known: ids are not checked then.
  let ruleIDs: [String]?
  let source: YAMLSource

  /// A request. With `expectsVerdict` it must say what it expects.
  func request(
    _ node: YAMLNode, persona: Persona?, expectsVerdict: Bool
  ) throws(YAMLError) -> Request {
    let map = try node.map("a request")
    try map.refuseKeys(except: Self.actionKeys + Self.sideKeys)
    let found = map.entries.filter { Self.actionKeys.contains($0.key.text) }
    guard let first = found.first else {
      throw YAMLError("a request needs one of \(Self.actionKeys.joined(separator: ", "))", at: map.mark)
    }
    if found.count > 1 {
      throw YAMLError(
        "'\(first.key.text)' and '\(found[1].key.text)' are two requests", at: found[1].key.mark)
    }
    try refuseStrays(map, first)
    let action = try action(first, map)
    var given: Overlay?
    if let node = map["given"] { given = try OverlayReader.read(node, database: database, source: source) }
    var after: Overlay?
    if let node = map["after"] { after = try OverlayReader.read(node, database: database, source: source) }
    return Request(
      action: action, persona: try self.persona(map, persona), given: given,
      time: try map["at"].map { (node) throws(YAMLError) in try InstantReader.microseconds(node, now: clock)
      },
      expectation: try expectation(map, isRequired: expectsVerdict),
      after: after, title: Self.title(first), source: source, mark: map.mark)
  }

  /// `data` belongs to single writes, `id` to `listen`.
  private func refuseStrays(_ map: YAMLMap, _ action: YAMLEntry) throws(YAMLError) {
    let name = action.key.text
    if let data = map.entry("data"), !Self.writeKeys.contains(name) || name == "delete" {
      throw YAMLError("'\(name)' takes no 'data'", at: data.key.mark)
    }
    if let id = map.entry("id"), name != "listen" {
      throw YAMLError("'id' names a listener; '\(name)' has none", at: id.key.mark)
    }
    let writes = Self.writeKeys + ["commit", "transaction"]
    if let after = map.entry("after"), !writes.contains(name) {
      throw YAMLError("'after' is what a write leaves; '\(name)' writes nothing", at: after.key.mark)
    }
  }

  private func expectation(_ map: YAMLMap, isRequired: Bool) throws(YAMLError) -> Expectation {
    guard let node = map["expect"] else {
      if isRequired { throw YAMLError("\(map.what) needs the key 'expect'", at: map.mark) }
      return Expectation(.anything, text: "~", mark: map.mark)
    }
    return try ExpectationReader(ruleIDs: ruleIDs).read(node)
  }

  // MARK: personas

  private func persona(_ map: YAMLMap, _ outer: Persona?) throws(YAMLError) -> Persona {
    guard let node = map["as"] else {
      if let outer { return outer }
      throw YAMLError("\(map.what) needs the key 'as': who asks", at: map.mark)
    }
    guard case .scalar = node.content else { throw node.error("a request is made as one persona") }
    return try persona(node)
  }

  /// The persona a node names.
  func persona(_ node: YAMLNode) throws(YAMLError) -> Persona {
    let name = try node.literal()
    return try persona(name, at: node.start)
  }

  func persona(_ name: String, at mark: YAMLMark) throws(YAMLError) -> Persona {
    if let persona = personas.first(where: { $0.name.hasSameBytes(as: name) }) { return persona }
    if name == Persona.admin.name { return .admin }
    let known = personas.map(\.name) + [Persona.admin.name]
    throw YAMLError(
      "no persona is called '\(name)'\(Spelling.suggestion(for: name, among: known))", at: mark)
  }

  // MARK: actions

  private func action(_ entry: YAMLEntry, _ map: YAMLMap) throws(YAMLError) -> Action {
    let node = entry.value
    switch entry.key.text {
    case "get": return .get(try documentPath(node))
    case "getAll": return .getAll(try documentPaths(node))
    case "list": return .query(try QueryReader(database: database, clock: clock).listed(node), counts: false)
    case "count": return .query(try QueryReader(database: database, clock: clock).listed(node), counts: true)
    case "listen": return .listen(try listened(node), name: try map["id"].map(Self.literal))
    case "relisten": return .relisten(try node.literal())
    case "commit": return .commit(try writes(node))
    case "transaction": return try transaction(node)
    default: return .commit([try WriteReader(database: database).write(entry, map)])
    }
  }

  private static func literal(_ node: YAMLNode) throws(YAMLError) -> String { try node.literal() }

  private func documentPath(_ node: YAMLNode) throws(YAMLError) -> ResourcePath {
    try DocumentPath.parse(try node.literal(), at: node.start)
  }

  /// A list of paths, or a form that makes one (`$ids`).
  private func documentPaths(_ node: YAMLNode) throws(YAMLError) -> [ResourcePath] {
    var paths: [ResourcePath] = []
    if case .sequence(let nodes) = node.content {
      for node in nodes { paths.append(try documentPath(node)) }
    } else {
      for text in try ConstantReader(database: database, now: clock).texts(
        node, "getAll takes a list of paths")
      {
        paths.append(try DocumentPath.parse(text, at: node.start))
      }
    }
    guard !paths.isEmpty else { throw node.error("getAll takes at least one path") }
    return paths
  }

  /// A document, or anything that `list` takes.
  private func listened(_ node: YAMLNode) throws(YAMLError) -> Action {
    if case .scalar(let scalar) = node.content, scalar.text.split(separator: "/").count % 2 == 0 {
      return .get(try documentPath(node))
    }
    return .query(try QueryReader(database: database, clock: clock).listed(node), counts: false)
  }

  private func writes(_ node: YAMLNode) throws(YAMLError) -> [WriteForm] {
    var writes: [WriteForm] = []
    for element in try node.elements() {
      if let write = try WriteReader(database: database).element(element) { writes.append(write) }
    }
    return writes
  }

  /// Reads first, then writes, as client SDKs demand.
  private func transaction(_ node: YAMLNode) throws(YAMLError) -> Action {
    var reads: [Action] = []
    var writes: [WriteForm] = []
    for element in try node.elements() {
      let map = try element.map("an element of a transaction")
      guard let read = map.entries.first(where: { ["get", "getAll", "list"].contains($0.key.text) }) else {
        if let write = try WriteReader(database: database).element(element) { writes.append(write) }
        continue
      }
      guard writes.isEmpty else {
        throw YAMLError("a transaction reads before it writes", at: read.key.mark)
      }
      try map.refuseKeys(except: [read.key.text, "if"])
      if try WriteReader.isWanted(map) { reads.append(try action(read, map)) }
    }
    return .transaction(reads, writes)
  }

  // MARK: names

  /// What a report calls the request: `get users/bob`.
  private static func title(_ entry: YAMLEntry) -> String {
    switch entry.value.content {
    case .scalar: return "\(entry.key.text) \(FlowText.of(entry.value))"
    case .sequence(let elements):
      let noun = entry.key.text == "getAll" ? "documents" : "writes"
      return "\(entry.key.text) of \(elements.count) \(noun)"
    case .mapping: return "\(entry.key.text) \(FlowText.of(entry.value))"
    }
  }
}

/// Values that depend on nothing but the file.
struct ConstantReader {
  let database: DatabaseID
  let now: Int64

  func value(_ node: YAMLNode) throws(YAMLError) -> Value {
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    var evaluator = FormEvaluator(database: database, now: now)
    guard case .plain(let value) = try evaluator.evaluate(try compiler.compile(node), at: DrawPlace(seed: 0))
    else { throw node.error("a value is wanted here, without $serverTime and the like") }
    return value
  }

  func texts(_ node: YAMLNode, _ expectation: String) throws(YAMLError) -> [String] {
    guard case .array(let elements) = try value(node) else { throw node.error(expectation) }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw node.error(expectation) }
      texts.append(text)
    }
    return texts
  }
}
