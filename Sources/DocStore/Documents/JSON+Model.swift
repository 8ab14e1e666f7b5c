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
    case .double(let number): .whole(number)
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
      // Marks of lengths are in the place of quotes and commas.
      var form = StoredForm(tape: tape, writer: WireWriter(reserving: tape.text.count + 4 * count))
      form.names.reserveCapacity(count / 2)
      form.members(of: 0, entryTag: FieldsView.documentEntryTag)
      return form.writer.bytes
    }
  }
}

/// What `storedFields` writes.
private struct StoredForm {
  let tape: JSONTape.View
  var writer: WireWriter
  /// Places of the names of objects that are open, the innermost object's last.
  var names: [Int] = []

  mutating func members(of object: Int, entryTag: UInt8) {
    let first = names.count
    let end = tape.end(of: object)
    var place = object + 1
    while place < end {
      names.append(place)
      place = tape.end(of: place + 1)
    }
    names[first...].sort { [tape] left, right in
      let order = WireCursor.compare(tape.string(at: left), tape.string(at: right))
      return order == 0 ? left < right : order < 0
    }
    for index in first..<names.count {
      let name = tape.string(at: names[index])
      // Members with one name stand as they were written: the last of them is the one.
      if index + 1 < names.count, WireCursor.areEqual(name, tape.string(at: names[index + 1])) { continue }
      message(Int(entryTag >> 3)) { form in
        form.writer.field(1, bytes: name)
        form.message(2) { $0.value(at: $0.names[index] + 1) }
      }
    }
    names.removeSubrange(first...)
  }

  private mutating func value(at place: Int) {
    switch tape.entries[place].kind {
    case .null: writer.value(.null)
    case .boolean(let flag): writer.value(.boolean(flag))
    case .integer(let number): writer.value(.integer(number))
    case .double(let number): writer.value(.whole(number))
    case .string, .unescaped: writer.field(17, bytes: tape.string(at: place))
    case .array(let end):
      message(9) { form in
        var element = place + 1
        while element < end {
          form.message(1) { $0.value(at: element) }
          element = form.tape.end(of: element)
        }
      }
    case .object: message(6) { $0.members(of: place, entryTag: FieldsView.mapEntryTag) }
    }
  }

  /// `WireWriter.message`, for what needs the names, too.
  @inline(__always)
  private mutating func message(_ number: Int, _ body: (inout StoredForm) -> Void) {
    writer.tag(number, wireType: 2)
    let start = writer.bytes.count
    writer.bytes.append(0)
    body(&self)
    writer.closeLength(at: start)
  }
}

extension DocModel.Value {
  /// A number as an integer, if it is one.
  fileprivate static func whole(_ number: Double) -> DocModel.Value {
    Int64(exactly: number).map { .integer($0) } ?? .double(number)
  }
}
