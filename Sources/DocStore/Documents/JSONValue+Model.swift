/// JSON as a value of the document model, and in its stored form.

package import DocModel
package import JSON

extension JSONValue {
  /// In the form in which rules read the claims of tokens: a number without a fraction is an integer however it is
  /// written. Source: the official emulator.
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

  /// The same in the stored form of a document with the members of an object; nil for everything else. Of two members
  /// with one name the last counts.
  ///
  /// Written at once, without a tree of values: a token that nobody has seen is read while its request waits.
  package var storedFields: [UInt8]? {
    guard let members else { return nil }
    var writer = WireWriter()
    Self.write(members, entryTag: FieldsView.documentEntryTag, to: &writer)
    return writer.bytes
  }

  private static func write(_ members: [Member], entryTag: UInt8, to writer: inout WireWriter) {
    let order = members.indices.sorted { left, right in
      let order = compare(members[left].name, members[right].name)
      return order == 0 ? left < right : order < 0
    }
    for (place, index) in order.enumerated() {
      let member = members[index]
      if place + 1 < order.count, members[order[place + 1]].name == member.name { continue }
      writer.message(Int(entryTag >> 3)) { entry in
        entry.field(1, bytes: member.name)
        entry.message(2) { member.value.write(to: &$0) }
      }
    }
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { WireCursor.compare(left, $0) } }
  }

  private func write(to writer: inout WireWriter) {
    switch kind {
    case .null, .boolean, .integer, .double: writer.value(value)
    case .string(let bytes): writer.field(17, bytes: bytes)
    case .array(let elements):
      writer.message(9) { writer in
        for element in elements { writer.message(1) { element.write(to: &$0) } }
      }
    case .object(let members):
      writer.message(6) { Self.write(members, entryTag: FieldsView.mapEntryTag, to: &$0) }
    }
  }
}
