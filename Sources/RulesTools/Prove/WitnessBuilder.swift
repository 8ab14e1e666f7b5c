/// Documents from facts: one of those that a case describes.

internal import DocModel
internal import Rules

/// Makes candidates; whoever uses them tries whether they are what was wanted.
struct WitnessBuilder {
  /// LIMIT: length of texts and lists that are made to have a size.
  private static let sizeMax = 2_048

  private let evaluator: SymbolicEvaluator
  private var e: Evaluation { evaluator.e }
  private var symbols: SymbolTable { evaluator.symbols }
  /// Which of several possible values is taken.
  private let variant: Int

  init(_ evaluator: SymbolicEvaluator, variant: Int) {
    self.evaluator = evaluator
    self.variant = variant
  }

  func document() -> Fields? {
    guard let value = mapValue(SymbolTable.data), case .map(let fields) = value else { return nil }
    return fields
  }

  /// The document's id, when facts leave one.
  func id() -> String? {
    guard case .string(let text)? = value(of: SymbolTable.id) else { return nil }
    return text.isEmpty || text.contains("/") ? nil : text
  }

  /// Fields at the top that are surely not there.
  func absentFields() -> [String] {
    (0..<symbols.count).compactMap { symbol in
      guard symbols.facts[symbol].kinds == .absent else { return nil }
      return symbols.fieldPath(of: symbol)?.text
    }
  }

  // MARK: values

  /// Nil where the value may be left out, or none could be found.
  private func value(of symbol: Int) -> Value? {
    let facts = symbols.facts[symbol]
    if let fixed = facts.fixed { return OwnedValue.value(fixed, e) }
    if facts.kinds.contains(.absent) { return nil }
    var candidates: [Value] = []
    if facts.kinds.contains(.string) { candidates += texts(symbol, facts) }
    if facts.kinds.contains(.bool) { candidates += [.boolean(true), .boolean(false)] }
    if facts.kinds.contains(.int) { candidates += integers(facts) }
    if facts.kinds.contains(.float) { candidates += floats(facts) }
    if facts.kinds.contains(.timestamp) { candidates += timestamps(facts) }
    if facts.kinds.contains(.map), let map = mapValue(symbol) { candidates.append(map) }
    if facts.kinds.contains(.list) { candidates.append(listValue(symbol, facts)) }
    candidates += [
      .null, .double(.nan), .bytes([1]), .bytes([]), .geoPoint(GeoPoint(latitude: 1, longitude: 2)),
      .reference("projects/demo/databases/(default)/documents/other/one"), .vector([1]),
    ]
    let admitted = candidates.filter { facts.admits(OwnedValue.operand($0, e), e) }
    return admitted.isEmpty ? nil : admitted[variant % admitted.count]
  }

  private func texts(_ symbol: Int, _ facts: Facts) -> [Value] {
    var result: [String] = []
    if let size = size(of: symbol) { result.append(String(repeating: "x", count: size)) }
    result += ["other", "x", "someone else", ""]
    for bound in [facts.low, facts.high] {
      guard case .string(let text)? = bound?.value else { continue }
      result += [text.text, text.text + "a", String(text.text.dropLast())]
    }
    return result.map { .string($0) }
  }

  private func integers(_ facts: Facts) -> [Value] {
    var result: [Int64] = []
    for bound in [facts.low, facts.high] {
      switch bound?.value {
      case .integer(let number): result += [number, number &+ 1, number &- 1]
      case .float(let number) where abs(number) < 1e15:
        result += [Int64(number), Int64(number) + 1, Int64(number) - 1]
      default: break
      }
    }
    for case .integer(let number) in facts.unequal { result += [number &+ 1, number &- 1] }
    return (result + [7, 0, 1, -1]).map { .integer($0) }
  }

  private func floats(_ facts: Facts) -> [Value] {
    var result: [Double] = [1.5]
    for bound in [facts.low, facts.high] {
      switch bound?.value {
      case .integer(let number): result += [Double(number), Double(number) + 0.5, Double(number) - 0.5]
      case .float(let number): result += [number, number + 0.5, number - 0.5, number.nextUp, number.nextDown]
      default: break
      }
    }
    return result.map { .double($0) }
  }

  private func timestamps(_ facts: Facts) -> [Value] {
    var result = [Timestamp(seconds: 0, nanoseconds: 0)]
    for bound in [facts.low, facts.high] {
      guard case .timestamp(let time)? = bound?.value else { continue }
      result += [time, later(time, 1), later(time, -1)]
    }
    return result.map { .timestamp($0) }
  }

  private func later(_ time: Timestamp, _ seconds: Int64) -> Timestamp {
    Timestamp(seconds: time.seconds &+ seconds, nanoseconds: time.nanoseconds)
  }

  private func listValue(_ symbol: Int, _ facts: Facts) -> Value {
    var elements = facts.has.compactMap { OwnedValue.value($0, e) }
    if isAnswered(.hasOnly, of: .symbol(symbol), false) { elements.append(.string("other")) }
    if let size = size(of: symbol) {
      while elements.count < size { elements.append(.string("filler \(elements.count)")) }
    }
    return .array(elements)
  }

  private func mapValue(_ symbol: Int) -> Value? {
    var fields = Fields()
    for field in symbols.fields(of: symbol) {
      guard let value = value(of: field.symbol) else {
        // A field that must be there and for which no value was found.
        if symbols.facts[field.symbol].isPresent { return nil }
        continue
      }
      fields[field.key.text] = value
    }
    if isAnswered(.hasOnly, of: .keys(symbol, isSet: false), false) { fields["other"] = .boolean(true) }
    if let size = size(of: symbol) {
      while fields.count < size { fields["filler\(fields.count)"] = .null }
    }
    return .map(fields)
  }

  // MARK: opaque terms

  /// The size that was assumed of a value.
  private func size(of symbol: Int) -> Int? {
    for index in symbols.origins.indices {
      guard case .term(.method(.size, _), let operands) = symbols.origins[index],
        case .symbol(let owner)? = operands.first, owner == symbol
      else { continue }
      let facts = symbols.facts[index]
      guard facts.fixed != nil || facts.low != nil || facts.high != nil,
        case .integer(let size)? = value(of: index), size >= 0, size <= Self.sizeMax
      else { continue }
      return Int(size)
    }
    return nil
  }

  private func isAnswered(_ name: MethodName, of receiver: SymbolicValue, _ wanted: Bool) -> Bool {
    symbols.origins.indices.contains { index in
      guard case .term(.method(name, _), let operands) = symbols.origins[index],
        case .boolean(wanted)? = symbols.facts[index].fixed
      else { return false }
      switch (operands.first, receiver) {
      case (.symbol(let a)?, .symbol(let b)): return a == b
      case (.keys(let a, _)?, .keys(let b, _)): return a == b
      default: return false
      }
    }
  }
}

/// Between values that evaluations use and values that documents are made of.
enum OwnedValue {
  /// Nil for kinds that no document holds.
  static func value(_ operand: Operand, _ e: Evaluation) -> Value? {
    switch operand {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let number): return .integer(number)
    case .float(let number): return .double(number)
    case .string(let text): return .string(text.text)
    case .bytes(let bytes): return .bytes(Array(bytes.buffer))
    case .timestamp(let time): return .timestamp(time)
    case .latlng(let point): return .geoPoint(point)
    case .path:
      return Conversions.text(operand, e).map { .reference("projects/demo" + $0.text) }
    case .array, .list:
      let elements = e.array(operand)
      let values = elements.compactMap { value($0, e) }
      return values.count == elements.count ? .array(values) : nil
    case .document, .fields, .map:
      var fields = Fields()
      for entry in e.entries(operand) {
        guard let inner = value(entry.value, e) else { return nil }
        fields[entry.key.text] = inner
      }
      return .map(fields)
    case .vector(let bytes): return .vector(ArrayView(bytes.buffer).map(\.double))
    case .duration, .set, .mapDiff, .constraint, .fault: return nil
    }
  }

  static func operand(_ value: Value, _ e: Evaluation) -> Operand {
    e.operand(ValueView(e.arena.copy(value.encoded).buffer))
  }
}
