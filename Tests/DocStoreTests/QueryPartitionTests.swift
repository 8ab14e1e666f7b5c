import DocModel
import Testing

@testable import DocStore

@Suite("partitions of a collection group")
struct QueryPartitionTests {
  static func query(
    _ from: [StructuredQuery.CollectionSelector] = [.init("c", includesDescendants: true)],
    orderBy orders: [StructuredQuery.Order] = []
  ) -> StructuredQuery {
    StructuredQuery(database: QueryTestSource.database, from: from, orderBy: orders)
  }

  /// Documents in collections of very different sizes, at several depths.
  static let source: QueryTestSource = {
    var source = QueryTestSource()
    for index in 0..<600 {
      switch index % 6 {
      case 0: source.set("c/d\(index)", ["n": .integer(1)])
      case 1: source.set("p/q\(index)/c/d", ["n": .integer(1)])
      default: source.set("p/one/s/t/c/d\(index)", ["n": .integer(1)])
      }
      source.set("other/d\(index)", [:])
    }
    return source
  }()

  private func cursors(count: Int, pageSize: Int = 0) throws -> (paths: [ResourcePath], pages: Int) {
    var paths: [ResourcePath] = []
    var token = ""
    var pages = 0
    repeat {
      let page = try QueryPartition(Self.query(), count: count, pageSize: pageSize, pageToken: token)
        .validate().run(on: Self.source)
      paths += page.cursors
      token = page.nextPageToken
      pages += 1
    } while !token.isEmpty
    return (paths, pages)
  }

  @Test("cursors ascend and cut the group into parts of one size", arguments: [1, 2, 3, 4])
  func even(count: Int) throws {
    let cursors = try cursors(count: count).paths
    #expect(cursors.count == count && cursors == cursors.sorted())
    let all = try Self.source.paths(Self.query()).map { ResourcePath(unchecked: $0) }.sorted()
    var places = cursors.map { all.firstIndex(of: $0)! }
    places = [0] + places + [all.count]
    for (start, end) in zip(places, places.dropFirst()) {
      #expect(abs(end - start - all.count / (count + 1)) <= 1)
    }
  }

  @Test("few documents are not cut, many only into parts of some size")
  func few() throws {
    #expect(try cursors(count: 1_000).paths.count == 600 / 120)
    var small = QueryTestSource()
    for index in 0..<100 { small.set("c/d\(index)", [:]) }
    let page = try QueryPartition(Self.query(), count: 5).validate().run(on: small)
    #expect(page.cursors.isEmpty && page.nextPageToken.isEmpty)
  }

  @Test("pages are together the whole, and no more than was wanted", arguments: [1, 2, 3, 5])
  func pages(pageSize: Int) throws {
    let whole = try cursors(count: 5).paths
    let paged = try cursors(count: 5, pageSize: pageSize)
    #expect(paged.paths == whole)
    #expect(paged.pages == (whole.count + pageSize - 1) / pageSize)
  }

  @Test("a sample of many names stays even and small")
  func sample() {
    var sample = NameSample()
    let total = NameSample.capacity * 5
    for index in 0..<total {
      let digits = String(index)
      var path = "c/" + String(repeating: "0", count: 7 - digits.count) + digits
      path.withUTF8 { sample.take(UnsafeRawBufferPointer($0)) }
    }
    #expect(sample.seen == total)
    let cuts = sample.cuts(9).compactMap { Int($0.text.dropFirst(2)) }
    #expect(cuts.count == 9)
    for (part, cut) in cuts.enumerated() { #expect(abs(cut - (part + 1) * total / 10) <= 16) }
  }

  @Test(
    "only whole groups by ascending name are cut",
    arguments: [
      (query([.init("c")]), "A partition query must be over one collection group."),
      (query([.init("", includesDescendants: true)]), "A partition query must be over one collection group."),
      (
        query(orderBy: [.init("__name__", .descending)]),
        "A partition query must be ordered by __name__ ascending."
      ),
      (query(orderBy: [.init("n")]), "A partition query must be ordered by __name__ ascending."),
    ])
  func refusals(query: StructuredQuery, text: String) {
    #expect(throws: InvalidArgument(text)) { try QueryPartition(query, count: 1).validate() }
  }

  @Test("counts are positive, tokens belong to their request")
  func numbers() throws {
    for count in [0, -1] {
      #expect(throws: PartitionErrors.count) { try QueryPartition(Self.query(), count: count).validate() }
    }
    #expect(throws: PartitionErrors.pageSize) {
      try QueryPartition(Self.query(), count: 1, pageSize: -1).validate()
    }
    let token = try QueryPartition(Self.query(), count: 4, pageSize: 1).validate().run(on: Self.source)
      .nextPageToken
    #expect(!token.isEmpty)
    #expect(throws: QueryErrors.foreignPageToken) {
      try QueryPartition(Self.query(), count: 5, pageToken: token).validate()
    }
    #expect(throws: QueryErrors.pageToken) {
      try QueryPartition(Self.query(), count: 4, pageToken: "nonsense").validate()
    }
  }

  @Test(
    "a token is read back with padding too, and with nothing else behind it",
    arguments: [("", true), ("=", true), ("A", false), ("!", false), ("=A", false)])
  func tokenText(_ end: String, _ isRead: Bool) {
    // Fifteen bytes, whose base64 ends with a whole group: one more digit holds no byte.
    let token = PageToken(fingerprint: 7, position: [1, 2])
    #expect(PageToken(text: token.text + end) == (isRead ? token : nil))
  }
}
