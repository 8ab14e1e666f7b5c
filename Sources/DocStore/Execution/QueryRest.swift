/// What is left of a query that was stopped on the way.
///
/// A result whose client reads slowly is made in pieces, so that no view is held meanwhile: a piece ends
/// where its visitor says stop, and the rest is a query of its own, for the same state of the database.
///
/// INVARIANT: the rows of a piece and of its rest are together those of the whole, in order, each once.
/// Where an index or the names give the order the rest begins by seeking; a sorted rest is read and sorted
/// again.

internal import DocModel

extension NormalizedQuery {
  /// The query for what follows `row`, the last of `delivered` rows it gave; nil when the limit is reached.
  public func rest(after row: QueryRow, delivered: Int) -> NormalizedQuery? {
    var rest = self
    rest.offset = 0
    if let nearest {
      guard delivered < nearest.limit else { return nil }
      rest.nearest?.limit = nearest.limit - delivered
      rest.resumeKey = NearestSearch(self, nearest).key(of: row)
      return rest
    }
    if let limit {
      guard delivered < limit else { return nil }
      rest.limit = limit - delivered
    }
    // The row lies within the cursors, and behind the key of an earlier page: its place replaces both.
    let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
    let name = Value.reference(DocumentName(database: database, path: path).resourceName).encoded
    // A row of the result has every ordered field.
    let values = orders.compactMap { order in
      order.path.isDocumentName ? name : row.document.fields.value(at: order.path).map { Array($0.bytes) }
    }
    rest.start = QueryCursor(values: values, isBefore: false)
    rest.resumeKey = nil
    return rest
  }
}
