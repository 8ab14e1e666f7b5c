/// Writes expressions: chooses productions and fills their holes.

/// A generator of phrases with a scope.
public struct Author: Sendable {
  public var random: Seeded
  /// Names that stand for values here: parameters, lets, captures.
  var scope: [(name: String, kind: Kind)] = []
  /// Functions that may be called here.
  var functions: [(name: String, parameters: [Kind], result: Kind)] = []
  /// Fields of `resource.data` and `request.resource.data`, with what they are.
  var stored: [(text: String, kind: Kind)] = []
  /// Another kind than asked for, so many times in a thousand.
  var errorRate = 25
  /// Texts that the compiler may refuse, so many times in a thousand.
  var doubtRate = 2

  public init(_ random: Seeded) { self.random = random }

  /// An expression of a kind.
  public mutating func expression(_ kind: Kind, depth: Int) -> Phrase {
    let kind = random.happens(errorRate) ? random.pick(Kind.allCases) : kind
    if depth <= 0 || random.happens(120) { return leaf(kind) }
    if random.happens(60), let call = call(returning: kind, depth: depth) { return call }
    guard let (productions, weight) = Productions.table[kind] else { return leaf(kind) }
    var draw = random.below(weight)
    for production in productions {
      draw -= production.weight
      if draw < 0 { return fill(production, depth: depth - 1) }
    }
    return leaf(kind)
  }

  private mutating func call(returning kind: Kind, depth: Int) -> Phrase? {
    let fitting = functions.filter { $0.result == kind || kind == .any }
    guard !fitting.isEmpty else { return nil }
    let function = random.pick(fitting)
    var arguments = function.parameters.map { expression($0, depth: depth - 2) }
    if random.happens(15) { arguments.append(leaf(.any)) }
    return Phrase(kind, parts: ["\(function.name)(", ")"], children: arguments, separator: ", ")
  }

  private mutating func fill(_ production: Production, depth: Int) -> Phrase {
    var parts = [""]
    var children: [Phrase] = []
    var isHole = false
    for character in production.template {
      if isHole {
        isHole = false
        if let word = word(character) {
          parts[parts.count - 1] += word
        } else if character == " " {
          parts[parts.count - 1] += "% "
        } else {
          children.append(operand(character, depth: depth, isInOperator: production.isOperator))
          parts.append("")
        }
      } else if character == "%" {
        isHole = true
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return Phrase(production.kind, parts: parts, children: children, isOperator: production.isOperator)
  }

  /// What is no expression of its own.
  private mutating func word(_ hole: Character) -> String? {
    switch hole {
    case "w": random.pick(Literals.names)
    case "T": random.pick(Literals.types)
    case "C": random.pick(Literals.comparisons)
    case "E": random.pick(Literals.equalities)
    default: nil
    }
  }

  private mutating func operand(_ hole: Character, depth: Int, isInOperator: Bool) -> Phrase {
    switch hole {
    case "n": return protected(expression(random.happens(500) ? .int : .float, depth: depth), isInOperator)
    case "R":
      return Phrase(.string, random.pick(random.happens(8) ? Literals.doubtfulPatterns : Literals.patterns))
    case "K":
      return random.happens(100)
        ? expression(.string, depth: depth) : Phrase(.string, random.pick(Literals.keys))
    case "D": return document(depth)
    case "U": return Phrase(.string, random.pick(Literals.units))
    case "Z": return Phrase(.string, timestampText())
    case "G": return Phrase(.string, replacement())
    case "L": return elements(depth)
    case "M": return entries(depth)
    default: return protected(expression(Kind(rawValue: hole) ?? .any, depth: depth), isInOperator)
    }
  }

  /// In parentheses where it binds weaker; seldom without, which makes another tree of it.
  private mutating func protected(_ phrase: Phrase, _ isInOperator: Bool) -> Phrase {
    guard phrase.isOperator else { return random.happens(15) ? phrase.inParentheses : phrase }
    return random.happens(isInOperator ? 300 : 60) ? phrase : phrase.inParentheses
  }

  private mutating func document(_ depth: Int) -> Phrase {
    switch random.below(10) {
    case 0:
      return Phrase(
        .path, parts: ["/databases/$(database)/documents/u/$(", ")"],
        children: [expression(.string, depth: depth)])
    case 1: return expression(.path, depth: depth)
    case 2...6: return Phrase(.path, Literals.documents[random.below(5)])
    default: return Phrase(.path, random.pick(Literals.documents))
    }
  }

  /// Elements for a list; mostly of one kind, so that equal ones occur.
  private mutating func elements(_ depth: Int) -> Phrase {
    let kind = random.pick([Kind.int, .string, .any, .float, .string, .bool])
    let phrases = (0..<random.below(4)).map { _ in
      random.happens(700) ? leaf(kind) : expression(.any, depth: depth - 1)
    }
    return Phrase(.any, parts: ["", ""], children: phrases, separator: ", ")
  }

  private mutating func entries(_ depth: Int) -> Phrase {
    let phrases = (0..<random.below(4)).map { _ in
      Phrase(
        .any, parts: ["", ": ", ""],
        children: [
          random.happens(40)
            ? expression(.any, depth: depth - 1) : Phrase(.string, random.pick(Literals.keys)),
          random.happens(600) ? leaf(.any) : expression(.any, depth: depth - 1),
        ])
    }
    return Phrase(.any, parts: ["", ""], children: phrases, separator: ", ")
  }
}

extension Author {
  /// A literal, a name or a field.
  public mutating func leaf(_ kind: Kind) -> Phrase {
    if random.happens(300) {
      let named = (scope.filter { $0.kind == kind || kind == .any }).map(\.name)
      if !named.isEmpty { return Phrase(kind, random.pick(named)) }
    }
    if random.happens(350) {
      let fields = stored.filter { $0.kind == kind || kind == .any }
      if !fields.isEmpty { return Phrase(kind, random.pick(fields).text) }
    }
    let text = literal(kind)
    return Phrase(kind, text, isOperator: text.hasPrefix("-"))
  }

  private mutating func literal(_ kind: Kind) -> String {
    switch kind {
    case .bool: return random.happens(60) ? random.pick(Literals.faults) : random.pick(Self.booleans)
    case .int: return random.happens(500) ? "\(random.below(5))" : random.pick(Literals.ints)
    case .float: return random.pick(Literals.floats)
    case .string:
      if random.happens(doubtRate) { return random.pick(Literals.doubtfulStrings) }
      return random.happens(80) ? random.pick(Self.texts) : random.pick(Literals.strings)
    case .bytes: return random.pick(Literals.bytes)
    case .timestamp: return random.pick(Literals.timestamps)
    case .duration: return random.pick(Literals.durations)
    case .latlng: return random.pick(Literals.latlngs)
    case .path: return random.pick(Literals.paths)
    case .list: return random.pick(Self.lists)
    case .set: return random.pick(Self.lists) + ".toSet()"
    case .map: return random.pick(Self.maps)
    case .mapDiff: return random.pick(Self.maps) + ".diff(" + random.pick(Self.maps) + ")"
    case .null: return "null"
    case .any: return literal(random.pick(Self.plain))
    }
  }

  private static let plain: [Kind] = [
    .bool, .int, .int, .float, .string, .string, .bytes, .timestamp, .duration, .latlng, .path, .list, .map,
    .null, .set,
  ]

  private static let booleans = [
    "true", "false", "true", "false", "resource == null", "resource != null", "request.resource == null",
    "request.auth != null", "request.auth == null", "request.time > timestamp.date(2000, 1, 1)",
    "request.time is timestamp", "request.method == 'get'", "request.path == resource.__name__",
    "id == resource.id",
  ]

  private static let texts = [
    "request.method", "request.auth.uid", "resource.id", "request.path[1]", "request.auth.token.s",
    "request.auth.token.email",
  ]

  private static let lists = [
    "[]", "[1]", "[1, 2]", "['a']", "['a', 'b']", "[1.0, 2]", "[null]", "['a', 'b', 'a']", "[1, 1.0]",
    "[0, -0.0]", "[[1], {}]", "[true, 'x']", "[float('NaN')]", "['c', 'a']", "[{'a': 1}]", "[b'a', 'a']",
    "request.auth.token.l", "[1, 2, 3, 4]", "['n', 's', 'm']",
  ]

  private static let maps = [
    "{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{'a': 1.0}", "{'b': 'x', 'a': null}", "{'a': {'b': 1}}",
    "{'a': [1, 2]}", "{'s': 'x', 'n': 7}", "{'a': float('NaN')}", "resource.data", "request.resource.data",
    "request.auth.token", "request.auth", "{'a': 0.0}", "{'a': -0.0, 'a': 2}", "resource", "request",
    "{'x': 'a', 'y': 'b'}",
  ]
}
