/// Answers as JSON, from their encoded form.
///
/// Documents and values are written from the bytes they are stored in; the messages around them are
/// described by tables. Fields that hold their default are left out, as protobuf does.
/// Source: docs/spec/protocol.md 1.3 (numbers), 6.3 (form).

internal import DocModel
internal import DocStore
internal import JSON

/// The answer of a method.
enum RESTAnswer: Sendable {
  case document
  case message(MessageShape)
}

/// One message: its fields in the order they are written.
struct MessageShape: Sendable {
  struct Field: Sendable {
    let number: UInt32
    let name: StaticString
    let kind: Kind
    let isRepeated: Bool

    init(_ number: UInt32, _ name: StaticString, _ kind: Kind, isRepeated: Bool = false) {
      self.number = number
      self.name = name
      self.kind = kind
      self.isRepeated = isRepeated
    }
  }

  indirect enum Kind: Sendable {
    case text, bytes, number, flag, timestamp, document, value
    /// `google.protobuf.Duration` and `google.protobuf.Struct`.
    case duration, structure
    /// A 64-bit integer, which protobuf's JSON quotes.
    case longNumber
    /// 32-bit integers in one field, as protobuf packs them.
    case packedNumbers
    /// One of these names, by its number.
    case enumeration([StaticString])
    /// A map from names to values: its entries are repeated on the wire, and one object in JSON.
    case values
    case message(MessageShape)
  }

  /// The mark of a stream's last element, which the official emulator sends over REST. No field of our own answers
  /// has its number.
  static let doneNumber: UInt32 = 15

  let fields: [Field]

  init(_ fields: Field...) { self.fields = fields }
}

extension JSONWriter {
  /// An encoded message of ours.
  mutating func message(_ bytes: UnsafeRawBufferPointer, _ shape: MessageShape) {
    let found = FoundFields(bytes)
    object { object in
      for field in shape.fields {
        if field.isRepeated {
          let elements = found.all(field.number)
          if elements.isEmpty { continue }
          if case .values = field.kind {
            object.member(field.name) { $0.namedValues(elements) }
            continue
          }
          object.member(field.name) { writer in
            writer.array(elements) { writer, element in writer.field(element, field.kind) }
          }
        } else if let last = found.last(field.number) {
          object.member(field.name) { $0.field(last, field.kind) }
        }
      }
    }
  }

  private mutating func namedValues(_ entries: [FoundFields.Content]) {
    object { object in
      for entry in entries {
        let found = FoundFields(entry.bytes)
        guard let name = found.last(1), let content = found.last(2) else { continue }
        object.member(name.bytes) { $0.value(ValueView(content.bytes)) }
      }
    }
  }

  private mutating func field(_ content: FoundFields.Content, _ kind: MessageShape.Kind) {
    switch kind {
    case .text: string(content.bytes)
    case .bytes: string(Base64.text(content.bytes))
    case .number: integer(Int64(bitPattern: content.number))
    case .flag: content.number == 0 ? raw("false") : raw("true")
    case .timestamp: timestamp(content.bytes)
    case .longNumber: string(String(Int64(bitPattern: content.number)))
    case .packedNumbers: packedNumbers(content.bytes)
    case .enumeration(let names):
      guard let place = Int(exactly: content.number), names.indices.contains(place) else {
        return integer(Int32(truncatingIfNeeded: content.number))
      }
      names[place].withUTF8Buffer { string(UnsafeRawBufferPointer($0)) }
    case .duration: duration(content.bytes)
    case .structure: structure(content.bytes)
    case .document: document(content.bytes)
    case .value: value(ValueView(content.bytes))
    case .values: break
    case .message(let shape): message(content.bytes, shape)
    }
  }
}

extension JSONWriter {
  /// The elements of a packed field of 32-bit integers.
  mutating func packedNumbers(_ bytes: UnsafeRawBufferPointer) {
    var cursor = WireCursor(bytes)
    raw("[")
    var isFirst = true
    while !cursor.isAtEnd {
      if !isFirst { raw(",") }
      isFirst = false
      integer(Int32(truncatingIfNeeded: cursor.varint()))
    }
    raw("]")
  }
}

/// The fields of one message, in the order of the wire.
struct FoundFields {
  struct Content {
    var bytes = WireCursor.empty
    var number: UInt64 = 0
  }

  private var fields: [(number: UInt32, content: Content)] = []

  init(_ message: UnsafeRawBufferPointer) {
    var cursor = WireCursor(message)
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      switch tag & 7 {
      case 0: fields.append((tag >> 3, Content(number: cursor.varint())))
      case 2: fields.append((tag >> 3, Content(bytes: cursor.lengthDelimited())))
      default: cursor.skip(tag: tag)
      }
    }
  }

  func all(_ number: UInt32) -> [Content] { fields.filter { $0.number == number }.map(\.content) }

  func last(_ number: UInt32) -> Content? { fields.last { $0.number == number }?.content }
}

extension RESTMethod {
  /// What the method answers.
  var answer: RESTAnswer {
    switch self {
    case .getDocument, .createDocument, .updateDocument: .document
    case .listDocuments:
      .message(
        MessageShape(.init(1, "documents", .document, isRepeated: true), .init(2, "nextPageToken", .text)))
    case .deleteDocument, .rollback: .message(MessageShape())
    case .batchGetDocuments:
      .message(
        MessageShape(
          .init(1, "found", .document), .init(2, "missing", .text), .init(3, "transaction", .bytes),
          .init(4, "readTime", .timestamp)))
    case .beginTransaction: .message(MessageShape(.init(1, "transaction", .bytes)))
    case .commit:
      .message(
        MessageShape(
          .init(1, "writeResults", .message(Self.writeResult), isRepeated: true),
          .init(2, "commitTime", .timestamp)))
    case .batchWrite:
      .message(
        MessageShape(
          .init(1, "writeResults", .message(Self.writeResult), isRepeated: true),
          .init(
            2, "status", .message(MessageShape(.init(1, "code", .number), .init(2, "message", .text))),
            isRepeated: true)))
    case .runQuery:
      .message(
        MessageShape(
          .init(2, "transaction", .bytes), .init(1, "document", .document), .init(3, "readTime", .timestamp),
          .init(4, "skippedResults", .number), .init(MessageShape.doneNumber, "done", .flag),
          .init(11, "explainMetrics", .message(.explainMetrics))))
    case .runAggregationQuery:
      .message(
        MessageShape(
          .init(
            1, "result", .message(MessageShape(.init(2, "aggregateFields", .values, isRepeated: true)))),
          .init(2, "transaction", .bytes), .init(3, "readTime", .timestamp),
          .init(MessageShape.doneNumber, "done", .flag),
          .init(10, "explainMetrics", .message(.explainMetrics))))
    case .partitionQuery:
      .message(
        MessageShape(
          .init(
            1, "partitions", .message(MessageShape(.init(1, "values", .value, isRepeated: true))),
            isRepeated: true),
          .init(2, "nextPageToken", .text)))
    case .executePipeline: .message(MessageShape())
    case .listCollectionIDs:
      .message(
        MessageShape(.init(1, "collectionIds", .text, isRepeated: true), .init(2, "nextPageToken", .text)))
    }
  }

  static let writeResult = MessageShape(
    .init(1, "updateTime", .timestamp), .init(2, "transformResults", .value, isRepeated: true))
}
