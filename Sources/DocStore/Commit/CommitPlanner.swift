/// From writes and present documents to mutations: pure planning inside one engine transaction.
///
/// A batch of commits is planned one after the other on one view. What earlier members of the batch did
/// lies in `overlay`; what the commit at hand has done so far in `touched`. A commit that fails leaves
/// neither mutations nor overlay behind, so nothing has ever to be undone.
///
/// INVARIANT: every record reachable from `overlay` and `touched` lies in the batch's memory or in the
/// view's; both outlive the planner.

internal import DocModel

final class CommitPlanner {
  /// A document that the commit at hand names.
  struct Touched {
    let key: DocumentKey
    let path: ResourcePath
    /// Before the commit.
    let before: DocumentRecord?
    /// As the commit's writes so far leave it.
    var now: DocumentRecord?

    /// A write that changes nothing keeps the very record.
    var isChanged: Bool { before?.bytes.baseAddress != now?.bytes.baseAddress }
  }

  let view: StorageView
  let batch: MutationBatch
  let clock: CommitClock
  let transactions: TransactionTable
  let feed: ChangeFeed
  let indexes: IndexRegistry

  private(set) var state: StoreState
  /// Events of planned commits, to be published when the batch is durable.
  private(set) var events: [(database: DatabaseID, version: Int64, event: FeedEvent)] = []
  private var overlay: [[UInt8]: DocumentRecord?] = [:]
  /// Changes of earlier members.
  private(set) var plannedChanges: [(generation: UInt32, path: ResourcePath)] = []
  private var databases: [DatabaseID: DatabaseRecord] = [:]
  /// Generations that a clearing in this batch has ended.
  private(set) var clearedGenerations: [UInt32] = []
  /// What keeps the indexes of a generation, made for the first commit to it; nil when it has none.
  private var makers: (generation: UInt32, byCollection: [[UInt8]: [IndexEntryMaker]]?)?

  // The commit at hand.
  private(set) var generation: UInt32 = 0
  private var touched: [Touched] = []
  private var indexOfTouched: [[UInt8]: Int] = [:]
  private var judgeFailure: StorageError?
  private var limits = CommitLimits.emulator

  init(
    view: StorageView, batch: MutationBatch, state: StoreState, clock: CommitClock,
    transactions: TransactionTable, feed: ChangeFeed, indexes: IndexRegistry
  ) {
    self.view = view
    self.batch = batch
    self.state = state
    self.clock = clock
    self.transactions = transactions
    self.feed = feed
    self.indexes = indexes
  }

  // MARK: one commit

  /// Plans one commit: checks it, applies its writes in order, asks its judge, records its mutations.
  /// Nil for a commit that has to wait for others: the transactions have taken it over.
  func plan(_ request: CommitRequest) throws(StoreError) -> CommitResult? {
    touched.removeAll(keepingCapacity: true)
    indexOfTouched.removeAll(keepingCapacity: true)
    judgeFailure = nil
    limits = request.limits
    let version = clock.nextVersion()
    var database: DatabaseRecord?
    do { database = try databaseRecord(request.database) } catch { throw .storage(error) }
    generation = database?.generation ?? state.nextGeneration

    guard let transaction = request.transaction else { return try apply(request, version, database) }
    try transactions.beginCommit(request)
    do throws(StoreError) {
      return try apply(request, version, database)
    } catch {
      transactions.settle(transaction, failure: error)
      throw error
    }
  }

  private func apply(
    _ request: CommitRequest, _ version: Int64, _ database: DatabaseRecord?
  ) throws(StoreError) -> CommitResult? {
    var results: [WriteResult] = []
    results.reserveCapacity(request.writes.count)
    var judged: [JudgedWrite] = []
    // Rules come before preconditions (spec/rules-language.md 7.2), so with a judge the first unmet one
    // waits for the verdict.
    var unmet: StoreError?
    for write in request.writes {
      do throws(StoreError) {
        try checkPrecondition(of: write, request.database)
      } catch {
        if request.judge == nil || error.isStorageFailure { throw error }
        unmet = unmet ?? error
      }
      let applied = try apply(write, request.database, version)
      results.append(applied.result)
      if request.judge != nil { judged.append(applied.judged) }
    }
    if let judge = request.judge {
      try judge(
        JudgedCommit(
          database: request.database, commitTime: version, serverTime: clock.serverTime(version),
          writes: judged, planner: self))
      if let judgeFailure { throw .storage(judgeFailure) }
    }
    if let unmet { throw unmet }
    try checkCharge(request.database)
    let changed = touched.filter(\.isChanged)
    guard case .apply = try transactions.admit(request, changed, version) else { return nil }
    record(changed, request.database, version, database)
    if let origin = request.origin { feed.origins.note(origin, version: version) }
    return CommitResult(commitTime: version, results: results)
  }

  /// Applies one write to the state that the commit's earlier writes left.
  private func apply(
    _ write: Write, _ database: DatabaseID, _ version: Int64
  ) throws(StoreError) -> (result: WriteResult, judged: JudgedWrite) {
    let index = try touch(write.path)
    let old = touched[index].now
    var result = WriteResult(updateTime: nil)
    let kind: WriteKind
    switch write.operation {
    case .update(let fields, let mask):
      kind = Self.kind(of: write.precondition, old)
      let new = try update(touched[index], fields, mask, write.transforms, database, version, &result)
      touched[index].now = new
      result.updateTime = new.updateTime
    case .delete:
      kind = .delete
      touched[index].now = nil
    case .verify:
      kind = .verify
      result.updateTime = old?.updateTime
    }
    let judged = JudgedWrite(
      path: write.path, kind: kind, before: kind == .create ? nil : old?.document,
      after: touched[index].now?.document)
    return (result, judged)
  }

  /// What an update is to the rules: as its precondition says where it has one, also when that will turn
  /// out unmet, otherwise as the document's existence says. Source: spec/rules-language.md 7.1.
  private static func kind(of precondition: Precondition, _ old: DocumentRecord?) -> WriteKind {
    switch precondition {
    case .exists(true): .update
    case .exists(false): .create
    case .none, .updateTime: old == nil ? .create : .update
    }
  }

  /// Checks a write's precondition on what the commit's earlier writes left. Source: spec/protocol.md 4.2.
  private func checkPrecondition(of write: Write, _ database: DatabaseID) throws(StoreError) {
    if write.precondition == .none { return }
    let old = touched[try touch(write.path)].now
    let name = DocumentName(database: database, path: write.path)
    switch write.precondition {
    case .none: break
    case .exists(true):
      if old == nil { throw .notFound(name) }
    case .exists(false):
      if old != nil { throw .alreadyExists(name) }
    case .updateTime(let required):
      let stored = old?.updateTime ?? 0
      if old != nil && required > stored { throw .invalid(.baseVersionTooNew(name)) }
      if old == nil || stored != required {
        throw .failedPrecondition(.version(stored: stored, required: required))
      }
    }
  }

  /// The document after an update; the very same record when nothing changes.
  private func update(
    _ document: Touched, _ body: [UInt8], _ mask: [FieldPath]?, _ transforms: [FieldTransform],
    _ database: DatabaseID, _ version: Int64, _ result: inout WriteResult
  ) throws(StoreError) -> DocumentRecord {
    let old = document.now
    var fields = body
    if let mask { fields = Self.masked(old?.fields ?? .none, body, mask) }
    if !transforms.isEmpty {
      (fields, result.transformResults) = fields.withUnsafeBytes {
        TransformApplication.apply(
          transforms, to: FieldsView(document: $0), serverTime: clock.serverTime(version))
      }
    }
    try checkSize(fields, DocumentName(database: database, path: document.path))
    let record = fields.withUnsafeBytes { bytes -> DocumentRecord in
      // Same type and value at every depth is the same canonical bytes.
      if let old, WireCursor.areEqual(old.fields.bytes, bytes) { return old }
      return DocumentRecord(
        createTime: old?.createTime ?? version, updateTime: version,
        foldedPath: document.key.isFolded ? document.path : nil, fields: bytes, in: batch)
    }
    return record
  }

  private static func masked(_ old: FieldsView, _ body: [UInt8], _ mask: [FieldPath]) -> [UInt8] {
    body.withUnsafeBytes { bytes in
      let new = FieldsView(document: bytes)
      // `__name__` in a mask is accepted and means nothing (production-differences.md W10).
      let edits = mask.filter { !$0.isDocumentName }.map { path in
        FieldEdit(path, new.value(at: path).map { .set($0.bytes) } ?? .delete)
      }
      return FieldsMerge.apply(edits, to: old)
    }
  }

  private func checkSize(_ fields: [UInt8], _ name: DocumentName) throws(StoreError) {
    // No value takes more than four times its encoded bytes by the storage formula (an empty geo point in
    // an array: 4 encoded, 16 counted), so small documents need no walk.
    let pathBytes = name.path.text.utf8.count
    if fields.count >= (Limits.documentBytesMax - 16_384) / 4 || pathBytes >= 8_192 {
      let size = fields.withUnsafeBytes { StorageSize.document(name.path, FieldsView(document: $0)) }
      guard size <= Limits.documentBytesMax else {
        throw .invalid(
          limits.saysDocument ? WriteComplaint.tooLarge(name, bytes: size) : WriteComplaint.entityTooLarge)
      }
    }
    guard let indexes = limits.indexes?(name.database) else { return }
    guard
      IndexCharge.mayBreakLimits(
        pathBytes: pathBytes, fieldBytes: fields.count, composites: indexes.composites.count)
    else { return }
    let charge = fields.withUnsafeBytes { IndexCharge(name.path, FieldsView(document: $0), indexes) }
    if charge.entries > IndexLimits.entriesMax {
      throw .invalid(IndexChargeComplaint.tooManyEntries(name.path))
    }
    if charge.hasTooLarge || pathBytes > IndexLimits.nameBytesMax {
      throw .invalid(IndexChargeComplaint.entryTooLarge)
    }
  }

  /// What the commit at hand stores and deletes, with its index entries, must not be too much.
  /// Source: spec/production-differences.md L10.
  private func checkCharge(_ database: DatabaseID) throws(StoreError) {
    guard let indexes = limits.indexes?(database) else { return }
    var bytes = 0
    var pathBytesMax = 0
    for document in touched where document.isChanged {
      bytes += (document.now ?? document.before)?.fields.bytes.count ?? 0
      pathBytesMax = max(pathBytesMax, document.path.text.utf8.count)
    }
    guard
      IndexCharge.mayBeCharged(
        pathBytesMax: pathBytesMax, fieldBytes: bytes, composites: indexes.composites.count)
    else { return }
    var charged = 0
    for document in touched where document.isChanged {
      guard let fields = (document.now ?? document.before)?.fields else { continue }
      let own =
        IndexCharge(document.path, fields, indexes).bytes + StorageSize.document(document.path, fields)
      charged += document.now == nil ? own * WriteLimits.deleteChargePercent / 100 : own
    }
    guard charged <= WriteLimits.chargedBytesMax else { throw .invalid(IndexChargeComplaint.commitTooLarge) }
  }

  // MARK: documents

  /// The place of a document in `touched`, looked up when it is first named.
  private func touch(_ path: ResourcePath) throws(StoreError) -> Int {
    let key = KeyLayout.documentKey(generation, path)
    if let index = indexOfTouched[key.bytes] { return index }
    let before: DocumentRecord?
    do { before = try recordBeforeCommit(key.bytes) } catch { throw .storage(error) }
    touched.append(Touched(key: key, path: path, before: before, now: before))
    indexOfTouched[key.bytes] = touched.count - 1
    return touched.count - 1
  }

  /// The document as earlier members of the batch left it.
  func recordBeforeCommit(_ key: [UInt8]) throws(StorageError) -> DocumentRecord? {
    if !overlay.isEmpty, let planned = overlay[key] { return planned }
    guard let bytes = try view.get(.documents, key) else { return nil }
    return try DocumentRecord(bytes)
  }

  /// What the judge asks for.
  func judgedDocument(_ path: ResourcePath, _ moment: JudgedCommit.Moment) -> StoredDocument? {
    let key = KeyLayout.documentKey(generation, path).bytes
    if let index = indexOfTouched[key] {
      switch moment {
      case .before: return touched[index].before?.document
      case .after: return touched[index].now?.document
      }
    }
    do throws(StorageError) {
      return try recordBeforeCommit(key)?.document
    } catch {
      judgeFailure = error
      return nil
    }
  }

  /// Whether a write of the commit names the document.
  func isTouched(_ path: ResourcePath) -> Bool {
    indexOfTouched[KeyLayout.documentKey(generation, path).bytes] != nil
  }

  private func databaseRecord(_ database: DatabaseID) throws(StorageError) -> DatabaseRecord? {
    if let known = databases[database] { return known }
    let stored = try DatabaseCatalog.record(view, database)
    if let stored { databases[database] = stored }
    return stored
  }

  // MARK: mutations

  /// Records what the commit at hand changed. Nothing can fail from here on.
  private func record(
    _ changed: [Touched], _ id: DatabaseID, _ version: Int64, _ known: DatabaseRecord?
  ) {
    if changed.isEmpty { return }
    if known == nil { create(id, version) }
    state.lastVersion = version
    var changes: [DocumentChange] = []
    let isFollowed = feed.isFollowed
    let makers = indexMakers()
    for (ordinal, document) in changed.enumerated() {
      if let before = document.before {
        let copy = batch.copy(before.bytes)
        batch.put(.documentHistory, KeyLayout.historyKey(document.key.bytes, ended: version), inPlace: copy)
      }
      if let now = document.now {
        batch.put(.documents, document.key.bytes, inPlace: now.bytes)
      } else {
        batch.remove(.documents, document.key.bytes)
      }
      if let makers { maintainIndexes(makers, document) }
      batch.put(
        .changes, KeyLayout.changeKey(generation, version, ordinal: UInt32(truncatingIfNeeded: ordinal)),
        ChangeRecord.encoded(document.path))
      overlay.updateValue(document.now, forKey: document.key.bytes)
      plannedChanges.append((generation, document.path))
      if isFollowed {
        changes.append(
          DocumentChange(
            path: document.path, before: document.before.map(DocumentImage.init),
            after: document.now.map(DocumentImage.init)))
      }
    }
    if isFollowed { events.append((id, version, .commit(version: version, changes: changes))) }
  }

  private func indexMakers() -> [[UInt8]: [IndexEntryMaker]]? {
    if let makers, makers.generation == generation { return makers.byCollection }
    let byCollection = indexes.kept(generation)?.mapValues { indexes in
      indexes.map { IndexEntryMaker($0, generation: generation) }
    }
    makers = (generation, byCollection)
    return byCollection
  }

  /// Entries follow the document in the same engine transaction.
  private func maintainIndexes(_ makers: [[UInt8]: [IndexEntryMaker]], _ document: Touched) {
    guard let makers = makers[Array(document.path.parent.lastSegment.utf8)] else { return }
    var path = document.path.text
    path.withUTF8 { path in
      for maker in makers {
        batch.maintain(
          maker, UnsafeRawBufferPointer(path), before: document.before?.fields, after: document.now?.fields)
      }
    }
  }

  private func create(_ id: DatabaseID, _ version: Int64) {
    let record = DatabaseRecord(id: id, generation: generation, created: version)
    state.nextGeneration = generation + 1
    databases[id] = record
    batch.put(.catalog, KeyLayout.databaseKey(id), record.encoded)
  }

  /// Gives a database a new generation. The old one's keys are removed later, in slices.
  func clear(_ id: DatabaseID) throws(StorageError) -> Int64 {
    let version = clock.nextVersion()
    guard let old = try databaseRecord(id) else { return version }
    batch.put(.catalog, KeyLayout.condemnedKey(old.generation), [])
    clearedGenerations.append(old.generation)
    let deletions = feed.namesCleared(of: id) ? try deletions(of: old.generation) : nil
    generation = state.nextGeneration
    create(id, version)
    state.lastVersion = version
    transactions.noteClearing(id, version)
    if feed.isFollowed { events.append((id, version, .cleared(version: version, deletions: deletions))) }
    return version
  }

  /// Ends the batch: the numbers of the store go with it.
  func finish() {
    if !batch.mutations.isEmpty { batch.put(.catalog, KeyLayout.stateKey, state.encoded) }
  }
}
