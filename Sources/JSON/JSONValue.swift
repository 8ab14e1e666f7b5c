/// One JSON value, and where it stands.
///
/// INVARIANT: the offset lies in what would be padding, so that those who do not ask for it pay nothing: a value takes
/// 16 bytes with it and without it. Checked by: `JSONValueTests`.
package struct JSONValue: Sendable {
  package enum Kind: Equatable, Sendable {
    case null
    case boolean(Bool)
    /// A number written without fraction and exponent that fits.
    case integer(Int64)
    case double(Double)
    /// UTF-8.
    case string([UInt8])
    case array([JSONValue])
    /// Members as written; a name may come twice.
    case object([Member])
  }

  package struct Member: Sendable {
    package let name: [UInt8]
    fileprivate let nameOffset: UInt32
    package let value: JSONValue

    /// - Parameter offset: the byte at which the name begins.
    package init(_ name: [UInt8], _ value: JSONValue, at offset: Int = 0) {
      self.name = name
      self.value = value
      nameOffset = UInt32(offset)
    }

    /// The byte at which the name begins.
    package var offset: Int { Int(nameOffset) }

    package var nameText: String { String(decoding: name, as: UTF8.self) }

    package func isNamed(_ text: StaticString) -> Bool {
      text.withUTF8Buffer { $0.count == name.count && name.elementsEqual($0) }
    }
  }

  package let kind: Kind
  private let start: UInt32

  /// - Parameter offset: the byte at which the value begins, below `JSONReader.bytesMax`.
  package init(_ kind: Kind, at offset: Int = 0) {
    self.kind = kind
    start = UInt32(offset)
  }

  /// The byte at which the value begins.
  package var offset: Int { Int(start) }
}

/// Values are equal that say the same, wherever they stand.
extension JSONValue: Equatable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool { left.kind == right.kind }
}

extension JSONValue.Member: Equatable {
  package static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.value == right.value
  }
}

// MARK: - What a value is

extension JSONValue {
  /// The member of an object, of two with one name the last; nil for everything else.
  package subscript(name: StaticString) -> JSONValue? { members?.last { $0.isNamed(name) }?.value }

  package var isNull: Bool { kind == .null }

  package var boolean: Bool? { if case .boolean(let flag) = kind { flag } else { nil } }

  /// A number written without fraction and exponent that fits.
  package var integer: Int64? { if case .integer(let number) = kind { number } else { nil } }

  /// The same, for counts.
  package var int: Int? { integer.flatMap { Int(exactly: $0) } }

  /// Any number.
  package var number: Double? {
    switch kind {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .null, .boolean, .string, .array, .object: nil
    }
  }

  /// The bytes of a string.
  package var utf8: [UInt8]? { if case .string(let bytes) = kind { bytes } else { nil } }

  /// The text of a string.
  package var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

  package var elements: [JSONValue]? { if case .array(let elements) = kind { elements } else { nil } }

  /// The elements of an array, or the value alone: for answers that come in pieces or whole.
  package var oneOrMore: [JSONValue] { elements ?? [self] }

  package var members: [Member]? { if case .object(let members) = kind { members } else { nil } }

  /// What people call the kind.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer, .double: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

// MARK: - Values that are made here

extension JSONValue {
  package static var null: JSONValue { JSONValue(.null) }
  package static func boolean(_ flag: Bool) -> JSONValue { JSONValue(.boolean(flag)) }
  package static func integer(_ number: Int64) -> JSONValue { JSONValue(.integer(number)) }
  package static func int(_ number: Int) -> JSONValue { .integer(Int64(number)) }
  package static func double(_ number: Double) -> JSONValue { JSONValue(.double(number)) }
  package static func string(_ bytes: [UInt8]) -> JSONValue { JSONValue(.string(bytes)) }
  package static func text(_ text: String) -> JSONValue { .string(Array(text.utf8)) }
  package static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
  package static func object(_ members: [Member]) -> JSONValue { JSONValue(.object(members)) }
}

/// Literals are for small messages that are written whole: `["cleared": .integer(3)]`.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Members keep their order.
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member(Array($0.0.utf8), $0.1) })
  }
}
