/// From compiled values to typed ones.

public import DocModel
public import YAML

/// Evaluates forms with the names, templates and documents that are known at one place of a file.
///
/// One evaluator serves many documents: its owner changes `scope` and `documents` between them and calls
/// `beginDocument()`.
public struct FormEvaluator: Sendable {
  public let database: DatabaseID
  public var templates: TemplateTable
  public var documents: KnownDocuments
  public var scope: Scope
  /// What `now` means, in microseconds; nil where values may not depend on when they are asked for.
  public var now: Int64?

  /// Templates before this one are visible: inside a template only those written earlier, so that none
  /// can contain itself.
  var templateLimit: Int?
  private var depth = 0
  private var budget: Int
  private let budgetOfDocument: Int

  /// LIMIT: bytes that evaluating one document may produce. Templates that use each other could
  /// otherwise grow without end.
  public static let budgetMax = 32 * 1_024 * 1_024
  /// What a value costs beside its text. A document of 1 MiB has fewer values than fit the budget.
  static let valueCost = 32
  /// LIMIT: levels of values, forms and templates inside each other.
  private static let depthMax = 200

  public init(
    database: DatabaseID, templates: TemplateTable = TemplateTable(),
    documents: KnownDocuments = KnownDocuments(), scope: Scope = Scope(), now: Int64? = nil,
    budget: Int = FormEvaluator.budgetMax
  ) {
    self.database = database
    self.templates = templates
    self.documents = documents
    self.scope = scope
    self.now = now
    self.budget = budget
    budgetOfDocument = budget
  }

  /// Gives the next document the whole budget.
  public mutating func beginDocument() { budget = budgetOfDocument }

  /// The value of a form; `place` decides what it draws.
  public mutating func evaluate(_ form: Form, at place: DrawPlace) throws(YAMLError) -> TypedValue {
    try evaluate(form, at: place, skipping: [])
  }

  /// The value of a text that must come out as text: a path, a name.
  public mutating func text(_ form: Form, at place: DrawPlace) throws(YAMLError) -> String {
    guard case .plain(.string(let text)) = try evaluate(form, at: place) else {
      throw YAMLError("expected a text", at: form.mark)
    }
    return text
  }

  /// The value of every change, in written order; `absent` says that the field is removed.
  public mutating func evaluate(
    _ changes: Changes, at place: DrawPlace
  ) throws(YAMLError) -> [(path: FieldPath, value: TypedValue)] {
    try evaluate(changes, at: place, skipping: [])
  }

  /// Takes part of the budget.
  mutating func spend(_ amount: Int, at mark: YAMLMark) throws(YAMLError) {
    budget -= amount
    guard budget >= 0 else { throw YAMLError("the value grows too large here", at: mark) }
  }

  /// `skipping` holds paths below this value that will be replaced, so that they need no value.
  mutating func evaluate(
    _ form: Form, at place: DrawPlace, skipping: [ArraySlice<String>]
  ) throws(YAMLError) -> TypedValue {
    if case .constant(let value) = form.content { return value }
    try spend(Self.valueCost, at: form.mark)
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw YAMLError("values nest too deep here", at: form.mark) }
    switch form.content {
    case .constant(let value): return value
    case .text(let text): return try evaluate(text, at: form.mark)
    case .list(let elements): return try list(elements, at: place)
    case .map(let entries): return try map(entries, at: place, skipping: skipping)
    case .like(let like): return try evaluate(like, at: place, mark: form.mark, skipping: skipping)
    case .from(let from): return try evaluate(from, at: place, mark: form.mark, skipping: skipping)
    case .call(let call): return try evaluate(call, at: place, mark: form.mark)
    }
  }

  // MARK: lists and maps

  private mutating func list(_ elements: [Form], at place: DrawPlace) throws(YAMLError) -> TypedValue {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      values.append(try Self.listElement(try evaluate(element, at: place.child(index)), at: element.mark))
    }
    return .plain(.array(values))
  }

  /// What may stand in a list.
  static func listElement(_ value: TypedValue, at mark: YAMLMark) throws(YAMLError) -> Value {
    switch value {
    case .plain(.array): throw YAMLError("a list cannot hold a list directly; put it into a map", at: mark)
    case .plain(let value): return value
    case .marker(let marker): throw YAMLError("\(marker.formName) cannot stand in a list", at: mark)
    case .map: throw YAMLError("a map with $serverTime cannot stand in a list", at: mark)
    }
  }

  private mutating func map(
    _ entries: [Form.MapEntry], at place: DrawPlace, skipping: [ArraySlice<String>]
  ) throws(YAMLError) -> TypedValue {
    var pairs: [(name: String, value: TypedValue)] = []
    pairs.reserveCapacity(entries.count)
    var hasDynamicKeys = false
    for entry in entries {
      let name: String
      switch entry.key {
      case .fixed(let text): name = text
      case .dynamic(let text):
        name = try self.text(text, at: entry.mark)
        try FieldName.check(name, at: entry.mark)
        hasDynamicKeys = true
      }
      let inner = skipping.filter { $0.first?.hasSameBytes(as: name) == true }.map { $0.dropFirst() }
      if inner.contains(where: \.isEmpty) { continue }
      let value = try evaluate(entry.value, at: place.child(name), skipping: inner)
      if hasDynamicKeys, pairs.contains(where: { $0.name.hasSameBytes(as: name) }) {
        throw YAMLError("the key '\(name)' is already in this map", at: entry.mark)
      }
      if !value.isAbsent { pairs.append((name, value)) }
    }
    return Self.mapValue(pairs)
  }

  static func mapValue(_ pairs: [(name: String, value: TypedValue)]) -> TypedValue {
    var plain: [(String, Value)] = []
    plain.reserveCapacity(pairs.count)
    for pair in pairs {
      guard case .plain(let value) = pair.value else { return .map(TypedMap(pairs)) }
      plain.append((pair.name, value))
    }
    return .plain(.map(Fields(plain)))
  }

  // MARK: texts

  private mutating func evaluate(_ text: Interpolation, at mark: YAMLMark) throws(YAMLError) -> TypedValue {
    if let use = text.wholeUse { return try value(of: use, at: mark) }
    return .plain(.string(try self.text(text, at: mark)))
  }

  mutating func text(_ text: Interpolation, at mark: YAMLMark) throws(YAMLError) -> String {
    var result = ""
    for part in text.parts {
      switch part {
      case .text(let literal): result += literal
      case .use(let use):
        let text = try textOf(use, at: mark)
        try spend(text.utf8.count, at: mark)
        result += text
      }
    }
    return result
  }

  private func value(of use: NameUse, at mark: YAMLMark) throws(YAMLError) -> TypedValue {
    guard var value = scope[use.name] else {
      let known = scope.names.isEmpty ? "no names are known" : "known: " + scope.names.joined(separator: ", ")
      throw YAMLError("no value is called '\(use.name)' here; \(known)", at: mark)
    }
    var walked = use.name
    for step in use.path {
      guard value.isMap else {
        throw YAMLError("'\(walked)' is \(value.kindName), so it has no '\(step)'", at: mark)
      }
      guard let next = value.value(at: [step]) else {
        throw YAMLError("'\(walked)' has no '\(step)'", at: mark)
      }
      walked += "." + step
      value = next
    }
    return value
  }

  private func textOf(_ use: NameUse, at mark: YAMLMark) throws(YAMLError) -> String {
    let value = try value(of: use, at: mark)
    if let width = use.width {
      guard case .plain(.integer(let number)) = value else {
        throw YAMLError("'${\(use.text)}' is \(value.kindName); only integers can be padded", at: mark)
      }
      let digits = String(number.magnitude)
      let sign = number < 0 ? "-" : ""
      return sign + String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    guard case .plain(let plain) = value, let text = plain.insertedText else {
      throw YAMLError(
        "'${\(use.text)}' is \(value.kindName); only texts, integers and booleans can stand inside a text",
        at: mark)
    }
    return text
  }
}
