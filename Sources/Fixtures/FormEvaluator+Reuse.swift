/// `$like` and `$from`: copies with changes.

internal import DocModel
internal import Platform
internal import YAML

extension FormEvaluator {
  // MARK: templates

  mutating func evaluate(
    _ like: Form.Like, at place: DrawPlace, mark: YAMLMark, skipping: [ArraySlice<String>]
  ) throws(YAMLError) -> TypedValue {
    let name = try text(like.template, at: place.child("$like"))
    let limit = templateLimit ?? templates.count
    guard let index = templates.index(of: name, before: limit) else {
      let suggestion = Spelling.suggestion(for: name, among: templates.names(before: limit))
      throw YAMLError("no template is called '\(name)' before this place\(suggestion)", at: mark)
    }
    let changes = try evaluate(like.changes, at: place, skipping: skipping)
    let outerLimit = templateLimit
    templateLimit = index
    defer { templateLimit = outerLimit }
    let template = templates.templates[index]
    do {
      let skipped = skipping + changes.map { $0.path.segments[...] }
      let value = try evaluate(template.form, at: place, skipping: skipped)
      return try apply(changes, to: value, named: "template '\(name)'", at: mark)
    } catch {
      throw error.noting("from template \(name)")
    }
  }

  // MARK: documents

  mutating func evaluate(
    _ from: Form.From, at place: DrawPlace, mark: YAMLMark, skipping: [ArraySlice<String>]
  ) throws(YAMLError) -> TypedValue {
    let place = place.child("$from")
    let text = try text(from.path, at: place)
    let path = try DocumentPath.parse(text, at: mark)
    guard path.segmentCount == from.segmentCount else {
      throw YAMLError("'\(text)' has more segments than the path in the file: a name holds a '/'", at: mark)
    }
    let document: TypedValue
    switch documents.entry(path) {
    case .fields(let fields): document = fields
    case .failed: throw YAMLError.consequence(at: mark)
    case .none: throw YAMLError("no document \(text) before this place", at: mark)
    }
    let value: TypedValue
    switch from.selection {
    case .whole: value = document
    case .field(let field, let mark):
      let fieldPath = try fieldPath(field, at: place, mark: mark)
      guard let field = document.value(at: fieldPath.segments) else {
        throw missing(fieldPath, of: text, at: mark)
      }
      return field
    case .picked(let fields, let marks):
      value = try pick(fields, marks, of: document, named: text, at: place)
    }
    let changes = try evaluate(from.changes, at: place, skipping: skipping)
    return try apply(changes, to: value, named: text, at: mark)
  }

  private func missing(_ path: FieldPath, of document: String, at mark: YAMLMark) -> YAMLError {
    YAMLError("\(document) has no field '\(path.text)'", at: mark)
  }

  private mutating func pick(
    _ fields: [Form.PathText], _ marks: [YAMLMark], of document: TypedValue, named name: String,
    at place: DrawPlace
  ) throws(YAMLError) -> TypedValue {
    var pairs: [(name: String, value: TypedValue)] = []
    for (field, mark) in zip(fields, marks) {
      let path = try fieldPath(field, at: place, mark: mark)
      guard let value = document.value(at: path.segments), let last = path.segments.last else {
        throw missing(path, of: name, at: mark)
      }
      if pairs.contains(where: { $0.name.hasSameBytes(as: last) }) {
        throw YAMLError("two picked fields are called '\(last)'", at: mark)
      }
      pairs.append((last, value))
    }
    return Self.mapValue(pairs)
  }

  // MARK: changes

  private mutating func fieldPath(
    _ path: Form.PathText, at place: DrawPlace, mark: YAMLMark
  ) throws(YAMLError) -> FieldPath {
    switch path {
    case .fixed(let path): return path
    case .dynamic(let form): return try Changes.path(try text(form, at: place), at: mark)
    }
  }

  mutating func evaluate(
    _ changes: Changes, at place: DrawPlace, skipping: [ArraySlice<String>]
  ) throws(YAMLError) -> [(path: FieldPath, value: TypedValue)] {
    var evaluated: [(path: FieldPath, value: TypedValue)] = []
    var places: [(path: FieldPath, mark: YAMLMark)] = []
    var isDynamic = false
    for change in changes.changes {
      if case .dynamic = change.path { isDynamic = true }
      let path = try fieldPath(change.path, at: place, mark: change.mark)
      places.append((path, change.mark))
      // What an outer change replaces needs no value.
      let isReplaced = skipping.contains { outer in
        outer.count <= path.segments.count && zip(outer, path.segments).allSatisfy { $0.hasSameBytes(as: $1) }
      }
      if isReplaced { continue }
      let valuePlace = path.segments.reduce(place) { $0.child($1) }
      evaluated.append((path, try evaluate(change.value, at: valuePlace)))
    }
    if isDynamic { try Changes.refuseOverlaps(places) }
    return evaluated
  }

  private func apply(
    _ changes: [(path: FieldPath, value: TypedValue)], to value: TypedValue, named name: String,
    at mark: YAMLMark
  ) throws(YAMLError) -> TypedValue {
    guard !changes.isEmpty else { return value }
    guard value.isMap else {
      throw YAMLError("\(name) is \(value.kindName), so nothing in it can be changed", at: mark)
    }
    return changes.reduce(value) { result, change in
      result.replacing(change.path.segments[...], with: change.value.isAbsent ? nil : change.value)
    }
  }
}

extension YAMLError {
  /// The error with a note about where the value comes from; the innermost note wins.
  func noting(_ note: String) -> YAMLError {
    guard notes.isEmpty else { return self }
    return YAMLError(message, at: mark, notes: [note])
  }
}
