/// What was judged, copied out of the snapshot it was judged on.

public import DocModel
public import Rules

/// One operation as rules saw it, without the documents they asked for.
public struct JudgedRequest: Sendable {
  public let method: RuleMethod
  /// The database's id.
  public let database: String
  public let path: ResourcePath
  public let auth: AuthFacts?
  public let time: Timestamp
  /// The document before, in its stored form; nil when there is none.
  public let resource: [UInt8]?
  /// The document after a create or an update.
  public let newResource: [UInt8]?
  public let writtenPaths: WrittenPaths?
  public let query: QueryShape?
  /// Of a commit: every document it writes as it is afterwards; nil fields for one that is gone.
  public let written: [(path: ResourcePath, fields: [UInt8]?)]

  init(_ request: RuleRequest, _ documents: RuleDocuments) {
    method = request.method
    database = request.database
    path = request.path
    auth = request.auth
    time = request.time
    resource = request.resource.map { Array($0.bytes) }
    newResource = request.newResource.map { Array($0.bytes) }
    writtenPaths = request.writtenPaths
    query = request.query
    written = documents.written
  }
}
