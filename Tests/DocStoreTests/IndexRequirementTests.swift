/// Which index a query needs, and the words in which it is asked for.

import DocModel
import DocStore
import Testing

@testable import Indexes

@Suite struct IndexRequirementTests {
  private func shown(_ missing: MissingIndex?) -> String? {
    guard let missing else { return nil }
    switch missing.form {
    case .composite: return "\(missing.definition)"
    case .vector: return "vector \(missing.definition)"
    case .singleField(let path, let index):
      let mode = index.mode == .ascending ? "ASC" : index.mode == .descending ? "DESC" : "CONTAINS"
      return "\(index.scope.name)_\(mode) \(missing.definition.collectionID) \(path.text)"
    }
  }

  @Test(
    "Queries need what the service said they need",
    arguments: [
      IndexVerdicts.automatic, IndexVerdicts.composites, IndexVerdicts.scopes, IndexVerdicts.sums,
      IndexVerdicts.vectors, IndexVerdicts.concluded,
    ].joined().map { $0 })
  func verdicts(_ verdict: IndexVerdict) throws {
    let missing = IndexRequirement.missing(
      for: try verdict.normalized(), among: IndexVerdicts.indexes)
    #expect(shown(missing) == verdict.missing)
  }

  @Test(
    "What a refusal asks for serves the query",
    arguments: [
      IndexVerdicts.composites, IndexVerdicts.scopes, IndexVerdicts.sums, IndexVerdicts.vectors,
      IndexVerdicts.concluded,
    ].joined().filter { $0.missing != nil })
  func cured(_ verdict: IndexVerdict) throws {
    let query = try verdict.normalized()
    var indexes = IndexVerdicts.indexes
    // Of several disjuncts, each may ask for one.
    for _ in 0..<4 {
      let missing = IndexRequirement.missing(for: query, among: indexes)
      guard let missing else { return }
      indexes = indexes.adding(missing)
    }
    #expect(IndexRequirement.missing(for: query, among: indexes) == nil)
  }

  struct Link: Sendable {
    let collection: String
    let group: Bool
    let filter: StructuredQuery.Filter?
    let orders: [StructuredQuery.Order]
    let end: String

    init(
      _ collection: String, group: Bool = false, _ filter: StructuredQuery.Filter? = nil,
      _ orders: [StructuredQuery.Order] = [], _ end: String
    ) {
      self.collection = collection
      self.group = group
      self.filter = filter
      self.orders = orders
      self.end = end
    }
  }

  /// The service's answers, with another project's name.
  static let links: [Link] = [
    Link(
      "qx", IndexVerdicts.equal("a"), [IndexVerdicts.down("b")],
      "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_composite=Ck5wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xeC9pbmRleGVzL18QARoFCgFhEAEaBQoBYhACGgwKCF9fbmFtZV9fEAI"
    ),
    Link(
      "qx", .all([IndexVerdicts.above("a"), IndexVerdicts.above("b")]), [IndexVerdicts.up("b")],
      "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_composite=Ck5wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xeC9pbmRleGVzL18QARoFCgFiEAEaBQoBYRABGgwKCF9fbmFtZV9fEAE .\nThe query contains range and inequality filters on multiple fields, please refer to the documentation for index selection best practices: https://cloud.google.com/firestore/docs/query-data/multiple-range-fields."
    ),
    Link(
      "qv", nil, [IndexVerdicts.up("`a.b`"), IndexVerdicts.up("n")],
      "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_composite=Ck5wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xdi9pbmRleGVzL18QARoJCgVgYS5iYBABGgUKAW4QARoMCghfX25hbWVfXxAB"
    ),
    Link(
      "qx", group: true, IndexVerdicts.equal("a"), [IndexVerdicts.up("b")],
      "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_composite=Ck5wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xeC9pbmRleGVzL18QAhoFCgFhEAEaBQoBYhABGgwKCF9fbmFtZV9fEAE"
    ),
    Link(
      "qg", group: true, nil, [IndexVerdicts.down("n")],
      "The query requires a COLLECTION_GROUP_DESC index for collection qg and field n. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_exemption=Ck1wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xZy9maWVsZHMvbhACGgUKAW4QAg"
    ),
    Link(
      "qg", group: true, IndexVerdicts.contains("tags"), [],
      "The query requires a COLLECTION_GROUP_CONTAINS index for collection qg and field tags. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_exemption=ClBwcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xZy9maWVsZHMvdGFncxACGggKBHRhZ3MYAQ"
    ),
    Link(
      "qx", IndexVerdicts.equal("nx"), [],
      "The query requires a COLLECTION_ASC index for collection qx and field nx. You can create it here: https://console.firebase.google.com/v1/r/project/demo-fs-query-index/firestore/indexes?create_exemption=Ck5wcm9qZWN0cy9kZW1vLWZzLXF1ZXJ5LWluZGV4L2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9xeC9maWVsZHMvbngQARoGCgJueBAB"
    ),
  ]

  @Test("Refusals have the service's words and links", arguments: links)
  func words(_ link: Link) throws {
    let query = try QueryValidator.validate(
      StructuredQuery(
        database: IndexVerdict.database,
        from: [StructuredQuery.CollectionSelector(link.collection, includesDescendants: link.group)],
        where: link.filter, orderBy: link.orders))
    let missing = IndexRequirement.missing(for: query, among: IndexVerdicts.indexes)
    #expect(missing?.message(in: IndexVerdict.database) == link.end)
  }

  @Test("A link is the service's, byte for byte")
  func recordedLink() throws {
    let query = try IndexVerdict("", "flt", IndexVerdicts.equal("q"), orderBy: [IndexVerdicts.up("z")])
      .normalized()
    let missing = IndexRequirement.missing(for: query, among: .automatic)
    #expect(
      missing?.link(in: DatabaseID(project: "fireemu-oracle-query"))
        == "https://console.firebase.google.com/v1/r/project/fireemu-oracle-query/firestore/indexes?create_composite="
        + "ClBwcm9qZWN0cy9maXJlZW11LW9yYWNsZS1xdWVyeS9kYXRhYmFzZXMvKGRlZmF1bHQpL2NvbGxlY3Rpb25Hcm91cHMvZmx0L2luZGV4ZXMv"
        + "XxABGgUKAXEQARoFCgF6EAEaDAoIX19uYW1lX18QAQ")
  }

  @Test("A missing vector index is asked for with the service's command")
  func vectorWords() throws {
    let query = try IndexVerdict("", "qvec", IndexVerdicts.equal("n"), nearest: IndexVerdicts.near())
      .normalized()
    let missing = IndexRequirement.missing(
      for: query, among: IndexVerdicts.indexes)
    #expect(
      missing?.message(in: IndexVerdict.database)
        == "Missing vector index configuration. Please create the required index with the following gcloud command: gcloud firestore indexes composite create --project=demo-fs-query-index --collection-group=qvec --query-scope=COLLECTION --field-config=order=ASCENDING,field-path=n --field-config=vector-config='{\"dimension\":\"3\",\"flat\": \"{}\"}',field-path=emb"
    )
  }

  @Test("A database that is not the first one stands in the address")
  func namedDatabase() throws {
    let query = try IndexVerdict("", "chats", IndexVerdicts.equal("a"), orderBy: [IndexVerdicts.up("b")])
      .normalized()
    let missing = IndexRequirement.missing(for: query, among: .automatic)
    let link = missing?.link(in: DatabaseID(project: "p", database: "other"))
    #expect(
      link?.hasPrefix(
        "https://console.firebase.google.com/v1/r/project/p/firestore/databases/other/indexes?create_composite="
      )
        == true)
  }

  @Test("Links are read back", arguments: links)
  func readBack(_ link: Link) throws {
    let address = try #require(link.end.split(separator: " ").first { $0.hasPrefix("https://console") })
    let content = try #require(ConsoleLink.decoded(String(address)))
    switch content {
    case .composite(let definition, let database):
      #expect(database == IndexVerdict.database)
      #expect(definition.collectionID == link.collection)
      #expect(definition.fields.last?.path.isDocumentName == true)
    case .singleField(_, let index, let collectionID, let database):
      #expect(database == IndexVerdict.database)
      #expect(collectionID == link.collection)
      #expect(index.scope == (link.group ? .collectionGroup : .collection))
    }
  }

  @Test(
    "What is no link is read as none",
    arguments: [
      "", "=", "https://example.com", "create_composite=AAAA", "create_composite=Ck5wcm9qZWN0", "\u{FF}",
    ])
  func noLink(_ text: String) {
    #expect(ConsoleLink.decoded(text) == nil)
  }

  @Test("An override of a map holds for what is in it, unless that has its own")
  func inherited() {
    let indexes = DefinedIndexes(
      composites: [],
      overrides: [
        FieldOverride(collectionID: "c", path: .field("m"), indexes: []),
        FieldOverride(
          collectionID: "c", path: FieldPath(segments: ["m", "x"]),
          indexes: [FieldOverride.Index(.collection, .ascending)]),
        FieldOverride(collectionID: "c", path: nil, indexes: [FieldOverride.Index(.collection, .descending)]),
      ])
    func modes(_ segments: [String]) -> [FieldOverride.Index] {
      FieldPath(segments: segments).map { indexes.indexes(of: $0, "c") } ?? []
    }
    #expect(modes(["m"]).isEmpty)
    #expect(modes(["m", "y"]).isEmpty)
    #expect(modes(["m", "x", "deep"]) == [FieldOverride.Index(.collection, .ascending)])
    #expect(modes(["other"]) == [FieldOverride.Index(.collection, .descending)])
    #expect(indexes.indexes(of: .documentName, "d") == FieldOverride.automatic)
  }
}
