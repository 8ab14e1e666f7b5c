/// What injected faults ask of a message: which call it is, and about what.

internal import DocModel
internal import Faults

extension InjectedFault.Call {
  /// - Parameter method: `GetDocument`. Nil for methods that no fault affects, and for streams in both directions, which
  ///   ask for themselves.
  init?(method: String) {
    switch method {
    case "GetDocument", "BatchGetDocuments": self = .get
    case "ListDocuments", "RunQuery", "PartitionQuery": self = .query
    case "RunAggregationQuery": self = .count
    case "CreateDocument", "UpdateDocument", "DeleteDocument", "Commit", "BatchWrite": self = .commit
    case "BeginTransaction": self = .begin
    case "Rollback": self = .rollback
    case "ListCollectionIds": self = .collections
    default: return nil
    }
  }
}

/// What a request message tells before the service reads it. Nothing of it is checked: whatever is wrong with the
/// message is the service's to say.
struct FaultedMessage {
  /// Nil when the message names none; faults pass it by.
  private(set) var database: DatabaseID?
  private(set) var paths: [[String]] = []
  /// The token of the transaction that it belongs to.
  private(set) var transaction: [UInt8]?

  typealias Bytes = UnsafeRawBufferPointer

  /// - Parameter method: `GetDocument`
  init(_ method: String, _ message: Bytes) {
    transaction = Self.transaction(of: method, message)
    switch method {
    case "GetDocument":
      add(name: PlainFields.last(1, of: message))
    case "BatchGetDocuments":
      noteDatabase(PlainFields.last(1, of: message))
      for name in PlainFields.all(2, of: message) { add(name: name) }
    case "ListDocuments":
      add(parent: PlainFields.last(1, of: message), [PlainFields.last(2, of: message)])
    case "RunQuery", "PartitionQuery":
      add(parent: PlainFields.last(1, of: message), query: PlainFields.last(2, of: message))
    case "RunAggregationQuery":
      add(parent: PlainFields.last(1, of: message), query: PlainFields.last(2, 1, of: message))
    case "CreateDocument":
      add(
        parent: PlainFields.last(1, of: message),
        [PlainFields.last(2, of: message), PlainFields.last(3, of: message)])
    case "UpdateDocument": add(name: PlainFields.last(1, 1, of: message))
    case "DeleteDocument", "ListCollectionIds": add(name: PlainFields.last(1, of: message))
    case "Commit", "BatchWrite":
      noteDatabase(PlainFields.last(1, of: message))
      for write in PlainFields.all(2, of: message) { add(write: write) }
    default: noteDatabase(PlainFields.last(1, of: message))
    }
  }

  /// The writes of one request of a Write stream.
  static func paths(ofWriteStream message: Bytes) -> [[String]] {
    var read = FaultedMessage("", message)
    read.paths = []
    for write in PlainFields.all(3, of: message) { read.add(write: write) }
    return read.paths
  }

  /// What a target listens to.
  static func paths(of target: WireTarget) -> [[String]] {
    switch target.selection {
    case .none: return []
    case .documents(let names): return names.map { relative($0) }
    case .query(let parent, let query): return [relative(parent) + below(query)]
    }
  }

  /// The document that a message of a Listen stream is about; nil for none.
  static func path(ofListenAnswer message: Bytes) -> [String]? {
    let change = PlainFields.last(3, 1, of: message)
    let document = change ?? PlainFields.last(4, of: message) ?? PlainFields.last(6, of: message)
    return document.flatMap { PlainFields.last(1, of: $0) }.map { relative(PlainFields.text($0)) }
  }

  // MARK: pieces

  private mutating func add(name: Bytes?) { add(parent: name, []) }

  private mutating func add(parent: Bytes?, _ ids: [Bytes?]) {
    guard let parent else { return }
    noteDatabase(parent)
    paths.append(
      Self.relative(PlainFields.text(parent))
        + ids.compactMap { $0.map(PlainFields.text) }.filter { !$0.isEmpty })
  }

  private mutating func add(parent: Bytes?, query: Bytes?) {
    guard let parent else { return }
    noteDatabase(parent)
    paths.append(Self.relative(PlainFields.text(parent)) + Self.below(query))
  }

  /// A write updates, deletes, verifies or transforms a document.
  private mutating func add(write: Bytes) {
    let name =
      PlainFields.last(1, 1, of: write) ?? PlainFields.last(2, of: write) ?? PlainFields.last(5, of: write)
      ?? PlainFields.last(6, 1, of: write)
    if let name { paths.append(Self.relative(PlainFields.text(name))) }
  }

  /// The collection of a structured query, or its group.
  private static func below(_ query: Bytes?) -> [String] {
    guard let selector = query.flatMap({ PlainFields.last(2, of: $0) }) else { return [] }
    let isGroup = PlainFields.number(3, of: selector) ?? 0 != 0
    let id = PlainFields.last(2, of: selector).map(PlainFields.text) ?? ""
    return (isGroup ? ["**"] : []) + (id.isEmpty ? [] : [id])
  }

  private mutating func noteDatabase(_ name: Bytes?) {
    guard database == nil, let name else { return }
    let parts = PlainFields.text(name).split(separator: "/")
    guard parts.count >= 4, parts[0] == "projects", parts[2] == "databases" else { return }
    database = DatabaseID(project: String(parts[1]), database: String(parts[3]))
  }

  /// A resource name without its database.
  private static func relative(_ name: String) -> [String] {
    name.split(separator: "/").dropFirst(5).map(String.init)
  }

  // MARK: transactions

  /// Which field of a method's request has a transaction's token; nil for methods that have none.
  private static func transactionField(of method: String) -> UInt32? {
    switch method {
    case "Rollback": 2
    case "GetDocument", "Commit": 3
    case "BatchGetDocuments", "RunAggregationQuery": 4
    case "RunQuery", "ExecutePipeline": 5
    case "ListDocuments": 8
    default: nil
    }
  }

  static func mayHaveTransaction(_ method: String) -> Bool { transactionField(of: method) != nil }

  /// - Parameter method: `GetDocument`
  static func transaction(of method: String, _ message: Bytes) -> [UInt8]? {
    guard let field = transactionField(of: method) else { return nil }
    return PlainFields.last(field, of: message).flatMap { $0.isEmpty ? nil : Array($0) }
  }
}
