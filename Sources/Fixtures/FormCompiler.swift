/// From the YAML of a value to its compiled form.

public import DocModel
internal import Platform
public import YAML

/// Compiles values, and notes which documents their `$from` may read.
public struct FormCompiler {
  let database: DatabaseID
  let vocabulary: FormVocabulary
  /// The collections that `$from` names, as ids joined by `/` (`posts/comments`): the documents of all
  /// others need not be kept for it.
  public internal(set) var collectionsRead: Set<String> = []

  public init(database: DatabaseID, vocabulary: FormVocabulary) {
    self.database = database
    self.vocabulary = vocabulary
  }

  /// Compiles one value.
  public mutating func compile(_ node: YAMLNode) throws(YAMLError) -> Form {
    switch node.content {
    case .scalar(let scalar): return try compile(scalar, at: node.start)
    case .sequence(let nodes):
      var elements: [Form] = []
      elements.reserveCapacity(nodes.count)
      for element in nodes { elements.append(try compile(element)) }
      return try folded(Form(content: .list(elements), mark: node.start), constant: elements.allConstant)
    case .mapping(let entries):
      if let formKey = try formKey(of: entries) {
        return try compileForm(formKey, among: entries, at: node.start)
      }
      return try compileMap(entries, at: node.start)
    }
  }

  private func compile(_ scalar: YAMLScalar, at mark: YAMLMark) throws(YAMLError) -> Form {
    let value: Value
    switch scalar.value {
    case .null: value = .null
    case .boolean(let flag): value = .boolean(flag)
    case .integer(let number): value = .integer(number)
    case .double(let number): value = .double(number)
    case .string:
      let text = try Interpolation(scalar.text, at: mark)
      guard let literal = text.literal else { return Form(content: .text(text), mark: mark) }
      value = .string(literal)
    }
    return Form(content: .constant(.plain(value)), mark: mark)
  }

  private mutating func compileMap(_ entries: [YAMLEntry], at mark: YAMLMark) throws(YAMLError) -> Form {
    var compiled: [Form.MapEntry] = []
    compiled.reserveCapacity(entries.count)
    var isConstant = true
    for entry in entries {
      let key = try keyText(entry.key)
      let value = try compile(entry.value)
      if case .dynamic = key { isConstant = false }
      isConstant = isConstant && value.constant != nil
      compiled.append(Form.MapEntry(key: key, mark: entry.key.mark, value: value))
    }
    return try folded(Form(content: .map(compiled), mark: mark), constant: isConstant)
  }

  /// A field name as written: `$$` stands for `$`, `${...}` for a value.
  private func keyText(_ key: YAMLKey) throws(YAMLError) -> Form.KeyText {
    let isDoubled = key.text.hasPrefix("$$") && !key.text.hasPrefix("$${")
    let text = try Interpolation(isDoubled ? String(key.text.dropFirst()) : key.text, at: key.mark)
    guard let literal = text.literal else { return .dynamic(text) }
    try FieldName.check(literal, at: key.mark)
    return .fixed(literal)
  }

  /// Computes what depends on nothing.
  func folded(_ form: Form, constant isConstant: Bool) throws(YAMLError) -> Form {
    guard isConstant else { return form }
    var evaluator = FormEvaluator(database: database)
    return Form(content: .constant(try evaluator.evaluate(form, at: DrawPlace(seed: 0))), mark: form.mark)
  }

  // MARK: forms

  static func isFormKey(_ text: String) -> Bool {
    text.hasPrefix("$") && !text.hasPrefix("$$") && !text.hasPrefix("${")
  }

  /// The one key that makes a map a form.
  private func formKey(of entries: [YAMLEntry]) throws(YAMLError) -> YAMLEntry? {
    var found: YAMLEntry?
    for entry in entries where Self.isFormKey(entry.key.text) {
      if let found {
        throw YAMLError(
          "'\(found.key.text)' and '\(entry.key.text)' cannot stand in one map", at: entry.key.mark)
      }
      found = entry
    }
    return found
  }

  private mutating func compileForm(
    _ entry: YAMLEntry, among entries: [YAMLEntry], at mark: YAMLMark
  ) throws(YAMLError) -> Form {
    let others = entries.filter { !$0.key.text.hasSameBytes(as: entry.key.text) }
    switch entry.key.text {
    case "$like": return try compileLike(entry, others)
    case "$from": return try compileFrom(entry, others)
    case "$serverTime": return try compileMarker(.serverTime, entry, others)
    case "$absent": return try compileMarker(.absent, entry, others)
    default:
      guard let function = Function(formName: entry.key.text), vocabulary.has(function) else {
        throw unknownForm(entry.key)
      }
      return try compileCall(function, entry, others)
    }
  }

  /// What SDKs, other stores and other generators call a form.
  private static let foreign = [
    "$date": "$time", "$timestamp": "$time", "$now": "$serverTime", "$serverTimestamp": "$serverTime",
    "$geoPoint": "$geo", "$geopoint": "$geo", "$latlng": "$geo", "$reference": "$ref", "$binary": "$bytes",
    "$numberLong": "$int", "$numberDouble": "$double", "$float": "$double", "$increment": "$inc",
    "$arrayUnion": "$union", "$arrayRemove": "$remove", "$delete": "$absent", "$deleteField": "$absent",
    "$choice": "$pick", "$oneOf": "$pick", "$random": "$pick", "$lorem": "$words", "$text": "$words",
    "$oid": "$uuid", "$template": "$like", "$sum": "$add", "$plus": "$add", "$dateAdd": "$add",
    "$minus": "$subtract", "$dateSubtract": "$subtract", "$append": "$concat", "$concatArrays": "$concat",
  ]

  private func unknownForm(_ key: YAMLKey) -> YAMLError {
    if let function = Function(formName: key.text) {
      let reason =
        function.draws ? "draws a random value, which suites do not have" : "belongs to requests of suites"
      return YAMLError("'\(key.text)' \(reason)", at: key.mark)
    }
    let names = vocabulary.formNames
    let suggestion =
      Self.foreign[key.text].flatMap { names.contains($0) ? $0 : nil }
      ?? names.first { $0.hasPrefix(key.text) } ?? Spelling.nearest(to: key.text, among: names)
    let advice =
      suggestion.map { "did you mean '\($0)'?" } ?? "a key that begins with $ is written '$\(key.text)'"
    return YAMLError("unknown value form '\(key.text)'; \(advice)", at: key.mark)
  }

  func refuse(_ others: [YAMLEntry], beside formName: String, known: [String] = []) throws(YAMLError) {
    for entry in others where !known.contains(entry.key.text) {
      if known.isEmpty {
        throw YAMLError("'\(entry.key.text)' cannot stand beside '\(formName)'", at: entry.key.mark)
      }
      throw YAMLMap.unknown(entry.key, in: "'\(formName)'", known: known)
    }
  }

  private func compileMarker(
    _ marker: Marker, _ entry: YAMLEntry, _ others: [YAMLEntry]
  ) throws(YAMLError) -> Form {
    try refuse(others, beside: entry.key.text)
    guard case .scalar(let scalar) = entry.value.content, case .boolean(true) = scalar.value else {
      throw entry.value.error("\(entry.key.text) takes true")
    }
    return Form(content: .constant(.marker(marker)), mark: entry.key.mark)
  }
}

extension [Form] {
  var allConstant: Bool { allSatisfy { $0.constant != nil } }
}

/// What a field may be called.
enum FieldName {
  /// Source: docs/spec/protocol.md 4.6, 2.3.
  static func check(_ name: String, at mark: YAMLMark) throws(YAMLError) {
    let bytes = Array(name.utf8)
    if bytes.isEmpty { throw YAMLError("a field name cannot be empty", at: mark) }
    if ResourceNameParser.isReserved(bytes) { throw YAMLError("field name '\(name)' is reserved", at: mark) }
    if bytes.count > Limits.fieldNameBytesMax {
      throw YAMLError(
        "the field name is \(bytes.count) bytes; at most \(Limits.fieldNameBytesMax) are allowed", at: mark)
    }
  }
}
