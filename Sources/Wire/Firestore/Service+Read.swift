/// GetDocument and BatchGetDocuments.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// Source: spec/protocol.md 1.5; the text of a missing document: spec/production-differences.md W1.
  @Sendable
  func getDocument(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in try GetDocumentRequest(bytes) }
    let name = try Self.checked { () throws(Complaint) in try ResourceNameParser.document(request.name) }
    let credentials = try credentials(call, in: name.database)
    let mask = try Self.mask(request.mask)
    let time = try readTime(request.consistency, in: name.database, as: credentials).time
    try inTurn(time, in: name.database, at: CollectionOfOne(name.path), call) {
      [self] (call) throws(GRPCStatus) in
      call.respond(try document(name, mask: mask, at: time, as: credentials))
    }
  }

  /// One document as an encoded `Document`.
  private func document(
    _ name: DocumentName, mask: FieldMask?, at time: ReadTime, as credentials: Credentials
  ) throws(GRPCStatus) -> [UInt8] {
    let answer = try Self.stored { () throws(StoreError) in
      try store.get(name, as: credentials, at: time) { document, _ in
        document.map { DocumentAnswer.message(name, $0, mask: mask) }
      }
    }
    guard let answer else { throw missing(name) }
    return answer
  }

  /// Source: spec/production-differences.md W1.
  private func missing(_ name: DocumentName) -> GRPCStatus {
    switch options.profile.errorTexts {
    case .production: GRPCStatus(.notFound, "Document \"\(name.resourceName)\" not found.")
    case .emulator: GRPCStatus(.notFound, "Document (\(name.resourceName)) not found.")
    }
  }

  /// Answers in the order of the request, one message a name. Source: spec/protocol.md 1.9.
  @Sendable
  func batchGetDocuments(_ call: ServerCall) throws(GRPCStatus) {
    let request = try call.withRequest { bytes throws(GRPCStatus) in try BatchGetRequest(bytes) }
    let database = try Self.checked { () throws(Complaint) in
      try ResourceNameParser.database(request.database)
    }
    let credentials = try credentials(call, in: database)
    let paths = try Self.paths(request.documents, in: database)
    let mask = try Self.mask(request.mask)
    let (time, token) = try readTime(request.consistency, in: database, as: credentials)

    let answer: GetAnswer = { path, document, readTime in
      Answers.batchGet(DocumentName(database: database, path: path), document, mask: mask, readTime: readTime)
    }
    let piece = AnswerPiece { [self, credentials] stream throws(GRPCStatus) in
      if let token { _ = stream.send(Answers.batchGetTransaction(token)) }
      if paths.isEmpty { return nil }
      let rest = try Self.stored { () throws(StoreError) in
        try store.getPiece(paths, in: database, as: credentials, at: time) { stream.send(answer($0, $1, $2)) }
      }
      return rest.map { nextPiece($0, answer) }
    }
    try inTurn(time, in: database, at: paths, call) { [self] (call) throws(GRPCStatus) in
      let stream = ResultStream(call, threads: threads, unsentBytesMax: options.unsentBytesMax)
      if paths.count <= BatchGetLimits.onEventLoopMax {
        try stream.runHere(piece, call)
      } else {
        stream.run(piece)
      }
    }
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
    try checked { () throws(Complaint) in
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

private enum BatchGetLimits {
  /// LIMIT: documents read without leaving the event loop; about as long as one commit is decoded.
  static let onEventLoopMax = 100
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
