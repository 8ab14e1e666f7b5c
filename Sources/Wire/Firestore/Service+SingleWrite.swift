/// CreateDocument, UpdateDocument and DeleteDocument: one write each, by the way of a commit.

internal import Access
internal import DocModel
internal import DocStore

/// A request of one write, read.
private struct SingleWrite: Sendable {
  let name: DocumentName
  let write: Write
  /// Of the answer.
  let mask: FieldMask?
  let credentials: Credentials
}

extension FirestoreService {
  /// Source: docs/spec/protocol.md 1.7.
  @Sendable
  func createDocument(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try CreateDocumentRequest(bytes)
      let name = try Self.checked { () throws(InvalidArgument) in try self.newName(request) }
      let credentials = try authorize(name.database)
      guard request.document.name.isEmpty else {
        throw GRPCStatus(.invalidArgument, "document.name must not be set")
      }
      let mask = try Self.mask(request.mask)
      let fields = try Self.checked { () throws(InvalidArgument) in
        try Canonicalizer.fields(ofDocument: request.document.message)
      }
      mask?.prepare()
      let write = Write(name.path, .update(fields: fields, mask: nil), precondition: .exists(false))
      return SingleWrite(name: name, write: write, mask: mask, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      carryOut(sent, for: call) { result in
        guard case .update(let fields, _) = sent.write.operation else { return [] }
        // What was just created is what was sent.
        return fields.withUnsafeBytes { fields in
          let document = StoredDocument(
            createTime: result.commitTime, updateTime: result.commitTime, fields: FieldsView(document: fields)
          )
          return DocumentAnswer.message(sent.name, document, mask: sent.mask)
        }
      }
    }
  }

  /// The name a new document gets; without an id of the client's, one is made up.
  private func newName(_ request: CreateDocumentRequest) throws(InvalidArgument) -> DocumentName {
    let parent = try ResourceNameParser.parent(request.parent)
    if request.collectionID.isEmpty {
      throw InvalidArgument("Collection id \"\" is invalid because it is empty.")
    }
    try ResourceNameParser.checkCollectionID(request.collectionID)
    if !request.documentID.isEmpty { try ResourceNameParser.checkDocumentID(request.documentID) }
    let id = request.documentID.isEmpty ? store.store.environment.documentID() : request.documentID
    return DocumentName(
      database: parent.database, path: parent.path.appending(request.collectionID).appending(id))
  }

  /// Source: docs/spec/protocol.md 1.8.
  @Sendable
  func updateDocument(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { (bytes, authorize) throws(GRPCStatus) in
      let request = try UpdateDocumentRequest(bytes)
      let name = try Self.checked { () throws(InvalidArgument) in try request.write.name() }
      let credentials = try authorize(name.database)
      let mask = try Self.mask(request.mask)
      let write = try Self.checked { () throws(InvalidArgument) in try request.write.checked(in: nil).write }
      mask?.prepare()
      return SingleWrite(name: name, write: write, mask: mask, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      carryOut(sent, for: call) { [self] result throws(GRPCStatus) in
        try updated(sent.name, mask: sent.mask, at: result.commitTime)
      }
    }
  }

  /// The document as the commit left it.
  private func updated(
    _ name: DocumentName, mask: FieldMask?, at commitTime: Int64
  ) throws(GRPCStatus) -> [UInt8] {
    try Self.stored { () throws(StoreError) in
      try store.store.read(name.database, at: .at(commitTime)) { (view) throws(StoreError) in
        try view.document(name.path).map { DocumentAnswer.message(name, $0, mask: mask) } ?? []
      }
    }
  }

  @Sendable
  func deleteDocument(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { (bytes, authorize) throws(GRPCStatus) in
      let request = try DeleteDocumentRequest(bytes)
      let name = try Self.checked { () throws(InvalidArgument) in try request.write.name() }
      let credentials = try authorize(name.database)
      let write = try Self.checked { () throws(InvalidArgument) in try request.write.checked(in: nil).write }
      return SingleWrite(name: name, write: write, mask: nil, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      carryOut(sent, for: call) { _ in [] }
    }
  }

  private func carryOut(
    _ sent: SingleWrite, for call: ServerCall,
    _ answer: @escaping @Sendable (CommitResult) throws(GRPCStatus) -> [UInt8]
  ) {
    let reference = call.reference
    call.withOrigin(of: sent.credentials) {
      store.submit(
        sent.name.database, [sent.write], as: sent.credentials, cancellation: cancellation(for: call),
        later: call.perform
      ) { result in
        reference.goOn { call throws(GRPCStatus) in
          call.respond(try answer(try Self.stored { () throws(StoreError) in try result.get() }))
        }
      }
    }
  }
}
