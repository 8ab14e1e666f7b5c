/// Scalars of JSON bodies, written as the fields they fill.

internal import DocModel

extension ProtoJSONWriter {
  /// Where something stands in the body.
  typealias Place = (ProtoJSONWriter) -> String

  /// Writes a value as a field, or refuses it.
  ///
  /// - Parameters:
  ///   - place: where refusals say it stands; asked for by them alone.
  ///   - name: the field as the body names it.
  mutating func write(
    _ value: JSONScalar, as kind: ProtoSchema.Kind, number: Int, at place: Place, _ name: [UInt8]
  ) {
    switch kind {
    case .double:
      guard let double = value.double else { return refuseValue(place, "TYPE_DOUBLE", value.shown) }
      append { $0.field(number, double: double) }
    case .int64:
      let whole = value.integer(dialect, Int64.min...Int64.max)
      writeInteger(whole, value, "TYPE_INT64", number, place)
    case .int32:
      let whole = value.integer(dialect, Int64(Int32.min)...Int64(Int32.max))
      writeInteger(whole, value, "TYPE_INT32", number, place)
    case .boolean:
      guard let flag = value.boolean(dialect) else { return refuseValue(place, "TYPE_BOOL", value.shown) }
      append { $0.field(number, varint: flag ? 1 : 0) }
    case .string:
      guard let text = value.text(dialect) else { return refuseValue(place, "TYPE_STRING", value.shown) }
      append { $0.field(number, bytes: text) }
    case .bytes: writeBytes(value, number, place)
    case .enumeration(let index):
      let enumeration = schema.enumerations[index]
      writeInteger(value.number(in: enumeration, dialect), value, enumeration.typeURL, number, place)
    case .message(let index): writeMessage(value, schema.messages[index], number, place, name)
    }
  }

  private mutating func writeInteger(
    _ whole: Int64?, _ value: JSONScalar, _ type: String, _ number: Int, _ place: Place
  ) {
    guard let whole else { return refuseValue(place, type, value.shown) }
    append { $0.field(number, varint: UInt64(bitPattern: whole)) }
  }

  private mutating func writeBytes(_ value: JSONScalar, _ number: Int, _ place: Place) {
    guard let text = value.text(dialect) else { return refuseValue(place, "TYPE_BYTES", value.shown) }
    guard let bytes = Base64.decodeAny(text) else {
      return refuseValue(place, "TYPE_BYTES", "Base64 decoding failed for " + value.shown)
    }
    append { $0.field(number, bytes: bytes) }
  }

  /// Messages that JSON writes as a scalar: wrappers and times.
  private mutating func writeMessage(
    _ value: JSONScalar, _ message: ProtoSchema.Message, _ number: Int, _ place: Place, _ name: [UInt8]
  ) {
    if message.isWrapper, let inner = message.fields.first {
      append { $0.tag(number, wireType: 2) }
      let start = writer.bytes.count
      append { $0.bytes.append(0) }
      write(value, as: inner.kind, number: inner.number, at: { place($0) + "." + inner.name }, name)
      return append { $0.closeLength(at: start) }
    }
    guard message.isTimestamp else { return refuseValue(place, message.typeURL, value.shown) }
    let field = "Field '" + String(decoding: name, as: UTF8.self) + "', "
    guard case .string(let text) = value else {
      return refuseValue(
        place, message.typeURL, field + "Invalid data type for timestamp, value is " + value.shown)
    }
    switch Timestamp.transcoded(text) {
    case .success(let time): append { $0.timestamp(number, time) }
    case .failure(let error): refuseValue(place, message.typeURL, field + error.fault.rawValue)
    }
  }
}
