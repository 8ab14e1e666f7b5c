/// Documents in protobuf's JSON form. NaN and the infinities are strings; protobuf's parsers take any
/// notation for other numbers.
///
/// Source: docs/spec/protocol.md 6.3, 6.4.

package import DocModel
package import JSON

extension JSONWriter {
  /// An encoded `Document` message of ours.
  package mutating func document(_ message: UnsafeRawBufferPointer) {
    var cursor = WireCursor(message)
    var name = WireCursor.empty
    var createTime: UnsafeRawBufferPointer?
    var updateTime: UnsafeRawBufferPointer?
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x0A: name = cursor.lengthDelimited()
      case 0x1A: createTime = cursor.lengthDelimited()
      case 0x22: updateTime = cursor.lengthDelimited()
      case let other: cursor.skip(tag: other)
      }
    }
    let fields = FieldsView(message, entryTag: FieldsView.documentEntryTag)
    object { object in
      object.member("name") { $0.string(name) }
      if fields.fieldCount > 0 { object.member("fields") { $0.fields(fields) } }
      // A missing document that a list shows has a name and nothing else.
      if let createTime { object.member("createTime") { $0.timestamp(createTime) } }
      if let updateTime { object.member("updateTime") { $0.timestamp(updateTime) } }
    }
  }

  package mutating func timestamp(_ message: UnsafeRawBufferPointer) {
    var cursor = WireCursor(message)
    var seconds: Int64 = 0
    var nanoseconds: Int32 = 0
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x08: seconds = Int64(bitPattern: cursor.varint())
      case 0x10: nanoseconds = Int32(truncatingIfNeeded: cursor.varint())
      case let other: cursor.skip(tag: other)
      }
    }
    string(Timestamp(seconds: seconds, nanoseconds: nanoseconds).rfc3339)
  }

  package mutating func fields(_ fields: FieldsView) {
    object { object in
      for entry in fields { object.member(entry.key) { $0.value(entry.value) } }
    }
  }

  /// Stored values nest at most `Limits.nestingMax` levels, which bounds the recursion.
  package mutating func value(_ value: ValueView) {
    object { object in
      switch value.kind {
      case .null: object.member("nullValue") { $0.raw("null") }
      case .boolean: object.member("booleanValue") { value.boolean ? $0.raw("true") : $0.raw("false") }
      case .integer: object.member("integerValue") { $0.string(String(value.integer)) }
      case .double: object.member("doubleValue") { $0.number(value.double) }
      case .timestamp: object.member("timestampValue") { $0.string(value.timestamp.rfc3339) }
      case .string: object.member("stringValue") { $0.string(value.string) }
      case .bytes:
        object.member("bytesValue") {
          $0.string(Base64.text(value.byteString))
        }
      case .reference: object.member("referenceValue") { $0.string(value.reference) }
      case .geoPoint: object.member("geoPointValue") { $0.geoPoint(value.geoPoint) }
      case .array: object.member("arrayValue") { $0.elements(value.array) }
      case .vector, .map: object.member("mapValue") { $0.map(value.fields) }
      }
    }
  }

  private mutating func geoPoint(_ point: GeoPoint) {
    object { object in
      if point.latitude != 0 { object.member("latitude") { $0.number(point.latitude) } }
      if point.longitude != 0 { object.member("longitude") { $0.number(point.longitude) } }
    }
  }

  private mutating func elements(_ array: ArrayView) {
    object { object in
      let elements = Array(array)
      if !elements.isEmpty { object.member("values") { $0.array(elements) { $0.value($1) } } }
    }
  }

  private mutating func map(_ fields: FieldsView) {
    object { object in
      if !fields.isEmpty { object.member("fields") { $0.fields(fields) } }
    }
  }
}
