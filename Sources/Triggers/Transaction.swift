/// Read, decide, write, and again when somebody else was faster.

package import DocModel
package import DocStore

/// Documents as one attempt of a transaction sees them.
package struct TransactionReads {
  private let view: StoreView

  init(_ view: StoreView) { self.view = view }

  /// A document that must not change before the commit.
  package func fields(_ path: ResourcePath) throws(StoreError) -> Fields? {
    try view.document(path).map { Fields($0.fields) }
  }

  /// The same with its path and times.
  package func document(_ path: ResourcePath) throws(StoreError) -> NamedFields? {
    try view.document(path).map { NamedFields(path, $0) }
  }

  /// The documents of a query, in its order; none may come, go or change before the commit.
  package func documents(_ query: StructuredQuery) throws(StoreError) -> [NamedFields] {
    try view.documents(query)
  }

  /// Whether a document is there, at the risk that it changes before the commit.
  package func existsForNow(_ path: ResourcePath) throws(StoreError) -> Bool {
    try view.unrecorded.document(path) != nil
  }
}

/// A document's path, its fields and its times.
package struct NamedFields: Sendable {
  package let path: ResourcePath
  package let fields: Fields
  /// Versions of the store, so they compare with `DocumentEvent.version`.
  package let createTime, updateTime: Int64

  init(_ path: ResourcePath, _ document: StoredDocument) {
    self.path = path
    fields = Fields(document.fields)
    createTime = document.createTime
    updateTime = document.updateTime
  }
}

extension StoreView {
  fileprivate func documents(_ query: StructuredQuery) throws(StoreError) -> [NamedFields] {
    let valid: NormalizedQuery
    do throws(InvalidArgument) { valid = try QueryValidator.validate(query) } catch { throw .invalid(error) }
    var found: [NamedFields] = []
    _ = try QueryExecutor.run(valid, on: self) { row in
      let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
      found.append(NamedFields(path, row.document))
      return .more
    }
    return found
  }
}

extension DocumentStore {
  /// A document as it is now; nil when there is none.
  package func fields(_ path: ResourcePath, in database: DatabaseID) throws(StoreError) -> Fields? {
    try read(database) { (view) throws(StoreError) in try view.document(path).map { Fields($0.fields) } }
  }

  /// The documents of a query as they are now, in its order.
  package func documents(_ query: StructuredQuery) throws(StoreError) -> [NamedFields] {
    try read(query.database) { (view) throws(StoreError) in try view.documents(query) }
  }

  /// Commits what `plan` makes of each document that a query finds now, so many documents at a time. Each is read again in
  /// the transaction that writes it; one that is gone by then is passed over. Done again after a crash, it goes on with
  /// what the query still finds.
  package func forEach(
    _ query: StructuredQuery, atOnce count: Int,
    _ plan: (NamedFields, TransactionReads) throws(StoreError) -> [Write]
  ) async throws(StoreError) {
    var paths = try documents(query).map(\.path)[...]
    while !paths.isEmpty {
      let some = paths.prefix(count)
      paths = paths.dropFirst(count)
      try await transaction(query.database) { (reads) throws(StoreError) in
        var writes: [Write] = []
        for path in some {
          if let document = try reads.document(path) { writes += try plan(document, reads) }
        }
        return writes
      }
    }
  }
}

extension DocumentStore {
  /// LIMIT: attempts before a transaction is left to the runner's own retries.
  private static var attemptsMax: Int { 50 }

  /// Commits what `plan` makes of its reads, on an unchanged state of them. No writes: no commit.
  ///
  /// An attempt whose reads or preconditions were overtaken is made again, with fresh reads. It names the attempt before
  /// it, and waits for its turn at what that one lost: otherwise many that read first would all be in each other's way
  /// again, until none is left that may try.
  package func transaction(
    _ database: DatabaseID, _ plan: (TransactionReads) throws(StoreError) -> [Write]
  ) async throws(StoreError) {
    var attempt = 1
    var earlier: TransactionID?
    while true {
      let transaction = try beginTransaction(
        database, TransactionOptions(.readWrite(retrying: earlier.map { token(of: $0, in: database) } ?? [])))
      earlier = transaction
      do throws(StoreError) {
        return try await attemptOnce(transaction, database, plan)
      } catch {
        guard error.isOvertaken, attempt < Self.attemptsMax, !Task.isCancelled else { throw error }
        attempt += 1
      }
    }
  }

  private func attemptOnce(
    _ transaction: TransactionID, _ database: DatabaseID,
    _ plan: (TransactionReads) throws(StoreError) -> [Write]
  ) async throws(StoreError) {
    await withCheckedContinuation { continuation in
      if takeTurns(transaction, in: database, ready: { continuation.resume() }) { continuation.resume() }
    }
    do throws(StoreError) {
      let writes = try read(database, at: .transaction(transaction)) { (view) throws(StoreError) in
        try plan(TransactionReads(view))
      }
      if writes.isEmpty {
        try rollBack(transaction, in: database)
      } else {
        _ = try await commit(database, writes, transaction: transaction)
      }
    } catch {
      // It may be over already, then there is nothing to give up.
      try? rollBack(transaction, in: database)
      throw error
    }
  }
}

extension StoreError {
  /// Whether fresh reads may lead to another end.
  fileprivate var isOvertaken: Bool {
    switch self {
    case .aborted, .notFound, .alreadyExists, .failedPrecondition: true
    case .invalid, .permissionDenied, .resourceExhausted, .targetExists, .storage, .engine: false
    }
  }
}

extension Write {
  /// Makes a document, or makes it anew with these fields alone.
  package static func set(_ path: ResourcePath, _ fields: Fields) -> Write {
    Write(path, .update(fields: fields.encoded, mask: nil))
  }

  /// Sets these fields of a document and leaves the others.
  package static func merge(_ path: ResourcePath, _ fields: Fields, precondition: Precondition = .none)
    -> Write
  {
    let mask = fields.entries.compactMap { FieldPath.field($0.name) }
    return Write(path, .update(fields: fields.encoded, mask: mask), precondition: precondition)
  }

  /// Makes a document that must not be there yet.
  package static func create(_ path: ResourcePath, _ fields: Fields) -> Write {
    Write(path, .update(fields: fields.encoded, mask: nil), precondition: .exists(false))
  }

  /// Adds to a counter of a document that must be there.
  package static func count(_ path: ResourcePath, _ field: [String], by step: Int64) -> Write {
    let transforms = FieldPath(segments: field).map { [FieldTransform.increment($0, by: .integer(step))] }
    return .transform(path, transforms ?? [], precondition: .exists(true))
  }
}
