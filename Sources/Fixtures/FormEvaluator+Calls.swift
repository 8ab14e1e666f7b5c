/// Forms that compute a value from their arguments, without chance.

internal import DocModel
internal import YAML

/// An evaluated argument with the place that messages about it name.
struct Argument {
  let value: TypedValue
  let mark: YAMLMark

  func error(_ message: String) -> YAMLError { YAMLError(message, at: mark) }

  /// The text, or an error that says what `form` takes.
  func text(_ expectation: String) throws(YAMLError) -> String {
    guard case .plain(.string(let text)) = value else {
      throw error("\(expectation); found \(value.kindName)")
    }
    return text
  }

  func integer(_ expectation: String) throws(YAMLError) -> Int64 {
    guard case .plain(.integer(let number)) = value else {
      throw error("\(expectation); found \(value.kindName)")
    }
    return number
  }

  func number(_ expectation: String) throws(YAMLError) -> Double {
    switch value {
    case .plain(.integer(let number)): return Double(number)
    case .plain(.double(let number)): return number
    case .plain, .map, .marker: throw error("\(expectation); found \(value.kindName)")
    }
  }

  func list(_ expectation: String) throws(YAMLError) -> [Value] {
    guard case .plain(.array(let elements)) = value else {
      throw error("\(expectation); found \(value.kindName)")
    }
    return elements
  }
}

extension FormEvaluator {
  mutating func evaluate(_ call: Form.Call, at place: DrawPlace, mark: YAMLMark) throws(YAMLError)
    -> TypedValue
  {
    let place = place.child(call.function.formName)
    switch call.function {
    case .pick: return try pick(call, at: place, mark: mark)
    case .weighted: return try weighted(call, at: place, mark: mark)
    default: break
    }
    let arguments = try arguments(of: call, at: place)
    if call.function.draws { return try draw(call, arguments, at: place, mark: mark) }
    return try compute(call.function, arguments, mark: mark)
  }

  /// The values of the arguments; a list that stands for all of them becomes its elements.
  mutating func arguments(of call: Form.Call, at place: DrawPlace) throws(YAMLError) -> [Argument] {
    if call.isSpread, let only = call.arguments.first {
      let list = Argument(value: try evaluate(only.form, at: place), mark: only.form.mark)
      return try list.list("\(call.function.formName) takes a list").map {
        Argument(value: .plain($0), mark: list.mark)
      }
    }
    var arguments: [Argument] = []
    arguments.reserveCapacity(call.arguments.count)
    for argument in call.arguments { arguments.append(try self.argument(argument, at: place)) }
    return arguments
  }

  mutating func argument(_ argument: Form.Argument, at place: DrawPlace) throws(YAMLError) -> Argument {
    let inner = argument.label.isEmpty ? place : place.child(argument.label)
    return Argument(value: try evaluate(argument.form, at: inner), mark: argument.form.mark)
  }

  private mutating func compute(
    _ function: Function, _ arguments: [Argument], mark: YAMLMark
  ) throws(YAMLError) -> TypedValue {
    switch function {
    case .repeated: return .plain(.string(try repeated(arguments, at: mark)))
    case .ids: return .plain(.array(try ids(arguments, at: mark)))
    case .geo: return .plain(.geoPoint(try Self.geoPoint(arguments, form: "$geo", at: mark)))
    case .vector: return .plain(.vector(try vector(arguments, at: mark)))
    case .add, .subtract: return .plain(try added(function, arguments, at: mark))
    case .join: return .plain(.string(try joined(arguments)))
    case .concat: return .plain(.array(try concatenated(arguments)))
    case .union: return .marker(.union(try elements(arguments)))
    case .remove: return .marker(.remove(try elements(arguments)))
    case .time, .ref, .bytes, .int, .double, .size, .inc, .max, .min:
      guard let argument = arguments.first else {
        throw YAMLError("\(function.formName) needs a value", at: mark)
      }
      return try compute(function, argument)
    case .pick, .weighted, .weightedMap, .someOf, .boolean, .timeBetween, .geoNear, .name, .words, .email,
      .uuid, .url, .phone, .drawnInt, .drawnDouble:
      throw YAMLError("\(function.formName) draws", at: mark)
    }
  }

  /// The functions of one argument.
  private func compute(_ function: Function, _ argument: Argument) throws(YAMLError) -> TypedValue {
    switch function {
    case .time: return .plain(.timestamp(try instant(argument, "$time takes")))
    case .ref: return .plain(.reference(try reference(argument)))
    case .bytes: return .plain(.bytes(try bytes(argument)))
    case .int: return .plain(.integer(try whole(argument)))
    case .double: return .plain(.double(try double(argument)))
    case .size: return .plain(.integer(Int64(try argument.list("$size takes a list").count)))
    case .inc: return .marker(.increment(try operand(argument, "$inc")))
    case .max: return .marker(.maximum(try operand(argument, "$max")))
    default: return .marker(.minimum(try operand(argument, "$min")))
    }
  }

  // MARK: texts and lists

  private mutating func repeated(_ arguments: [Argument], at mark: YAMLMark) throws(YAMLError) -> String {
    let usage = "$repeat takes [text, number of times]"
    guard arguments.count == 2 else { throw YAMLError(usage, at: mark) }
    let text = try arguments[0].text(usage)
    let count = try arguments[1].integer(usage)
    guard count >= 0 else { throw arguments[1].error("\(usage); \(count) is negative") }
    let (size, overflow) = Int64(text.utf8.count).multipliedReportingOverflow(by: count)
    guard !overflow, size <= Limits.valueBytesMax else {
      throw YAMLError("the text would be longer than \(Limits.valueBytesMax) bytes", at: arguments[1].mark)
    }
    try spend(Int(size), at: mark)
    return text.utf8.isEmpty ? "" : String(repeating: text, count: Int(count))
  }

  /// LIMIT: elements of `$ids`.
  private static let idsMax: Int64 = 1_000_000

  private mutating func ids(_ arguments: [Argument], at mark: YAMLMark) throws(YAMLError) -> [Value] {
    let usage = "$ids takes [text, first, last] and perhaps a text that follows the number"
    guard arguments.count == 3 || arguments.count == 4 else { throw YAMLError(usage, at: mark) }
    let head = try arguments[0].text(usage)
    let first = try arguments[1].integer(usage)
    let last = try arguments[2].integer(usage)
    let tail = arguments.count == 4 ? try arguments[3].text(usage) : ""
    // One below the first is the empty list, so that a count of 0 can be written.
    guard first > .min, last >= first - 1 else {
      throw arguments[2].error("\(usage); \(last) is before \(first)")
    }
    guard last < first || UInt64(bitPattern: last &- first) < UInt64(Self.idsMax) else {
      throw arguments[2].error("$ids makes at most \(Self.idsMax) texts")
    }
    guard last >= first else { return [] }
    try spend(Int(last - first + 1) * (16 + head.utf8.count + tail.utf8.count), at: mark)
    return (first...last).map { .string(head + String($0) + tail) }
  }

  private func elements(_ arguments: [Argument]) throws(YAMLError) -> [Value] {
    var values: [Value] = []
    for argument in arguments { values.append(try Self.listElement(argument.value, at: argument.mark)) }
    return values
  }

  // MARK: scalars

  private func reference(_ argument: Argument) throws(YAMLError) -> String {
    let text = try argument.text("$ref takes the path of a document")
    return DocumentName(database: database, path: try DocumentPath.parse(text, at: argument.mark))
      .resourceName
  }

  private func bytes(_ argument: Argument) throws(YAMLError) -> [UInt8] {
    let text = try argument.text("$bytes takes base64 text")
    guard let bytes = Base64.decode(text) else {
      throw argument.error("$bytes takes standard base64 with padding; this is none")
    }
    return bytes
  }

  private func whole(_ argument: Argument) throws(YAMLError) -> Int64 {
    let usage = "$int takes a whole number of 64 bits, as a number or a text"
    switch argument.value {
    case .plain(.integer(let number)): return number
    case .plain(.double(let number)):
      guard let whole = Int64(exactly: number) else { throw argument.error("\(usage); \(number) is none") }
      return whole
    case .plain(.string(let text)):
      guard let number = Int64(text), text.utf8.first != UInt8(ascii: "+") else {
        throw argument.error("\(usage); '\(text)' is none")
      }
      return number
    case .plain, .map, .marker: throw argument.error("\(usage); found \(argument.value.kindName)")
    }
  }

  private func double(_ argument: Argument) throws(YAMLError) -> Double {
    let usage = "$double takes a number, or \"NaN\", \"Infinity\", \"-Infinity\" or \"-0\""
    guard case .plain(.string(let text)) = argument.value else { return try argument.number(usage) }
    switch text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case "-0": return -0.0
    default: throw argument.error("\(usage); found '\(text)'")
    }
  }

  private func operand(_ argument: Argument, _ form: String) throws(YAMLError) -> Value {
    switch argument.value {
    case .plain(let value):
      switch value {
      case .integer, .double: return value
      default: throw argument.error("\(form) takes a number; found \(argument.value.kindName)")
      }
    case .map, .marker: throw argument.error("\(form) takes a number; found \(argument.value.kindName)")
    }
  }

  static func geoPoint(_ arguments: [Argument], form: String, at mark: YAMLMark) throws(YAMLError) -> GeoPoint
  {
    let usage = "\(form) takes [latitude, longitude]"
    guard arguments.count == 2 else { throw YAMLError(usage, at: mark) }
    let latitude = try arguments[0].number(usage)
    let longitude = try arguments[1].number(usage)
    guard latitude >= -90, latitude <= 90 else {
      throw arguments[0].error("\(usage); latitude \(plain(latitude)) is outside -90...90")
    }
    guard longitude >= -180, longitude <= 180 else {
      throw arguments[1].error("\(usage); longitude \(plain(longitude)) is outside -180...180")
    }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  /// A number without `.0`.
  private static func plain(_ number: Double) -> String {
    Int64(exactly: number).map(String.init) ?? String(number)
  }

  private func vector(_ arguments: [Argument], at mark: YAMLMark) throws(YAMLError) -> [Double] {
    guard (1...Limits.vectorElementsMax).contains(arguments.count) else {
      throw YAMLError(
        "$vector takes 1 to \(Limits.vectorElementsMax) numbers; found \(arguments.count)", at: mark)
    }
    var elements: [Double] = []
    for argument in arguments { elements.append(try argument.number("$vector takes numbers")) }
    return elements
  }
}
