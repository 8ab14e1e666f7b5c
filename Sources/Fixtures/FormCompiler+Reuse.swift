/// `$like`, `$from` and the field paths beside them.

public import DocModel
public import YAML

extension FormCompiler {
  mutating func compileLike(_ entry: YAMLEntry, _ others: [YAMLEntry]) throws(YAMLError) -> Form {
    let template = try compile(entry.value)
    if let constant = template.constant {
      guard case .plain(.string) = constant else {
        throw entry.value.error("$like takes the name of a template")
      }
    }
    let like = Form.Like(template: template, changes: try changes(others))
    return Form(content: .like(like), mark: entry.value.start)
  }

  /// Compiles a map whose keys are field paths: what a state changes, what an update sends.
  public mutating func compileChanges(_ node: YAMLNode) throws(YAMLError) -> Changes {
    try changes(try node.entries())
  }

  private mutating func changes(_ entries: [YAMLEntry]) throws(YAMLError) -> Changes {
    var changes: [Changes.Change] = []
    for entry in entries {
      if Self.isFormKey(entry.key.text) {
        throw YAMLError("'\(entry.key.text)' is no field path", at: entry.key.mark)
      }
      let path = try pathText(entry.key.text, at: entry.key.mark)
      changes.append(Changes.Change(path: path, mark: entry.key.mark, value: try compile(entry.value)))
    }
    try Changes.refuseOverlaps(
      changes.compactMap { change in
        guard case .fixed(let path) = change.path else { return nil }
        return (path, change.mark)
      })
    return Changes(changes: changes)
  }

  func pathText(_ text: String, at mark: YAMLMark) throws(YAMLError) -> Form.PathText {
    let interpolation = try Interpolation(text, at: mark)
    guard let literal = interpolation.literal else {
      return .dynamic(Form(content: .text(interpolation), mark: mark))
    }
    return .fixed(try Changes.path(literal, at: mark))
  }

  mutating func compileFrom(_ entry: YAMLEntry, _ others: [YAMLEntry]) throws(YAMLError) -> Form {
    let segmentCount = try noteCollections(entry.value)
    let pick = others.first { $0.key.text == "pick" }
    let field = others.first { $0.key.text == "field" }
    let changed = others.filter { $0.key.text != "pick" && $0.key.text != "field" }
    let selection: Form.From.Selection
    if let field {
      if let pick { throw YAMLError("'pick' and 'field' cannot stand together", at: pick.key.mark) }
      if let other = changed.first {
        throw YAMLError("beside 'field' nothing can be changed: the result is one value", at: other.key.mark)
      }
      selection = .field(try pathText(try field.value.literal(), at: field.value.start), field.value.start)
    } else if let pick {
      let nodes = try pick.value.elements()
      var paths: [Form.PathText] = []
      for node in nodes { paths.append(try pathText(try node.literal(), at: node.start)) }
      try Self.refuseEqualLastParts(paths, at: nodes.map(\.start))
      selection = .picked(paths, nodes.map(\.start))
    } else {
      selection = .whole
    }
    let from = Form.From(
      path: try compile(entry.value), segmentCount: segmentCount, selection: selection,
      changes: try changes(changed))
    return Form(content: .from(from), mark: entry.value.start)
  }

  /// Collection ids must be literal, so that it is known before anything is generated which documents
  /// have to be kept.
  private mutating func noteCollections(_ node: YAMLNode) throws(YAMLError) -> Int {
    let text = try node.literal()
    let segments = PathTemplate.segments(text)
    guard segments.count % 2 == 0 else { throw node.error(DocumentPath.oddMessage(text)) }
    var collections: [String] = []
    for (index, segment) in segments.enumerated() where index % 2 == 0 {
      guard !segment.contains("${") else {
        throw node.error("the collection ids of a $from path are written out; only document ids may be names")
      }
      collections.append(segment)
    }
    collectionsRead.insert(collections.joined(separator: "/"))
    return segments.count
  }

  private static func refuseEqualLastParts(
    _ paths: [Form.PathText], at marks: [YAMLMark]
  ) throws(YAMLError) {
    var seen: [String] = []
    for (path, mark) in zip(paths, marks) {
      guard case .fixed(let path) = path, let last = path.segments.last else { continue }
      if seen.contains(where: { $0.hasSameBytes(as: last) }) {
        throw YAMLError("two picked fields are called '\(last)'", at: mark)
      }
      seen.append(last)
    }
  }
}

/// Paths that are not yet interpolated.
enum PathTemplate {
  /// The segments; names in `${...}` hold no slash.
  static func segments(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}

extension Changes {
  static func path(_ text: String, at mark: YAMLMark) throws(YAMLError) -> FieldPath {
    let path: FieldPath
    do {
      path = try FieldPath.parse(text)
    } catch {
      throw YAMLError(
        "'\(text)' is no field path; names other than letters, digits and _ are quoted, as in `a-b`.c",
        at: mark)
    }
    for segment in path.segments { try FieldName.check(segment, at: mark) }
    return path
  }

  /// One path must not be the beginning of another: the order of keys would decide.
  static func refuseOverlaps(_ paths: [(path: FieldPath, mark: YAMLMark)]) throws(YAMLError) {
    for (index, later) in paths.enumerated() {
      for earlier in paths[..<index] {
        if earlier.path.isPrefix(of: later.path) || later.path.isPrefix(of: earlier.path) {
          let what = "'\(later.path.text)' and '\(earlier.path.text)'"
          throw YAMLError("\(what) set the same field twice", at: later.mark)
        }
      }
    }
  }
}

/// Paths of documents in files.
public enum DocumentPath {
  static func oddMessage(_ text: String) -> String {
    "'\(text)' is a collection, not a document: a path has an even number of segments"
  }

  /// The path that a text names.
  public static func parse(_ text: String, at mark: YAMLMark) throws(YAMLError) -> ResourcePath {
    let path: ResourcePath
    do {
      path = try ResourceNameParser.relativePath(text)
    } catch {
      throw YAMLError("'\(text)' is not the path of a document: \(error.message)", at: mark)
    }
    guard !path.isRoot else { throw YAMLError("the path of a document cannot be empty", at: mark) }
    let count = path.segmentCount
    guard count % 2 == 0 else { throw YAMLError(oddMessage(text), at: mark) }
    guard count <= 2 * Limits.namePairsMax else {
      throw YAMLError(
        "the path has \(count / 2) collections; at most \(Limits.namePairsMax) are allowed", at: mark)
    }
    return path
  }
}
