/// Texts that are compared with a document's name: `__name__ == "ann"`, `where(documentId(), "in", ["ann"])`.
///
/// As in the client SDKs, an id is that of a document of the collection that is asked, and a text with a slash is a path
/// from the root. The documents of a group lie in several collections, so that there only a path names one.

import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// The filter with references where texts were compared with `__name__`.
  /// - Parameter start: where the condition stands, for errors.
  func named(
    _ filter: StructuredQuery.Filter, in query: StructuredQuery, at start: Int
  ) throws(ConditionError) -> StructuredQuery.Filter {
    switch filter {
    case .composite(let kind, let filters):
      var result: [StructuredQuery.Filter] = []
      for filter in filters { result.append(try named(filter, in: query, at: start)) }
      return .composite(kind, result)
    case .field(let path, let comparison, .value(let bytes)):
      guard let comparison, (try? FieldPath.parse(path))?.isDocumentName == true else { return filter }
      let value = bytes.withUnsafeBytes { Value(ValueView($0)) }
      return .field(path, comparison, try name(value, in: query, at: start))
    case .field, .unary, .unset: return filter
    }
  }

  /// The same for the positions of a query in the order of names.
  func named(
    _ cursor: StructuredQuery.Cursor?, in query: StructuredQuery
  ) throws(ConditionError) -> StructuredQuery.Cursor? {
    guard let cursor else { return nil }
    var operands: [StructuredQuery.Operand] = []
    for (operand, order) in zip(cursor.values, query.orders) {
      let test = try named(.field(path: order.path, .equal, operand), in: query, at: values.index)
      if case .field(_, _, let operand) = test { operands.append(operand) }
    }
    return StructuredQuery.Cursor(
      operands + cursor.values.dropFirst(operands.count), isBefore: cursor.isBefore)
  }

  /// A document's name for a text, and for each text of a list; what is neither stays as it is.
  private func name(
    _ value: Value, in query: StructuredQuery, at start: Int
  ) throws(ConditionError) -> Value {
    switch value {
    case .array(let elements):
      var result: [Value] = []
      for element in elements { result.append(try name(element, in: query, at: start)) }
      return .array(result)
    case .string(let text): return try reference(text, in: query, at: start)
    default: return value
    }
  }

  private func reference(
    _ text: String, in query: StructuredQuery, at start: Int
  ) throws(ConditionError) -> Value {
    guard let selector = query.from.first else { return .string(text) }
    if !text.contains("/"), selector.includesDescendants {
      throw values.error(
        "the documents of a group lie in several collections; write the whole path:  "
          + "/COLLECTION/DOCUMENT/\(selector.collectionID)/\(text)", at: start)
    }
    let collection = query.parent.isRoot ? "" : query.parent.text + "/"
    let path = text.contains("/") ? text : "\(collection)\(selector.collectionID)/\(text)"
    do throws(InvalidArgument) {
      let path = try ResourceNameParser.relativePath(path.hasPrefix("/") ? String(path.dropFirst()) : path)
      if path.isDocument {
        return .reference(DocumentName(database: context.database, path: path).resourceName)
      }
    } catch {
      throw values.error("'\(text)' is no id of a document: \(error.message)", at: start)
    }
    throw values.error(
      "'\(text)' is no document: a document's path has an even number of segments", at: start)
  }
}
