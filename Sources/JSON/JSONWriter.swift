/// JSON, written by appending: for what leaves the project as JSON, whoever writes it.
///
/// Objects and arrays are closures, so what is opened is closed and commas are right by construction.
/// Slashes stay as they are: docs/spec/production-differences.md F5.
package struct JSONWriter {
  /// What is escaped beside quotes, backslashes and control characters.
  package enum Escapes: Sendable {
    case needed
    /// All beyond ASCII, as `\uXXXX`, two for what is beyond the first plane.
    case ascii
    /// `<`, so that the JSON can stand in a page.
    case markup
  }

  package private(set) var bytes: [UInt8] = []
  let escapes: Escapes
  /// Whether a blank follows commas and colons.
  private let isSpaced: Bool

  package init(_ escapes: Escapes = .needed, isSpaced: Bool = false) {
    self.escapes = escapes
    self.isSpaced = isSpaced
  }

  /// Begins anew and keeps the memory.
  package mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Makes room for so many bytes.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  /// What is written, as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  // MARK: scalars

  package mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// A value that is JSON already.
  package mutating func json(_ value: [UInt8]) { bytes += value }

  /// A part of a string.
  mutating func append(_ text: UnsafeRawBufferPointer) { bytes.append(contentsOf: text) }

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// A number as JSON has it; NaN and the infinities, which it has not, are strings.
  package mutating func number(_ number: Double) {
    if number.isNaN {
      raw("\"NaN\"")
    } else if number.isInfinite {
      number < 0 ? raw("\"-Infinity\"") : raw("\"Infinity\"")
    } else {
      bytes.append(contentsOf: number.description.utf8)
    }
  }

  package mutating func boolean(_ flag: Bool) { flag ? raw("true") : raw("false") }

  package mutating func null() { raw("null") }

  package mutating func integer(_ number: some BinaryInteger) {
    bytes.append(contentsOf: String(number).utf8)
  }

  // MARK: objects and arrays

  /// An object whose members `body` writes with `member`.
  package mutating func object(_ body: (inout ObjectWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    var object = ObjectWriter(writer: self)
    bytes = []
    body(&object)
    // Swapped, not copied: an append to bytes with two owners would copy all that is written so far.
    swap(&bytes, &object.writer.bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// An array of `elements`, each written by `body`.
  ///
  /// - Parameters:
  ///   - separator: what stands between two elements; a comma, when not given.
  ///   - edge: what stands behind the first bracket and before the last.
  package mutating func array<Element>(
    _ elements: some Sequence<Element>, separator: StaticString? = nil, edge: StaticString = "",
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    raw(edge)
    var isFirst = true
    for element in elements {
      if !isFirst { raw(separator ?? comma) }
      isFirst = false
      body(&self, element)
    }
    raw(edge)
    bytes.append(UInt8(ascii: "]"))
  }

  /// A value as a whole. Values are as deep as a reader lets them be, which bounds the recursion.
  package mutating func value(_ value: JSONValue) {
    switch value.kind {
    case .null: null()
    case .boolean(let flag): boolean(flag)
    case .integer(let number): integer(number)
    case .double(let number): self.number(number)
    case .string(let bytes): string(bytes)
    case .array(let elements): array(elements) { $0.value($1) }
    case .object(let members):
      object { object in
        for member in members {
          member.name.withUnsafeBytes { name in object.member(name) { $0.value(member.value) } }
        }
      }
    }
  }

  package static func bytes(of value: JSONValue, _ escapes: Escapes = .needed) -> [UInt8] {
    var writer = JSONWriter(escapes)
    writer.value(value)
    return writer.bytes
  }

  private var comma: StaticString { isSpaced ? ", " : "," }

  package struct ObjectWriter {
    fileprivate var writer: JSONWriter
    private var isEmpty = true

    fileprivate init(writer: JSONWriter) { self.writer = writer }

    package mutating func member(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
      name.withUTF8Buffer { member(UnsafeRawBufferPointer($0), body) }
    }

    /// A member whose name is not known beforehand.
    package mutating func member(named name: String, _ body: (inout JSONWriter) -> Void) {
      var name = name
      name.withUTF8 { member(UnsafeRawBufferPointer($0), body) }
    }

    package mutating func member(_ name: UnsafeRawBufferPointer, _ body: (inout JSONWriter) -> Void) {
      separate()
      writer.string(name)
      writer.isSpaced ? writer.raw(": ") : writer.raw(":")
      body(&writer)
    }

    /// A member whose name is JSON already.
    package mutating func member(json name: [UInt8], _ body: (inout JSONWriter) -> Void) {
      separate()
      writer.json(name)
      writer.isSpaced ? writer.raw(": ") : writer.raw(":")
      body(&writer)
    }

    private mutating func separate() {
      if !isEmpty { writer.raw(writer.comma) }
      isEmpty = false
    }
  }
}
