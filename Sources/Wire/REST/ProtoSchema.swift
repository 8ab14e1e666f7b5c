/// What JSON may say: the messages of the service, their fields and enumerations, by name.
///
/// Read once out of the descriptors that reflection serves, so that nothing is written down twice.
/// Source: google/protobuf/descriptor.proto.

internal import DocModel

/// The messages of a descriptor set. Fields name messages and enumerations by their place in the tables.
struct ProtoSchema: Sendable {
  struct Message: Sendable {
    let fullName: String
    fileprivate(set) var fields: [Field] = []
    /// By JSON name and by proto name, both of which are read.
    fileprivate(set) var fieldOfName: [String: Int] = [:]
    let isMapEntry: Bool

    /// How a message is called where a value is of the wrong kind.
    var typeURL: String { "type.googleapis.com/" + fullName }
    /// `Int32Value` and its kind: a message that JSON writes as its one field.
    var isWrapper: Bool { ProtoSchema.wrappers.contains(fullName) }
    var isTimestamp: Bool { fullName == "google.protobuf.Timestamp" }
  }

  struct Field: Sendable {
    let name: String
    let number: Int
    let kind: Kind
    let isRepeated: Bool
    /// The group of which only one field may be set; nil for none.
    let oneof: String?
  }

  enum Kind: Sendable, Equatable {
    case double, int64, int32, boolean, string, bytes
    case enumeration(Int)
    case message(Int)
  }

  struct Enumeration: Sendable {
    let fullName: String
    let values: [(name: String, number: Int32)]

    var typeURL: String { "type.googleapis.com/" + fullName }
    var isNullValue: Bool { fullName == "google.protobuf.NullValue" }
  }

  private(set) var messages: [Message] = []
  private(set) var enumerations: [Enumeration] = []
  private var messageOfName: [String: Int] = [:]
  private var enumerationOfName: [String: Int] = [:]

  private static let wrappers: Set<String> = [
    "google.protobuf.DoubleValue", "google.protobuf.FloatValue", "google.protobuf.Int64Value",
    "google.protobuf.UInt64Value", "google.protobuf.Int32Value", "google.protobuf.UInt32Value",
    "google.protobuf.BoolValue", "google.protobuf.StringValue", "google.protobuf.BytesValue",
  ]

  /// The messages that the server's own descriptors hold.
  static let generated: ProtoSchema = {
    DescriptorSet.bytes().withUnsafeBytes { ProtoSchema($0) }
  }()

  /// - Parameter set: a `FileDescriptorSet`, which is whole: it is ours, and a test reads it with protobuf's own library.
  init(_ set: UnsafeRawBufferPointer) {
    var described: [Described] = []
    PlainFields.forEach(set) { number, file in
      guard number == 1 else { return }
      let package = PlainFields.text(2, of: file)
      let prefix = package.isEmpty ? "" : package + "."
      PlainFields.forEach(file) { number, content in
        if number == 4 { add(message: content, prefix, &described) }
        if number == 5 { add(enumeration: content, prefix) }
      }
    }
    for message in described { addFields(of: message) }
  }

  /// The place of a message; nil for one that is not described.
  func index(of fullName: String) -> Int? { messageOfName[fullName] }

  // MARK: reading

  /// A message whose fields are read once all messages are known.
  private struct Described {
    let index: Int
    let descriptor: UnsafeRawBufferPointer
  }

  /// `DescriptorProto`
  private mutating func add(
    message: UnsafeRawBufferPointer, _ prefix: String, _ described: inout [Described]
  ) {
    let full = prefix + PlainFields.text(1, of: message)
    messageOfName[full] = messages.count
    described.append(Described(index: messages.count, descriptor: message))
    var isMapEntry = false
    PlainFields.forEach(message) { number, options in
      if number == 7 { isMapEntry = PlainFields.number(7, of: options) == 1 }
    }
    messages.append(Message(fullName: full, isMapEntry: isMapEntry))
    PlainFields.forEach(message) { number, content in
      if number == 4 { add(enumeration: content, full + ".") }
      if number == 3 { add(message: content, full + ".", &described) }
    }
  }

  /// `EnumDescriptorProto`
  private mutating func add(enumeration: UnsafeRawBufferPointer, _ prefix: String) {
    let full = prefix + PlainFields.text(1, of: enumeration)
    enumerationOfName[full] = enumerations.count
    var values: [(name: String, number: Int32)] = []
    PlainFields.forEach(enumeration) { number, value in
      guard number == 2 else { return }
      let number = Int32(truncatingIfNeeded: PlainFields.number(2, of: value) ?? 0)
      values.append((PlainFields.text(1, of: value), number))
    }
    enumerations.append(Enumeration(fullName: full, values: values))
  }

  private mutating func addFields(of message: Described) {
    var oneofs: [String] = []
    PlainFields.forEach(message.descriptor) { number, content in
      if number == 8 { oneofs.append(PlainFields.text(1, of: content)) }
    }
    PlainFields.forEach(message.descriptor) { number, content in
      if number == 2 { add(field: content, oneofs, to: message.index) }
    }
  }

  /// `FieldDescriptorProto`. A field of a kind that JSON requests of the service cannot hold is left out, and so not found.
  private mutating func add(field: UnsafeRawBufferPointer, _ oneofs: [String], to index: Int) {
    guard let kind = kind(of: field) else { return }
    let isOptional = PlainFields.number(17, of: field) == 1
    let oneof = isOptional ? nil : PlainFields.number(9, of: field)
    let name = PlainFields.text(1, of: field)
    let place = messages[index].fields.count
    messages[index].fields.append(
      Field(
        name: name, number: Int(PlainFields.number(3, of: field) ?? 0), kind: kind,
        isRepeated: PlainFields.number(4, of: field) == 3, oneof: oneof.map { oneofs[Int($0)] }))
    messages[index].fieldOfName[name] = place
    messages[index].fieldOfName[PlainFields.text(10, of: field)] = place
  }

  /// Source: `FieldDescriptorProto.Type`.
  private func kind(of field: UnsafeRawBufferPointer) -> Kind? {
    let type = String(PlainFields.text(6, of: field).drop { $0 == "." })
    switch PlainFields.number(5, of: field) {
    case 1: return .double
    case 3: return .int64
    case 5: return .int32
    case 8: return .boolean
    case 9: return .string
    case 11: return messageOfName[type].map { .message($0) }
    case 12: return .bytes
    case 14: return enumerationOfName[type].map { .enumeration($0) }
    default: return nil
    }
  }
}
