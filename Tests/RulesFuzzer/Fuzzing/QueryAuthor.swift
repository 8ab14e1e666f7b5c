/// Writes queries and conditions that have to do with each other.

internal import DocModel
internal import Rules

/// Chooses few fields and few values, so that filters and conditions meet.
struct QueryAuthor {
  var author: Author

  init(_ author: Author) { self.author = author }

  static let fields = ["f", "g", "a", "a.b", "`a.b`", "m.x", "l"]

  static let values: [(value: Value, text: String)] = [
    (.integer(1), "1"), (.integer(2), "2"), (.integer(3), "3"), (.integer(2), "2"), (.double(2), "2.0"),
    (.double(1.5), "1.5"), (.string("a"), "'a'"), (.string("b"), "'b'"), (.string("me"), "'me'"),
    (.string("me"), "request.auth.uid"), (.boolean(true), "true"), (.boolean(false), "false"),
    (.null, "null"),
    (.double(.nan), "float('NaN')"),
    (.timestamp(Timestamp(seconds: 1, nanoseconds: 0)), "timestamp.value(1000)"),
    (.timestamp(Timestamp(seconds: 2, nanoseconds: 0)), "timestamp.value(2000)"),
    (.array([.integer(1), .string("a")]), "[1, 'a']"), (.map(["x": .integer(1)]), "{'x': 1}"),
    (.bytes([0x61]), "b'a'"), (.reference("§root/u/a"), "/databases/(default)/documents/u/a"),
    (.geoPoint(GeoPoint(latitude: 1, longitude: 2)), "latlng.value(1, 2)"), (.integer(0), "0"),
    (.double(-0.0), "-0.0"), (.string(""), "''"), (.string("é"), "'é'"), (.array([]), "[]"),
    (.map([:]), "{}"),
  ]

  mutating func trial() -> QueryTrial {
    if author.random.happens(500) { return grantedTrial() }
    var scene = author.scene(.get)
    scene.method = .list
    scene.before = nil
    author.stored = []
    let pattern =
      author.random.happens(700)
      ? QueryTrial.Pattern.document : author.random.pick(QueryTrial.Pattern.allCases)
    var trial = QueryTrial(functions: [], condition: Phrase(.bool, "true"), scene: scene, pattern: pattern)
    shape(&trial)
    author.scope = [("database", .string), ("id", .string)]
    author.errorRate = 12
    for (path, _, value) in trial.filter?.leaves ?? [] {
      author.stored.append((access(path), Author.kind(of: value)))
    }
    if author.random.happens(250) { trial.functions = author.writeFunctions(count: 1) }
    trial.condition = condition(3)
    return trial
  }

  private mutating func shape(_ trial: inout QueryTrial) {
    trial.isGroup = author.random.happens(trial.pattern == .group || trial.pattern == .allBelow ? 600 : 60)
    trial.isBelow = trial.pattern == .below || trial.pattern == .allBelow || author.random.happens(30)
    if author.random.happens(900) { trial.filter = filter(2) }
    if author.random.happens(250) { trial.limit = author.random.pick([0, 1, 2, 10, 100]) }
    if author.random.happens(120) { trial.offset = author.random.pick([0, 1, 5]) }
    for _ in 0..<(author.random.happens(300) ? 1 + author.random.below(2) : 0) {
      trial.orders.append((field(), author.random.happens(400)))
    }
    addMembers(to: &trial)
  }

  /// Documents of the collection, where a filter names some.
  mutating func addMembers(to trial: inout QueryTrial) {
    if trial.filter?.leaves.contains(where: { $0.0.isDocumentName }) == true {
      let prefix = trial.isBelow ? "p/q/§/" : "§/"
      for id in ["one", "two"] where author.random.happens(700) {
        trial.members.append((prefix + id, ["f": value(), "id": .string(id), "a": .map(["b": value()])]))
      }
    }
  }

  mutating func field() -> FieldPath {
    (try? FieldPath.parse(author.random.pick(Self.fields))) ?? .documentName
  }

  mutating func value() -> Value { author.random.pick(Self.values).value }

  private mutating func filter(_ depth: Int) -> FilterTree {
    if depth > 0, author.random.happens(450) {
      let members = (0..<1 + author.random.below(3)).map { _ in filter(depth - 1) }
      return author.random.happens(550) ? .all(members) : .any(members)
    }
    if author.random.happens(70) { return key() }
    let path = field()
    let comparison = author.random.pick(
      [.equal, .equal, .equal, .equal] + FieldTest.Comparison.allCases)
    switch comparison {
    case .in, .arrayContainsAny, .notIn:
      return .field(path, comparison, .array((0..<1 + author.random.below(3)).map { _ in scalar() }))
    case .isNull, .isNotNull, .isNaN, .isNotNaN: return .field(path, comparison, .null)
    case .arrayContains: return .field(path, comparison, scalar())
    case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return .field(path, comparison, value())
    }
  }

  /// A value that may lie in an array.
  mutating func scalar() -> Value {
    let value = value()
    if case .array = value { return .integer(1) }
    return value
  }

  private mutating func key() -> FilterTree {
    let names = ["one", "two", "none"].map { Value.reference("§root/§/\($0)") }
    let comparison = author.random.pick([
      FieldTest.Comparison.equal, .equal, .in, .greaterThan, .lessThan, .notEqual,
    ])
    let operand =
      comparison == .in
      ? Value.array([author.random.pick(names), author.random.pick(names)]) : author.random.pick(names)
    return .field(.documentName, comparison, operand)
  }

  /// How a condition reads a field.
  func access(_ path: FieldPath) -> String {
    "resource.data" + path.segments.map { $0.contains(".") ? "['\($0)']" : ".\($0)" }.joined()
  }

  // MARK: conditions

  mutating func condition(_ depth: Int) -> Phrase {
    switch author.random.below(depth > 0 ? 14 : 9) {
    case 0: return author.expression(.bool, depth: depth + 1)
    case 9, 10: return pair(" && ", depth)
    case 11, 12: return pair(" || ", depth)
    case 13: return Phrase(.bool, parts: ["!(", ")"], children: [condition(depth - 1)])
    default: return test(depth)
    }
  }

  private mutating func pair(_ separator: String, _ depth: Int) -> Phrase {
    Phrase(
      .bool, parts: ["(", separator, ")"], children: [condition(depth - 1), condition(depth - 1)])
  }

  /// A test of a field, of the query or of what is captured.
  private mutating func test(_ depth: Int) -> Phrase {
    let random = author.random.below(20)
    if random < 11 { return fieldTest() }
    let text = author.random.pick(Self.tests)
    guard let mark = text.firstIndex(of: "%") else { return Phrase(.bool, text) }
    return Phrase(
      .bool, parts: [String(text[..<mark]), String(text[text.index(after: mark)...])],
      children: [
        random < 18 ? Phrase(.any, author.random.pick(Self.values).text) : author.expression(.any, depth: 1)
      ])
  }

  private mutating func fieldTest() -> Phrase {
    let known =
      author.stored.isEmpty || author.random.happens(150)
      ? access(field()) : author.random.pick(author.stored).text
    let field = Phrase(.any, known)
    let constant =
      author.random.happens(900)
      ? Phrase(.any, author.random.pick(Self.values).text) : author.expression(.any, depth: 2)
    let other = author.random.happens(80) ? Phrase(.any, access(self.field())) : constant
    let template = author.random.pick(Self.fieldTests)
    if template.first == "^" {  // The constant first.
      return Phrase(.bool, parts: ["", String(template.dropFirst()), ""], children: [other, field])
    }
    let parts = template.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
    return parts.count > 1
      ? Phrase(.bool, parts: ["", parts[0], parts[1]], children: [field, other])
      : Phrase(.bool, parts: ["", template], children: [field])
  }

  private static let fieldTests = [
    " == %", " == %", " == %", " != %", " != %", " < %", " <= %", " > %", " >= %", "^ == ", "^ != ", "^ < ",
    "^ >= ",
    "^ in ", "^ in ", " in [%, 1]", " in [%]", " in [%, 2].toSet()", ".hasAny([%, 'b'])", ".hasAny([%])",
    ".hasAll([%])", ".hasOnly([%])", " is int", " is string", " is constraint", " is list", " is number",
    " is map",
    " is null", ".size() > 0", " + % == 3", ".toSet().hasAny([%])", " == %", "[%] == 1", ".x == %",
    " in {'a': %}", " < % || true", ".concat([%]).size() > 0", ".matches('a')", ".matches(%)", "[0] == %",
    ".get('x', %) == 1",
    " in 'a'", " in null", " == resource.data.f", " == resource.data.g", " > resource.data.f",
    ".hasAny(resource.data.l)",
  ]

  private static let tests = [
    "'f' in resource.data", "!('g' in resource.data)", "resource.data.keys().hasOnly(['f', 'a'])",
    "resource.data.keys().hasAll(['f'])", "resource.data.get('f', %) == 1", "resource.data.get('g', %) == 1",
    "resource.data == {'f': %}", "resource.data.size() < 2", "resource == null", "resource != null",
    "id == 'one'",
    "id is string", "resource.id == 'one'", "resource.__name__ == request.path", "request.query.limit <= 10",
    "request.query.limit == null", "request.query.limit == %", "request.query.offset == 0",
    "request.query.orderBy.f == 'ASC'", "request.query.orderBy == {}", "request.query.orderBy.size() == 1",
    "request.query.keys().size() == 9", "request.query.kind == %", "request.query.parent == null",
    "request.query.allDescendants", "request.query.orderBy.keys() == ['f']", "request.method == 'list'",
    "request.path[3] == %", "{}[string(request.path)]", "{}[request.query.keys().join(',')]",
    "exists(/databases/$(database)/documents/u/$(resource.data.f))",
    "get(/databases/$(database)/documents/u/$(resource.data.f)).data.role == 'admin'",
    "exists(/databases/$(database)/documents/u/$(id))", "request.auth.uid == resource.data.f",
    "request.auth.uid in resource.data.l", "resource.data.diff({'f': %}).affectedKeys().size() == 0",
    "resource.data.values().size() == 1", "[%].hasAny(resource.data.l)", "[%] == resource.data.l",
    "(% in resource.data.l)", "resource.data.f in resource.data.l", "path[0] == 'p'", "path.size() == 0",
    "q == 'q'",
    "request.query.limit", "resource.data.a", "resource.keys() == ['data']", "{}[request.query.parent]",
    "{}[string(request.query.parent)]", "request.resource == null", "{}[resource.data.keys().join(',')]",
    "{}[string(resource.data.f)]", "{}[string(resource.data.a.b)]",
    "{}[string(request.query.orderBy.size())]",
    "debug(resource.data.f) == %", "[resource.data.f] == [%]", "{'x': resource.data.f}.x == %",
    "(resource.data.f == % ? true : resource.data.g == 1)", "string(resource.data.f) == 'a'",
    "int(resource.data.f) == 1", "resource.data[%] == 1",
  ]
}
