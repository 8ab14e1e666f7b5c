/// Runs a vector search over the documents that a query matches.
///
/// Every matching document is measured where it lies; a heap of as many keys as the search returns is all
/// the memory it takes. The order of the result is the distance, then the query's own order.
///
/// Assumed: an exact search. The service answers from an index that may leave out a neighbour.

internal import DocModel

struct NearestSearch {
  private let query: NormalizedQuery
  private let nearest: NearestQuery
  private let distance: VectorDistance
  private let keys: OrderKeyMaker
  private var rows: SortedRows
  private var shown = WireWriter()
  private var projected = WireWriter()

  init(_ query: NormalizedQuery, _ nearest: NearestQuery) {
    self.query = query
    self.nearest = nearest
    distance = VectorDistance(nearest)
    keys = OrderKeyMaker(orders: query.orders)
    rows = SortedRows(capacity: nearest.limit)
  }

  /// Hands the nearest documents to `visit`, nearest first, until it says stop.
  static func run<Source: QuerySource>(
    _ query: NormalizedQuery, _ nearest: NearestQuery, plan: QueryPlan, on source: Source,
    _ visit: (QueryRow) -> ScanStep
  ) throws(StoreError) -> QueryRun {
    var search = NearestSearch(query, nearest)
    if nearest.refusesZeroVectors, nearest.measure == .cosine, search.distance.hasNoLength {
      throw Self.zeroVector
    }
    var meetsZeroVector = false
    var run = try QueryExecutor.forEachMatch(query, plan: plan, on: source) { path, document in
      search.take(path, document, &meetsZeroVector)
    }
    if meetsZeroVector { throw Self.zeroVector }
    search.deliver(&run, visit)
    return run
  }

  private static var zeroVector: StoreError {
    .failedPrecondition(.zeroVector)
  }

  private mutating func take(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument, _ meetsZeroVector: inout Bool
  ) -> ScanStep {
    guard let value = document.fields.value(at: nearest.field), let stored = VectorView(value),
      let distance = distance.to(stored)
    else { return .more }
    if nearest.refusesZeroVectors, nearest.measure == .cosine, self.distance.hasNoLength(stored) {
      meetsZeroVector = true
      return .stop
    }
    if let threshold = nearest.threshold, !nearest.measure.isWithin(distance, threshold) { return .more }
    guard let key = key(distance, path, document.fields) else { return .more }
    if let resume = query.resumeKey, !resume.lexicographicallyPrecedes(key) { return .more }
    guard rows.hasRoom(for: key) else { return .more }
    rows.insert(PendingRow(bytes: key + path, keyCount: key.count, document: document))
    return .more
  }

  /// Nil for a document that lacks an ordered field.
  private func key(_ distance: Double, _ path: UnsafeRawBufferPointer, _ fields: FieldsView) -> [UInt8]? {
    var writer = KeyWriter()
    guard keys.write(path, fields, to: &writer) else { return nil }
    return nearest.measure.orderKey(distance) + writer.bytes
  }

  /// The order key of a document of the result: where a later piece of it goes on.
  func key(of row: QueryRow) -> [UInt8]? {
    guard let value = row.document.fields.value(at: nearest.field), let stored = VectorView(value),
      let distance = distance.to(stored)
    else { return nil }
    return key(distance, row.path, row.document.fields)
  }

  // MARK: the result

  private mutating func deliver(_ run: inout QueryRun, _ visit: (QueryRow) -> ScanStep) {
    for row in rows.sorted() {
      run.delivered += 1
      if row.withPath({ show($0, row.document, visit) }) == .stop { return }
    }
  }

  private mutating func show(
    _ path: UnsafeRawBufferPointer, _ document: StoredDocument, _ visit: (QueryRow) -> ScanStep
  ) -> ScanStep {
    withDistance(document.fields) { search, fields in
      guard let mask = search.query.projection else {
        return visit(QueryRow(path: path, document: document, fields: fields.bytes, skipped: 0))
      }
      search.projected.bytes.removeAll(keepingCapacity: true)
      mask.append(fields, to: &search.projected)
      return search.projected.bytes.withUnsafeBytes {
        visit(QueryRow(path: path, document: document, fields: $0, skipped: 0))
      }
    }
  }

  /// The document's fields, the distance among them where it was asked for.
  private mutating func withDistance(
    _ fields: FieldsView, _ body: (inout NearestSearch, FieldsView) -> ScanStep
  ) -> ScanStep {
    guard !nearest.resultField.isEmpty, let value = fields.value(at: nearest.field),
      let stored = VectorView(value), let distance = distance.to(stored)
    else { return body(&self, fields) }
    var writer = WireWriter()
    swap(&writer, &shown)
    writer.bytes.removeAll(keepingCapacity: true)
    Self.append(fields, with: nearest.resultField, .double(distance), to: &writer)
    let step = writer.bytes.withUnsafeBytes { body(&self, FieldsView(document: $0)) }
    swap(&writer, &shown)
    return step
  }

  /// Keys stay sorted; a field of that name is replaced.
  private static func append(
    _ fields: FieldsView, with name: String, _ value: Value, to writer: inout WireWriter
  ) {
    var name = name
    name.withUTF8 { text in
      let key = UnsafeRawBufferPointer(text)
      var isWritten = false
      func writeOwn(_ writer: inout WireWriter) {
        guard !isWritten else { return }
        isWritten = true
        value.encoded.withUnsafeBytes {
          writer.entry(key: key, encodedValue: $0, tag: FieldsView.documentEntryTag)
        }
      }
      for entry in fields {
        let order = WireCursor.compare(entry.key, key)
        if order >= 0 { writeOwn(&writer) }
        if order != 0 {
          writer.entry(key: entry.key, encodedValue: entry.value.bytes, tag: FieldsView.documentEntryTag)
        }
      }
      writeOwn(&writer)
    }
  }
}
