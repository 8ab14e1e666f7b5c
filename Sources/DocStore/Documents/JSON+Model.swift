/// JSON as a value of the document model, and in its stored form. In both, a number without a fraction is an integer however
/// it is written, as rules read the claims of tokens. Source: the official emulator.

package import DocModel
package import JSON

extension JSONValue {
  package var value: DocModel.Value {
    switch kind {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .double(let number): Int64(exactly: number).map { .integer($0) } ?? .double(number)
    case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .map(Fields(members.map { ($0.nameText, $0.value.value) }))
    }
  }
}

extension JSONTape {
  /// The stored form of a document with the members of an object; nil for everything else. Of two members with one name
  /// the last counts.
  ///
  /// Written from the text at once: a token that nobody has seen is read while its request waits.
  package var storedFields: [UInt8]? {
    guard isObject else { return nil }
    return withView { tape in
      let bytesMax = tape.text.count + StoredForm.overheadMax * tape.entries.count
      return [UInt8](unsafeUninitializedCapacity: bytesMax) { memory, count in
        let memory = UnsafeMutableRawBufferPointer(memory)
        var form = StoredForm(tape: tape, memory: memory, start: bytesMax)
        form.members(of: 0, entryTag: FieldsView.documentEntryTag)
        count = bytesMax - form.start
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[form.start...]))
      }
    }
  }
}

/// What `storedFields` writes: from the end to the beginning, so that a message is there when its length is written.
private struct StoredForm {
  /// LIMIT: bytes of what surrounds the text of a value or name, or of a number: three tags with lengths, and one of two
  /// bytes.
  static let overheadMax = 3 * 6 + 7

  let tape: JSONTape.View
  let memory: UnsafeMutableRawBufferPointer
  /// Where what is written begins.
  var start: Int
  /// Places of elements of what is open, the innermost's last.
  var places: [Int] = []

  /// One member of an object, with the first eight bytes of its name, which tell most names apart.
  private struct Member {
    let name: UnsafeRawBufferPointer
    let beginning: UInt64
    let place: Int

    init(_ place: Int, _ name: UnsafeRawBufferPointer) {
      (self.place, self.name) = (place, name)
      if name.count >= 8 {
        beginning = UInt64(bigEndian: name.loadUnaligned(as: UInt64.self))
      } else {
        beginning = name.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - name.count))
      }
    }

    /// In the order of names, and of places where they are the same.
    func precedes(_ other: Member) -> Bool {
      if beginning != other.beginning { return beginning < other.beginning }
      let order = WireCursor.compare(name, other.name)
      return order == 0 ? place < other.place : order < 0
    }
  }

  mutating func members(of object: Int, entryTag: UInt8) {
    let end = tape.end(of: object)
    var members: [Member] = []
    members.reserveCapacity(min(16, (end - object) / 2))
    var place = object + 1
    while place < end {
      members.append(Member(place, tape.string(at: place)))
      place = tape.end(of: place + 1)
    }
    members.sort { $0.precedes($1) }
    var last: UnsafeRawBufferPointer?
    for member in members.reversed() {
      // Members with one name stand as they were written: the last of them is the one.
      if let last, WireCursor.areEqual(member.name, last) { continue }
      last = member.name
      let end = start
      value(at: member.place + 1)
      close(0x12, to: end)
      text(member.name, 0x0A)
      close(entryTag, to: end)
    }
  }

  private mutating func elements(of array: Int) {
    let first = places.count
    let end = tape.end(of: array)
    var place = array + 1
    while place < end {
      places.append(place)
      place = tape.end(of: place)
    }
    while places.count > first {
      let end = start
      value(at: places.removeLast())
      close(0x0A, to: end)
    }
  }

  private mutating func value(at place: Int) {
    let end = start
    switch tape.entries[place].kind {
    case .null: number(0, ValueView.Tag.null)
    case .boolean(let flag): number(flag ? 1 : 0, ValueView.Tag.boolean)
    case .integer(let integer): number(UInt64(bitPattern: integer), ValueView.Tag.integer)
    case .double(let double):
      if let integer = Int64(exactly: double) {
        return number(UInt64(bitPattern: integer), ValueView.Tag.integer)
      }
      start -= 8
      memory.storeBytes(of: double.bitPattern.littleEndian, toByteOffset: start, as: UInt64.self)
      byte(ValueView.Tag.double)
    case .string, .unescaped:
      text(tape.string(at: place), 1)
      byte(ValueView.Tag.string)
    case .array:
      elements(of: place)
      close(ValueView.Tag.array, to: end)
    case .object:
      members(of: place, entryTag: FieldsView.mapEntryTag)
      close(ValueView.Tag.map, to: end)
    }
  }

  private mutating func byte(_ byte: UInt8) {
    start -= 1
    memory[start] = byte
  }

  private mutating func number(_ value: UInt64, _ tag: UInt8) {
    varint(value)
    byte(tag)
  }

  private mutating func text(_ text: UnsafeRawBufferPointer, _ tag: UInt8) {
    let end = start
    start -= text.count
    UnsafeMutableRawBufferPointer(rebasing: memory[start..<end]).copyMemory(from: text)
    close(tag, to: end)
  }

  /// What is written before `end` becomes a field.
  private mutating func close(_ tag: UInt8, to end: Int) { number(UInt64(end - start), tag) }

  private mutating func varint(_ value: UInt64) {
    start -= WireWriter.varintLength(value)
    var rest = value
    var place = start
    while rest >= 0x80 {
      memory[place] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      place += 1
    }
    memory[place] = UInt8(truncatingIfNeeded: rest)
  }
}
