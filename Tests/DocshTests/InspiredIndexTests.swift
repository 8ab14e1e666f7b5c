/// The Inspired pack's index file serves every query of the application, and each definition is needed.

import Access
import Client
import DocModel
import DocStore
import EngineLMDB
import Indexes
import Testing
import Wire

@testable import docsh

@Suite("rules/inspired.indexes.json")
struct InspiredIndexTests {
  struct Query: Sendable, CustomTestStringConvertible {
    let name: String
    /// The `structuredQuery`, in the form of REST.
    let body: String
    var parent = ""
    /// Whether automatic indexes are enough.
    var isAutomatic = false
    var testDescription: String { name }
  }

  private static func equal(_ field: String, _ value: String) -> String {
    #"{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"EQUAL","value":\#(value)}}"#
  }
  private static func filter(_ field: String, _ op: String, _ value: String) -> String {
    #"{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"\#(op)","value":\#(value)}}"#
  }
  private static func and(_ filters: String...) -> String {
    #"{"compositeFilter":{"op":"AND","filters":[\#(filters.joined(separator: ","))]}}"#
  }
  private static func text(_ value: String) -> String { #"{"stringValue":"\#(value)"}"# }
  private static func query(
    _ collection: String, _ filter: String?, order: String? = nil, isGroup: Bool = false
  ) -> String {
    var query = #""from":[{"collectionId":"\#(collection)","allDescendants":\#(isGroup)}],"limit":20"#
    if let filter { query += #","where":\#(filter)"# }
    if let order {
      let parts = order.split(separator: " ")
      query += #","orderBy":[{"field":{"fieldPath":"\#(parts[0])"},"direction":"\#(parts[1])"}]"#
    }
    return #"{"structuredQuery":{\#(query)}}"#
  }
  private static let communities = (1...30).map { text("Community \($0)") }.joined(separator: ",")

  static let queries: [Query] = [
    Query(
      name: "the feed: posts of up to thirty communities, newest first",
      body: query(
        "posts", filter("source.name", "IN", #"{"arrayValue":{"values":[\#(communities)]}}"#),
        order: "createdAt DESCENDING")),
    Query(
      name: "posts of one area, newest first",
      body: query("posts", equal("source.name", text("Askew")), order: "createdAt DESCENDING")),
    Query(
      name: "posts of one person, newest first",
      body: query("posts", equal("author.id", text("bob")), order: "createdAt DESCENDING")),
    Query(
      name: "all posts, newest first", body: query("posts", nil, order: "createdAt DESCENDING"),
      isAutomatic: true),
    Query(
      name: "public profiles", body: query("users", equal("privacySettings.avatarPrivacy", text("public"))),
      isAutomatic: true),
    Query(
      name: "public profiles of a community",
      body: query(
        "users",
        and(
          equal("privacySettings.avatarPrivacy", text("public")),
          filter("joinedCommunities", "ARRAY_CONTAINS", text("area_askew")))), isAutomatic: true),
    Query(
      name: "public profiles by name",
      body: query(
        "users",
        and(
          equal("privacySettings.avatarPrivacy", text("public")),
          filter("displayName", "GREATER_THAN_OR_EQUAL", text("A"))))),
    Query(
      name: "own likes across all posts", body: query("likes", equal("userId", text("bob")), isGroup: true)),
    Query(
      name: "own likes across all posts, newest first",
      body: query("likes", equal("userId", text("bob")), order: "createdAt DESCENDING", isGroup: true)),
    Query(
      name: "own likes across all posts, oldest first",
      body: query("likes", equal("userId", text("bob")), order: "createdAt ASCENDING", isGroup: true)),
    Query(
      name: "the likes of a post", body: query("likes", nil, order: "createdAt DESCENDING"),
      parent: "/posts/p",
      isAutomatic: true),
    Query(
      name: "the comments of a post", body: query("comments", nil, order: "createdAt ASCENDING"),
      parent: "/posts/p", isAutomatic: true),
    Query(
      name: "shadow studios, best first",
      body: query(
        "studios",
        and(
          equal("isClaimed", #"{"booleanValue":false}"#),
          filter("rating", "GREATER_THAN_OR_EQUAL", #"{"doubleValue":4.5}"#)),
        order: "rating DESCENDING")),
    Query(
      name: "shadow studios by name",
      body: query(
        "studios",
        and(
          equal("isClaimed", #"{"booleanValue":false}"#), filter("name", "GREATER_THAN_OR_EQUAL", text("A"))))
    ),
  ]

  private static func path(_ name: String) -> String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/" + name
  }

  /// The statuses of all queries at a server that refuses those without index.
  private static func statuses(_ indexes: DefinedIndexes) async throws -> [Int] {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    var options = FirestoreServerOptions()
    options.server.port = 0
    let gate = IndexGate(.enforce)
    gate.setStandard(indexes)
    let server = try await FirestoreServer.start(
      GuardedStore(store, rulesets: RulesetRegistry(), indexes: gate), options)
    var statuses: [Int] = []
    for query in queries {
      let answer = try? ServerRequest.send(
        "/v1/projects/demo/databases/(default)/documents\(query.parent):runQuery", method: "POST",
        to: "127.0.0.1:\(server.address.port)", body: Array(query.body.utf8))
      statuses.append(answer?.status ?? 0)
    }
    await server.stop()
    return statuses
  }

  @Test("the file is right, and nothing of it does nothing")
  func review() throws {
    let (file, problems) = IndexFile.read(
      try FileAccess.contents(of: Self.path("rules/inspired.indexes.json")))
    #expect(problems.isEmpty)
    #expect(IndexFileReview.problems(of: file, asked: nil).isEmpty)
  }

  @Test("every query has its index; without the file those that need one are refused")
  func queries() async throws {
    let indexes = try IndexSources.load(Self.path("rules/inspired.indexes.json"))
    #expect(try await Self.statuses(indexes) == Self.queries.map { _ in 200 })
    #expect(try await Self.statuses(.automatic) == Self.queries.map { $0.isAutomatic ? 200 : 400 })
  }

  @Test("no definition can be spared")
  func needed() async throws {
    let indexes = try IndexSources.load(Self.path("rules/inspired.indexes.json"))
    for composite in indexes.composites {
      let others = DefinedIndexes(
        composites: indexes.composites.filter { $0 != composite }, overrides: indexes.overrides)
      #expect(try await Self.statuses(others).contains(400), "\(composite.definition)")
    }
    #expect(
      try await Self.statuses(DefinedIndexes(composites: indexes.composites, overrides: [])).contains(400))
  }
}
