/// GetDocument and BatchGetDocuments.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// Source: docs/spec/protocol.md 1.5; the text of a missing document: docs/spec/production-differences.md W1.
  @Sendable
  func getDocument(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { (bytes, authorize) throws(GRPCStatus) in
      let request = try GetDocumentRequest(bytes)
      let name = try Self.checked { () throws(InvalidArgument) in
        try ResourceNameParser.document(request.name)
      }
      let credentials = try authorize(name.database)
      let mask = try Self.mask(request.mask)
      return GetRead(name: name, mask: mask, consistency: request.consistency, credentials: credentials)
    } then: { [self] (call, read) throws(GRPCStatus) in
      let database = read.name.database
      let time = try readTime(read.consistency, in: database, as: read.credentials).time
      try inTurn(time, in: database, at: CollectionOfOne(read.name.path), call) {
        [self] (call) throws(GRPCStatus) in try get(read, at: time, call)
      }
    }
  }

  /// Answers at once, unless the document or its rules are too much for an event loop.
  private func get(_ read: GetRead, at time: ReadTime, _ call: ServerCall) throws(GRPCStatus) {
    guard Self.isShort(read.mask) else { return getLater(read, at: time, call) }
    var answer: [UInt8]?
    let isRead = try Self.stored { () throws(StoreError) in
      try store.getShortly(read.name, as: read.credentials, at: time) { document, _ in
        answer = document.map { DocumentAnswer.message(read.name, $0, mask: read.mask) }
      }
    }
    if !isRead { return getLater(read, at: time, call) }
    guard let answer else { throw missing(read.name) }
    call.respond(answer)
  }

  private func getLater(_ read: GetRead, at time: ReadTime, _ call: ServerCall) {
    answerLater(call) { [self] () throws(GRPCStatus) in
      let answer = try Self.stored { () throws(StoreError) in
        try store.get(read.name, as: read.credentials, at: time) { document, _ in
          document.map { DocumentAnswer.message(read.name, $0, mask: read.mask) }
        }
      }
      guard let answer else { throw missing(read.name) }
      return answer
    }
  }

  /// Whether a mask is made ready in no time.
  private static func isShort(_ mask: FieldMask?) -> Bool {
    mask.map { $0.paths.count <= BatchGetLimits.maskPathsOnEventLoopMax } ?? true
  }

  /// Source: docs/spec/production-differences.md W1.
  private func missing(_ name: DocumentName) -> GRPCStatus {
    switch options.profile.errorTexts {
    case .production: GRPCStatus(.notFound, "Document \"\(name.resourceName)\" not found.")
    case .emulator: GRPCStatus(.notFound, "Document (\(name.resourceName)) not found.")
    }
  }

  /// Answers in the order of the request, one message a name. Source: docs/spec/protocol.md 1.9.
  @Sendable
  func batchGetDocuments(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { (bytes, authorize) throws(GRPCStatus) in
      let request = try BatchGetRequest(bytes)
      let database = try Self.database(request.database)
      let credentials = try authorize(database)
      let paths = try Self.paths(request.documents, in: database)
      return BatchRead(
        database: database, paths: paths, mask: try Self.mask(request.mask), consistency: request.consistency,
        credentials: credentials)
    } then: { [self] (call, read) throws(GRPCStatus) in
      let (time, token) = try readTime(read.consistency, in: read.database, as: read.credentials)
      try inTurn(time, in: read.database, at: read.paths, call) { [self] (call) throws(GRPCStatus) in
        try get(read, at: time, token, call)
      }
    }
  }

  /// Answers at once, unless there is much to read or to judge.
  private func get(
    _ read: BatchRead, at time: ReadTime, _ token: [UInt8]?, _ call: ServerCall
  ) throws(GRPCStatus) {
    let answer: GetAnswer = { path, document, readTime in
      Answers.batchGet(
        DocumentName(database: read.database, path: path), document, mask: read.mask, readTime: readTime)
    }
    let piece = AnswerPiece { [self] stream throws(GRPCStatus) in
      if let token { _ = stream.send(Answers.batchGetTransaction(token)) }
      if read.paths.isEmpty { return nil }
      let rest = try Self.stored { () throws(StoreError) in
        try store.getPiece(read.paths, in: read.database, as: read.credentials, at: time) {
          stream.send(answer($0, $1, $2))
        }
      }
      return rest.map { nextPiece($0, answer) }
    }
    let stream = ResultStream(call, threads: threads, unsentBytesMax: options.unsentBytesMax)
    guard read.paths.count <= BatchGetLimits.onEventLoopMax, Self.isShort(read.mask) else {
      return stream.run(piece)
    }
    let short = AnswerPiece { [self] stream throws(GRPCStatus) in
      if read.paths.isEmpty { return try piece.run(stream) }
      let isDone = try Self.stored { () throws(StoreError) in
        try store.getShortly(
          read.paths, in: read.database, as: read.credentials, at: time,
          begin: { if let token { _ = stream.send(Answers.batchGetTransaction(token)) } },
          { _ = stream.send(answer($0, $1, $2)) })
      }
      return isDone ? nil : piece
    }
    try stream.runHere(short, call)
  }

  private typealias GetAnswer = @Sendable (ResourcePath, StoredDocument?, _ readTime: Int64) -> [UInt8]

  private func nextPiece(_ rest: UnfinishedGet, _ answer: @escaping GetAnswer) -> AnswerPiece {
    AnswerPiece { [self] stream throws(GRPCStatus) in
      let rest = try Self.stored { () throws(StoreError) in
        try store.getPiece(rest) { stream.send(answer($0, $1, $2)) }
      }
      return rest.map { nextPiece($0, answer) }
    }
  }

  private static func paths(_ names: [String], in database: DatabaseID) throws(GRPCStatus) -> [ResourcePath] {
    try checked { () throws(InvalidArgument) in
      var paths: [ResourcePath] = []
      var seen: Set<ResourcePath> = []
      paths.reserveCapacity(names.count)
      for text in names {
        let name = try ResourceNameParser.document(text)
        guard name.database == database else { throw WireWrite.otherDatabase(name, database) }
        // Source: proto google/firestore/v1/firestore.proto: duplicate names are elided.
        if names.count == 1 || seen.insert(name.path).inserted { paths.append(name.path) }
      }
      return paths
    }
  }
}

/// A GetDocument request, read.
private struct GetRead: Sendable {
  let name: DocumentName
  let mask: FieldMask?
  let consistency: ConsistencyChoice
  let credentials: Credentials
}

/// A BatchGetDocuments request, read.
private struct BatchRead: Sendable {
  let database: DatabaseID
  let paths: [ResourcePath]
  let mask: FieldMask?
  let consistency: ConsistencyChoice
  let credentials: Credentials
}

private enum BatchGetLimits {
  /// LIMIT: documents read without leaving the event loop, unless they are large; about as long as one commit is
  /// decoded.
  static let onEventLoopMax = 100
  /// LIMIT: paths of a mask that is made ready on the event loop.
  static let maskPathsOnEventLoopMax = 1_000
}

extension DocumentAnswer {
  /// One document as a whole answer.
  static func message(_ name: DocumentName, _ document: StoredDocument, mask: FieldMask?) -> [UInt8] {
    with(name, document, mask: mask) { $0.message }
  }

  /// Hands out the answer for a document, its fields pruned by the mask.
  static func with<Result>(
    _ name: DocumentName, _ document: StoredDocument, mask: FieldMask?, _ body: (DocumentAnswer) -> Result
  ) -> Result {
    var path = name.path.text
    let root = name.database.documentsRoot
    return path.withUTF8 { path in
      let path = UnsafeRawBufferPointer(path)
      guard let mask else {
        return body(DocumentAnswer(root: root, path: path, document, fields: document.fields.bytes))
      }
      var pruned = WireWriter()
      mask.append(document.fields, to: &pruned)
      return pruned.bytes.withUnsafeBytes {
        body(DocumentAnswer(root: root, path: path, document, fields: $0))
      }
    }
  }
}

extension Answers {
  /// `BatchGetDocumentsResponse` for one name.
  static func batchGet(
    _ name: DocumentName, _ document: StoredDocument?, mask: FieldMask?, readTime: Int64
  ) -> [UInt8] {
    guard let document else { return missing(name.resourceName, readTime: readTime) }
    return DocumentAnswer.with(name, document, mask: mask) { found($0, readTime: readTime) }
  }
}
