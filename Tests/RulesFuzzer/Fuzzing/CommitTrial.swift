/// Several writes of one commit, each judged on its own, with looks at the others.

public import DocModel
public import Rules

public struct CommitTrial: Trial {
  /// One write; without fields a delete.
  struct Write: Sendable {
    var id: String
    var fields: Fields?
    /// Of the fields' names; nil for all of the document.
    var mask: [String]?

    /// The document that it leaves.
    func result(on old: Fields?) -> Fields? {
      guard let fields, let mask else { return fields }
      var result = old ?? [:]
      for name in mask { result[name] = fields[name] }
      return result
    }

    var paths: WrittenPaths? {
      mask.map { WrittenPaths(mask: $0.compactMap { FieldPath.field($0) }, transforms: []) }
    }
  }

  var functions: [FunctionPhrase]
  /// Of `allow write`, and maybe of a second `allow` for one method.
  var condition: Phrase
  var second: (method: RuleMethod, condition: Phrase)?
  var scene: Scene
  var stored: [(path: String, fields: Fields)]
  var writes: [Write]

  public var rules: String {
    let other = second.map { "allow \($0.method.name): if \($0.condition.text); " } ?? ""
    return "match /§/{id} { " + functions.map { $0.text + " " }.joined() + other
      + "allow write: if \(condition.text); }"
  }

  public var documents: [(path: String, fields: Fields)] { stored }

  public func request(at place: Place) -> RESTRequest {
    let list = writes.map { write in
      let name = JSONText.string(place.fill("§root/§/\(write.id)"))
      guard let fields = write.fields else { return #"{"delete":\#(name)}"# }
      let mask = write.mask.map { names in
        let paths = names.compactMap { FieldPath.field($0).map { JSONText.string($0.text) } }
        return #","updateMask":{"fieldPaths":[\#(paths.joined(separator: ","))]}"#
      }
      return #"{"update":{"name":\#(name),"fields":\#(JSONText.fields(place.fill(fields)))}\#(mask ?? "")}"#
    }
    return RESTRequest(
      "POST", place.url + ":commit", body: #"{"writes":[\#(list.joined(separator: ","))]}"#,
      authorization: scene.uid == nil ? nil : JSONText.token(scene.token))
  }

  public func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer {
    judge(ruleset, place, startingAt: 0, witness)
  }

  /// The official emulator judges writes in an order of its own.
  public func alternatives(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> [Answer] {
    writes.indices.dropFirst().map { judge(ruleset, place, startingAt: $0, witness) }
  }

  public func decisive(_ entries: [String], _ own: [String]) -> [String] {
    Reasons.decisive(entries, own, fetches: true)
  }

  private func judge(_ ruleset: Ruleset, _ place: Place, startingAt start: Int, _ witness: Witness) -> Answer
  {
    let before = stored.map { (path: place.fill($0.path), fields: place.fill($0.fields)) }
    let changes = writes.map { write in
      let path = place.fill("§/\(write.id)")
      let old = before.first { $0.path == path }?.fields
      var filled = write
      filled.fields = write.fields.map(place.fill)
      return (path: path, fields: filled.result(on: old))
    }
    let paths = writes.map(\.paths)
    let documents = TrialDocuments(before, changes: changes, witness)
    for index in Array(start..<changes.count) + Array(0..<start) {
      if witness.isSideBySide { documents.beginRequest() }
      let change = changes[index]
      let old = documents.stored(change.path)
      let new = documents.stored(change.path, afterCommit: true)
      let request = RuleRequest(
        method: new == nil ? .delete : old == nil ? .create : .update,
        path: ResourcePath(unchecked: change.path),
        auth: scene.auth, time: witness.time, resource: old, newResource: new,
        writtenPaths: paths[index])
      let answer = ruleset.answer(request, documents, witness)
      guard case .granted = answer else { return answer }
    }
    return .granted
  }

  public var size: Int {
    functions.reduce(condition.text.utf8.count) { $0 + $1.text.utf8.count } + 4 * scene.size
      + (second.map { $0.condition.text.utf8.count + 10 } ?? 0)
      + stored.reduce(0) { $0 + 6 + 3 * $1.fields.count }
      + writes.reduce(0) { $0 + 6 + 3 * ($1.fields?.count ?? 0) }
  }

  public func reductions(isThorough: Bool) -> [CommitTrial] {
    var found: [CommitTrial] = []
    func add(_ change: (inout CommitTrial) -> Void) {
      var copy = self
      change(&copy)
      found.append(copy)
    }
    for reduced in condition.reductions(isThorough: isThorough) { add { $0.condition = reduced } }
    if let second {
      add { $0.second = nil }
      for reduced in second.condition.reductions(isThorough: isThorough) {
        add { $0.second?.condition = reduced }
      }
    }
    for index in functions.indices {
      add { $0.functions.remove(at: index) }
      for reduced in functions[index].reductions(isThorough: isThorough) {
        add { $0.functions[index] = reduced }
      }
    }
    for reduced in scene.reductions { add { $0.scene = reduced } }
    for index in stored.indices {
      add { $0.stored.remove(at: index) }
      for entry in stored[index].fields.entries { add { $0.stored[index].fields[entry.name] = nil } }
    }
    for index in writes.indices {
      if writes.count > 1 { add { $0.writes.remove(at: index) } }
      for entry in writes[index].fields?.entries ?? [] { add { $0.writes[index].fields?[entry.name] = nil } }
      guard let mask = writes[index].mask else { continue }
      add { $0.writes[index].mask = nil }
      for name in mask.indices { add { $0.writes[index].mask?.remove(at: name) } }
    }
    return found
  }

  public var key: String { functions.map(\.text).joined() + condition.text }

  public var account: String {
    var lines = functions.map { "  " + $0.text }
    if let second { lines.append("  allow \(second.method.name): if \(second.condition.text)") }
    lines.append("  allow write: if \(condition.text)")
    if let uid = scene.uid { lines.append("  auth: \(uid) \(JSONText.plain(scene.claims))") }
    for document in stored { lines.append("  stored \(document.path): \(JSONText.fields(document.fields))") }
    for write in writes {
      lines.append(
        "  write §/\(write.id): \(write.fields.map(JSONText.fields) ?? "delete")\(write.mask.map { " mask \($0)" } ?? "")"
      )
    }
    return lines.joined(separator: "\n")
  }
}

extension CommitTrial {
  /// Case `number` of a seed.
  public static func generate(seed: UInt64, number: Int) -> CommitTrial {
    var author = Author(Seeded(seed: seed ^ 0xC0, number: number))
    var scene = author.scene(.get)
    scene.before = nil
    author.stored = []
    var stored: [(path: String, fields: Fields)] = []
    for id in ["x", "y", "z"] where author.random.happens(500) { stored.append(("§/\(id)", author.fields())) }
    var ids = ["x", "y", "z", "w"]
    var writes: [Write] = []
    for _ in 0..<1 + author.random.below(4) {
      let id = ids.remove(at: author.random.below(ids.count))
      let fields = author.random.happens(250) ? nil : author.fields()
      writes.append(Write(id: id, fields: fields, mask: author.mask(of: fields)))
    }
    author.note(stored.first?.fields, at: "resource.data")
    author.note(writes[0].fields, at: "request.resource.data")
    author.scope = [("database", .string), ("id", .string)]
    let functions = author.random.happens(200) ? author.writeFunctions(count: 1) : []
    let condition = author.commitCondition(depth: 2)
    let method = author.random.pick([RuleMethod.create, .update, .delete])
    let second =
      author.random.happens(250) ? (method: method, condition: author.commitCondition(depth: 1)) : nil
    return CommitTrial(
      functions: functions, condition: condition, second: second, scene: scene, stored: stored, writes: writes
    )
  }
}

extension Author {
  /// Some of the fields' names, and of fields that go.
  fileprivate mutating func mask(of fields: Fields?) -> [String]? {
    guard let fields, random.happens(400) else { return nil }
    var names = fields.entries.map(\.name).filter { _ in random.happens(700) }
    for name in ["a", "b", "n", "s"] where !names.contains(name) && random.happens(200) { names.append(name) }
    names.shuffle(using: &random)
    return names
  }

  /// About the documents of the commit, or about anything.
  mutating func commitCondition(depth: Int) -> Phrase {
    switch random.below(depth > 0 ? 10 : 6) {
    case 0: return expression(.bool, depth: 3)
    case 6, 7:
      return Phrase(
        .bool, parts: ["(", " && ", ")"],
        children: [commitCondition(depth: depth - 1), commitCondition(depth: depth - 1)])
    case 8, 9:
      return Phrase(
        .bool, parts: ["(", " || ", ")"],
        children: [commitCondition(depth: depth - 1), commitCondition(depth: depth - 1)])
    default:
      if random.happens(150) { return many() }
      let path = "/databases/$(database)/documents/§/" + random.pick(["x", "y", "z", "w", "$(id)"])
      return Phrase(
        .bool,
        random.pick([
          "existsAfter(\(path))", "!existsAfter(\(path))", "exists(\(path))", "!exists(\(path))",
          "getAfter(\(path)).data.a == 1", "getAfter(\(path)).data == request.resource.data",
          "getAfter(\(path)).data.keys() == []", "get(\(path)).data == resource.data",
          "request.resource.data.size() < 3",
          "{}[getAfter(\(path)).data.keys().join(',')]", "resource == null",
          "request.writeFields == null", "request.writeFields.hasOnly(['a', 'b', 'n'])",
          "{}[request.writeFields.join(',')]", "request.transforms == null", "'a' in request.writeFields",
          "request.method in ['create', 'update']",
          "request.resource == null", "getAfter(\(path)) == get(\(path))", "id in ['x', 'y']",
          "request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a', 'b'])", "true",
          "request.auth != null",
          "getAfter(\(path)).id == id", "request.inTransaction",
        ]))
    }
  }

  /// Enough documents to come near the limits.
  private mutating func many() -> Phrase {
    let start = random.below(12)
    let paths = (start..<start + 1 + random.below(10)).map {
      Phrase(.bool, "exists(/databases/$(database)/documents/u/c\($0))")
    }
    return Phrase(.bool, parts: ["(", ")"], children: paths, separator: " && ")
  }
}
