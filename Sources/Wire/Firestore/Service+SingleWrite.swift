/// CreateDocument, UpdateDocument and DeleteDocument: one write each, by the way of a commit.

internal import Access
internal import DocModel
internal import DocStore

extension FirestoreService {
  /// Source: spec/protocol.md 1.7.
  @Sendable
  func createDocument(_ call: ServerCall) throws(GRPCStatus) {
    var credentials = Credentials.anonymous
    let (name, fields, mask) = try call.withRequest { bytes throws(GRPCStatus) in
      let request = try CreateDocumentRequest(bytes)
      let name = try Self.checked { () throws(Complaint) in try self.newName(request) }
      credentials = try self.credentials(call, in: name.database)
      guard request.document.name.isEmpty else {
        throw GRPCStatus(.invalidArgument, "document.name must not be set")
      }
      let mask = try Self.mask(request.mask)
      let fields = try Self.checked { () throws(Complaint) in
        try Canonicalizer.fields(ofDocument: request.document.message)
      }
      return (name, fields, mask)
    }
    let write = Write(name.path, .update(fields: fields, mask: nil), precondition: .exists(false))
    carryOut(write, on: name, as: credentials, for: call) { result in
      // What was just created is what was sent.
      fields.withUnsafeBytes { fields in
        let document = StoredDocument(
          createTime: result.commitTime, updateTime: result.commitTime, fields: FieldsView(document: fields))
        return DocumentAnswer.message(name, document, mask: mask)
      }
    }
  }

  /// The name a new document gets; without an id of the client's, one is made up.
  private func newName(_ request: CreateDocumentRequest) throws(Complaint) -> DocumentName {
    let parent = try ResourceNameParser.parent(request.parent)
    if request.collectionID.isEmpty { throw Complaint("Collection id \"\" is invalid because it is empty.") }
    try ResourceNameParser.checkCollectionID(request.collectionID)
    if !request.documentID.isEmpty { try ResourceNameParser.checkDocumentID(request.documentID) }
    let id = request.documentID.isEmpty ? store.store.environment.documentID() : request.documentID
    return DocumentName(
      database: parent.database, path: parent.path.appending(request.collectionID).appending(id))
  }

  /// Source: spec/protocol.md 1.8.
  @Sendable
  func updateDocument(_ call: ServerCall) throws(GRPCStatus) {
    var credentials = Credentials.anonymous
    let (name, write, mask) = try call.withRequest { bytes throws(GRPCStatus) in
      let request = try UpdateDocumentRequest(bytes)
      let name = try Self.checked { () throws(Complaint) in try request.write.name() }
      credentials = try self.credentials(call, in: name.database)
      let mask = try Self.mask(request.mask)
      let write = try Self.checked { () throws(Complaint) in try request.write.checked(in: nil).write }
      return (name, write, mask)
    }
    let reference = call.reference
    submit(write, on: name, as: credentials, for: call) { [self] result in
      reference { call in
        do throws(GRPCStatus) {
          let committed = try Self.stored { () throws(StoreError) in try result.get() }
          call.respond(try self.updated(name, mask: mask, at: committed.commitTime))
        } catch {
          call.finish(error)
        }
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
    var credentials = Credentials.anonymous
    let (name, write) = try call.withRequest { bytes throws(GRPCStatus) in
      let request = try DeleteDocumentRequest(bytes)
      let name = try Self.checked { () throws(Complaint) in try request.write.name() }
      credentials = try self.credentials(call, in: name.database)
      return (name, try Self.checked { () throws(Complaint) in try request.write.checked(in: nil).write })
    }
    carryOut(write, on: name, as: credentials, for: call) { _ in [] }
  }

  private func submit(
    _ write: Write, on name: DocumentName, as credentials: Credentials, for call: ServerCall,
    _ completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
  ) {
    call.withOrigin(of: credentials) {
      store.submit(
        name.database, [write], as: credentials, cancellation: cancellation(for: call), completion: completion
      )
    }
  }

  private func carryOut(
    _ write: Write, on name: DocumentName, as credentials: Credentials, for call: ServerCall,
    _ answer: @escaping @Sendable (CommitResult) -> [UInt8]
  ) {
    let reference = call.reference
    submit(write, on: name, as: credentials, for: call) { result in
      reference { call in
        switch result {
        case .success(let result): call.respond(answer(result))
        case .failure(let error): call.finish(GRPCStatus(error))
        }
      }
    }
  }
}
