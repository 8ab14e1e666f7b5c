/// Functions of generated rulesets.

/// A function with its lets.
public struct FunctionPhrase: Sendable {
  public var name: String
  public var parameters: [String]
  public var lets: [(name: String, value: Phrase)]
  public var result: Phrase

  public var text: String {
    let bindings = lets.map { "let \($0.name) = \($0.value.text); " }.joined()
    return "function \(name)(\(parameters.joined(separator: ", "))) { \(bindings)return \(result.text); }"
  }

  public func reductions(isThorough: Bool) -> [FunctionPhrase] {
    var found: [FunctionPhrase] = []
    for index in lets.indices {
      var copy = self
      copy.lets.remove(at: index)
      found.append(copy)
      for value in lets[index].value.reductions(isThorough: isThorough) {
        var copy = self
        copy.lets[index].value = value
        found.append(copy)
      }
    }
    for reduced in result.reductions(isThorough: isThorough) {
      var copy = self
      copy.result = reduced
      found.append(copy)
    }
    return found
  }
}

extension Author {
  private static let kinds: [Kind] = [.bool, .bool, .int, .string, .map, .any, .list, .float]

  /// Some functions; each may call those before it.
  mutating func writeFunctions(count: Int) -> [FunctionPhrase] {
    let outer = scope
    var written: [FunctionPhrase] = []
    for number in 0..<count {
      let kinds = (0..<random.below(4)).map { _ in random.pick(Self.kinds) }
      // Seldom a name that hides a capture, a global or a library function.
      let names = kinds.indices.map { index in
        random.happens(40) ? random.pick(["id", "resource", "math", "get", "f0"]) : "p\(index)"
      }
      scope = outer + zip(names, kinds).map { ($0, $1) }
      var lets: [(name: String, value: Phrase)] = []
      for index in 0..<random.below(3) {
        let kind = random.pick(Self.kinds)
        let name = random.happens(30) ? random.pick(["id", "p0", "v0", "request"]) : "v\(index)"
        lets.append((name, expression(kind, depth: 2)))
        scope.append((name, kind))
      }
      let kind = random.pick(Self.kinds)
      let result = expression(kind, depth: 3)
      written.append(FunctionPhrase(name: "f\(number)", parameters: names, lets: lets, result: result))
      functions.append(("f\(number)", kinds, kind))
    }
    scope = outer
    return written
  }
}
