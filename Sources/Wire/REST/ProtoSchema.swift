/// What JSON may say: the messages of the service, their fields and enumerations, by name.
///
/// Read once out of the descriptors that reflection serves, so that nothing is written down twice.
/// Source: google/protobuf/descriptor.proto.

internal import DocModel
internal import SwiftProtobuf

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
    let bytes = GeneratedDescriptors.base64.withUTF8Buffer { Base64.decodeAny(Array($0)) } ?? []
    let set = (try? Google_Protobuf_FileDescriptorSet(serializedBytes: bytes)) ?? .init()
    return ProtoSchema(set)
  }()

  init(_ set: Google_Protobuf_FileDescriptorSet) {
    var described: [(index: Int, descriptor: Google_Protobuf_DescriptorProto)] = []
    for file in set.file {
      let prefix = file.package.isEmpty ? "" : file.package + "."
      for enumeration in file.enumType { add(enumeration, prefix) }
      for message in file.messageType { add(message, prefix, &described) }
    }
    for (index, descriptor) in described {
      for field in descriptor.field { add(field, of: descriptor, to: index) }
    }
  }

  /// The place of a message; nil for one that is not described.
  func index(of fullName: String) -> Int? { messageOfName[fullName] }

  // MARK: reading

  private mutating func add(
    _ message: Google_Protobuf_DescriptorProto, _ prefix: String,
    _ described: inout [(index: Int, descriptor: Google_Protobuf_DescriptorProto)]
  ) {
    let full = prefix + message.name
    messageOfName[full] = messages.count
    described.append((messages.count, message))
    messages.append(Message(fullName: full, isMapEntry: message.options.mapEntry))
    for enumeration in message.enumType { add(enumeration, full + ".") }
    for nested in message.nestedType { add(nested, full + ".", &described) }
  }

  private mutating func add(_ enumeration: Google_Protobuf_EnumDescriptorProto, _ prefix: String) {
    let full = prefix + enumeration.name
    enumerationOfName[full] = enumerations.count
    enumerations.append(
      Enumeration(fullName: full, values: enumeration.value.map { ($0.name, $0.number) }))
  }

  /// A field of a kind that JSON requests of the service cannot hold is left out, and so not found.
  private mutating func add(
    _ field: Google_Protobuf_FieldDescriptorProto, of descriptor: Google_Protobuf_DescriptorProto,
    to index: Int
  ) {
    guard let kind = kind(of: field) else { return }
    let isInOneof = field.hasOneofIndex && !field.proto3Optional
    let oneof = isInOneof ? descriptor.oneofDecl[Int(field.oneofIndex)].name : nil
    let place = messages[index].fields.count
    messages[index].fields.append(
      Field(
        name: field.name, number: Int(field.number), kind: kind, isRepeated: field.label == .repeated,
        oneof: oneof))
    messages[index].fieldOfName[field.name] = place
    messages[index].fieldOfName[field.jsonName] = place
  }

  private func kind(of field: Google_Protobuf_FieldDescriptorProto) -> Kind? {
    let type = String(field.typeName.drop { $0 == "." })
    switch field.type {
    case .double: return .double
    case .int64: return .int64
    case .int32: return .int32
    case .bool: return .boolean
    case .string: return .string
    case .bytes: return .bytes
    case .enum: return enumerationOfName[type].map { .enumeration($0) }
    case .message: return messageOfName[type].map { .message($0) }
    case .float, .uint64, .fixed64, .fixed32, .group, .uint32, .sfixed32, .sfixed64, .sint32, .sint64:
      return nil
    }
  }
}
