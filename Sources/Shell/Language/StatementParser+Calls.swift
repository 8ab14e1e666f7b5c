/// Reads and writes as the client SDKs call them, so that a line of an app can be pasted.
///
/// call = receiver { "." method "(" arguments ")" } | function "(" arguments ")"
///
/// `db.collection("users").where("a", "==", 1).get()` and `getDocs(query(collection(db, "users"), where("a", "==", 1)))`
/// are the same read. Paths begin at the root, as in the SDKs, and values are those of the shell.

import Client
import Conditions
import DocModel
import DocStore

/// What a call has come to, from left to right.
private enum Called {
  /// The database.
  case root
  case place(ResourcePath)
  case read(ReadStatement)
  case writes([WriteStatement.Action])
}

extension StatementParser {
  /// Nil, and nothing taken, when this is no call, or one that writes.
  mutating func calledRead() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    guard isBeforeCall() else { return nil }
    switch try call() {
    case .read(let read): return read
    case .place(let path): return read(of: path)
    case .root: throw values.error("expected a call: .collection(\"users\"), .doc(\"users/x\")")
    case .writes:
      values.index = start
      return nil
    }
  }

  /// Nil, and nothing taken, when this is no call, or one that reads.
  mutating func calledWrite() throws(ConditionError) -> [WriteStatement.Action]? {
    let start = values.index
    guard isBeforeCall() else { return nil }
    if case .writes(let actions) = try call() { return actions }
    values.index = start
    return nil
  }

  /// A name before a bracket: no path and no keyword stands so.
  private mutating func isBeforeCall() -> Bool {
    let start = values.index
    defer { values.index = start }
    _ = eatAlone("await")
    values.skipBlanks()
    let name = values.take { $0.isWordByte || $0 == UInt8(ascii: ".") }
    guard values.index < values.text.count, values.text[values.index] == UInt8(ascii: "(") else {
      return false
    }
    return Self.functions.contains(name) || Self.methods.contains { name.hasSuffix("." + $0) }
  }

  static let functions: Set<String> = [
    "collection", "collectionGroup", "doc", "query", "getDoc", "getDocs", "getDocFromServer",
    "getDocsFromServer",
    "getCountFromServer", "setDoc", "updateDoc", "addDoc", "deleteDoc", "firestore", "getFirestore",
  ]
  private static let methods: Set<String> = ["collection", "collectionGroup", "doc", "firestore"]

  // MARK: calls

  private mutating func call() throws(ConditionError) -> Called {
    _ = eatAlone("await")
    values.skipBlanks()
    let start = values.index
    let name = values.take(while: \.isWordByte)
    guard !name.isEmpty else { throw values.error("expected a call") }
    var called = Called.root
    if values.eat("(") {
      called = try function(name, start)
      try close()
    }
    while values.eat(".") {
      let place = values.index
      let method = values.take(while: \.isWordByte)
      guard values.eat("(") else { throw values.error("expected '(' after '\(method)'") }
      called = try self.method(method, of: called, place)
      try close()
    }
    return called
  }

  private mutating func close() throws(ConditionError) {
    _ = values.eat(",")
    guard values.eat(")") else { throw values.error("expected ')'") }
  }

  private mutating func comma() throws(ConditionError) {
    guard values.eat(",") else { throw values.error("expected ','") }
  }

  private mutating func function(_ name: String, _ start: Int) throws(ConditionError) -> Called {
    switch name {
    case "firestore", "getFirestore":
      values.skipBlanks()
      _ = values.take(while: \.isWordByte)
      return .root
    case "collection", "doc", "collectionGroup":
      let parent = try call()
      try comma()
      return try method(name, of: parent, start)
    case "query":
      var read = try asRead(try call(), start)
      while values.eat(",") {
        values.skipBlanks()
        let place = values.index
        let constraint = values.take(while: \.isWordByte)
        guard values.eat("("), try constrain(&read, constraint) else {
          throw values.error("expected where(…), orderBy(…), limit(…) or a cursor", at: place)
        }
        try close()
      }
      return .read(read)
    case "getDoc", "getDocs", "getDocFromServer", "getDocsFromServer":
      return .read(try asRead(try call(), start))
    case "getCountFromServer":
      var read = try asRead(try call(), start)
      read.stages.append(.count)
      return .read(read)
    case "setDoc", "updateDoc", "addDoc":
      let target = try call()
      try comma()
      return try method(String(name.dropLast(3)), of: target, start)
    case "deleteDoc": return try method("delete", of: try call(), start)
    default: throw values.error("'\(name)' is no call that the shell knows", at: start)
    }
  }

  private mutating func method(
    _ name: String, of called: Called, _ place: Int
  ) throws(ConditionError) -> Called {
    switch (name, called) {
    case ("firestore", .root): return .root
    case ("collection", _), ("doc", _): return .place(try below(called, name))
    case ("collectionGroup", .root):
      let name = try text()
      let selector = StructuredQuery.CollectionSelector(name, includesDescendants: true)
      return .read(
        ReadStatement(
          target: .query(StructuredQuery(database: context.database, parent: .root, from: [selector]))))
    case ("get", _): return .read(try asRead(called, place))
    case ("count", _):
      var read = try asRead(called, place)
      read.stages.append(.count)
      return .read(read)
    case ("add", .place(let path)) where path.isCollection:
      let document = path.appending(Environment.system.documentID())
      return .writes([.add(try whole(document, .exists(false)))])
    case ("create", .place(let path)) where path.isDocument:
      return .writes([.write(try whole(path, .exists(false)))])
    case ("set", .place(let path)) where path.isDocument: return .writes([.write(try set(path))])
    case ("update", .place(let path)) where path.isDocument: return .writes([.write(try updated(path))])
    case ("delete", .place(let path)) where path.isDocument: return .writes([.write(Write(path, .delete))])
    default:
      var read = try asRead(called, place)
      guard try constrain(&read, name) else {
        throw values.error("'\(name)' is no call that the shell knows here", at: place)
      }
      return .read(read)
    }
  }

  // MARK: paths

  private mutating func text() throws(ConditionError) -> String {
    try value("a text in quotes") { if case .string(let text) = $0 { text } else { nil } }
  }

  /// A collection or document below another: `doc(db, "users", "x")`, `collection("users/x/posts")`.
  private mutating func below(_ called: Called, _ name: String) throws(ConditionError) -> ResourcePath {
    let start = values.index
    var path: ResourcePath
    switch called {
    case .root: path = .root
    case .place(let place): path = place
    case .read, .writes: throw values.error("a query has no '\(name)'", at: start)
    }
    if name == "doc", path.isCollection, values.eat(")") {
      values.index -= 1
      return path.appending(Environment.system.documentID())
    }
    repeat {
      let text = try text()
      let base = path.isRoot ? text : path.text + "/" + text
      do throws(InvalidArgument) { path = try ResourceNameParser.relativePath(base) } catch {
        throw values.error("'\(base)' is no path: \(error.message)", at: start)
      }
    } while values.eat(",")
    guard path.isDocument == (name == "doc") else {
      throw values.error("'\(path.text)' is no \(name == "doc" ? "document" : "collection")", at: start)
    }
    return path
  }

  private func read(of path: ResourcePath) -> ReadStatement {
    if path.isDocument { return ReadStatement(target: .document(path)) }
    return ReadStatement(target: .query(StructuredQuery(database: context.database, collection: path)))
  }

  private func asRead(_ called: Called, _ place: Int) throws(ConditionError) -> ReadStatement {
    switch called {
    case .place(let path): return read(of: path)
    case .read(let read): return read
    case .root, .writes: throw values.error("expected a collection or a document", at: place)
    }
  }

  // MARK: constraints

  private static let operators: [String: StructuredQuery.FieldOperator] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "array-contains": .arrayContains, "array-contains-any": .arrayContainsAny,
    "in": .in, "not-in": .notIn,
  ]

  /// What a constraint adds to a query; false, and nothing taken, for none.
  private mutating func constrain(_ read: inout ReadStatement, _ name: String) throws(ConditionError) -> Bool
  {
    guard case .query(var query) = read.target else { return false }
    switch name {
    case "where":
      let field = try field()
      try comma()
      let place = values.index
      guard let comparison = Self.operators[try text()] else {
        throw values.error(
          "expected an operator: \(Self.operators.keys.sorted().joined(separator: ", "))", at: place)
      }
      try comma()
      let filter = try named(
        ConditionReader.filter(field, comparison, try values.value()), in: query, at: place)
      query.filter = query.filter.map { StructuredQuery.Filter.all([$0, filter]) } ?? filter
    case "orderBy":
      let field = try field()
      let isDescending = values.eat(",") ? try text() == "desc" : false
      query.orders.append(StructuredQuery.Order(field, isDescending ? .descending : .ascending))
    case "limit": query.limit = try count()
    case "limitToLast":
      read.isFromEnd = true
      query.limit = try count()
    case "offset": query.offset = try count()
    case "startAt", "startAfter": query.start = try position(isBefore: name == "startAt")
    case "endAt", "endBefore": query.end = try position(isBefore: name == "endBefore")
    case "select":
      var fields: [String] = []
      repeat { fields.append(try field()) } while values.eat(",")
      query.projection = fields
    default: return false
    }
    read.target = .query(query)
    return true
  }

  /// A field's path in quotes, or what stands for the document's name.
  private mutating func field() throws(ConditionError) -> String {
    for name in ["documentId", "FieldPath.documentId"] {
      let start = values.index
      if values.eat(name), values.eat("("), values.eat(")") { return "__name__" }
      values.index = start
    }
    let place = values.index
    let text = try text()
    do throws(InvalidArgument) { return try FieldPath.parse(text).text } catch {
      throw values.error("'\(text)' is no field path", at: place)
    }
  }
}
