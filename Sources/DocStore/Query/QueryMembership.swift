/// Whether a document is one of a query's result, limit and offset aside, and where it stands there.
///
/// Never changes, so whoever follows the query may share it.

internal import DocModel

final class QueryMembership {
  let scope: QueryScope
  /// Nil for everything in the scope.
  let query: NormalizedQuery?
  private let matcher: FilterMatcher?
  private let keys: OrderKeyMaker?

  /// Everything in a scope.
  init(_ scope: QueryScope) {
    self.scope = scope
    query = nil
    matcher = nil
    keys = nil
  }

  init(_ query: NormalizedQuery) {
    scope = query.scope
    self.query = query
    matcher = FilterMatcher(query.filter, requiring: query.requiredFields)
    // The nearest documents are ordered by their distance; every one that could be measured counts.
    keys = query.nearest == nil ? OrderKeyMaker(query, checksCursors: true) : nil
  }

  func includes(_ path: ResourcePath, _ document: StoredDocument) -> Bool {
    ask(path, document) { keys, bytes in
      guard let keys, keys.isNeeded else { return true }
      var writer = KeyWriter()
      return keys.write(bytes, document.fields, to: &writer)
    } ?? false
  }

  func includes(_ path: ResourcePath, _ image: DocumentImage?) -> Bool {
    image?.withDocument { includes(path, $0) } ?? false
  }

  /// The document's place in the result; nil when it has none.
  func key(_ path: ResourcePath, _ document: StoredDocument) -> [UInt8]? {
    ask(path, document) { keys, bytes in
      guard let keys else { return [] }
      var writer = KeyWriter()
      return keys.write(bytes, document.fields, to: &writer) ? writer.bytes : nil
    } ?? nil
  }

  func key(_ path: ResourcePath, _ image: DocumentImage?) -> [UInt8]? {
    image?.withDocument { key(path, $0) }
  }

  /// Nil when the document does not pass the filter.
  private func ask<R>(
    _ path: ResourcePath, _ document: StoredDocument, _ body: (OrderKeyMaker?, UnsafeRawBufferPointer) -> R
  ) -> R? {
    guard scope.contains(path) else { return nil }
    var text = path.text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard matcher?.matches(path: bytes, fields: document.fields) ?? true else { return nil }
      return body(keys, bytes)
    }
  }
}
