/// JSON as a value of the document model.

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
}
