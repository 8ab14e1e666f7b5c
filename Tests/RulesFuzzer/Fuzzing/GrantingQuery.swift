/// Queries that are made for their condition: each test comes with a filter that proves it, so that most are granted.
///
/// A denial that both engines give says little: almost any query is denied by almost any condition. What could be
/// granted wrongly is found where something is granted at all, and one step beside it.

internal import DocModel
internal import Rules

/// A condition and what a query must say for it to hold.
private struct ProvenTest {
  var condition: Phrase
  /// Filters that all must be there; empty where the condition asks for none.
  var filters: [FilterTree] = []
  var limit: Int64?
  var order: FieldPath?
}

extension QueryAuthor {
  /// A trial whose query its rule grants, or one step beside one.
  mutating func grantedTrial() -> QueryTrial {
    var scene = author.scene(.get)
    scene.method = .list
    scene.before = nil
    author.stored = []
    author.scope = [("database", .string), ("id", .string)]
    let pattern = author.random.pick([.document] + QueryTrial.Pattern.allCases)
    let test = proven(author.random.below(4), uid: scene.uid)
    var trial = QueryTrial(functions: [], condition: test.condition, scene: scene, pattern: pattern)
    trial.isBelow = pattern == .below || pattern == .allBelow
    trial.isGroup = pattern == .group || (pattern == .allBelow && author.random.happens(600))
    trial.limit = test.limit
    if let order = test.order { trial.orders.append((order, false)) }
    trial.filter = combined(test.filters)
    if author.random.happens(250) { disturb(&trial) }
    addMembers(to: &trial)
    return trial
  }

  private mutating func combined(_ filters: [FilterTree]) -> FilterTree? {
    var filters = filters
    if author.random.happens(150) { filters.append(.field(field(), .equal, value())) }
    for index in filters.indices.reversed() where author.random.happens(300) {
      filters.swapAt(index, author.random.below(filters.count))
    }
    guard let first = filters.first else { return nil }
    return filters.count == 1 ? first : .all(filters)
  }

  /// One step beside the granted query: a comparison, a value, an order or a limit more or less.
  private mutating func disturb(_ trial: inout QueryTrial) {
    switch author.random.below(6) {
    case 0: trial.filter = nil
    case 1: trial.limit = author.random.pick([nil, 0, 10, 11])
    case 2: trial.orders.append((field(), author.random.happens(400)))
    case 3: trial.isGroup.toggle()
    case 4: trial.filter = trial.filter.map { .any([$0, .field(field(), .equal, value())]) }
    default: trial.filter = trial.filter.map { disturbed($0) }
    }
  }

  private mutating func disturbed(_ filter: FilterTree) -> FilterTree {
    switch filter {
    case .field(let path, let comparison, let operand):
      if author.random.happens(500), !comparison.isUnary, comparison != .in, comparison != .notIn,
        comparison != .arrayContainsAny
      {
        return .field(path, comparison, value())
      }
      return .field(path, author.random.pick([.lessThan, .equal, .greaterThanOrEqual, .notEqual]), operand)
    case .all(var members):
      let index = author.random.below(members.count)
      members[index] = disturbed(members[index])
      return .all(members)
    case .any(var members):
      let index = author.random.below(members.count)
      members[index] = disturbed(members[index])
      return .any(members)
    }
  }

  // MARK: conditions with their proofs

  private mutating func proven(_ depth: Int, uid: String?) -> ProvenTest {
    guard depth > 0 else { return provenLeaf(uid) }
    let left = proven(depth - 1, uid: uid)
    let isDone = author.random.happens(300)
    if isDone { return left }
    if author.random.happens(550) { return both(left, proven(depth - 1, uid: uid)) }
    return either(left, uid: uid, depth: depth)
  }

  private func both(_ left: ProvenTest, _ right: ProvenTest) -> ProvenTest {
    ProvenTest(
      condition: Phrase(.bool, parts: ["(", " && ", ")"], children: [left.condition, right.condition]),
      filters: left.filters + right.filters, limit: left.limit ?? right.limit,
      order: left.order ?? right.order)
  }

  /// One side proven, the other of any kind; or each disjunct of an `or` filter proves its own.
  private mutating func either(_ left: ProvenTest, uid: String?, depth: Int) -> ProvenTest {
    if author.random.happens(350) {
      let right = proven(depth - 1, uid: uid)
      if let one = combined(left.filters), let two = combined(right.filters) {
        return ProvenTest(
          condition: Phrase(.bool, parts: ["(", " || ", ")"], children: [left.condition, right.condition]),
          filters: [.any([one, two])], limit: left.limit ?? right.limit, order: left.order ?? right.order)
      }
    }
    let other = condition(depth - 1)
    var result = left
    result.condition = Phrase(
      .bool, parts: ["(", " || ", ")"],
      children: author.random.happens(500) ? [left.condition, other] : [other, left.condition])
    return result
  }

  private mutating func provenLeaf(_ uid: String?) -> ProvenTest {
    switch author.random.below(12) {
    case 0: return unconditional(uid)
    case 1: return shaped()
    case 2: return named()
    case 3: return owned(uid)
    default: return compared()
    }
  }

  /// True of any query.
  private mutating func unconditional(_ uid: String?) -> ProvenTest {
    let texts = [
      "true", "resource != null", "request.method == 'list'", "request.query.offset == 0", "database != 'x'",
      "exists(/databases/$(database)/documents/u/a)",
      uid == nil ? "request.auth == null" : "request.auth != null",
      "get(/databases/$(database)/documents/u/a).data.role == 'admin'", "request.resource == null",
      "!(id == 'x')",
    ]
    return ProvenTest(condition: Phrase(.bool, author.random.pick(texts)))
  }

  /// What a query's own shape proves.
  private mutating func shaped() -> ProvenTest {
    let limit = author.random.pick([Int64(1), 2, 10])
    switch author.random.below(4) {
    case 0: return ProvenTest(condition: Phrase(.bool, "request.query.limit <= 10"), limit: limit)
    case 1: return ProvenTest(condition: Phrase(.bool, "request.query.limit == \(limit)"), limit: limit)
    case 2:
      return ProvenTest(
        condition: Phrase(.bool, "request.query.orderBy.f == 'ASC'"),
        order: try? FieldPath.parse("f"))
    default: return ProvenTest(condition: Phrase(.bool, "request.query.limit != null"), limit: limit)
    }
  }

  private mutating func named() -> ProvenTest {
    let id = author.random.pick(["one", "two"])
    let name = Value.reference("§root/§/\(id)")
    let text = author.random.pick([
      "id == '\(id)'", "resource.id == '\(id)'", "id in ['\(id)', 'x']", "resource.data.id == '\(id)'",
    ])
    let filter =
      author.random.happens(700)
      ? FilterTree.field(.documentName, .equal, name) : .field(.documentName, .in, .array([name]))
    return ProvenTest(condition: Phrase(.bool, text), filters: [filter])
  }

  private mutating func owned(_ uid: String?) -> ProvenTest {
    guard let uid else { return unconditional(uid) }
    let field = field()
    if author.random.happens(500) {
      return ProvenTest(
        condition: Phrase(.bool, "request.auth.uid == \(access(field))"),
        filters: [.field(field, .equal, .string(uid))])
    }
    return ProvenTest(
      condition: Phrase(.bool, "request.auth.uid in \(access(field))"),
      filters: [.field(field, .arrayContains, .string(uid))])
  }

  /// A comparison of a field and filters from which it follows.
  private mutating func compared() -> ProvenTest {
    let field = field()
    let (value, text) = author.random.pick(Self.values.filter { $0.text != "request.auth.uid" })
    let known = access(field)
    func test(_ condition: String, _ filter: FilterTree) -> ProvenTest {
      ProvenTest(condition: Phrase(.bool, condition), filters: [filter])
    }
    var isArray = false
    if case .array = value { isArray = true }
    let other = scalar()
    switch author.random.below(isArray ? 8 : 16) {
    case 0: return test("\(known) != \(text)", .field(field, .notEqual, value))
    case 1:
      return test(
        "\(known) <= \(text)", .field(field, author.random.pick([.lessThan, .lessThanOrEqual]), value))
    case 2: return test("\(known) < \(text)", .field(field, .lessThan, value))
    case 3: return test("\(text) < \(known)", .field(field, .greaterThan, value))
    case 4:
      return test(
        "\(known) >= \(text)", .field(field, author.random.pick([.greaterThan, .greaterThanOrEqual]), value))
    case 5: return test("\(known) == null", .field(field, .isNull, .null))
    case 6: return test("\(known) == \(text) || \(known) != \(text)", .field(field, .equal, value))
    case 7: return test("[\(text)] == [\(known)]", .field(field, .equal, value))
    case 8: return test("\(text) in \(known)", .field(field, .arrayContains, value))
    case 9: return test("\(known).hasAny([\(text), 'b'])", .field(field, .arrayContains, value))
    case 10: return test("\(known).hasAny([\(text), 7])", .field(field, .arrayContainsAny, .array([value])))
    case 11:
      return test("\(known) in [\(text), 'b', 3]", .field(field, .in, .array([value, .string("b")])))
    case 12:
      return test(
        "\(known) in [\(text), 3]",
        .any([.field(field, .equal, value), .field(field, .in, .array([.integer(3)]))]))
    case 13: return test("!(\(known) in [\(text)])", .field(field, .notIn, .array([value])))
    case 14: return test("\(known) != \(text)", .field(field, .equal, other))
    default: return test("\(known) == \(text)", .field(field, .equal, value))
    }
  }
}
