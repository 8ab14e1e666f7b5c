/// Nested `match` blocks and a path: which blocks apply, and what their captures are.

public import DocModel
public import Rules

public struct TreeTrial: Trial {
  enum Step: Sendable {
    /// A name; `§` stands in it.
    case literal(String)
    case capture, glob
  }

  struct Block: Sendable {
    var steps: [Step]
    /// Conditions of its `allow get, list`; `#` stands for all of its captures' values.
    var allows: [String]
    var inner: [Block]
  }

  enum Question: Sendable {
    /// A document by its segments.
    case get([String])
    case list(parent: [String], collection: String, isGroup: Bool)
  }

  public var languageVersion: Int
  var roots: [Block]
  var question: Question

  public var rules: String { roots.map { Self.text($0, captures: []) }.joined(separator: " ") }

  /// A capture's name tells its kind and its place among the captures around it.
  private static func text(_ block: Block, captures outer: [String]) -> String {
    var captures = outer
    var pattern = ""
    for step in block.steps {
      switch step {
      case .literal(let name): pattern += "/\(name)"
      case .capture:
        captures.append("c\(captures.count)")
        pattern += "/{\(captures[captures.count - 1])}"
      case .glob:
        captures.append("g\(captures.count)")
        pattern += "/{\(captures[captures.count - 1])=**}"
      }
    }
    let parts = block.allows.map { "allow get, list: if \(Self.fill($0, captures));" }
    return "match \(pattern) { "
      + (parts + block.inner.map { text($0, captures: captures) }).joined(separator: " ")
      + " }"
  }

  /// `#` is what all captures are, `@` the last of them.
  private static func fill(_ condition: String, _ captures: [String]) -> String {
    let all = captures.map { $0.hasPrefix("g") ? "string(\($0))" : $0 }.joined(separator: " + '|' + ")
    let globs = captures.filter { $0.hasPrefix("g") }
    return condition.replacing("#", with: all.isEmpty ? "'-'" : all)
      .replacing("@", with: captures.last ?? "database").replacing("~", with: globs.last ?? "database")
  }

  public var documents: [(path: String, fields: Fields)] { [] }

  public func request(at place: Place) -> RESTRequest {
    switch question {
    case .get(let segments): RESTRequest("GET", place.url + "/" + place.fill(segments.joined(separator: "/")))
    case .list(let parent, let collection, let isGroup):
      RESTRequest(
        "POST", place.url + parent.map { "/" + place.fill($0) }.joined() + ":runQuery",
        body:
          #"{"structuredQuery":{"from":[{"collectionId":"\#(place.fill(collection))","allDescendants":\#(isGroup)}]}}"#
      )
    }
  }

  public func judge(_ ruleset: Ruleset, at place: Place, _ witness: Witness) -> Answer {
    let documents = TrialDocuments([], witness)
    switch question {
    case .get(let segments):
      let path = ResourcePath(unchecked: place.fill(segments.joined(separator: "/")))
      return ruleset.answer(
        RuleRequest(method: .get, path: path, auth: nil, time: witness.time), documents, witness)
    case .list(let parent, let collection, let isGroup):
      let shape = QueryShape(
        parent: ResourcePath(unchecked: place.fill(parent.joined(separator: "/"))),
        collectionID: place.fill(collection), allDescendants: isGroup)
      return ruleset.answer(RuleRequest(list: shape, auth: nil, time: witness.time), documents, witness)
    }
  }

  public var size: Int {
    roots.reduce(0) { $0 + Self.size($1) } + (languageVersion == 2 ? 0 : 1) + questionSize
  }

  private static func size(_ block: Block) -> Int {
    block.steps.count + block.allows.reduce(1) { $0 + $1.utf8.count }
      + block.inner.reduce(0) { $0 + size($1) }
  }

  private var questionSize: Int {
    switch question {
    case .get(let segments): segments.count
    case .list(let parent, _, let isGroup): parent.count + 2 + (isGroup ? 1 : 0)
    }
  }

  public func reductions(isThorough: Bool) -> [TreeTrial] {
    var found: [TreeTrial] = []
    for roots in Self.reductions(roots) where !roots.isEmpty {
      found.append(TreeTrial(languageVersion: languageVersion, roots: roots, question: question))
    }
    switch question {
    case .get(let segments):
      for index in segments.indices.dropLast() where segments.count > 2 {
        var rest = segments
        rest.removeSubrange(index...index + 1)
        found.append(TreeTrial(languageVersion: languageVersion, roots: roots, question: .get(rest)))
      }
    case .list(let parent, let collection, let isGroup):
      for index in parent.indices.dropLast() {
        var rest = parent
        rest.removeSubrange(index...index + 1)
        let question = Question.list(parent: rest, collection: collection, isGroup: isGroup)
        found.append(TreeTrial(languageVersion: languageVersion, roots: roots, question: question))
      }
    }
    return found
  }

  /// Without one block, `allow` or step, or with a block's inner ones in its place.
  private static func reductions(_ blocks: [Block]) -> [[Block]] {
    var found: [[Block]] = []
    for index in blocks.indices {
      var rest = blocks
      let block = rest.remove(at: index)
      found.append(rest)
      func add(_ change: (inout Block) -> Void) {
        var copy = block
        change(&copy)
        found.append(blocks[..<index] + [copy] + blocks[(index + 1)...])
      }
      for allow in block.allows.indices { add { $0.allows.remove(at: allow) } }
      // The first step keeps the block apart from those of other trials.
      for step in block.steps.indices.dropFirst() { add { $0.steps.remove(at: step) } }
      for inner in reductions(block.inner) { add { $0.inner = inner } }
    }
    return found
  }

  public var key: String { "\(languageVersion)" + rules }

  public var account: String {
    var lines = ["  version \(languageVersion)"] + roots.map { "  " + Self.text($0, captures: []) }
    switch question {
    case .get(let segments): lines.append("  get \(segments.joined(separator: "/"))")
    case .list(let parent, let collection, let isGroup):
      lines.append("  list \((parent + [collection]).joined(separator: "/"))\(isGroup ? " group" : "")")
    }
    return lines.joined(separator: "\n")
  }
}
