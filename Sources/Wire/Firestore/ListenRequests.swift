/// `ListenRequest`, read by hand so that a query stays the bytes it is until `QueryReader` reads it.
///
/// Source: docs/spec/streams.md 1.1 (field numbers), 1.2.

internal import Access
internal import DocModel
internal import DocStore

/// One request of a Listen stream.
struct WireListenRequest {
  enum Change {
    case add(WireTarget)
    case remove(Int32)
    /// Neither: nothing is asked.
    case none
  }

  var database = ""
  var change = Change.none

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): database = try fields.text()
      case MessageFields.tag(2): change = .add(try WireTarget(try fields.message()))
      case 3 << 3: change = .remove(try fields.int32())
      default: try fields.skip(tag)
      }
    }
  }

  /// In the store's form; nil when nothing is asked.
  func change(in database: DatabaseID, _ like: ListenTargets) -> ListenRequest? {
    switch change {
    case .none: nil
    case .remove(let id): .remove(id)
    case .add(let target): .add(target.request(in: database, like))
    }
  }

  /// The database that the request is about: the stream's if it has one, named by itself, or by the first thing it names.
  func databaseID(of stream: DatabaseID?) throws(GRPCStatus) -> DatabaseID? {
    if let stream { return stream }
    do throws(InvalidArgument) {
      if !database.isEmpty { return try ResourceNameParser.database(database) }
      guard case .add(let target) = change else { return nil }
      switch target.selection {
      case .none: return nil
      case .documents(let names):
        return try names.first.map { name throws(InvalidArgument) in
          try ResourceNameParser.document(name).database
        }
      case .query(let parent, _): return try ResourceNameParser.parent(parent).database
      }
    } catch {
      throw GRPCStatus(error)
    }
  }
}

/// `Target`
struct WireTarget {
  enum Selection {
    case none
    case documents([String])
    /// The query's own bytes; they live as long as the request's.
    case query(parent: String, UnsafeRawBufferPointer?)
  }

  var selection = Selection.none
  var id: Int32 = 0
  var resumption = TargetResumption.none
  var expectedCount: Int?
  var isOnce = false

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(2): selection = try Self.query(try fields.message())
      case MessageFields.tag(3): selection = try Self.documents(try fields.message())
      case MessageFields.tag(4):
        let token = try fields.bytes()
        resumption = token.isEmpty ? .none : .token(token)
      case 5 << 3: id = try fields.int32()
      case 6 << 3: isOnce = try fields.varint() != 0
      case MessageFields.tag(11):
        resumption = .readTime(try MessageFields.timestamp(try fields.message()).microseconds)
      case MessageFields.tag(12): expectedCount = try MessageFields.int32Value(try fields.message())
      default: try fields.skip(tag)
      }
    }
  }

  private static func query(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Selection {
    var fields = MessageFields(message)
    var parent = ""
    var query: UnsafeRawBufferPointer?
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): parent = try fields.text()
      case MessageFields.tag(2): query = try fields.message()
      default: try fields.skip(tag)
      }
    }
    return .query(parent: parent, query)
  }

  private static func documents(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Selection {
    var names: [String] = []
    try MessageFields.each(MessageFields.tag(2), of: message) { fields throws(GRPCStatus) in
      names.append(try fields.text())
    }
    return .documents(names)
  }

  // MARK: into the store's form

  /// A fault of the target costs the target alone. Source: docs/spec/streams.md 1.2.
  func request(in database: DatabaseID, _ like: ListenTargets) -> TargetRequest {
    let selected: Result<TargetSelection, InvalidArgument>
    do throws(InvalidArgument) { selected = .success(try checked(in: database)) } catch {
      selected = .failure(error)
    }
    return TargetRequest(
      id: id, selection: selected, resumption: resumption(like), expectedCount: expectedCount,
      isOnce: isOnce && like == .production)
  }

  private func resumption(_ like: ListenTargets) -> TargetResumption {
    guard like == .production, case .token(let bytes) = resumption, ResumeToken(bytes) == nil else {
      return resumption
    }
    return .refused(InvalidArgument("bad resume token"))
  }

  private func checked(in database: DatabaseID) throws(InvalidArgument) -> TargetSelection {
    switch selection {
    case .none: throw InvalidArgument("The target has neither documents nor a query that this server knows.")
    case .documents(let names):
      var paths: [ResourcePath] = []
      var known: Set<ResourcePath> = []
      for text in names {
        let name = try ResourceNameParser.document(text)
        guard name.database == database else { throw Self.otherDatabase(text, database) }
        if known.insert(name.path).inserted { paths.append(name.path) }
      }
      return .documents(paths)
    case .query(let text, let message):
      let parent = try ResourceNameParser.parent(text)
      guard parent.database == database else { throw Self.otherDatabase(text, database) }
      guard let message else { throw InvalidArgument("only structured queries are supported") }
      let query: StructuredQuery
      do throws(GRPCStatus) {
        query = try QueryReader.read(message, database: database, parent: parent.path)
      } catch { throw InvalidArgument(error.message) }
      let valid = try QueryValidator.validateForm(query)
      // Assumed: the service's own text is unknown.
      if valid.nearest != nil { throw InvalidArgument("Vector searches cannot be listened to.") }
      return .query(valid)
    }
  }

  private static func otherDatabase(_ name: String, _ database: DatabaseID) -> InvalidArgument {
    InvalidArgument("\"\(name)\" is not in database \"\(database.resourceName)\".")
  }
}
