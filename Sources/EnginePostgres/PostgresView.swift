/// A state of the store, read from PostgreSQL itself.

internal import DocStore

/// Begins its transaction with the first question, so that a view costs one trip for each question and one at its end.
///
/// INVARIANT: rows are kept until the view ends: their bytes were handed out.
final class PostgresView: StorageView {
  private let pool: PostgresLinkPool
  private var link: PostgresLink?
  private var rows: [PostgresRows] = []

  /// LIMIT: seconds that one question may take.
  static let questionSeconds = 10.0
  static let pageRows = (first: 32, most: 1_024)
  static let pageBytes = 1 << 20

  init(_ pool: PostgresLinkPool) { self.pool = pool }

  /// Must be called when the view's closure has returned.
  func end() {
    guard let link else { return }
    self.link = nil
    if link.isOpen { _ = try? link.run([PostgresTables.end], seconds: Self.questionSeconds) }
    pool.giveBack(link)
  }

  private func ask(_ statement: PostgresStatement) throws(StorageError) -> PostgresRows {
    do throws(PostgresFailure) { return try answer(statement) } catch { throw pool.note(error) }
  }

  private func answer(_ statement: PostgresStatement) throws(PostgresFailure) -> PostgresRows {
    if let link { return try Self.only(link.run([statement], seconds: Self.questionSeconds)) }
    let (taken, rows) = try pool.begin([PostgresTables.beginView, statement], seconds: Self.questionSeconds)
    link = taken
    return try Self.only(rows)
  }

  /// The answer of a statement that has one.
  static func only(_ rows: [PostgresRows]) throws(PostgresFailure) -> PostgresRows {
    guard let found = rows.last else { throw PostgresFailure(message: "there is no answer") }
    return found
  }

  override func get(
    _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    if key.isEmpty { return nil }
    let found = try ask(PostgresTables.value(keyspace, key))
    rows.append(found)
    return found.count == 0 ? nil : found.bytes(0, 0)
  }

  override func scan(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
    _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
  ) throws(StorageError) {
    if range.isEmpty { return }
    var pages = PostgresPages(keyspace, range, direction)
    while let page = try next(&pages) {
      for row in 0..<page.count where visit(page.bytes(row, 0), page.bytes(row, 1)) == .stop { return }
    }
  }

  override func cursor(_ keyspace: Keyspace) throws(StorageError) -> StorageCursor {
    PostgresCursor(self, keyspace)
  }

  override func size(of keyspace: Keyspace) throws(StorageError) -> KeyspaceSize {
    let found = try ask(PostgresTables.size(keyspace))
    guard found.count == 1 else { throw .corrupt }
    return KeyspaceSize(entries: Int(found.integer(0, 0)), bytes: Int(found.integer(0, 1)))
  }

  /// The next page, whose rows live as long as the view.
  fileprivate func next(_ pages: inout PostgresPages) throws(StorageError) -> PostgresRows? {
    guard let page = try copiedOut(&pages) else { return nil }
    rows.append(page)
    return page
  }

  /// The next page, whose rows live as long as somebody holds them: for who reads everything.
  func copiedOut(_ pages: inout PostgresPages) throws(StorageError) -> PostgresRows? {
    guard let statement = pages.next else { return nil }
    let page = try ask(statement)
    pages.advance(past: page)
    return page.count == 0 ? nil : page
  }

  /// The clock of this state.
  func clock() throws(PostgresFailure) -> PostgresClock {
    try PostgresClock(try answer(PostgresTables.clock))
  }
}

/// A range of keys that is read page by page, larger ones as it goes on.
struct PostgresPages {
  private let keyspace: Keyspace
  private let direction: ScanDirection
  private var range: KeyRange
  private var limit: Int
  private let pageBytes: Int
  private var isAtEnd = false

  init(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection,
    firstRows: Int = PostgresView.pageRows.first, pageBytes: Int = PostgresView.pageBytes
  ) {
    self.keyspace = keyspace
    self.range = range
    self.direction = direction
    limit = firstRows
    self.pageBytes = pageBytes
  }

  var next: PostgresStatement? {
    isAtEnd ? nil : PostgresTables.page(keyspace, range, direction, limit: limit, bytes: pageBytes)
  }

  mutating func advance(past page: PostgresRows) {
    guard page.count > 0 else {
      isAtEnd = true
      return
    }
    let last = Array(page.bytes(page.count - 1, 0))
    switch direction {
    case .forward: range.lower = last + [0]
    case .reverse: range.upper = last
    }
    // Fewer rows than were asked for are the last ones, unless they were cut for their size.
    let bytes = (0..<page.count).reduce(0) { $0 + page.bytes($1, 1).count }
    isAtEnd = page.count < limit && bytes < pageBytes
    limit = min(limit * 4, PostgresView.pageRows.most)
  }
}

/// Moves over pages that it has read; turning round costs a trip.
final class PostgresCursor: StorageCursor {
  private let view: PostgresView
  private let keyspace: Keyspace
  private var pages: PostgresPages?
  private var direction = ScanDirection.forward
  private var page: PostgresRows?
  private var row = 0

  init(_ view: PostgresView, _ keyspace: Keyspace) {
    self.view = view
    self.keyspace = keyspace
    super.init(scanning: nil, keyspace)
  }

  override func seek(atLeast key: [UInt8]) throws(StorageError) {
    try begin(KeyRange(lower: key, upper: nil), .forward)
  }

  override func seek(below key: [UInt8]?) throws(StorageError) {
    try begin(KeyRange(lower: [], upper: key), .reverse)
  }

  override func next() throws(StorageError) { try move(.forward) }

  override func previous() throws(StorageError) { try move(.reverse) }

  private func begin(_ range: KeyRange, _ direction: ScanDirection) throws(StorageError) {
    self.direction = direction
    pages = range.isEmpty ? nil : PostgresPages(keyspace, range, direction, firstRows: 4)
    try turn()
  }

  private func move(_ wanted: ScanDirection) throws(StorageError) {
    guard let entry else { return }
    guard wanted == direction else {
      let key = Array(entry.key)
      return try wanted == .forward ? seek(atLeast: key + [0]) : seek(below: key)
    }
    row += 1
    guard let page, row < page.count else { return try turn() }
    self.entry = (page.bytes(row, 0), page.bytes(row, 1))
  }

  /// To the first row of the next page.
  private func turn() throws(StorageError) {
    row = 0
    page = nil
    if var pages {
      page = try view.next(&pages)
      self.pages = pages
    }
    entry = page.map { ($0.bytes(0, 0), $0.bytes(0, 1)) }
  }
}
