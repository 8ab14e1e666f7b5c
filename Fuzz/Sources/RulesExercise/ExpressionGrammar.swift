/// Random conditions that compile: what the evaluator is fed with.
///
/// Types are respected most of the time and broken on purpose now and then, because a fault is a path
/// through the evaluator like any other.
struct ExpressionGrammar {
  /// What an expression should come to.
  enum Kind: CaseIterable { case bool, int, float, text, list, map, set, path, time, duration, bytes, any }

  var random: FuzzRandom
  /// Parameters and `let`s in sight.
  var variables: [String] = []
  /// Functions that may be called, with their numbers of parameters.
  var functions: [(name: String, parameters: Int)] = []

  private static let fields = ["a", "b", "n", "s", "l", "m", "t", "d", "g", "r", "deep", "none", "owner"]
  private static let texts = [
    "''", "'a'", "'alice'", "'users'", "\"x\\n\\u00e9\"", "'a,b,c'", "'日本語 😀'", "'(a+)+$'", "'[a-z]*'",
    "'2024-02-30T00:00:00Z'", "'12'", "'-1.5e3'", "'${1}'", "'\\\\'", "'/a/b'", "'.'", "'w'",
  ]
  private static let integers = [
    "0", "1", "2", "-1", "7", "100", "9223372036854775807", "4294967296", "0x10", "31", "-3",
  ]
  private static let floats = ["0.0", "1.5", "1e308", "-2.25", "3.0", "1e-320", "0.1"]

  mutating func expression(_ kind: Kind, _ depth: Int) -> String {
    if random.oneIn(24) { return expression(random.pick(Kind.allCases), depth) }
    if depth <= 0 { return leaf(kind) }
    if !functions.isEmpty, random.oneIn(9) { return call(depth) }
    switch kind {
    case .bool: return boolean(depth - 1)
    case .int: return integer(depth - 1)
    case .float: return float(depth - 1)
    case .text: return text(depth - 1)
    case .list: return list(depth - 1)
    case .map: return map(depth - 1)
    case .set: return set(depth - 1)
    case .path: return path(depth - 1)
    case .time: return time(depth - 1)
    case .duration: return duration(depth - 1)
    case .bytes: return bytes(depth - 1)
    case .any: return any(depth - 1)
    }
  }

  private mutating func call(_ depth: Int) -> String {
    let function = random.pick(functions)
    let arguments = (0..<function.parameters).map { _ in expression(.any, depth - 1) }
    return "\(function.name)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func leaf(_ kind: Kind) -> String {
    if !variables.isEmpty, random.oneIn(3) { return random.pick(variables) }
    switch kind {
    case .bool: return random.pick(["true", "false", "request.auth != null", "resource == null"])
    case .int: return random.pick(Self.integers)
    case .float: return random.pick(Self.floats)
    case .text: return random.pick(Self.texts)
    case .list: return random.pick(["[]", "[1, 2]", "['a', 'b']", "resource.data.l", "[null]", "[[1], [1]]"])
    case .map:
      return random.pick(["{}", "{'a': 1}", "resource.data", "request.resource.data", "request.auth.token"])
    case .set: return random.pick(["['a'].toSet()", "{}.diff({}).affectedKeys()", "[].toSet()"])
    case .path:
      return random.pick([
        "request.path", "/a/b", "resource.__name__", "path('a/b')",
        "/databases/(default)/documents/users/bob",
      ])
    case .time: return random.pick(["request.time", "timestamp.value(0)", "timestamp.date(2024, 2, 29)"])
    case .duration: return random.pick(["duration.value(1, 'd')", "duration.time(1, 2, 3, 4)"])
    case .bytes: return random.pick(["b''", "b'a\\xff'", "hashing.md5('a')"])
    case .any:
      return random.pick([
        "null", "request", "resource", "request.auth", "id", "request.query.limit", "request.method",
      ])
    }
  }

  private mutating func boolean(_ depth: Int) -> String {
    switch random.below(16) {
    case 0, 1: return "\(expression(.bool, depth)) && \(expression(.bool, depth))"
    case 2, 3: return "(\(expression(.bool, depth)) || \(expression(.bool, depth)))"
    case 4: return "!(\(expression(.bool, depth)))"
    case 5: return "\(operand(.any, depth)) == \(operand(.any, depth))"
    case 6: return "\(operand(.map, depth)) != \(operand(.map, depth))"
    case 7:
      let kind = random.pick([Kind.int, .float, .text, .time, .duration, .bytes, .path])
      return "\(operand(kind, depth)) \(random.pick(["<", "<=", ">", ">="])) \(operand(kind, depth))"
    case 8: return "\(operand(.any, depth)) in \(operand(random.pick([.list, .map, .set]), depth))"
    case 9:
      let type = random.pick([
        "bool", "int", "float", "number", "string", "list", "map", "timestamp", "duration", "path", "bytes",
        "latlng", "null", "set",
      ])
      return "\(operand(.any, depth)) is \(type)"
    case 10: return "\(operand(.text, depth)).matches(\(expression(.text, depth)))"
    case 11:
      return
        "\(operand(random.pick([.list, .set]), depth)).\(random.pick(["hasAll", "hasAny", "hasOnly"]))(\(expression(random.pick([.list, .set]), depth)))"
    case 12: return "\(random.pick(["exists", "existsAfter"]))(\(documentPath(depth)))"
    case 13:
      return "(\(expression(.bool, depth)) ? \(expression(.bool, depth)) : \(expression(.bool, depth)))"
    case 14: return "math.isNaN(\(expression(.float, depth)))"
    default: return "\(operand(.any, depth)) == \(operand(.any, depth))"
    }
  }

  private mutating func operand(_ kind: Kind, _ depth: Int) -> String { "(\(expression(kind, depth)))" }

  private mutating func integer(_ depth: Int) -> String {
    switch random.below(7) {
    case 0: return "\(operand(.int, depth)) \(random.pick(["+", "-", "*", "/", "%"])) \(operand(.int, depth))"
    case 1: return "\(operand(random.pick([.text, .list, .map, .set, .bytes]), depth)).size()"
    case 2: return "int(\(expression(random.pick([.text, .float, .int]), depth)))"
    case 3:
      return
        "\(operand(.time, depth)).\(random.pick(["year", "month", "day", "hours", "minutes", "seconds", "nanos", "dayOfWeek", "dayOfYear", "toMillis"]))()"
    case 4:
      return
        "math.\(random.pick(["abs", "ceil", "floor", "round"]))(\(expression(random.pick([.int, .float]), depth)))"
    case 5: return "-(\(expression(.int, depth)))"
    default: return "\(operand(.list, depth))[\(expression(.int, depth))]"
    }
  }

  private mutating func float(_ depth: Int) -> String {
    switch random.below(5) {
    case 0:
      return "\(operand(.float, depth)) \(random.pick(["+", "-", "*", "/", "%"])) \(operand(.int, depth))"
    case 1: return "float(\(expression(random.pick([.text, .int]), depth)))"
    case 2: return "math.pow(\(expression(.float, depth)), \(expression(.int, depth)))"
    case 3: return "math.sqrt(\(expression(.float, depth)))"
    default:
      return "latlng.value(\(expression(.float, depth)), 7).\(random.pick(["latitude", "longitude"]))()"
    }
  }

  private mutating func text(_ depth: Int) -> String {
    switch random.below(8) {
    case 0: return "\(operand(.text, depth)) + \(operand(.text, depth))"
    case 1: return "\(operand(.text, depth)).\(random.pick(["lower", "upper", "trim"]))()"
    case 2:
      return "\(operand(.text, depth)).replace(\(expression(.text, depth)), \(expression(.text, depth)))"
    case 3: return "string(\(expression(.any, depth)))"
    case 4: return "\(operand(.list, depth)).join(\(expression(.text, depth)))"
    case 5: return "\(operand(.text, depth))[\(expression(.int, depth)):\(expression(.int, depth))]"
    case 6: return "\(operand(.bytes, depth)).\(random.pick(["toBase64", "toHexString"]))()"
    default: return "request.auth.token.\(random.pick(["email", "role", "none"]))"
    }
  }

  private mutating func list(_ depth: Int) -> String {
    switch random.below(7) {
    case 0: return "[\((0..<random.below(4)).map { _ in expression(.any, depth) }.joined(separator: ", "))]"
    case 1: return "\(operand(.text, depth)).split(\(expression(.text, depth)))"
    case 2:
      return "\(operand(.list, depth)).\(random.pick(["concat", "removeAll"]))(\(expression(.list, depth)))"
    case 3: return "\(operand(.map, depth)).\(random.pick(["keys", "values"]))()"
    case 4: return "\(operand(.list, depth))[\(expression(.int, depth)):\(expression(.int, depth))]"
    case 5: return "request.auth.token.get(['a', 'b'], \(expression(.list, depth)))"
    default: return "resource.data.\(random.pick(Self.fields))"
    }
  }

  private mutating func map(_ depth: Int) -> String {
    switch random.below(4) {
    case 0:
      return "{'a': \(expression(.any, depth)), \(expression(.text, depth)): \(expression(.any, depth))}"
    case 1: return "\(random.pick(["get", "getAfter"]))(\(documentPath(depth))).data"
    case 2: return "\(operand(.map, depth)).get(\(expression(.text, depth)), \(expression(.map, depth)))"
    default: return "\(random.pick(["resource", "request.resource"])).data.m"
    }
  }

  private mutating func set(_ depth: Int) -> String {
    switch random.below(3) {
    case 0: return "\(operand(.list, depth)).toSet()"
    case 1:
      return
        "\(operand(.set, depth)).\(random.pick(["union", "intersection", "difference"]))(\(expression(.set, depth)))"
    default:
      return
        "\(operand(.map, depth)).diff(\(expression(.map, depth))).\(random.pick(["addedKeys", "removedKeys", "changedKeys", "unchangedKeys", "affectedKeys"]))()"
    }
  }

  private mutating func documentPath(_ depth: Int) -> String {
    random.oneIn(3)
      ? expression(.path, depth)
      : "/databases/$(database)/documents/\(random.pick(["users", "roles"]))/$(\(expression(.text, depth)))"
  }

  private mutating func path(_ depth: Int) -> String {
    switch random.below(4) {
    case 0: return "/x/$(\(expression(.any, depth)))/y"
    case 1: return "path(\(expression(.text, depth)))"
    case 2: return "/a/{k}/{l}.bind({'k': \(expression(.text, depth)), 'l': 'z'})"
    default: return documentPath(depth)
    }
  }

  private mutating func time(_ depth: Int) -> String {
    switch random.below(4) {
    case 0: return "\(operand(.time, depth)) \(random.pick(["+", "-"])) \(operand(.duration, depth))"
    case 1: return "timestamp.value(\(expression(.int, depth)))"
    case 2:
      return
        "timestamp.date(\(expression(.int, depth)), \(expression(.int, depth)), \(expression(.int, depth)))"
    default: return "\(operand(.time, depth)).date()"
    }
  }

  private mutating func duration(_ depth: Int) -> String {
    switch random.below(4) {
    case 0: return "\(operand(.time, depth)) - \(operand(.time, depth))"
    case 1: return "duration.value(\(expression(.int, depth)), \(expression(.text, depth)))"
    case 2: return "duration.abs(\(expression(.duration, depth)))"
    default: return "\(operand(.time, depth)).time()"
    }
  }

  private mutating func bytes(_ depth: Int) -> String {
    random.oneIn(2)
      ? "\(operand(.text, depth)).toUtf8()"
      : "hashing.\(random.pick(["md5", "sha256", "crc32", "crc32c"]))(\(expression(random.pick([.text, .bytes]), depth)))"
  }

  private mutating func any(_ depth: Int) -> String {
    switch random.below(5) {
    case 0: return "resource.data.\(random.pick(Self.fields))"
    case 1: return "request.resource.data[\(expression(.text, depth))]"
    case 2: return "debug(\(expression(.any, depth)))"
    case 3: return "\(operand(.map, depth)).\(random.pick(Self.fields))"
    default: return expression(random.pick(Kind.allCases), depth)
    }
  }
}
