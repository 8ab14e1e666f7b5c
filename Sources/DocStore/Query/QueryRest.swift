/// What is left of a query that was stopped on the way.
///
/// A result whose client reads slowly is made in pieces, so that no view is held meanwhile: a piece ends
/// where its visitor says stop, and the rest is a query of its own, for the same state of the database.
///
/// INVARIANT: the rows of a piece and of its rest are together those of the whole, in order, each once.
/// In the order of names the rest begins by seeking; a sorted rest is read and sorted again.

internal import DocModel

extension NormalizedQuery {
  /// The query for what follows `row`, the last of `delivered` rows it gave; nil when the limit is reached.
  public func rest(after row: QueryRow, delivered: Int) -> NormalizedQuery? {
    var rest = self
    rest.offset = 0
    if let limit {
      guard delivered < limit else { return nil }
      rest.limit = limit - delivered
    }
    if isOrderedByNameOnly {
      // The row lies within the cursors, so its name takes the place of the start.
      let path = ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))
      let name = Value.reference(DocumentName(database: database, path: path).resourceName)
      rest.start = QueryCursor(values: [name.encoded], isBefore: false)
    } else {
      var writer = KeyWriter()
      // A row of the result has every ordered field.
      _ = OrderKeyMaker(orders: orders).write(row.path, row.document.fields, to: &writer)
      rest.resumeKey = writer.bytes
    }
    return rest
  }
}
