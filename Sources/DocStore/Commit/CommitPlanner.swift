/// From writes and present documents to mutations: pure planning inside one engine transaction.
///
/// A batch of commits is planned one after the other on one view. What earlier members of the batch did
/// lies in `documents`; what the commit at hand has done so far in `touched`. A commit that fails leaves
/// nothing in either, so nothing has ever to be undone.
///
/// INVARIANT: every record reachable from `documents` and `touched` lies in the batch's memory or in the
/// view's; both outlive the planner.

internal import DocModel

final class CommitPlanner {
  /// A document that the commit at hand names. A class: it is handed on more often than made.
  final class Touched {
    /// Its place in `documents`.
    let place: Int
    let key: PlannedKey
    /// Whether its record must hold the whole path.
    let isFolded: Bool
    /// Where the collection's part of the key ends.
    let collectionEnd: Int
    let path: ResourcePath
    /// Before the commit.
    let before: DocumentRecord?
    /// As the commit's writes so far leave it.
    var now: DocumentRecord?
    /// The commit's writes to it.
    var writes: MergedWrites
    /// Whether what is stored is damaged, so that nobody knows what it was: `before` is nil then.
    let isDamaged: Bool
    /// The document between the writes, where there are several; then `now` says it when all are applied.
    var pending: PendingDocument?

    init(
      place: Int, key: PlannedKey, isFolded: Bool, collectionEnd: Int, path: ResourcePath,
      before: DocumentRecord?, writes: MergedWrites, isDamaged: Bool
    ) {
      self.place = place
      self.key = key
      self.isFolded = isFolded
      self.collectionEnd = collectionEnd
      self.path = path
      self.before = before
      now = before
      self.writes = writes
      self.isDamaged = isDamaged
    }

    /// A write that changes nothing keeps the very record.
    var isChanged: Bool { isDamaged || before?.bytes.baseAddress != now?.bytes.baseAddress }
  }

  let view: StorageView
  let batch: MutationBatch
  let clock: CommitClock
  let transactions: TransactionTable
  let feed: ChangeFeed
  let indexes: IndexRegistry
  /// Whether judges are to be quick (`JudgedCommit.isHurried`).
  let isHurried: Bool

  var state: StoreState
  /// Events of planned commits, to be published when the batch is durable.
  var events: [(database: DatabaseID, version: Int64, event: FeedEvent)] = []
  var documents = PlannedDocuments()
  private let generations: KnownGeneration
  /// That of the view.
  private let storedState: StoreState
  /// What the batch has given to databases that are new or cleared.
  var newGenerations: [DatabaseID: UInt32] = [:]
  /// By how much the batch changes the tallies of collections, by what their keys begin with; nil to keep none.
  var tallies: [[UInt8]: CollectionTally]?
  /// Collections in which the batch replaces damaged documents: their tallies are counted anew.
  var recounted: Set<[UInt8]> = []
  /// Collections that get a document, by the generation: they are in the catalog when the batch is written.
  var entered: [UInt32: Set<ResourcePath>] = [:]
  /// The one that got the last, by what its keys begin with.
  var lastEntered: [UInt8] = []
  /// How many documents the batch changes, a document as often as commits change it.
  var changedCount = 0
  var releases: [StoredRelease] = []
  /// Generations that a clearing in this batch has ended.
  var clearedGenerations: [UInt32] = []
  /// What keeps the indexes of a generation, made for the first commit to it; nil when it has none.
  var makers: (generation: UInt32, byCollection: [[UInt8]: [IndexEntryMaker]]?)?

  // The commit at hand.
  var generation: UInt32 = 0
  private(set) var touched: [Touched] = []
  private var version: Int64 = 0
  private var judgeFailure: StorageError?
  /// Whether its judge took too long.
  private(set) var wasGivenUp = false
  /// Why the commit fails if its judge allows it.
  private var unmet: StoreError?
  private(set) var limits = CommitLimits.emulator
  /// The indexes that documents are charged for; nil to charge nothing.
  private(set) var chargedIndexes: DefinedIndexes?
  /// Whether damaged documents may be overwritten as a whole and deleted.
  private var replacesDamaged = false
  /// Memory for keys.
  private var key = KeyWriter()
  /// Where the collection's part of it ends.
  private var collectionEnd = 0

  init(
    view: StorageView, batch: MutationBatch, state: StoreState, clock: CommitClock,
    transactions: TransactionTable, feed: ChangeFeed, indexes: IndexRegistry, generations: KnownGeneration,
    isHurried: Bool, keepsTallies: Bool
  ) {
    self.view = view
    self.batch = batch
    self.state = state
    storedState = state
    self.generations = generations
    self.clock = clock
    self.transactions = transactions
    self.feed = feed
    self.indexes = indexes
    self.isHurried = isHurried
    tallies = keepsTallies ? [:] : nil
  }

  // MARK: one commit

  /// Plans one commit: checks it, applies its writes in order, asks its judge, records its mutations.
  /// Nil for a commit that has to wait for others: the transactions have taken it over.
  func plan(_ request: CommitRequest) throws(StoreError) -> CommitResult? {
    touched.removeAll(keepingCapacity: true)
    touched.reserveCapacity(request.writes.count)
    documents.beginCommit(expecting: request.writes.count)
    judgeFailure = nil
    wasGivenUp = false
    limits = request.limits
    chargedIndexes = limits.indexes?(request.database)
    version = clock.nextVersion()
    var known: UInt32 = 0
    do { known = try knownGeneration(request.database) } catch { throw .storage(error) }
    let isNew = known == 0
    generation = isNew ? state.nextGeneration : known

    guard let transaction = request.transaction else { return try apply(request, isNew: isNew) }
    try transactions.beginCommit(request)
    do throws(StoreError) {
      return try apply(request, isNew: isNew)
    } catch {
      transactions.settle(transaction, failure: error)
      throw error
    }
  }

  private func apply(_ request: CommitRequest, isNew: Bool) throws(StoreError) -> CommitResult? {
    // Rules cannot judge what nobody can read.
    replacesDamaged = request.judge == nil
    let places = try merge(request.writes)
    try checkPreconditions(request)
    let transformed = try applyWrites(request.writes, at: places, request.database)
    let results = zip(places, transformed).map { index, transformed in
      WriteResult(updateTime: touched[index].now?.updateTime, transformResults: transformed)
    }
    var judgement: JudgedCommit?
    defer { judgement?.tellDecided() }
    if let judge = request.judge {
      let commit = JudgedCommit(
        database: request.database, commitTime: version, serverTime: clock.serverTime(version),
        writes: touched.map(JudgedWrite.init), isHurried: isHurried, planner: self)
      judgement = commit
      do throws(StoreError) { try judge(commit) } catch {
        wasGivenUp = commit.isGivenUp
        if wasGivenUp { judgement = nil }
        throw error
      }
      if let judgeFailure { throw .storage(judgeFailure) }
    }
    // Rules come before preconditions (docs/spec/rules-language.md 7.2).
    if let unmet { throw unmet }
    try checkCharge()
    let changed = touched.allSatisfy(\.isChanged) ? touched : touched.filter(\.isChanged)
    guard case .apply = try transactions.admit(request, changed, version) else {
      judgement = nil
      return nil
    }
    record(changed, request.source, request.database, version, isNew: isNew)
    return CommitResult(commitTime: version, results: results)
  }

  /// The places of the writes' documents in `touched`, which now know their writes.
  private func merge(_ writes: [Write]) throws(StoreError) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(writes.count)
    for write in writes { places.append(try touch(write)) }
    return places
  }

  /// Applies the writes in order, each to the state that those before it left; the results of their transforms.
  private func applyWrites(
    _ writes: [Write], at places: [Int], _ database: DatabaseID
  ) throws(StoreError) -> [[[UInt8]]] {
    var results: [[[UInt8]]] = []
    results.reserveCapacity(writes.count)
    var hasPending = false
    for (number, index) in places.enumerated() {
      let write = writes[number]
      if touched[index].writes.areSeveral || PendingDocument.suits(write) {
        hasPending = true
        results.append(
          pending(at: index).apply(write, version: version, serverTime: clock.serverTime(version)))
        continue
      }
      var transformed: [[UInt8]] = []
      switch write.operation {
      case .update(let fields, let mask):
        touched[index].now = try update(
          touched[index], fields, mask, write.transforms, database, &transformed)
      case .delete: touched[index].now = nil
      case .verify: break
      }
      results.append(transformed)
    }
    if hasPending { try finishPending(database) }
    return results
  }

  private func pending(at index: Int) -> PendingDocument {
    if let pending = touched[index].pending { return pending }
    let pending = PendingDocument(touched[index].before, in: batch)
    touched[index].pending = pending
    return pending
  }

  /// Writes documents that were kept pending, once for all of their writes. Only what they come to must not be too large.
  private func finishPending(_ database: DatabaseID) throws(StoreError) {
    for index in touched.indices {
      guard let pending = touched[index].pending else { continue }
      touched[index].pending = nil
      guard let createTime = pending.createTime else {
        touched[index].now = nil
        continue
      }
      touched[index].now = try record(
        touched[index], pending.fields.encoded, createTime: createTime, database)
    }
  }

  /// Asks what is stored for the documents' preconditions. The first unmet one waits in `unmet` where somebody judges.
  private func checkPreconditions(_ request: CommitRequest) throws(StoreError) {
    unmet = nil
    for document in touched {
      do throws(StoreError) {
        try checkPrecondition(of: document, request.database)
      } catch {
        if request.judge == nil { throw error }
        unmet = error
        return
      }
    }
  }

  /// Source: docs/spec/protocol.md 4.2.
  private func checkPrecondition(of document: Touched, _ database: DatabaseID) throws(StoreError) {
    var name: DocumentName { DocumentName(database: database, path: document.path) }
    switch document.writes.precondition {
    case .none: break
    case .exists(true):
      if document.before == nil { throw .notFound(name) }
    case .exists(false):
      if document.before != nil { throw .alreadyExists(name) }
    case .updateTime(let required):
      let stored = document.before?.updateTime ?? 0
      if document.before != nil && required > stored { throw .invalid(.baseVersionTooNew(name)) }
      // Time 0 is the version of a document that is not there.
      if stored != required {
        throw .failedPrecondition(.version(stored: stored, required: required))
      }
    }
  }

  /// The document after an update; the very same record when nothing changes.
  private func update(
    _ document: Touched, _ body: [UInt8], _ mask: [FieldPath]?, _ transforms: [FieldTransform],
    _ database: DatabaseID, _ transformed: inout [[UInt8]]
  ) throws(StoreError) -> DocumentRecord {
    let old = document.now
    var fields = body
    if let mask { fields = Self.masked(old?.fields ?? .none, body, mask) }
    if !transforms.isEmpty {
      (fields, transformed) = fields.withUnsafeBytes {
        TransformApplication.apply(
          transforms, to: FieldsView(document: $0), serverTime: clock.serverTime(version))
      }
    }
    return try record(document, fields, createTime: old?.createTime ?? version, database)
  }

  /// The document with these fields; the very same record when nothing changes.
  private func record(
    _ document: Touched, _ fields: [UInt8], createTime: Int64, _ database: DatabaseID
  ) throws(StoreError) -> DocumentRecord {
    try checkSize(fields, document.path, in: database)
    let old = document.now
    return fields.withUnsafeBytes { bytes -> DocumentRecord in
      // Same type and value at every depth is the same canonical bytes.
      if let old, old.createTime == createTime, WireCursor.areEqual(old.fields.bytes, bytes) { return old }
      return DocumentRecord(
        key: document.key.document, createTime: createTime, updateTime: version,
        foldedPath: document.isFolded ? document.path : nil, fields: bytes, in: batch)
    }
  }

  private static func masked(_ old: FieldsView, _ body: [UInt8], _ mask: [FieldPath]) -> [UInt8] {
    body.withUnsafeBytes { bytes in
      let new = FieldsView(document: bytes)
      // `__name__` in a mask is accepted and means nothing (docs/spec/production-differences.md W10).
      let edits = mask.filter { !$0.isDocumentName }.map { path in
        FieldEdit(path, new.value(at: path).map { .set($0.bytes) } ?? .delete)
      }
      return FieldsMerge.apply(edits, to: old)
    }
  }

  // MARK: documents

  /// The place of a write's document in `touched`, looked up when it is first named.
  private func touch(_ write: Write) throws(StoreError) -> Int {
    let path = write.path
    writeKey(of: path)
    let known = key.bytes.withUnsafeBytes { documents.place(of: $0) }
    if let known, let index = documents.position(at: known) {
      do { try touched[index].writes.add(write) } catch { throw .invalid(error) }
      return index
    }
    let planned = PlannedKey(key.bytes, ended: version, in: batch)
    var before: DocumentRecord?
    var isDamaged = false
    do { before = try recordBeforeCommit(planned.document, at: known) } catch {
      guard error == .corrupt, replacesDamaged, write.replacesAll else { throw .storage(error) }
      isDamaged = true
    }
    let place = known ?? documents.add(planned.document, path, generation)
    documents.name(place, at: touched.count)
    touched.append(
      Touched(
        place: place, key: planned, isFolded: key.isFolded, collectionEnd: collectionEnd, path: path,
        before: before, writes: MergedWrites(write), isDamaged: isDamaged))
    return touched.count - 1
  }

  private func writeKey(of path: ResourcePath) {
    key.removeAll()
    var text = path.text
    collectionEnd = text.withUTF8 { KeyLayout.write(generation, UnsafeRawBufferPointer($0), to: &key) }
  }
  /// A document as earlier members of the batch left it. `place` is its own in `documents`, if it has one.
  private func recordBeforeCommit(
    _ key: UnsafeRawBufferPointer, at place: Int?
  ) throws(StorageError) -> DocumentRecord? {
    if let place, documents[place].isPlanned { return documents[place].planned }
    guard let bytes = try view.get(.documents, key) else { return nil }
    return try DocumentRecord(bytes, key: key)
  }

  /// What the judge asks for.
  func judgedDocument(_ path: ResourcePath, _ moment: JudgedCommit.Moment) -> StoredDocument? {
    writeKey(of: path)
    let found = key.bytes.withUnsafeBytes { key -> Result<DocumentRecord?, StorageError> in
      let place = documents.place(of: key)
      guard let place, let index = documents.position(at: place) else {
        return Result { () throws(StorageError) in try recordBeforeCommit(key, at: place) }
      }
      switch moment {
      case .before: return .success(touched[index].before)
      case .after: return .success(touched[index].now)
      }
    }
    switch found {
    case .success(let record): return record?.document
    case .failure(let error):
      judgeFailure = error
      return nil
    }
  }

  /// Whether a write of the commit names the document.
  func isTouched(_ path: ResourcePath) -> Bool {
    writeKey(of: path)
    let place = key.bytes.withUnsafeBytes { documents.place(of: $0) }
    return place.flatMap { documents.position(at: $0) } != nil
  }

  /// As earlier members of the batch left it; 0 for a database that nobody has written to.
  func knownGeneration(_ database: DatabaseID) throws(StorageError) -> UInt32 {
    if !newGenerations.isEmpty, let new = newGenerations[database] { return new }
    return try generations.generation(view, database, storedState)
  }
}
