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
  /// The fields of what was read.
  case data(ReadStatement)
  case writes([WriteStatement.Action])
}

extension StatementParser {
  /// Nil, and nothing taken, when this is no call, or one that writes.
  mutating func calledRead() throws(ConditionError) -> ReadStatement? {
    let start = values.index
    guard isBeforeCall() else { return nil }
    switch try call() {
    case .read(let read), .data(let read): return read
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
    eatAssignment()
    while values.eat("(") { eatAssignment() }
    values.skipBlanks()
    let name = values.take { $0.isWordByte || $0 == UInt8(ascii: ".") }
    guard values.index < values.text.count, values.text[values.index] == UInt8(ascii: "(") else {
      return false
    }
    return Self.functions.contains(name) || Self.methods.contains { name.hasSuffix("." + $0) }
  }

  /// `const snap = await`, of which nothing is left behind a line of the shell.
  mutating func eatAssignment() {
    let start = values.index
    if ["const", "let", "var"].contains(where: { eatAlone($0) }) {
      values.skipBlanks()
      if values.take(while: \.isWordByte).isEmpty || !values.eat("=") { values.index = start }
    }
    _ = eatAlone("await")
  }

  static let functions: Set<String> = [
    "collection", "collectionGroup", "doc", "query", "getDoc", "getDocs", "getDocFromServer",
    "getDocsFromServer",
    "getCountFromServer", "getAggregateFromServer", "setDoc", "updateDoc", "addDoc", "deleteDoc", "firestore",
    "getFirestore",
  ]
  private static let methods: Set<String> = ["collection", "collectionGroup", "doc", "firestore"]

  // MARK: calls

  private mutating func call() throws(ConditionError) -> Called {
    eatAssignment()
    values.skipBlanks()
    let start = values.index
    let name = values.take(while: \.isWordByte)
    var called = Called.root
    if name.isEmpty {
      guard values.eat("(") else { throw values.error("expected a call") }
      called = try call()
      try close()
    } else if values.eat("(") {
      called = try function(name, start)
      try close()
    }
    while values.eat(".") {
      let place = values.index
      let method = values.take(while: \.isWordByte)
      guard values.eat("(") else {
        called = try property(method, of: called)
        continue
      }
      if Self.listeners.contains(method) {
        skipArguments()
        continue
      }
      called = try self.method(method, of: called, place)
      try close()
    }
    return called
  }

  /// What an app does with the answer.
  private static let listeners: Set<String> = ["then", "catch", "finally", "map", "forEach"]

  /// Passes over functions of the app, behind the bracket.
  private mutating func skipArguments() {
    var scan = NestingScan(quotesWithBackticks: true)
    while values.index < values.text.count, scan.depth >= 0 {
      scan.take(values.text[values.index])
      values.index += 1
    }
  }

  /// `.docs`, `.size`, and a field behind `.data()`.
  private func property(_ name: String, of called: Called) throws(ConditionError) -> Called {
    switch (name, called) {
    case ("docs", .read): return called
    case ("size", .read(var read)):
      read.stages.append(.count)
      return .read(read)
    case (_, .data(var read)):
      guard case .document = read.target, let field = FieldPath.field(name) else { return .read(read) }
      read.selection = [field]
      return .read(read)
    default: throw values.error("expected '(' after '\(name)'")
    }
  }

  mutating func close() throws(ConditionError) {
    _ = values.eat(",")
    guard values.eat(")") else { throw values.error("expected ')'") }
  }

  mutating func comma() throws(ConditionError) {
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
    case "getAggregateFromServer":
      var read = try asRead(try call(), start)
      let query = values.index
      try comma()
      read.stages.append(try total(of: query, start))
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
    case ("data", .place), ("data", .read): return .data(try asRead(called, place))
    case ("get", _): return .read(try asRead(called, place))
    case ("count", _):
      var read = try asRead(called, place)
      read.stages.append(.count)
      return .read(read)
    case ("add", .place(let path)) where path.isCollection:
      let document = path.appending(Environment.system.documentID())
      return .writes([.add(try created(document))])
    case ("create", .place(let path)) where path.isDocument:
      return .writes([.write(try created(path))])
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

  mutating func text() throws(ConditionError) -> String {
    try value("a text in quotes") { if case .string(let text) = $0 { text } else { nil } }
  }

  /// A collection or document below another: `doc(db, "users", "x")`, `collection("users/x/posts")`.
  private mutating func below(_ called: Called, _ name: String) throws(ConditionError) -> ResourcePath {
    let start = values.index
    var path: ResourcePath
    switch called {
    case .root: path = .root
    case .place(let place): path = place
    case .read, .data, .writes: throw values.error("a query has no '\(name)'", at: start)
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
    case .read(let read), .data(let read): return read
    case .root:
      throw values.error(
        "expected a collection or a document; the shell keeps no names, so write the call itself:  "
          + "collection(db, \"users\")  or  doc(db, \"users/x\")", at: place)
    case .writes: throw values.error("expected a collection or a document", at: place)
    }
  }
}
