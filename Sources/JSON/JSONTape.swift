/// What a text says, value after value as they stand there, in one array whatever the text holds. A tree is made of it
/// (`JSONValue`); who needs no tree walks it, and no value costs an object.
///
/// INVARIANT: `end` is the place behind the last element or member, and behind each name of an object comes its value.
/// Checked by: `JSONPropertyTests`, which reads random texts through it.
package struct JSONTape: Sendable {
  package enum Kind: Sendable {
    case null
    case boolean(Bool)
    /// A number written without fraction and exponent that fits.
    case integer(Int64)
    case double(Double)
    /// UTF-8: that many bytes of the text.
    case string(start: UInt32, count: UInt32)
    /// A string with escapes: that many of the unescaped bytes.
    case unescaped(start: UInt32, count: UInt32)
    case array(end: UInt32)
    /// Members as written: names and values in turn. A name may come twice.
    case object(end: UInt32)
  }

  package struct Entry: Sendable {
    package let kind: Kind
    /// The byte at which it begins.
    package let start: UInt32
  }

  /// The first is the value of the whole text.
  private var entries: [Entry] = []
  private let text: [UInt8]
  /// Strings with escapes, read, one behind the other.
  private var unescaped: [UInt8] = []

  init(of text: [UInt8]) {
    self.text = text
    // Small texts have a value in eight bytes, large ones would hold memory for nothing.
    entries.reserveCapacity(min(64, text.count / 8 + 1))
  }

  package var isObject: Bool { if case .object = entries[0].kind { true } else { false } }

  /// Hands out what is there, until `body` ends.
  package func withView<Result>(_ body: (View) -> Result) -> Result {
    entries.withUnsafeBufferPointer { entries in
      text.withUnsafeBytes { text in
        unescaped.withUnsafeBytes { body(View(entries: entries, text: text, unescaped: $0)) }
      }
    }
  }

  // MARK: What the reader adds

  mutating func add(_ kind: Kind, at offset: Int) {
    entries.append(Entry(kind: kind, start: UInt32(truncatingIfNeeded: offset)))
  }

  /// A string without escapes.
  mutating func add(string range: Range<Int>, at offset: Int) {
    add(
      .string(
        start: UInt32(truncatingIfNeeded: range.lowerBound), count: UInt32(truncatingIfNeeded: range.count)),
      at: offset)
  }

  /// A string with escapes.
  mutating func add(unescaped bytes: [UInt8], at offset: Int) {
    let start = UInt32(truncatingIfNeeded: unescaped.count)
    unescaped += bytes
    add(.unescaped(start: start, count: UInt32(truncatingIfNeeded: bytes.count)), at: offset)
  }

  /// Opens an array or an object: its place, for `close`.
  mutating func open(at offset: Int) -> Int {
    add(.null, at: offset)
    return entries.count - 1
  }

  mutating func close(_ place: Int, _ kind: (UInt32) -> Kind) {
    entries[place] = Entry(kind: kind(UInt32(entries.count)), start: entries[place].start)
  }
}

// MARK: - Walking

extension JSONTape {
  /// A tape as plain memory: who walks it counts no references.
  package struct View {
    package let entries: UnsafeBufferPointer<Entry>
    @usableFromInline package let text: UnsafeRawBufferPointer
    @usableFromInline package let unescaped: UnsafeRawBufferPointer

    /// The place behind the value or name at a place.
    @inlinable
    package func end(of place: Int) -> Int {
      switch entries[place].kind {
      case .array(let end), .object(let end): Int(end)
      case .null, .boolean, .integer, .double, .string, .unescaped: place + 1
      }
    }

    /// The bytes of the string or name at a place; none where something else stands.
    @inlinable
    package func string(at place: Int) -> UnsafeRawBufferPointer {
      switch entries[place].kind {
      case .string(let start, let count):
        UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(start) + Int(count)])
      case .unescaped(let start, let count):
        UnsafeRawBufferPointer(rebasing: unescaped[Int(start)..<Int(start) + Int(count)])
      case .null, .boolean, .integer, .double, .array, .object: UnsafeRawBufferPointer(start: nil, count: 0)
      }
    }
  }
}

extension JSONValue {
  /// A tree of all of it.
  package init(_ tape: JSONTape) {
    self = tape.withView { tape in
      var place = 0
      return JSONValue(tape, &place)
    }
  }

  /// The value at a place, and the place behind it. As deep as the text, which its reader bounds.
  private init(_ tape: JSONTape.View, _ place: inout Int) {
    let entry = tape.entries[place]
    let own = place
    place += 1
    let kind: Kind
    switch entry.kind {
    case .null: kind = .null
    case .boolean(let flag): kind = .boolean(flag)
    case .integer(let number): kind = .integer(number)
    case .double(let number): kind = .double(number)
    case .string, .unescaped: kind = .string(Array(tape.string(at: own)))
    case .array(let end):
      var elements: [JSONValue] = []
      while place < end { elements.append(JSONValue(tape, &place)) }
      kind = .array(elements)
    case .object(let end):
      var members: [Member] = []
      while place < end {
        let name = place
        place += 1
        members.append(
          Member(
            Array(tape.string(at: name)), JSONValue(tape, &place), at: Int(tape.entries[name].start)))
      }
      kind = .object(members)
    }
    self.init(kind, at: Int(entry.start))
  }
}
