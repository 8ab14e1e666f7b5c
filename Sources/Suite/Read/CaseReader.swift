/// Cases: single requests, tables, sequences, properties; each row and persona becomes a case of its own.

internal import DocModel
internal import Platform
internal import YAML

/// What matrices and cases share: limits, tags, deliberate exceptions.
struct CaseHead {
  static let keys = ["name", "limits", "todo", "only", "skip", "tags"]

  let limits: CaseLimits
  let tags: [String]
  let exception: TestCase.Mark

  init(_ map: YAMLMap, limits outer: CaseLimits) throws(YAMLError) {
    limits = try map["limits"].map { node throws(YAMLError) in try CaseLimits(node) }?.within(outer) ?? outer
    var tags: [String] = []
    for node in map["tags"]?.oneOrMore ?? [] { tags.append(try node.literal()) }
    self.tags = tags
    exception = try Self.exception(map)
  }

  private static func exception(_ map: YAMLMap) throws(YAMLError) -> TestCase.Mark {
    let found = map.entries.filter { ["todo", "only", "skip"].contains($0.key.text) }
    guard let entry = found.first else { return .none }
    if found.count > 1 {
      throw YAMLError(
        "'\(entry.key.text)' and '\(found[1].key.text)' exclude each other", at: found[1].key.mark)
    }
    guard case .scalar(let scalar) = entry.value.content else {
      throw entry.value.error("'\(entry.key.text)' takes true or a reason")
    }
    if case .boolean(false) = scalar.value { return .none }
    let reason: String
    if case .boolean(true) = scalar.value { reason = "" } else { reason = try entry.value.text() }
    switch entry.key.text {
    case "only": return .only
    case "skip": return .skip(reason)
    default: return .todo(reason)
    }
  }
}

struct CaseReader {
  private static let keys = CaseHead.keys + ["each", "steps", "property"]

  let requests: RequestReader
  let limits: CaseLimits
  let source: YAMLSource

  /// All cases that one entry writes, and what is wrong with it.
  func read(_ node: YAMLNode) -> (cases: [TestCase], errors: [YAMLError]) {
    var cases: [TestCase] = []
    var errors: [YAMLError] = []
    do throws(YAMLError) {
      let map = try node.map("a case")
      try map.refuseKeys(except: Self.keys + RequestReader.actionKeys + RequestReader.sideKeys)
      for row in try rows(map) {
        do throws(YAMLError) { cases += try read(map, row.row, at: row.mark) } catch { errors.append(error) }
      }
    } catch {
      errors.append(error)
    }
    return (cases, errors)
  }

  private func rows(_ map: YAMLMap) throws(YAMLError) -> [(row: Row, mark: YAMLMark)] {
    guard let each = map["each"] else { return [(.none, map.mark)] }
    var rows: [(row: Row, mark: YAMLMark)] = []
    for node in try each.elements() { rows.append((try Row(node), node.start)) }
    guard !rows.isEmpty else { throw each.error("'each' has no row, so there would be no case") }
    return rows
  }

  /// The cases of one row: one for each persona.
  private func read(_ map: YAMLMap, _ row: Row, at mark: YAMLMark) throws(YAMLError) -> [TestCase] {
    var entries: [YAMLEntry] = []
    for entry in map.entries where !["each", "name", "property"].contains(entry.key.text) {
      entries.append(entry.replacing(key: entry.key.text, value: try row.substitute(in: entry.value)))
    }
    let concrete = map.replacing(entries: entries)
    let head = try CaseHead(concrete, limits: limits)
    let title = try map["name"].map { node throws(YAMLError) in try row.title(node) }
    if let property = map.entry("property") {
      try refuse(
        ["steps", "as", "expect", "after"] + RequestReader.actionKeys, in: concrete, beside: "property")
      let runs = try PropertyReader(requests: requests, row: row).runs(property.value)
      return [try testCase(title ?? "property", head, .property(runs), concrete, at: mark)]
    }
    if let steps = concrete.entry("steps") {
      try refuse(["expect", "after", "data", "at"] + RequestReader.actionKeys, in: concrete, beside: "steps")
      let body = try self.steps(steps.value, concrete)
      return [try testCase(title ?? "steps", head, .steps(body), concrete, at: mark)]
    }
    return try single(concrete, head, title, at: mark)
  }

  private func refuse(_ keys: [String], in map: YAMLMap, beside key: String) throws(YAMLError) {
    for entry in map.entries where keys.contains(entry.key.text) {
      throw YAMLError("'\(entry.key.text)' cannot stand beside '\(key)'", at: entry.key.mark)
    }
  }

  private func steps(_ node: YAMLNode, _ map: YAMLMap) throws(YAMLError) -> [Request] {
    let persona = try map["as"].map { node throws(YAMLError) in try requests.persona(node) }
    var steps: [Request] = []
    for step in try node.elements() {
      steps.append(try requests.request(step, persona: persona, expectsVerdict: true))
    }
    guard !steps.isEmpty else { throw node.error("'steps' is empty") }
    try checkListeners(steps)
    return steps
  }

  /// A `relisten` names a listener of an earlier step.
  private func checkListeners(_ steps: [Request]) throws(YAMLError) {
    var known: [String] = []
    for step in steps {
      switch step.action {
      case .listen(_, let name?): known.append(name)
      case .relisten(let name):
        guard known.contains(where: { $0.hasSameBytes(as: name) }) else {
          throw YAMLError(
            "no step before listens with the id '\(name)'\(Spelling.suggestion(for: name, among: known))",
            at: step.mark)
        }
      case .get, .getAll, .query, .commit, .transaction, .listen: break
      }
    }
  }

  private func single(
    _ map: YAMLMap, _ head: CaseHead, _ title: String?, at mark: YAMLMark
  ) throws(YAMLError) -> [TestCase] {
    let entries = map.entries.filter {
      !CaseHead.keys.contains($0.key.text) && !["given", "as"].contains($0.key.text)
    }
    guard let who = map["as"] else { throw YAMLError("a case needs the key 'as': who asks", at: map.mark) }
    let body = YAMLNode(.mapping(entries), like: who)
    var personas: [Persona] = []
    for node in who.oneOrMore { personas.append(try requests.persona(node)) }
    guard let first = personas.first else { throw who.error("'as' names nobody") }
    let request: Request
    do throws(YAMLError) {
      request = try requests.request(body, persona: first, expectsVerdict: true)
    } catch {
      // What is missing is missing in the case, not in its `as`.
      throw error.mark == who.start ? YAMLError(error.message, at: map.mark, notes: error.notes) : error
    }
    if case .relisten = request.action { throw YAMLError("'relisten' belongs to steps", at: map.mark) }
    var cases: [TestCase] = []
    for persona in personas {
      var own = request
      own.persona = persona
      let name = title ?? request.title
      cases.append(
        try testCase(
          personas.count > 1 ? "\(name) (\(persona.name))" : name, head, .steps([own]), map, at: mark))
    }
    return cases
  }

  private func testCase(
    _ name: String, _ head: CaseHead, _ body: TestCase.Body, _ map: YAMLMap, at mark: YAMLMark
  ) throws(YAMLError) -> TestCase {
    var given: Overlay?
    if let node = map["given"] {
      given = try OverlayReader.read(node, database: requests.database, source: source)
    }
    return TestCase(
      kind: .case, names: [name], tags: head.tags, exception: head.exception, limits: head.limits,
      given: given, body: body, source: source, mark: mark)
  }
}
