/// RunQuery, ListDocuments and ListCollectionIds.

internal import Access
internal import DocModel
internal import DocStore

/// What ListCollectionIds asks for.
private struct CollectionIDList: Sendable {
  let database: DatabaseID
  let parent: ResourcePath
  /// The id to go on after.
  let start: String?
  let pageSize: Int
}

extension FirestoreService {
  /// One message a document, all with one read time; `skipped_results` comes alone and first, and a
  /// result without documents is one message with the read time.
  /// Source: docs/spec/protocol.md 1.13; docs/spec/production-differences.md Q2.
  @Sendable
  func runQuery(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try RunQueryRequest(bytes)
      let parent = try Self.parent(request.parent)
      let credentials = try authorize(parent.database)
      guard let sent = request.query else {
        throw GRPCStatus(.invalidArgument, "only structured queries are supported")
      }
      let read = try QueryReader.read(sent, database: parent.database, parent: parent.path)
      return SentRead(
        content: try self.validated(read), consistency: request.consistency, explain: request.explain,
        credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      try run(sent, call)
    }
  }

  private func run(_ sent: SentRead<NormalizedQuery>, _ call: ServerCall) throws(GRPCStatus) {
    let (query, credentials, explain) = (sent.content, sent.credentials, sent.explain)
    let (time, token) = try readTime(sent.consistency, in: query.database, as: credentials)
    let isSorted = !QueryPlanner.plan(query).isInOrder
    let piece = AnswerPiece { [self] stream throws(GRPCStatus) in
      let head = token.map(Answers.queryTransaction)
      if explain == .none { return try firstPiece(query, as: credentials, at: time, head, into: stream) }
      let plan = try Self.stored { () throws(StoreError) in
        try store.explain(query, as: credentials, at: time)
      }
      if explain == .analyze {
        return try firstPiece(
          query, as: credentials, at: time, head, into: stream, explained: ExplainedRun(query))
      }
      if let head { _ = stream.send(head) }
      _ = stream.send(Answers.queryExplanation(plan.indexesUsed(by: query)))
      return nil
    }
    try inTurn(time, in: query.database, at: EmptyCollection(), call) {
      [threads, options] (call) throws(GRPCStatus) in
      let unsentBytesMax = isSorted ? options.unsentSortedBytesMax : options.unsentBytesMax
      ResultStream(call, threads: threads, unsentBytesMax: unsentBytesMax).run(piece)
    }
  }

  /// The checked query. Source of what cosine makes of zero: docs/spec/production-differences.md Q12.
  func validated(_ query: StructuredQuery) throws(GRPCStatus) -> NormalizedQuery {
    var query = try Self.checked { () throws(InvalidArgument) in try QueryValidator.validateForm(query) }
    if options.profile.errorTexts == .production { query.refuseZeroVectors() }
    return query
  }

  /// `head` comes before the first document, once the query has been granted.
  private func firstPiece(
    _ query: NormalizedQuery, as credentials: Credentials, at time: ReadTime, _ head: [UInt8]?,
    into stream: ResultStream, explained: ExplainedRun? = nil
  ) throws(GRPCStatus) -> AnswerPiece? {
    let root = query.database.documentsRoot
    var readTime: Int64 = 0
    var isFirst = true
    var explained = explained
    let begin = { (time: Int64) in
      readTime = time
      if let head { _ = stream.send(head) }
    }
    let piece = try Self.stored { () throws(StoreError) in
      try store.runPiece(query, as: credentials, at: time, begin: begin) { row in
        if isFirst, row.skipped > 0 {
          _ = stream.send(Answers.queryResult(nil, readTime: readTime, skipped: row.skipped))
        }
        isFirst = false
        return send(
          Answers.queryResult(DocumentAnswer(root, row), readTime: readTime), &explained, into: stream)
      }
    }
    if isFirst {
      let empty = Answers.queryResult(nil, readTime: readTime, skipped: piece.run.skipped)
      _ = send(empty, &explained, into: stream)
    }
    return follow(piece, root, explained, stream)
  }

  /// An answer of an explained query waits for the next one.
  private func send(
    _ answer: [UInt8], _ explained: inout ExplainedRun?, into stream: ResultStream
  ) -> ScanStep {
    guard explained != nil else { return stream.send(answer) }
    guard let earlier = explained?.hold(answer) else { return .more }
    return stream.send(earlier)
  }

  /// What comes after a piece: the next one, or the explanation of all of them.
  private func follow(
    _ piece: QueryPiece, _ root: String, _ explained: ExplainedRun?, _ stream: ResultStream
  ) -> AnswerPiece? {
    var explained = explained
    explained?.add(piece.plan, piece.run)
    if let rest = piece.rest { return nextPiece(rest, root, explained) }
    if let explained { _ = stream.send(explained.lastAnswer()) }
    return nil
  }

  private func nextPiece(
    _ rest: UnfinishedQuery, _ root: String, _ explained: ExplainedRun?
  ) -> AnswerPiece {
    AnswerPiece { [self] stream throws(GRPCStatus) in
      var explained = explained
      let piece = try Self.stored { () throws(StoreError) in
        try store.runPiece(rest) { row in
          send(
            Answers.queryResult(DocumentAnswer(root, row), readTime: rest.readTime), &explained, into: stream)
        }
      }
      return follow(piece, root, explained, stream)
    }
  }

  /// Source: docs/spec/protocol.md 1.6.
  @Sendable
  func listDocuments(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try ListDocumentsRequest(bytes)
      let parent = try Self.parent(request.parent)
      let credentials = try authorize(parent.database)
      let mask = try Self.mask(request.mask)
      let list = try Self.checked { () throws(InvalidArgument) in
        try DocumentList(
          database: parent.database, parent: parent.path, collectionID: request.collectionID,
          pageSize: Int(request.pageSize), pageToken: request.pageToken, orderBy: request.orderBy, mask: mask,
          showsMissing: request.showMissing
        ).validate(boundsPages: options.profile.limits == .production)
      }
      if request.showMissing { try requireAdmin(credentials, orSay: Self.metadataText) }
      return SentRead(content: list, consistency: request.consistency, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      try run(sent, call)
    }
  }

  private func run(_ sent: SentRead<DocumentList.Validated>, _ call: ServerCall) throws(GRPCStatus) {
    let database = sent.content.query.database
    let time = try readTime(sent.consistency, in: database, as: sent.credentials).time
    let root = database.documentsRoot
    try inTurn(time, in: database, at: EmptyCollection(), call) { [self] (call) throws(GRPCStatus) in
      answerLater(call) { [store] () throws(GRPCStatus) in
        var answer = ListAnswer(root: root)
        let token = try Self.stored { () throws(StoreError) in
          try store.list(sent.content, as: sent.credentials, at: time) { answer.append($0) }
        }
        return answer.message(nextPageToken: token?.text)
      }
    }
  }

  /// Source: docs/spec/protocol.md 1.16; the last page has no token: docs/spec/production-differences.md Q19.
  @Sendable
  func listCollectionIDs(_ call: ServerCall) throws(GRPCStatus) {
    try reading(call) { [self] (bytes, authorize) throws(GRPCStatus) in
      let request = try ListCollectionIDsRequest(bytes)
      let parent = try Self.parent(request.parent)
      let credentials = try authorize(parent.database)
      guard request.pageSize >= 0 else {
        throw GRPCStatus(.invalidArgument, "page_size must be greater than or equal to zero.")
      }
      let start = try CollectionIDToken.read(request.pageToken)
      try requireAdmin(credentials, orSay: Self.metadataText)
      let list = CollectionIDList(
        database: parent.database, parent: parent.path, start: start,
        pageSize: request.pageSize == 0 ? Int.max : Int(request.pageSize))
      return SentRead(content: list, consistency: request.consistency, credentials: credentials)
    } then: { [self] (call, sent) throws(GRPCStatus) in
      try run(sent, call)
    }
  }

  private func run(_ sent: SentRead<CollectionIDList>, _ call: ServerCall) throws(GRPCStatus) {
    let list = sent.content
    let time = try readTime(sent.consistency, in: list.database, as: sent.credentials).time
    answerLater(call) { [store] () throws(GRPCStatus) in
      let all = try Self.stored { () throws(StoreError) in
        try store.collectionIDs(under: list.parent, in: list.database, at: time)
      }
      let rest = list.start.map { start in all.filter { start.precedesInBytes($0) } } ?? all
      let page = Array(rest.prefix(list.pageSize))
      let token = page.count < rest.count ? page.last.map(CollectionIDToken.text(after:)) : nil
      return Answers.collectionIDs(page, nextPageToken: token ?? "")
    }
  }

  /// What the official emulator answers users. Source: docs/spec/protocol.md 1.6, 1.16.
  static var metadataText: String { "Metadata operations require admin authentication." }
}

extension DocumentAnswer {
  init(_ root: String, _ row: QueryRow) {
    self.init(root: root, path: row.path, row.document, fields: row.fields)
  }
}

extension ListAnswer {
  mutating func append(_ listed: ListedDocument) {
    switch listed {
    case .document(let row): append(DocumentAnswer(root, row))
    case .missing(let path): append(missing: path)
    }
  }
}

/// Page tokens of ListCollectionIds: the last id given, in base64url with a mark before it.
enum CollectionIDToken {
  private static let mark: UInt8 = 1

  static func text(after id: String) -> String {
    Base64.urlSafeText([mark] + id.utf8)
  }

  /// The id to go on after; nil for no token.
  static func read(_ text: String) throws(GRPCStatus) -> String? {
    if text.isEmpty { return nil }
    guard let bytes = Base64.decodeURLSafe(Array(text.utf8)), bytes.first == mark,
      bytes.withUnsafeBytes({ UTF8Check.isValid($0) })
    else { throw GRPCStatus(.invalidArgument, "invalid page token") }
    return String(decoding: bytes.dropFirst(), as: UTF8.self)
  }
}
