/// Random values of every kind, biased towards the places where orders and encodings go wrong.

import DocModel

struct RandomValues {
  var random: SeededRandom

  init(_ random: SeededRandom) { self.random = random }

  /// Doubles and integers around every edge: zeros, the end of exact integers, int64's ends, infinities.
  static let integers: [Int64] = {
    var edges: [Int64] = [0, 1, -1, 2, -2, .min, .min + 1, .max, .max - 1, .max - 512, .max - 1_023]
    for exponent in [7, 31, 32, 52, 53, 54, 62] {
      let power = Int64(1) << Int64(exponent)
      for step in [-2, -1, 0, 1, 2] as [Int64] { edges += [power + step, -power - step] }
    }
    return edges
  }()

  static let doubles: [Double] =
    integers.map(Double.init) + integers.map { Double($0).nextUp } + integers.map { Double($0).nextDown }
    + [
      0.0, -0.0, 0.5, -0.5, 1.5, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      9_223_372_036_854_775_808.0, -9_223_372_036_854_775_808.0, 1.8446744073709552e19,
    ]

  /// Bytes that escapes, ends and fold marks are made of, and UTF-8 of one to four bytes.
  private static let scalars: [Unicode.Scalar] = [
    "\u{0}", "\u{0}", "\u{1}", "\u{2}", "a", "b", "/", "_", "\u{7F}", "\u{FF}", "\u{E9}",
    "\u{301}",
    "\u{FF5E}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
  ]

  mutating func text(lengthMax: Int = 6) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(lengthMax + 1) { text.append(random.pick(Self.scalars)) }
    return String(text)
  }

  mutating func bytes(lengthMax: Int = 6) -> [UInt8] {
    (0..<random.below(lengthMax + 1)).map { _ in
      random.once(in: 3) ? UInt8(truncatingIfNeeded: random.next()) : random.pick([0, 0, 1, 2, 0xFE, 0xFF])
    }
  }

  mutating func fieldName() -> String {
    random.once(in: 2) ? random.pick(["a", "b", "aa", "a\u{0}", "\u{FF5E}", "\u{10000}", "A"]) : "f" + text()
  }

  mutating func documentID() -> String {
    switch random.below(4) {
    case 0: "__id\(random.pick(Self.integers))__"
    case 1: random.pick(["a", "b", "aa", "a\u{0}", "a\u{1}", "\u{FF5E}", "\u{10000}"])
    default: "i" + text().replacingSlashes
    }
  }

  mutating func resourceName() -> String {
    var name =
      "projects/\(random.pick(["p", "q", "p-"]))/databases/\(random.pick(["(default)", "d"]))/documents"
    for _ in 0...random.below(3) { name += "/\(random.pick(["c", "c-b", "d"]))/" + documentID() }
    return name
  }

  mutating func timestamp() -> Timestamp {
    switch random.below(4) {
    case 0: return Timestamp(microseconds: Int64(random.below(5)) - 2)
    case 1:
      return Timestamp(seconds: random.pick([Timestamp.secondsMin, Timestamp.secondsMax]), nanoseconds: 0)
    case 2: return Timestamp(seconds: -1, nanoseconds: Int32(random.below(1_000_000)) * 1_000)
    default:
      let seconds = Int64.random(in: Timestamp.secondsMin...Timestamp.secondsMax, using: &random)
      return Timestamp(seconds: seconds, nanoseconds: Int32(random.below(1_000_000)) * 1_000)
    }
  }

  mutating func double() -> Double {
    random.once(in: 3) ? Double(bitPattern: random.next()) : random.pick(Self.doubles)
  }

  mutating func integer() -> Int64 {
    random.once(in: 3)
      ? Int64(bitPattern: random.next()) >> Int64(random.below(64)) : random.pick(Self.integers)
  }

  mutating func geoPoint() -> GeoPoint {
    let latitudes: [Double] = [-90, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 90]
    let longitudes: [Double] = [-180, -1, -0.0, 0, 1, 180]
    return GeoPoint(latitude: random.pick(latitudes), longitude: random.pick(longitudes))
  }

  mutating func vector() -> [Double] {
    (0...random.below(4)).map { _ in
      let element = double()
      return element.isNaN ? 1 : element
    }
  }

  mutating func scalar() -> Value {
    switch random.below(10) {
    case 0: .null
    case 1: .boolean(random.once(in: 2))
    case 2: .integer(integer())
    case 3: .double(double())
    case 4: .timestamp(timestamp())
    case 5: .string(text())
    case 6: .bytes(bytes())
    case 7: .reference(resourceName())
    case 8: .geoPoint(geoPoint())
    default: .vector(vector())
    }
  }

  /// Any value that a document may hold, `depth` levels of maps and arrays at most.
  mutating func value(depth: Int = 3) -> Value {
    if depth == 0 || !random.once(in: 3) { return scalar() }
    if random.once(in: 2) { return .map(fields(depth: depth - 1)) }
    return .array((0..<random.below(4)).map { _ in element(depth: depth - 1) })
  }

  /// What an array may hold: no arrays and no vectors.
  private mutating func element(depth: Int) -> Value {
    let value = value(depth: depth)
    return switch value {
    case .array, .vector: .map(["in": value])
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .map: value
    }
  }

  mutating func fields(depth: Int = 3, countMax: Int = 4) -> Fields {
    Fields((0..<random.below(countMax)).map { _ in (fieldName(), value(depth: depth)) })
  }

  /// A value near `base`: the same, a neighbour of its kind, or something with a changed part.
  mutating func neighbour(of base: Value) -> Value {
    if random.once(in: 8) { return base }
    switch base {
    case .null, .boolean: return scalar()
    case .integer(let number): return sibling(of: number)
    case .double(let number):
      return random.once(in: 2) ? .double(number.nextUp) : .integer(Int64(exactly: number) ?? 0)
    case .timestamp: return .timestamp(timestamp())
    case .string(let text): return .string(changed(text))
    case .bytes(let content): return .bytes(content + bytes(lengthMax: 2))
    case .reference(let name):
      return random.once(in: 2) ? .reference(name + "/c/" + documentID()) : .reference(resourceName())
    case .geoPoint: return .geoPoint(geoPoint())
    case .array(let elements): return .array(changed(elements))
    case .vector(let elements):
      return .vector(elements.dropLast(random.below(2)) + vector().prefix(random.below(2)) + [0])
    case .map(let fields): return .map(changed(fields))
    }
  }

  private mutating func sibling(of number: Int64) -> Value {
    switch random.below(4) {
    case 0: .double(Double(number))
    case 1: .double(Double(number).nextUp)
    case 2: .integer(number &+ 1)
    default: .integer(number &- 1)
    }
  }

  private mutating func changed(_ text: String) -> String {
    var scalars = Array(text.unicodeScalars)
    if !scalars.isEmpty, random.once(in: 2) { scalars.removeLast() }
    scalars += Array(self.text(lengthMax: 2).unicodeScalars)
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  private mutating func changed(_ elements: [Value]) -> [Value] {
    var changed = elements
    switch random.below(3) {
    case 0: changed.append(scalar())
    case 1 where !changed.isEmpty: changed.removeLast()
    default:
      guard !changed.isEmpty else { return [scalar()] }
      let index = random.below(changed.count)
      let next = neighbour(of: changed[index])
      if case .array = next { break }
      changed[index] = next
    }
    return changed
  }

  private mutating func changed(_ fields: Fields) -> Fields {
    var changed = fields
    if let entry = fields.entries.randomElement(using: &random) {
      changed[entry.name] = random.once(in: 3) ? nil : neighbour(of: entry.value)
    }
    if random.once(in: 3) { changed[fieldName()] = scalar() }
    return changed
  }
}

extension String {
  fileprivate var replacingSlashes: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars { scalars.append(scalar == "/" ? "-" : scalar) }
    return String(scalars)
  }
}
