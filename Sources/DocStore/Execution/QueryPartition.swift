/// PartitionQuery: names that cut a collection group into runs of about equal length.
///
/// Source: docs/spec/protocol.md 1.15; docs/spec/production-differences.md Q8 (few documents give no cursors, 1,000 give
/// at most 8); proto google/firestore/v1/firestore.proto, PartitionQueryRequest.

public import DocModel

/// What a client asks of one collection group.
public struct QueryPartition: Sendable {
  public var query: StructuredQuery
  /// How many cursors are wanted at most.
  public var count: Int
  /// 0 for all that there are.
  public var pageSize: Int
  public var pageToken: String

  /// Documents that a part has at least. Source: docs/spec/production-differences.md Q8.
  static let documentsMin = 120

  public init(_ query: StructuredQuery, count: Int, pageSize: Int = 0, pageToken: String = "") {
    self.query = query
    self.count = count
    self.pageSize = pageSize
    self.pageToken = pageToken
  }

  /// A request that has passed validation.
  public struct Validated: Sendable {
    public let database: DatabaseID
    let collectionID: String
    let ancestor: ResourcePath
    let count: Int
    let pageSize: Int
    let fingerprint: UInt64
    let start: PartitionToken?
  }

  /// Every check, except that the caller is an administrator.
  public func validate() throws(InvalidArgument) -> Validated {
    guard count > 0 else { throw PartitionErrors.count }
    guard pageSize >= 0 else { throw PartitionErrors.pageSize }
    let normalized = try QueryValidator.validate(query)
    guard case .group(let collectionID, let ancestor) = normalized.scope else {
      throw PartitionErrors.scope
    }
    guard normalized.orders == [QueryOrder(.documentName, .ascending)] else { throw PartitionErrors.order }
    guard query.filter == nil else { throw PartitionErrors.beside("filters") }
    guard query.limit == nil else { throw PartitionErrors.beside("a limit") }
    guard query.offset == 0 else { throw PartitionErrors.beside("an offset") }
    guard query.start == nil, query.end == nil else { throw PartitionErrors.beside("cursors") }
    guard query.nearest == nil else { throw PartitionErrors.beside("a vector search") }
    let fingerprint = PageToken.fingerprint(of: [
      "partitions", query.database.resourceName, ancestor.text, collectionID, String(count),
    ])
    return Validated(
      database: query.database, collectionID: collectionID, ancestor: ancestor, count: count,
      pageSize: pageSize == 0 ? Int.max : pageSize, fingerprint: fingerprint,
      start: try PartitionToken(pageToken, fingerprint))
  }
}

/// Where the pages before ended: how many cursors they had, and the last one.
struct PartitionToken: Sendable {
  let given: Int
  let last: ResourcePath

  /// Nil for no token.
  init?(_ text: String, _ fingerprint: UInt64) throws(InvalidArgument) {
    if text.isEmpty { return nil }
    guard let token = PageToken(text: text) else { throw QueryErrors.pageToken }
    guard token.fingerprint == fingerprint else { throw QueryErrors.foreignPageToken }
    let parts = token.position.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let given = Int(String(decoding: parts[0], as: UTF8.self)), given > 0,
      let path = try? ResourceNameParser.relativePath(String(decoding: parts[1], as: UTF8.self)),
      path.isDocument
    else { throw QueryErrors.pageToken }
    self.given = given
    last = path
  }

  static func text(after given: Int, _ last: ResourcePath, _ fingerprint: UInt64) -> String {
    PageToken(fingerprint: fingerprint, position: Array(String(given).utf8) + [0] + last.text.utf8).text
  }
}

/// One page of cursors.
public struct PartitionPage: Sendable {
  /// In ascending order of names, each once.
  public let cursors: [ResourcePath]
  /// Empty after the last page.
  public let nextPageToken: String
}

extension QueryPartition.Validated {
  /// The cursors of one page: names of documents that were there at the read time.
  public func run<Source: QuerySource>(on source: Source) throws(StoreError) -> PartitionPage {
    var sample = NameSample()
    try source.scan(.group(collectionID: collectionID, below: ancestor)) { path, _ in
      sample.take(path)
      return .more
    }
    var cursors = sample.cuts(min(count, sample.seen / QueryPartition.documentsMin))
    if let start { cursors = cursors.filter { start.last < $0 } }
    let given = start?.given ?? 0
    let rest = cursors.prefix(max(0, count - given))
    let page = Array(rest.prefix(pageSize))
    guard page.count < rest.count, let last = page.last else {
      return PartitionPage(cursors: page, nextPageToken: "")
    }
    return PartitionPage(
      cursors: page, nextPageToken: PartitionToken.text(after: given + page.count, last, fingerprint))
  }
}

/// Names taken at even distances from a scan of unknown length.
///
/// LIMIT: `capacity` names are held. Whenever they are full every second one is dropped and the distance
/// doubles, so what is left stays even.
struct NameSample {
  static let capacity = 16_384
  private var names: [ResourcePath] = []
  private var distance = 1
  private(set) var seen = 0

  mutating func take(_ path: UnsafeRawBufferPointer) {
    defer { seen += 1 }
    guard seen % distance == 0 else { return }
    if names.count == Self.capacity {
      names = stride(from: 0, to: names.count, by: 2).map { names[$0] }
      distance *= 2
      guard seen % distance == 0 else { return }
    }
    names.append(ResourcePath(unchecked: String(decoding: path, as: UTF8.self)))
  }

  /// At most `count` names that cut all names into parts of about one size; never the first name.
  func cuts(_ count: Int) -> [ResourcePath] {
    guard count > 0 else { return [] }
    let sorted = names.sorted()
    let parts = count + 1
    var cuts: [ResourcePath] = []
    for part in 1..<parts {
      let index = part * sorted.count / parts
      guard index > 0, cuts.last != sorted[index] else { continue }
      cuts.append(sorted[index])
    }
    return cuts
  }
}

/// The texts in which partitions are refused.
/// Source: docs/spec/production-differences.md Q8. Assumed: the texts of the kinds of query that have none.
public enum PartitionErrors {
  public static let queryUnset = InvalidArgument("Query is required.")
  static let count = InvalidArgument("Partition count must be greater than zero.")
  static let pageSize = InvalidArgument("page_size must be greater than or equal to zero.")
  static let scope = InvalidArgument("A partition query must be over one collection group.")
  static let order = InvalidArgument("A partition query must be ordered by __name__ ascending.")

  static func beside(_ part: String) -> InvalidArgument {
    InvalidArgument("A partition query cannot have \(part).")
  }
}
