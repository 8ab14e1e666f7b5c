/// Forms that compute: `$add` and `$subtract` of numbers and times, `$join` of texts, `$concat` of lists.

internal import DocModel
internal import YAML

extension FormEvaluator {
  // MARK: numbers and times

  /// Numbers, or a time and lengths of time. What the first value is decides.
  func added(_ function: Function, _ arguments: [Argument], at mark: YAMLMark) throws(YAMLError) -> Value {
    let isAddition = function == .add
    guard arguments.count == 2 || isAddition && arguments.count > 2, let first = arguments.first else {
      let count = isAddition ? "two or more values" : "two values"
      throw YAMLError(
        "\(function.formName) takes a list of \(count): numbers, or a time and lengths of time", at: mark)
    }
    let rest = arguments.dropFirst()
    switch first.value {
    case .plain(.integer(let number)):
      var sum = Value.integer(number)
      for next in rest { sum = try Self.sum(sum, next, function) }
      return sum
    case .plain(.double(let number)):
      var sum = Value.double(number)
      for next in rest { sum = try Self.sum(sum, next, function) }
      return sum
    case .plain(.timestamp), .plain(.string):
      var time = try instant(first, "\(function.formName) takes numbers, or first")
      for next in rest { time = try Self.moved(time, next, function) }
      return .timestamp(time)
    case .plain, .map, .marker:
      throw first.error(
        "\(function.formName) takes numbers, or a time and lengths of time; found \(first.value.kindName)")
    }
  }

  /// Integers stay integers; with a double among them the result is a double.
  private static func sum(
    _ left: Value, _ argument: Argument, _ function: Function
  ) throws(YAMLError) -> Value {
    guard case .integer(let first) = left, case .plain(.integer(let second)) = argument.value else {
      let first = try Argument(value: .plain(left), mark: argument.mark).number(function.formName)
      let second = try argument.number("\(function.formName) takes numbers after a number")
      return .double(function == .add ? first + second : first - second)
    }
    let (result, overflow) =
      function == .add ? first.addingReportingOverflow(second) : first.subtractingReportingOverflow(second)
    guard !overflow else {
      throw argument.error(
        "\(first) \(function == .add ? "+" : "-") \(second) does not fit in an integer of 64 bits; "
          + "with {$double: \(second)} the result is a double")
    }
    return .integer(result)
  }

  private static func moved(
    _ time: Timestamp, _ argument: Argument, _ function: Function
  ) throws(YAMLError) -> Timestamp {
    let seconds = try argument.stepSeconds(function)
    let moved = Timestamp(
      seconds: time.seconds + (function == .add ? seconds : -seconds), nanoseconds: time.nanoseconds)
    guard moved.isValid else {
      throw argument.error(
        "\(function.formName) leads from \(time.rfc3339) out of the years 1 to 9999, where times end")
    }
    return moved
  }

  // MARK: texts and lists

  /// Arguments are the list and perhaps the separator.
  mutating func joined(_ arguments: [Argument]) throws(YAMLError) -> String {
    let list = arguments[0]
    let elements = try list.list("$join takes a list of texts")
    let separator = arguments.count > 1 ? try arguments[1].text("separator is a text") : ""
    var texts: [String] = []
    texts.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard let text = element.insertedText else {
        throw list.error(
          "$join takes texts, integers and booleans; element \(index + 1) is "
            + TypedValue.plain(element).kindName)
      }
      try spend(text.utf8.count + separator.utf8.count, at: list.mark)
      texts.append(text)
    }
    return texts.joined(separator: separator)
  }

  mutating func concatenated(_ arguments: [Argument]) throws(YAMLError) -> [Value] {
    var elements: [Value] = []
    for argument in arguments {
      if case .plain(.string) = argument.value {
        throw argument.error("$concat takes lists; texts are joined by {$join: LIST, separator: TEXT}")
      }
      let list = try argument.list("$concat takes lists")
      try spend(list.count * Self.valueCost, at: argument.mark)
      elements += list
    }
    return elements
  }
}

extension Argument {
  /// A length of time: `90m`, `1d12h30m`, with or without a sign.
  fileprivate func stepSeconds(_ function: Function) throws(YAMLError) -> Int64 {
    let usage =
      "\(function.formName) takes lengths of time after a time, as in 90m or 1d12h30m "
      + "(w, d, h, m, s; at most a hundred years)"
    let text = try text(usage)
    let isNegative = text.hasPrefix("-")
    do throws(InvalidArgument) {
      let steps = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
      let seconds = try TimeStep.seconds(steps, of: text)
      return isNegative ? -seconds : seconds
    } catch {
      throw self.error("\(usage); '\(text)' is none")
    }
  }
}

extension Value {
  /// What stands in a text for the value; nil for kinds that cannot.
  var insertedText: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .boolean(let flag): flag ? "true" : "false"
    case .null, .double, .timestamp, .bytes, .reference, .geoPoint, .array, .vector, .map: nil
    }
  }
}
