/// One write of a commit, as it was sent and as the store takes it.
///
/// Source: proto google/firestore/v1/write.proto; order of checks and texts: docs/spec/protocol.md 4.1,
/// docs/spec/production-differences.md W6 to W13.

internal import DocModel
internal import DocStore

/// A `Write` message, nothing of it checked. Views live as long as the request's bytes.
struct WireWrite {
  enum Operation {
    case update(WireDocument)
    case delete(String)
    case verify(String)
    /// The old form: a document and its transforms.
    case transform(document: String)
    case unset
  }

  var operation = Operation.unset
  /// Nil for no mask; an empty mask writes no fields.
  var mask: [String]?
  /// `FieldTransform` messages: of `update_transforms`, or of the `transform` operation.
  var transforms: [UnsafeRawBufferPointer] = []
  var precondition = WirePrecondition.none

  init() {}

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    var updateTransforms: [UnsafeRawBufferPointer] = []
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): operation = .update(try WireDocument(try fields.message()))
      case MessageFields.tag(2): operation = .delete(try fields.text())
      case MessageFields.tag(3): mask = try MessageFields.mask(try fields.message())
      case MessageFields.tag(4): precondition = try MessageFields.precondition(try fields.message())
      case MessageFields.tag(5): operation = .verify(try fields.text())
      case MessageFields.tag(6): try readTransform(try fields.message())
      case MessageFields.tag(7): updateTransforms.append(try fields.message())
      default: try fields.skip(tag)
      }
    }
    if case .transform = operation { return }
    transforms = updateTransforms
  }

  private mutating func readTransform(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var document = ""
    var fields = MessageFields(message)
    transforms = []
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): document = try fields.text()
      case MessageFields.tag(2): transforms.append(try fields.message())
      default: try fields.skip(tag)
      }
    }
    operation = .transform(document: document)
  }
}

// MARK: - Into the store's form

extension WireWrite {

  /// Source: docs/spec/production-differences.md W6; the text: docs/spec/protocol.md 1.11.
  static func otherDatabase(_ name: DocumentName, _ database: DatabaseID) -> InvalidArgument {
    InvalidArgument("Document \"\(name.resourceName)\" is not in database \"\(database.resourceName)\".")
  }

  /// Checks what only the message shows (names, masks, values) and gives the write as the store takes it;
  /// `WriteValidator` checks the rest. `database` is nil when the write's own name
  /// decides which it is.
  func checked(in database: DatabaseID?) throws(InvalidArgument) -> (name: DocumentName, write: Write) {
    switch operation {
    case .update(let document):
      let name = try Self.name(document.name, database)
      let mask = try paths()
      let fields = try Canonicalizer.fields(ofDocument: document.message)
      return (name, try write(name, .update(fields: fields, mask: mask)))
    case .delete(let text):
      let name = try Self.name(text, database)
      if mask != nil { throw WriteErrors.deleteWithMask }
      return (name, try write(name, .delete))
    case .verify(let text):
      let name = try Self.name(text, database)
      if mask != nil { throw WriteErrors.verifyWithMask }
      return (name, try write(name, .verify))
    case .transform(let text):
      let name = try Self.name(text, database)
      if transforms.isEmpty { throw WriteErrors.noTransforms }
      return (name, try write(name, .update(fields: [], mask: [])))
    case .unset: throw WriteErrors.emptyOperation
    }
  }

  /// The name of the document that the write is about.
  func name() throws(InvalidArgument) -> DocumentName {
    switch operation {
    case .update(let document): try ResourceNameParser.document(document.name)
    case .delete(let name), .verify(let name), .transform(let name): try ResourceNameParser.document(name)
    case .unset: throw WriteErrors.emptyOperation
    }
  }

  private static func name(_ text: String, _ database: DatabaseID?) throws(InvalidArgument) -> DocumentName {
    let name = try ResourceNameParser.document(text)
    if let database, name.database != database { throw otherDatabase(name, database) }
    return name
  }

  private func paths() throws(InvalidArgument) -> [FieldPath]? {
    guard let mask else { return nil }
    var paths: [FieldPath] = []
    paths.reserveCapacity(mask.count)
    for text in mask { paths.append(try FieldPath.parseUnreserved(text)) }
    return paths
  }

  private func write(_ name: DocumentName, _ operation: Write.Operation) throws(InvalidArgument) -> Write {
    var read: [FieldTransform] = []
    read.reserveCapacity(transforms.count)
    for transform in transforms { read.append(try TransformReader.read(transform)) }
    return Write(name.path, operation, transforms: read, precondition: try condition())
  }

  private func condition() throws(InvalidArgument) -> Precondition {
    switch precondition {
    case .none: return .none
    case .exists(let expected): return .exists(expected)
    case .updateTime(let time):
      if time.nanoseconds % 1_000 != 0 { throw InvalidArgument(MessageFields.tooPrecise.message) }
      if time.microseconds < 0 { throw .beforeEpoch }
      return .updateTime(time.microseconds)
    }
  }
}

/// `FieldTransform` messages.
enum TransformReader {
  static func read(_ message: UnsafeRawBufferPointer) throws(InvalidArgument) -> FieldTransform {
    var cursor = WireCursor(message)
    var path = WireCursor.empty
    var operand: (number: UInt32, bytes: UnsafeRawBufferPointer)?
    var serverValue: UInt64 = 0
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      switch tag {
      case 1 << 3 | 2: path = cursor.lengthDelimited()
      case 2 << 3:
        serverValue = cursor.varint()
        operand = (2, WireCursor.empty)
      case 3 << 3 | 2, 4 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2, 7 << 3 | 2:
        operand = (tag >> 3, cursor.lengthDelimited())
      default: cursor.skip(tag: tag)
      }
    }
    guard !cursor.isCorrupt, UTF8Check.isValid(path) else {
      throw InvalidArgument(MessageFields.unreadable.message)
    }
    let fieldPath = try FieldPath.parseUnreserved(String(decoding: path, as: UTF8.self))
    guard let operand else { throw WriteErrors.transformUnset }
    return FieldTransform(fieldPath, try operation(operand.number, operand.bytes, serverValue, fieldPath))
  }

  private static func operation(
    _ number: UInt32, _ operand: UnsafeRawBufferPointer, _ serverValue: UInt64, _ path: FieldPath
  ) throws(InvalidArgument) -> FieldTransform.Operation {
    switch number {
    case 2:
      // REQUEST_TIME is the only server value there is.
      guard serverValue == 1 else { throw WriteErrors.serverValueUnset }
      return .serverTime
    case 3: return .increment(try numeric(operand, path))
    case 4: return .maximum(try numeric(operand, path))
    case 5: return .minimum(try numeric(operand, path))
    case 6: return .appendMissing(try elements(operand, path))
    case 7: return .removeAll(try elements(operand, path))
    default: throw WriteErrors.transformUnset
    }
  }

  private static func numeric(_ value: UnsafeRawBufferPointer, _ path: FieldPath) throws(InvalidArgument)
    -> [UInt8]
  {
    try Canonicalizer.value(value, named: path.text, for: .transform)
  }

  /// The elements of an `ArrayValue`.
  private static func elements(_ array: UnsafeRawBufferPointer, _ path: FieldPath) throws(InvalidArgument)
    -> [[UInt8]]
  {
    var cursor = WireCursor(array)
    var elements: [[UInt8]] = []
    while !cursor.isAtEnd {
      let tag = cursor.tag()
      guard tag == 1 << 3 | 2 else {
        cursor.skip(tag: tag)
        continue
      }
      elements.append(try Canonicalizer.value(cursor.lengthDelimited(), named: path.text, for: .transform))
    }
    if cursor.isCorrupt { throw InvalidArgument(MessageFields.unreadable.message) }
    return elements
  }
}
