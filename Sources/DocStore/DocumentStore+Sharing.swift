/// What servers that have one store tell each other beside what they commit: which indexes they would like to have, and
/// where transactions are.

internal import DocModel
internal import Platform

extension DocumentStore {
  func hear(_ text: String) {
    if let wish = IndexWish(text) { return proposeForOthers(wish) }
    if let use = IndexUse(text) { return indexes.noteUse([use.number], use.generation, isHeard: true) }
    switch TransactionMove.Message(text) {
    case .wanted(let counter, let question): letGo(counter, question)
    case .part(let counter, let question, let part, let count, let bytes):
      wanted.note(counter, question: question, part: part, of: count, bytes)
    // Of a later version.
    case nil: break
    }
  }

  private func letGo(_ counter: UInt64, _ question: UInt64) {
    if wanted.has(question, about: counter) { return }
    // Before it is looked at: what is committed later is the other one's to find.
    let seen = clock.committed
    guard let sharing = engine.sharing, let move = transactions.letGo(counter, seen: seen, for: question)
    else { return }
    for text in TransactionMove.texts(counter, question: question, move.encoded) { sharing.tell(text) }
  }

  /// Whether a token is one of a transaction that another server has, or had.
  public func isElsewhere(_ token: [UInt8]) -> Bool { isShared && transactions.isElsewhere(token) != nil }

  /// Brings the transaction of a token here, if another server has it and answers, and then calls `body`, on any thread.
  public func bring(_ token: [UInt8], then body: @escaping @Sendable () -> Void) {
    guard isShared, let counter = transactions.isElsewhere(token) else { return body() }
    guard wanted.add(counter, body) else { return }
    // Nothing else is begun by it: who goes on is only passed on.
    do throws(PlatformThread.Exhausted) { try PlatformThread.start { [self] in bringAll() } } catch {
      wanted.giveUp()
    }
  }

  /// As long as there are some.
  private func bringAll() {
    while let step = wanted.next() {
      for (counter, question) in step.asked {
        engine.sharing?.tell(TransactionMove.wish(counter, question: question))
      }
      // They stay unknown here where that fails, and are given up.
      let isCurrent = step.arrived.isEmpty || (try? waitUntilCurrent()) != nil
      for move in step.arrived {
        if isCurrent { try? takeOver(move) }
        wanted.end(move.counter)
      }
    }
  }

  /// When what was committed before it was let go is here.
  private func takeOver(_ move: TransactionMove) throws(StoreError) {
    let began = transactions.beginRead()
    defer { transactions.endRead(began) }
    let (seen, isStale) = try engine.read { (view) throws(StoreError) in
      do throws(StorageError) { return try Self.changes(view, since: move) } catch { throw .storage(error) }
    }
    transactions.takeOver(move, seen: seen, isStale: isStale)
  }

  /// LIMIT: changes that are looked at, of what was committed on the way; where there are more it counts as stale.
  private static var changesMax: Int { 10_000 }

  /// Up to which version a view shows everything, and whether what a transaction has read was changed up to there.
  private static func changes(
    _ view: StorageView, since move: TransactionMove
  ) throws(StorageError) -> (seen: Int64, isStale: Bool) {
    let state = try DatabaseCatalog.state(view)
    let last = state?.lastVersion ?? 0
    // What is no longer kept may have concerned it.
    if move.isStale || state?.floor ?? 0 > move.seen { return (last, true) }
    // It was created, or cleared, meanwhile.
    let record = try DatabaseCatalog.databases(view).first { $0.id == move.database }
    guard let record, record.created <= move.seen else {
      return (last, record != nil && !(move.documents.isEmpty && move.scopes.isEmpty))
    }
    let documents = Set(move.documents)
    var (count, isStale) = (0, false)
    try ChangeRecord.scan(view, record.generation, after: move.seen, upTo: .max) { _, path in
      count += 1
      isStale =
        count > changesMax || documents.contains(path) || move.scopes.contains { $0.contains(path) }
      return isStale ? .stop : .more
    }
    return (last, isStale)
  }

  /// What the tokens of transactions are made with, the same on every server.
  static func openSecret(_ engine: Engine) throws(StorageError) -> [UInt8] {
    let name = "secret of transactions"
    func stored(_ view: StorageView) throws(StorageError) -> [UInt8]? {
      try StoredRelease.all(view).first { $0.name == name }?.bytes
    }
    let known = try engine.read { (view) throws(StorageError) in try stored(view) }
    if let known { return known }
    var random = SystemRandomNumberGenerator()
    let secret = (0..<TransactionSeal.secretBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    return try engine.write(MutationBatch()) { (view, batch) throws(StorageError) in
      if let known = try stored(view) { return known }
      let version = try DatabaseCatalog.state(view)?.lastVersion ?? 0
      let release = StoredRelease(name: name, version: version, bytes: secret)
      batch.put(.catalog, release.key, release.value)
      return secret
    }
  }
}
