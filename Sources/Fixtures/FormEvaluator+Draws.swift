/// Forms that draw: the same place gives the same value, for as long as the format has version 1.

internal import DocModel
internal import YAML

extension FormEvaluator {
  // MARK: choices whose rejected parts are not evaluated

  mutating func pick(_ call: Form.Call, at place: DrawPlace, mark: YAMLMark) throws(YAMLError) -> TypedValue {
    var stream = place.stream
    let empty = YAMLError("$pick needs at least one element to choose from", at: mark)
    if call.isSpread {
      let arguments = try arguments(of: call, at: place)
      guard !arguments.isEmpty else { throw empty }
      return arguments[stream.index(of: arguments.count)].value
    }
    guard !call.arguments.isEmpty else { throw empty }
    return try argument(call.arguments[stream.index(of: call.arguments.count)], at: place).value
  }

  /// Arguments are choice, weight, choice, weight, ...
  mutating func weighted(_ call: Form.Call, at place: DrawPlace, mark: YAMLMark) throws(YAMLError)
    -> TypedValue
  {
    var weights: [Int64] = []
    for index in stride(from: 1, to: call.arguments.count, by: 2) {
      weights.append(try Self.weight(try argument(call.arguments[index], at: place)))
    }
    let chosen = try Self.choose(weights, place.stream, at: mark)
    return try argument(call.arguments[2 * chosen], at: place).value
  }

  private static func weight(_ argument: Argument) throws(YAMLError) -> Int64 {
    let weight = try argument.integer("a weight is a whole number of at least 0")
    guard weight >= 0 else {
      throw argument.error("a weight is a whole number of at least 0; found \(weight)")
    }
    return weight
  }

  /// LIMIT: the sum of weights stays below this.
  private static let weightSumLimit: Int64 = 1 << 31

  /// The place of the chosen weight.
  private static func choose(_ weights: [Int64], _ stream: RandomStream, at mark: YAMLMark) throws(YAMLError)
    -> Int
  {
    var sum: Int64 = 0
    for weight in weights {
      guard weight < weightSumLimit, sum + weight < weightSumLimit else {
        throw YAMLError("the weights add up to 2147483648 or more", at: mark)
      }
      sum += weight
    }
    guard sum > 0 else { throw YAMLError("at least one weight must be above 0", at: mark) }
    var stream = stream
    var rest = Int64(stream.number(below: UInt64(sum)))
    for (index, weight) in weights.enumerated() {
      if rest < weight { return index }
      rest -= weight
    }
    return weights.count - 1
  }

  // MARK: draws from evaluated arguments

  mutating func draw(
    _ call: Form.Call, _ arguments: [Argument], at place: DrawPlace, mark: YAMLMark
  ) throws(YAMLError) -> TypedValue {
    var stream = place.stream
    switch call.function {
    case .weightedMap: return try weightedMap(arguments, stream, at: mark)
    case .someOf: return try someOf(call, arguments, &stream, at: mark)
    case .drawnInt:
      let low = try arguments[0].integer("min is an integer")
      let high = try arguments[1].integer("max is an integer")
      guard low <= high else { throw arguments[1].error("max \(high) is below min \(low)") }
      let shape = try shape(Self.argument("shape", of: call, arguments))
      return .plain(.integer(stream.number(from: low, through: high, shape)))
    case .drawnDouble: return .plain(.double(try drawnDouble(call, arguments, &stream)))
    case .boolean: return .plain(.boolean(try boolean(arguments[0], &stream)))
    case .timeBetween: return .plain(.timestamp(try timeBetween(arguments, &stream, at: mark)))
    case .geoNear: return .plain(.geoPoint(try geoNear(arguments, &stream, at: mark)))
    case .name: return .plain(.string(try name(arguments[0], &stream)))
    case .words: return .plain(.string(try words(arguments, &stream)))
    case .email, .uuid, .url, .phone:
      return .plain(.string(try contact(call.function, arguments[0], &stream)))
    case .pick, .weighted, .time, .geo, .ref, .bytes, .vector, .int, .double, .size, .ids, .repeated, .add,
      .subtract, .join, .concat, .inc, .max, .min, .union, .remove:
      throw YAMLError("\(call.function.formName) does not draw from values", at: mark)
    }
  }

  private func weightedMap(
    _ arguments: [Argument], _ stream: RandomStream, at mark: YAMLMark
  ) throws(YAMLError) -> TypedValue {
    guard case .plain(.map(let weights)) = arguments[0].value else {
      throw arguments[0].error("$weighted takes a map of weights or a list of [value, weight]")
    }
    // The entries of a map value are in byte order, as the format wants them.
    var numbers: [Int64] = []
    for entry in weights.entries {
      numbers.append(try Self.weight(Argument(value: .plain(entry.value), mark: arguments[0].mark)))
    }
    return .plain(.string(weights.entries[try Self.choose(numbers, stream, at: mark)].name))
  }

  /// Arguments are the list and, told apart by their labels, `min` and `max`.
  private func someOf(
    _ call: Form.Call, _ arguments: [Argument], _ stream: inout RandomStream, at mark: YAMLMark
  ) throws(YAMLError) -> TypedValue {
    let list = try arguments[0].list("$someOf takes a list")
    var low = 0
    var high = list.count
    for (argument, value) in zip(call.arguments, arguments).dropFirst() {
      let bound = try value.integer("\(argument.label) is an integer")
      guard bound >= 0 else { throw value.error("\(argument.label) \(bound) is negative") }
      if argument.label == "max" {
        high = min(list.count, Int(bound))
      } else {
        guard bound <= list.count else {
          throw value.error("min \(bound) is more than the \(list.count) elements")
        }
        low = Int(bound)
      }
    }
    guard low <= high else { throw YAMLError("max \(high) is below min \(low)", at: mark) }
    let count = low + Int(stream.number(below: UInt64(high - low + 1)))
    return .plain(.array(Self.places(count, of: list.count, &stream).map { list[$0] }))
  }

  /// `count` different places of `total`, ascending, every choice equally likely (Floyd's method).
  private static func places(_ count: Int, of total: Int, _ stream: inout RandomStream) -> [Int] {
    var chosen: [Int] = []
    for candidate in (total - count)..<total {
      let drawn = Int(stream.number(below: UInt64(candidate + 1)))
      // Ascending, so that membership and insertion are one search.
      var index = insertionIndex(of: drawn, in: chosen)
      var place = drawn
      if index < chosen.count, chosen[index] == drawn {
        place = candidate
        index = chosen.count
      }
      chosen.insert(place, at: index)
    }
    return chosen
  }

  private static func insertionIndex(of place: Int, in places: [Int]) -> Int {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: numbers

  /// An argument that may be missing.
  private static func argument(_ label: String, of call: Form.Call, _ arguments: [Argument]) -> Argument? {
    zip(call.arguments, arguments).first { $0.0.label == label }?.1
  }

  /// Which values come up more often; all alike when nothing is said.
  private func shape(_ argument: Argument?) throws(YAMLError) -> DrawShape {
    guard let argument else { return .even }
    let names = "even, bell, low or high"
    let name = try argument.text("shape is \(names)")
    guard let shape = DrawShape(rawValue: name) else {
      throw argument.error("shape is \(names); found '\(name)'")
    }
    return shape
  }

  /// Arguments are min, max and perhaps decimals and shape.
  private func drawnDouble(
    _ call: Form.Call, _ arguments: [Argument], _ stream: inout RandomStream
  ) throws(YAMLError) -> Double {
    let given = Self.argument("decimals", of: call, arguments)
    let decimals = try given?.integer("decimals is an integer") ?? 6
    guard (0...9).contains(decimals) else {
      throw (given ?? arguments[0]).error("decimals is 0 to 9; found \(decimals)")
    }
    let shape = try shape(Self.argument("shape", of: call, arguments))
    let low = try steps(arguments[0], "min", Int(decimals), roundedUp: true)
    let high = try steps(arguments[1], "max", Int(decimals), roundedUp: false)
    guard low <= high else {
      throw arguments[1].error("there is no number with \(decimals) decimals from min to max")
    }
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    return Double(stream.number(from: low, through: high, shape)) / scale
  }

  private func steps(
    _ argument: Argument, _ name: String, _ decimals: Int, roundedUp: Bool
  ) throws(YAMLError) -> Int64 {
    let number = try argument.number("\(name) is a number")
    guard let steps = Decimal(number)?.steps(decimals: decimals, roundedUp: roundedUp) else {
      throw argument.error("\(name) \(number) is too large for \(decimals) decimals")
    }
    return steps
  }

  /// LIMIT: a probability counts in billionths.
  private static let probabilitySteps: Int64 = 1_000_000_000

  private func boolean(_ argument: Argument, _ stream: inout RandomStream) throws(YAMLError) -> Bool {
    let probability = try argument.number("$boolean takes a probability from 0 to 1")
    guard probability >= 0, probability <= 1,
      let threshold = Decimal(probability)?.steps(decimals: 9, roundedUp: false)
    else { throw argument.error("$boolean takes a probability from 0 to 1; found \(probability)") }
    return Int64(stream.number(below: UInt64(Self.probabilitySteps))) < threshold
  }

  private func timeBetween(
    _ arguments: [Argument], _ stream: inout RandomStream, at mark: YAMLMark
  ) throws(YAMLError) -> Timestamp {
    guard arguments.count == 2 || arguments.count == 3 else {
      throw YAMLError("$timeBetween takes [earliest, latest] or [earliest, latest, shape]", at: mark)
    }
    let earliest = try instant(arguments[0], "$timeBetween takes")
    let latest = try instant(arguments[1], "$timeBetween takes")
    guard earliest <= latest else {
      throw arguments[1].error("\(latest.rfc3339) is before \(earliest.rfc3339)")
    }
    let shape = try shape(arguments.count == 3 ? arguments[2] : nil)
    let seconds = stream.number(from: earliest.seconds, through: latest.seconds, shape)
    return Timestamp(seconds: seconds, nanoseconds: 0)
  }

  // MARK: texts

  private func name(_ argument: Argument, _ stream: inout RandomStream) throws(YAMLError) -> String {
    let kinds = "$name takes person, given, family or studio"
    switch try argument.text(kinds) {
    case "person": return WordLists.person(&stream)
    case "given": return WordLists.givenNames[stream.index(of: WordLists.givenNames.count)]
    case "family": return WordLists.familyNames[stream.index(of: WordLists.familyNames.count)]
    case "studio": return WordLists.studio(&stream)
    case let other: throw argument.error("\(kinds); found '\(other)'")
    }
  }

  /// LIMIT: words of a sentence.
  private static let wordsMax: Int64 = 10_000

  private mutating func words(_ arguments: [Argument], _ stream: inout RandomStream) throws(YAMLError)
    -> String
  {
    let low = try arguments[0].integer("min is an integer")
    let high = try arguments[1].integer("max is an integer")
    guard low >= 1 else { throw arguments[0].error("min is at least 1; found \(low)") }
    guard high >= low else { throw arguments[1].error("max \(high) is below min \(low)") }
    guard high <= Self.wordsMax else {
      throw arguments[1].error("max is at most \(Self.wordsMax); found \(high)")
    }
    let count = Int(stream.number(from: low, through: high))
    try spend(count * 8, at: arguments[0].mark)
    return WordLists.sentence(of: count, &stream)
  }
}
