/// Reads: a target, what the server is asked about it, and what the shell does with the answer.

import Client
import Conditions
import DocModel
import DocStore

extension StatementParser {
  /// A read up to something else.
  mutating func openRead() throws(ConditionError) -> ReadStatement {
    var read = try beginning()
    try clauses(&read)
    if case .query(var query) = read.target {
      query.start = try named(query.start, in: query)
      query.end = try named(query.end, in: query)
      read.target = .query(query)
    }
    if read.isFromEnd { try turnRound(&read) }
    while try eatPipe() || (read.hasGroups && isBeforeGroupClause()) {
      read.stages.append(try stage(hasGroups: read.hasGroups))
    }
    return read
  }

  mutating func read() throws(ConditionError) -> ReadStatement {
    var read = try openRead()
    read.redirection = try redirection()
    guard isAtEnd() else {
      throw values.error(
        "expected a clause (where, order by, limit, start, end, select, near, offset), '|' or the end")
    }
    return read
  }

  private mutating func beginning() throws(ConditionError) -> ReadStatement {
    if let read = try sqlRead() { return read }
    if let read = try calledRead() { return read }
    return try target()
  }

  private mutating func eatPipe() throws(ConditionError) -> Bool {
    values.skipBlanks()
    let rest = values.text[values.index...]
    if rest.starts(with: "||".utf8) { throw values.error("'||' belongs into 'where'") }
    return values.eat("|")
  }

  mutating func target() throws(ConditionError) -> ReadStatement {
    values.skipBlanks()
    let start = values.index
    if eatKeyword("group") { return try group(try pathText(), start) }
    let text = try pathText()
    if text.hasPrefix("**/") { return try group(String(text.dropFirst(3)), start) }
    values.index = start
    let path = try path()
    if path.isDocument { return ReadStatement(target: .document(path)) }
    return ReadStatement(target: .query(StructuredQuery(database: context.database, collection: path)))
  }

  /// Every collection of a name below the place of the session.
  private mutating func group(_ name: String, _ start: Int) throws(ConditionError) -> ReadStatement {
    do throws(InvalidArgument) { try ResourceNameParser.checkCollectionID(name) } catch {
      throw values.error("'\(name)' is no name of collections: \(error.message)", at: start)
    }
    let parent = context.place.isDocument ? context.place : .root
    return ReadStatement(
      target: .query(
        StructuredQuery(
          database: context.database, parent: parent,
          from: [StructuredQuery.CollectionSelector(name, includesDescendants: true)])))
  }

  // MARK: clauses

  mutating func clauses(_ read: inout ReadStatement) throws(ConditionError) {
    while true {
      values.skipBlanks()
      let start = values.index
      guard case .query(var query) = read.target else {
        if values.eatWord("select") {
          read.selection = try fieldPaths()
          continue
        }
        if try clause(into: nil) {
          throw values.error("a document takes no clauses; only collections and groups do", at: start)
        }
        return
      }
      var isFromEnd = read.isFromEnd
      guard try clause(into: &query, isFromEnd: &isFromEnd) else { break }
      read.target = .query(query)
      read.isFromEnd = isFromEnd
    }
  }

  /// Asks for the last ones first.
  private func turnRound(_ read: inout ReadStatement) throws(ConditionError) {
    guard case .query(var query) = read.target else { return }
    guard !query.orders.isEmpty else { throw values.error("'limit last' needs an 'order by'") }
    query.orders = query.orders.map { StructuredQuery.Order($0.path, $0.direction.reversed) }
    let (start, end) = (query.start, query.end)
    query.start = end.map { StructuredQuery.Cursor($0.values, isBefore: !$0.isBefore) }
    query.end = start.map { StructuredQuery.Cursor($0.values, isBefore: !$0.isBefore) }
    read.target = .query(query)
  }

  /// Whether a clause begins here.
  private mutating func clause(into nothing: Never?) throws(ConditionError) -> Bool {
    // As written: what follows a document is a field, for ':assert', which may have such a name in other letters.
    values.speaksSQL = false
    defer { values.speaksSQL = true }
    return Self.clauseWords.contains { values.eatWord($0) }
  }

  private mutating func clause(
    into query: inout StructuredQuery, isFromEnd: inout Bool
  ) throws(ConditionError) -> Bool {
    if values.eatWord("where") {
      let start = values.index
      let filter = try named(try ConditionReader.read(&values), in: query, at: start)
      query.filter = query.filter.map { .all([$0, filter]) } ?? filter
    } else if values.eatWord("order") {
      guard values.eatWord("by") else { throw values.error("expected 'by' after 'order'") }
      try orders(into: &query)
    } else if values.eatWord("orderby") {
      try orders(into: &query)
    } else if values.eatWord("limittolast") {
      isFromEnd = true
      query.limit = try count()
    } else if values.eatWord("limit") {
      if values.eatWord("last") { isFromEnd = true }
      query.limit = try count()
    } else if values.eatWord("offset") {
      query.offset = try count()
    } else if values.eatWord("start") {
      query.start = try cursor(at: "at", beyond: "after", atIsBefore: true)
    } else if values.eatWord("end") {
      query.end = try cursor(at: "at", beyond: "before", atIsBefore: false)
    } else if values.eatWord("startat") {
      query.start = try position(isBefore: true)
    } else if values.eatWord("startafter") {
      query.start = try position(isBefore: false)
    } else if values.eatWord("endat") {
      query.end = try position(isBefore: false)
    } else if values.eatWord("endbefore") {
      query.end = try position(isBefore: true)
    } else if values.eatWord("select") {
      query.projection = try fieldPaths().map(\.text)
    } else if values.eatWord("near") {
      query.nearest = try nearest()
    } else {
      return false
    }
    return true
  }

  private mutating func orders(into query: inout StructuredQuery) throws(ConditionError) {
    query.orders += try orders { (parser) throws(ConditionError) in try parser.values.fieldPath() }
  }

  /// Fields and their directions.
  mutating func orders(
    _ field: (inout StatementParser) throws(ConditionError) -> String
  ) throws(ConditionError) -> [StructuredQuery.Order] {
    var orders: [StructuredQuery.Order] = []
    repeat {
      let path = try field(&self)
      let isDescending = values.eatWord("desc") || values.eatWord("descending")
      if !isDescending { _ = values.eatWord("asc") || values.eatWord("ascending") }
      orders.append(StructuredQuery.Order(path, isDescending ? .descending : .ascending))
    } while values.eat(",")
    return orders
  }

  mutating func count() throws(ConditionError) -> Int {
    try value("a number that is not negative, such as 10") { value in
      guard case .integer(let number) = value, let count = Int32(exactly: number), count >= 0 else {
        return nil
      }
      return Int(count)
    }
  }

  private mutating func cursor(
    at inclusive: String, beyond: String, atIsBefore: Bool
  ) throws(ConditionError) -> StructuredQuery.Cursor {
    let isInclusive = values.eatWord(inclusive)
    guard isInclusive || values.eatWord(beyond) else {
      throw values.error("expected '\(inclusive)' or '\(beyond)'")
    }
    return try position(isBefore: isInclusive == atIsBefore)
  }

  mutating func position(isBefore: Bool) throws(ConditionError) -> StructuredQuery.Cursor {
    var position: [Value] = []
    repeat { position.append(try values.value()) } while values.eat(",")
    return StructuredQuery.Cursor(position, isBefore: isBefore)
  }

  mutating func fieldPaths() throws(ConditionError) -> [FieldPath] {
    var paths: [FieldPath] = []
    repeat { paths.append(try fieldPath()) } while values.eat(",")
    return paths
  }

  mutating func fieldPath() throws(ConditionError) -> FieldPath {
    let text = try values.fieldPath()
    do throws(InvalidArgument) { return try FieldPath.parse(text) } catch {
      throw values.error(error.message)
    }
  }

  private mutating func nearest() throws(ConditionError) -> StructuredQuery.Nearest {
    let field = try values.fieldPath()
    let vector: [Double] = try value("a vector: vector[0.1, 0.2]") { value in
      if case .vector(let elements) = value { elements } else { nil }
    }
    var measure = DistanceMeasure.euclidean
    if values.eatWord("by") {
      if values.eatWord("cosine") {
        measure = .cosine
      } else if values.eatWord("dot") {
        measure = .dotProduct
      } else if !values.eatWord("euclidean") {
        throw values.error("expected euclidean, cosine or dot")
      }
    }
    let limit = values.eatWord("limit") ? try count() : 10
    return StructuredQuery.Nearest(field: field, vector: .success(vector), measure: measure, limit: limit)
  }

  private mutating func redirection() throws(ConditionError) -> Redirection? {
    let appends = values.eat(">>")
    guard appends || values.eat(">") else { return nil }
    values.skipBlanks()
    guard values.index < values.text.count else { throw values.error("expected a file") }
    if values.text[values.index] == UInt8(ascii: "\"") {
      return Redirection(path: try values.quoted(), appends: appends)
    }
    return Redirection(path: rest(), appends: appends)
  }
}
