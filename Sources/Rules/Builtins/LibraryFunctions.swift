/// Functions without receiver: conversions, `math`, `timestamp`, `duration`, `latlng`, `hashing`.
///
/// The document accesses `get`, `exists`, `getAfter`, `existsAfter` are nodes of their own.

internal import DocModel
internal import Platform

/// One function. `body` answers nil when an argument has a kind that the function does not take.
///
/// Made by an initializer and not listed as a tuple: see `MethodRow`.
package struct LibraryFunction: Sendable {
  package typealias Body = @Sendable (Evaluation, CallArguments) -> Operand?

  private let name: String
  package let signature: Signature
  package let body: Body

  init(_ name: String, _ overloads: [String], _ body: @escaping Body) {
    self.name = name
    signature = Signature(name, overloads)
    self.body = body
  }

  /// By full name.
  package static let all = Dictionary(
    uniqueKeysWithValues: (conversions + math + times + others).map { ($0.name, $0) })

  private static let conversions: [LibraryFunction] = [
    .init(
      "int", ["int", "float", "string"],
      { e, arguments in
        switch arguments[0] {
        case .integer: return arguments[0]
        case .float(let number): return .integer(Conversions.integer(number))
        case .string(let text):
          return Conversions.integer(text).map { .integer($0) }
            ?? e.fault(.conversion, arguments.node, FaultText.conversion(text.text, from: .string, to: .int))
        default: return nil
        }
      }
    ),
    .init(
      "float", ["int", "float", "string"],
      { e, arguments in
        switch arguments[0] {
        case .integer(let number): return .float(Double(number))
        case .float: return arguments[0]
        case .string(let text):
          return Conversions.float(text).map { .float($0) }
            ?? e.fault(
              .conversion, arguments.node, FaultText.conversion(text.text, from: .string, to: .float))
        default: return nil
        }
      }
    ),
    .init(
      "string", ["int", "float", "null", "string", "bool", "path"],
      { e, arguments in
        Conversions.text(arguments[0], e).map { .string($0) }
      }
    ),
    .init(
      "path", ["string"],
      { e, arguments in
        guard case .string(let text) = arguments[0] else { return nil }
        return e.path(parsing: text, arguments.node)
      }
    ),
    .init(
      "vector", ["list"],
      { e, arguments in
        guard arguments[0].kind == .list else { return nil }
        return e.vector(arguments[0], arguments.node)
      }
    ),
    .init(
      "debug", ["any"],
      { e, arguments in
        if let documents = e.documents, documents.wantsDebugValues {
          documents.debug(OperandText.description(arguments[0], e))
        }
        return arguments[0]
      }
    ),
  ]

  private static let math: [LibraryFunction] = [
    .init(
      "math.abs", ["int", "float"],
      { _, arguments in
        switch arguments[0] {
        case .integer(let number): .integer(number < 0 ? 0 &- number : number)  // The minimum stays itself.
        case .float(let number): .float(number.magnitude)
        default: nil
        }
      }
    ),
    .init("math.ceil", ["float"], { _, arguments in number(arguments[0]).map { .float($0.rounded(.up)) } }),
    .init(
      "math.floor", ["float"], { _, arguments in number(arguments[0]).map { .float($0.rounded(.down)) } }),
    .init(
      "math.round", ["float"],
      { _, arguments in
        number(arguments[0]).map { number in
          // Half up, without the error that adding 0.5 first would make.
          let floor = number.rounded(.down)
          return .integer(Conversions.integer(number - floor >= 0.5 ? floor + 1 : floor))
        }
      }
    ),
    .init("math.sqrt", ["float"], { _, arguments in number(arguments[0]).map { .float($0.squareRoot()) } }),
    .init(
      "math.pow", ["float, float"],
      { _, arguments in
        guard let base = number(arguments[0]), let exponent = number(arguments[1]) else { return nil }
        return .float(power(base, exponent))
      }
    ),
    .init("math.isNaN", ["float"], { _, arguments in number(arguments[0]).map { .boolean($0.isNaN) } }),
  ]

  /// As in Java: 1 to the power of NaN is NaN, and so is ±1 to an infinite power.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    if exponent.isNaN || (exponent.isInfinite && base.magnitude == 1) { return .nan }
    return pow(base, exponent)
  }

  private static let times: [LibraryFunction] = [
    .init(
      "timestamp.date", ["int, int, int"],
      { e, arguments in
        guard case .integer(let year) = arguments[0], case .integer(let month) = arguments[1],
          case .integer(let day) = arguments[2]
        else { return nil }
        return e.date(year, month, day, arguments.node)
      }
    ),
    .init(
      "timestamp.value", ["int", "string"],
      { e, arguments in
        switch arguments[0] {
        case .integer(let milliseconds): return e.timestamp(milliseconds: milliseconds, arguments.node)
        case .string(let text):
          guard let time = TimestampText.timestamp(text.text) else {
            return e.fault(.argument, arguments.node, FaultText.timestampRange)
          }
          return e.timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds, arguments.node)
        default: return nil
        }
      }
    ),
    .init(
      "duration.value", ["int, string"],
      { e, arguments in
        guard case .integer(let amount) = arguments[0], case .string(let unit) = arguments[1] else {
          return nil
        }
        return e.duration(amount, unit: unit, arguments.node)
      }
    ),
    .init(
      "duration.time", ["int, int, int, int"],
      { e, arguments in
        guard case .integer(let hours) = arguments[0], case .integer(let minutes) = arguments[1],
          case .integer(let seconds) = arguments[2], case .integer(let nanoseconds) = arguments[3]
        else { return nil }
        return e.duration(
          hours: hours, minutes: minutes, seconds: seconds, nanoseconds: nanoseconds, arguments.node)
      }
    ),
    .init(
      "duration.abs", ["duration"],
      { _, arguments in
        guard case .duration(let length) = arguments[0] else { return nil }
        return .duration(
          Duration(
            seconds: length.seconds < 0 ? -length.seconds : length.seconds,
            nanoseconds: length.nanoseconds < 0 ? -length.nanoseconds : length.nanoseconds))
      }
    ),
  ]

  private static let others: [LibraryFunction] = [
    .init(
      "latlng.value", ["float, float"],
      { e, arguments in
        guard let latitude = number(arguments[0]), let longitude = number(arguments[1]) else { return nil }
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        guard point.isValid else {
          return e.fault(
            .argument, arguments.node,
            "Latitude should be in [-90,90] range and longitude should be in [-180,180] range. latitude: "
              + "\(e.text(of: latitude)), longitude: \(e.text(of: longitude)).")
        }
        return .latlng(point)
      }
    ),
    .init("hashing.md5", ["bytes", "string"], { e, arguments in hash(e, arguments[0], Digest.md5) }),
    .init("hashing.sha256", ["bytes", "string"], { e, arguments in hash(e, arguments[0], Digest.sha256) }),
    .init("hashing.crc32", ["bytes", "string"], { e, arguments in hash(e, arguments[0], Hashing.crc32) }),
    .init("hashing.crc32c", ["bytes", "string"], { e, arguments in hash(e, arguments[0], Hashing.crc32c) }),
  ]

  private static func number(_ operand: Operand) -> Double? {
    switch operand {
    case .integer(let number): Double(number)
    case .float(let number): number
    default: nil
    }
  }

  private static func hash(
    _ e: Evaluation, _ operand: Operand, _ function: (UnsafeRawBufferPointer) -> [UInt8]
  ) -> Operand? {
    switch operand {
    case .string(let text): .bytes(e.arena.copy(function(UTF16Text.encoded(text, in: e.arena).buffer)))
    case .bytes(let bytes): .bytes(e.arena.copy(function(bytes.buffer)))
    default: nil
    }
  }
}

extension Evaluation {
  /// `vector(list)`: floats only.
  func vector(_ list: Operand, _ node: Int32) -> Operand {
    var writer = WireWriter()
    for element in array(list) {
      guard case .float(let number) = element else {
        return fault(
          .conversion, node,
          FaultText.conversion(ProtobufText.values(array(list), self), from: .list, to: .vector))
      }
      writer.message(1) { $0.field(3, double: number) }
    }
    return .vector(arena.copy(writer.bytes))
  }
}
