/// ListDocuments: a query with a text for its order, pages, and on demand missing documents.
///
/// Source: docs/spec/protocol.md 1.6; docs/spec/production-differences.md L15, Q15.

public import DocModel

/// What a client asks of one collection, or of all directly under a parent.
public struct DocumentList: Sendable {
  public var database: DatabaseID
  public var parent: ResourcePath
  /// Empty for every collection directly under `parent`.
  public var collectionID: String
  /// 0 for the default.
  public var pageSize: Int
  public var pageToken: String
  public var orderBy: String
  /// Nil for whole documents.
  public var mask: FieldMask?
  /// Whether documents that do not exist but have some below them are listed, too.
  public var showsMissing: Bool

  public init(
    database: DatabaseID, parent: ResourcePath, collectionID: String, pageSize: Int = 0,
    pageToken: String = "",
    orderBy: String = "", mask: FieldMask? = nil, showsMissing: Bool = false
  ) {
    self.database = database
    self.parent = parent
    self.collectionID = collectionID
    self.pageSize = pageSize
    self.pageToken = pageToken
    self.orderBy = orderBy
    self.mask = mask
    self.showsMissing = showsMissing
  }

  /// A list that has passed validation.
  public struct Validated: Sendable {
    /// The list as a query, for authorisation and for running.
    public let query: NormalizedQuery
    public let pageSize: Int
    /// The query has no projection: order keys of pages need the ordered fields.
    let mask: FieldMask?
    let showsMissing: Bool
    let fingerprint: UInt64
  }

  /// Every check, in the service's order; the administrator's right to see missing documents is the
  /// caller's to check.
  ///
  /// - Parameter boundsPages: whether pages have the service's default and largest size; otherwise a page is as
  ///   long as is asked, and whole when nothing is. Source: docs/spec/production-differences.md L15.
  public func validate(boundsPages: Bool = true) throws(InvalidArgument) -> Validated {
    if pageSize < 0 { throw QueryErrors.negativePageSize }
    if showsMissing, collectionID.isEmpty { throw QueryErrors.missingWithoutCollection }
    if showsMissing, !orderBy.isEmpty { throw QueryErrors.missingWithOrder }
    let orders = try StructuredQuery.Order.parse(orderBy)
    let size =
      if boundsPages {
        pageSize == 0 ? RequestLimits.listPageDefault : min(pageSize, RequestLimits.listPageMax)
      } else {
        pageSize == 0 ? Int(Int32.max) : pageSize
      }
    var query = try QueryValidator.validateForm(
      StructuredQuery(
        database: database, parent: parent, from: [StructuredQuery.CollectionSelector(collectionID)],
        orderBy: orders, limit: size))
    let fingerprint = fingerprint(query.orders)
    if !pageToken.isEmpty { try resume(&query, fingerprint) }
    return Validated(
      query: query, pageSize: size, mask: mask, showsMissing: showsMissing, fingerprint: fingerprint)
  }

  /// Makes the query go on where the token's page ended.
  private func resume(_ query: inout NormalizedQuery, _ fingerprint: UInt64) throws(InvalidArgument) {
    guard let token = PageToken(text: pageToken) else { throw QueryErrors.pageToken }
    guard token.fingerprint == fingerprint else { throw QueryErrors.foreignPageToken }
    guard query.isOrderedByNameOnly else {
      query.resumeKey = token.position
      return
    }
    let text = String(decoding: token.position, as: UTF8.self)
    // Anybody can write a token, so its path is read like every path from outside.
    guard let path = try? ResourceNameParser.relativePath(text), path.isDocument else {
      throw QueryErrors.pageToken
    }
    let name = Value.reference(DocumentName(database: database, path: path).resourceName)
    query.start = QueryCursor(values: [name.encoded], isBefore: false)
  }

  private func fingerprint(_ orders: [QueryOrder]) -> UInt64 {
    let mask = mask.map { mask in
      mask.paths.map(\.text).sorted { $0.precedesInBytes($1) }.joined(separator: ",")
    }
    return PageToken.fingerprint(of: [
      database.resourceName, parent.text, collectionID,
      orders.map { "\($0.path.text) \($0.direction)" }.joined(separator: ","), mask ?? "*",
      showsMissing ? "missing" : "",
    ])
  }
}

/// One entry of a list.
public enum ListedDocument {
  case document(QueryRow)
  /// A document that does not exist; only its path is known.
  case missing(path: UnsafeRawBufferPointer)
}

extension DocumentList.Validated {
  /// Hands one page to `visit`, in order. The result leads to the next page; nil after the last.
  public func run<Source: QuerySource>(
    on source: Source, _ visit: (ListedDocument) -> Void
  ) throws(StoreError) -> PageToken? {
    var page = ListPage(self)
    if showsMissing {
      // The planner knows where in the collection the page begins; no plan means nothing is left.
      guard case .range(let range) = QueryPlanner.plan(query).access else { return nil }
      try source.scanWithMissing(range) { path, document in page.take(path, document, visit) }
    } else {
      // One more than the page holds tells whether there is a next page.
      var query = query
      query.limit = pageSize + 1
      _ = try QueryExecutor.run(query, on: source) { row in page.take(row.path, row.document, visit) }
    }
    return page.token
  }
}

/// One page as it fills.
private struct ListPage {
  private let list: DocumentList.Validated
  private let keys: OrderKeyMaker
  private var projected = WireWriter()
  private var count = 0
  private var position: [UInt8] = []
  private var hasMore = false

  init(_ list: DocumentList.Validated) {
    self.list = list
    keys = OrderKeyMaker(orders: list.query.orders)
  }

  /// Leads to the next page, if there is one.
  var token: PageToken? {
    hasMore ? PageToken(fingerprint: list.fingerprint, position: position) : nil
  }

  mutating func take(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument?, _ visit: (ListedDocument) -> Void
  ) -> ScanStep {
    guard count < list.pageSize else {
      hasMore = true
      return .stop
    }
    count += 1
    if count == list.pageSize { remember(path, document) }
    show(path, document, visit)
    return .more
  }

  private mutating func remember(_ path: UnsafeRawBufferPointer, _ document: StoredDocument?) {
    if list.query.isOrderedByNameOnly {
      position = Array(path)
    } else if let document {
      var writer = KeyWriter()
      // A document of the page has every ordered field.
      _ = keys.write(path, document.fields, to: &writer)
      position = writer.bytes
    }
  }

  private mutating func show(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument?, _ visit: (ListedDocument) -> Void
  ) {
    guard let document else { return visit(.missing(path: path)) }
    guard let mask = list.mask else {
      return visit(
        .document(QueryRow(path: path, document: document, fields: document.fields.bytes, skipped: 0)))
    }
    projected.bytes.removeAll(keepingCapacity: true)
    mask.append(document.fields, to: &projected)
    projected.bytes.withUnsafeBytes { fields in
      visit(.document(QueryRow(path: path, document: document, fields: fields, skipped: 0)))
    }
  }
}
