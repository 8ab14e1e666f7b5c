/// Which method of the service a REST request means.
///
/// Source: docs/spec/protocol.md 1.2 and 6.1. A verb is what stands behind the last colon, if it is one of the
/// service's verbs; other colons belong to ids.

internal import DocModel

/// The methods that have a REST form.
enum RESTMethod: String, CaseIterable, Sendable {
  case getDocument = "GetDocument"
  case listDocuments = "ListDocuments"
  case createDocument = "CreateDocument"
  case updateDocument = "UpdateDocument"
  case deleteDocument = "DeleteDocument"
  case batchGetDocuments = "BatchGetDocuments"
  case beginTransaction = "BeginTransaction"
  case commit = "Commit"
  case rollback = "Rollback"
  case runQuery = "RunQuery"
  case runAggregationQuery = "RunAggregationQuery"
  case listCollectionIDs = "ListCollectionIds"
  case batchWrite = "BatchWrite"
  case partitionQuery = "PartitionQuery"
  case executePipeline = "ExecutePipeline"

  /// Whether answers come one after the other, as an array.
  var isStream: Bool {
    self == .batchGetDocuments || self == .runQuery || self == .runAggregationQuery
      || self == .executePipeline
  }

  /// Methods of `POST …:verb`.
  init?(verb: [UInt8]) {
    guard let known = Self.verbs.first(where: { verb.holds($0.verb) }) else { return nil }
    self = known.method
  }

  private static let verbs: [(verb: StaticString, method: RESTMethod)] = [
    ("batchGet", .batchGetDocuments), ("beginTransaction", .beginTransaction), ("commit", .commit),
    ("rollback", .rollback), ("runQuery", .runQuery), ("runAggregationQuery", .runAggregationQuery),
    ("listCollectionIds", .listCollectionIDs),
    ("batchWrite", .batchWrite), ("partitionQuery", .partitionQuery),
    ("executePipeline", .executePipeline),
  ]

  /// Only at the root of a database; the others also at a document.
  var isOfDatabase: Bool {
    switch self {
    case .batchGetDocuments, .beginTransaction, .commit, .rollback, .batchWrite, .executePipeline: true
    case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument, .runQuery,
      .runAggregationQuery, .listCollectionIDs, .partitionQuery:
      false
    }
  }
}

/// A method and what the path says.
struct RESTRoute: Equatable {
  let method: RESTMethod
  /// A document's name, a parent's or a database's, as the method wants it; not checked.
  let resource: String
  /// Of lists and creations.
  let collectionID: String

  /// Nil: there is no such thing, which is 404. Segments begin behind the version; a decoded slash in
  /// one separates segments too. Source: the official emulator.
  init?(httpMethod: String, segments decoded: ArraySlice<[UInt8]>) {
    let slash = UInt8(ascii: "/")
    let segments = decoded.flatMap { $0.split(separator: slash, omittingEmptySubsequences: false) }
      .map { Array($0) }[...]
    guard segments.count >= 5, let last = segments.last else { return nil }
    // A verb of databases behind a document is no verb but a part of the id.
    if httpMethod == "POST", let (rest, verb) = Self.splitVerb(last),
      !verb.isOfDatabase || segments.count == 5
    {
      self.init(verb: verb, of: segments.dropLast() + [rest])
      return
    }
    let below = segments.count - 5
    guard segments[4].holds("documents"), below > 0 else { return nil }
    switch httpMethod {
    case "GET" where below % 2 == 0: self.init(.getDocument, segments)
    case "GET": self.init(.listDocuments, segments.dropLast(), collection: last)
    case "POST": self.init(.createDocument, segments.dropLast(), collection: last)
    case "PATCH": self.init(.updateDocument, segments)
    case "DELETE": self.init(.deleteDocument, segments)
    default: return nil
    }
  }

  private init(_ method: RESTMethod, _ segments: some Sequence<[UInt8]>, collection: [UInt8] = []) {
    self.method = method
    resource = String(decoding: Array(segments.joined(separator: "/".utf8)), as: UTF8.self)
    collectionID = String(decoding: collection, as: UTF8.self)
  }

  private init?(verb: RESTMethod, of segments: ArraySlice<[UInt8]>) {
    guard segments[4].holds("documents") else { return nil }
    if verb.isOfDatabase {
      guard segments.count == 5 else { return nil }
      self.init(verb, segments.dropLast())
    } else {
      self.init(verb, segments)
    }
  }

  /// What stands before and behind the last colon, if that is a verb.
  private static func splitVerb(_ segment: [UInt8]) -> (rest: [UInt8], verb: RESTMethod)? {
    guard let colon = segment.lastIndex(of: UInt8(ascii: ":")),
      let verb = RESTMethod(verb: Array(segment[(colon + 1)...]))
    else { return nil }
    return (Array(segment[..<colon]), verb)
  }
}
