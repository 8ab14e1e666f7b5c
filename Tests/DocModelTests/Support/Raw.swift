/// Wire bytes as a client might send them, well formed or not.

import DocModel

/// Encoded `google.firestore.v1.Value` messages and their surroundings.
enum Raw {
  static let null: [UInt8] = [0x58, 0]
  static let unset: [UInt8] = []

  static func boolean(_ flag: Bool) -> [UInt8] { [0x08, flag ? 1 : 0] }

  static func integer(_ number: Int64) -> [UInt8] {
    written { $0.field(2, varint: UInt64(bitPattern: number)) }
  }

  static func double(_ number: Double) -> [UInt8] { written { $0.field(3, double: number) } }

  static func string(_ text: String) -> [UInt8] { message(17, Array(text.utf8)) }

  static func bytes(_ content: [UInt8]) -> [UInt8] { message(18, content) }

  static func reference(_ name: String) -> [UInt8] { message(5, Array(name.utf8)) }

  static func timestamp(_ seconds: Int64, _ nanoseconds: Int64) -> [UInt8] {
    message(
      10,
      written {
        if seconds != 0 { $0.field(1, varint: UInt64(bitPattern: seconds)) }
        if nanoseconds != 0 { $0.field(2, varint: UInt64(bitPattern: nanoseconds)) }
      })
  }

  static func geoPoint(_ latitude: Double, _ longitude: Double) -> [UInt8] {
    message(
      8,
      written {
        $0.field(1, double: latitude)
        $0.field(2, double: longitude)
      })
  }

  static func array(_ elements: [[UInt8]]) -> [UInt8] { message(9, elements.flatMap { message(1, $0) }) }

  static func map(_ entries: [(String, [UInt8])]) -> [UInt8] {
    message(6, entries.flatMap { entry(1, Array($0.0.utf8), $0.1) })
  }

  static func vector(_ elements: [[UInt8]]) -> [UInt8] {
    map([("__type__", string("__vector__")), ("value", array(elements))])
  }

  /// `leaf` inside `levels` maps.
  static func nested(_ levels: Int, _ leaf: [UInt8]) -> [UInt8] {
    (0..<levels).reduce(leaf) { inner, _ in map([("m", inner)]) }
  }

  /// A `Document` message with these fields, in this order.
  static func document(_ fields: [(String, [UInt8])]) -> [UInt8] {
    fields.flatMap { entry(2, Array($0.0.utf8), $0.1) }
  }

  static func entry(_ number: Int, _ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
    message(number, message(1, key) + message(2, value))
  }

  static func message(_ number: Int, _ content: [UInt8]) -> [UInt8] {
    written { $0.field(number, bytes: content) }
  }

  static func written(_ body: (inout WireWriter) -> Void) -> [UInt8] {
    var writer = WireWriter()
    body(&writer)
    return writer.bytes
  }

  // MARK: reading it as the service does

  static func canonical(_ document: [UInt8]) throws(InvalidArgument) -> [UInt8] {
    var result: Result<[UInt8], InvalidArgument> = .success([])
    document.withUnsafeBytes { bytes in
      result = Result { () throws(InvalidArgument) in try Canonicalizer.fields(ofDocument: bytes) }
    }
    return try result.get()
  }

  /// The error about a document, nil when it is accepted.
  static func complaint(_ document: [UInt8]) -> String? {
    do {
      _ = try canonical(document)
      return nil
    } catch {
      return error.message
    }
  }
}

extension Value {
  /// Runs `body` on the view of the value's canonical bytes.
  func withView<R>(_ body: (ValueView) -> R) -> R {
    encoded.withUnsafeBytes { body(ValueView($0)) }
  }

  /// -1, 0 or 1 as the service orders `self` and `other`.
  func order(to other: Value) -> Int {
    withView { left in other.withView { right in ValueOrder.compare(left, right).signum() } }
  }
}
