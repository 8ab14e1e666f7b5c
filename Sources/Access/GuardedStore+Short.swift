/// Reads for threads that others wait for: short ones are done at once, long ones not at all.

public import DocModel
public import DocStore
internal import Rules

enum ShortWork {
  /// LIMIT: bytes of all documents that a short read reads, and of each that its rules read.
  static let bytesMax = 64 << 10
  /// What stands for a verdict that was not found; nobody is told.
  static let tooLong = StoreError.resourceExhausted(message: "more than short work")
}

extension GuardedStore {
  /// As `get`; false, and nothing has happened, when the document is large or its rules are much work.
  public func getShortly(
    _ name: DocumentName, as credentials: Credentials, at time: ReadTime = .newest,
    _ visit: (StoredDocument?, _ readTime: Int64) -> Void
  ) throws(StoreError) -> Bool {
    if isWitnessed { return false }
    return try store.read(name.database, at: time) { (view) throws(StoreError) in
      let document = try view.document(name.path)
      if let document, document.fields.byteCount > ShortWork.bytesMax { return false }
      let isJudged = try judgingShortly(view, credentials) { (guarding) throws(StoreError) in
        try guarding.allowGet(name.path, document, in: name.database)
      }
      guard isJudged else { return false }
      metrics.countDocuments(1)
      visit(document, view.readTime)
      return true
    }
  }

  /// As `getPiece` to its end; false, and nothing has happened, when the documents are large or their rules are much
  /// work. `begin` is called before the first document.
  public func getShortly(
    _ paths: [ResourcePath], in database: DatabaseID, as credentials: Credentials,
    at time: ReadTime = .newest,
    begin: () -> Void, _ visit: (ResourcePath, StoredDocument?, _ readTime: Int64) -> Void
  ) throws(StoreError) -> Bool {
    if isWitnessed { return false }
    return try store.read(database, at: time) { (view) throws(StoreError) in
      view.claim(paths)
      var documents: [StoredDocument?] = []
      documents.reserveCapacity(paths.count)
      var bytes = 0
      for path in paths {
        let document = try view.document(path)
        bytes += document?.fields.byteCount ?? 0
        if bytes > ShortWork.bytesMax { return false }
        documents.append(document)
      }
      let isJudged = try judgingShortly(view, credentials) { (guarding) throws(StoreError) in
        for (path, document) in zip(paths, documents) {
          guarding.documents.isShort = true
          try guarding.allowGet(path, document, in: database)
        }
      }
      guard isJudged else { return false }
      begin()
      metrics.countDocuments(paths.count)
      for (path, document) in zip(paths, documents) { visit(path, document, view.readTime) }
      return true
    }
  }

  /// Runs `body` with a guard over the view; false when that was broken off as too much work.
  private func judgingShortly(
    _ view: StoreView, _ credentials: Credentials, _ body: (borrowing AccessGuard) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    var isJudged = true
    try judging(view, credentials) { (guarding) throws(StoreError) in
      guarding.documents.isShort = true
      do throws(StoreError) {
        try body(guarding)
      } catch {
        guard guarding.documents.wasTooLong else { throw error }
        isJudged = false
      }
    }
    return isJudged
  }
}
