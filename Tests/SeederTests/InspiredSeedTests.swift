/// The reference pack's seed, as it stands in the repository.

import DocModel
import Seeder
import Testing

@Suite("seeds/inspired.yaml")
struct InspiredSeedTests {
  /// The repository's folder, from where this file is.
  static var seedPath: String {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(3).joined(separator: "/") + "/seeds/inspired.yaml"
  }

  @Test("has the personas, 52 studios, 20 posts and consistent counters")
  func loads() async throws {
    let seeder = try Seeder(checkingFile: Self.seedPath, database: testDatabase)
    var sink = MemorySink()
    let report = try await seeder.write(to: &sink)
    #expect(report.outcome.created == seeder.documentCount)
    #expect(seeder.file.header.startsTriggers == false)

    let counts = Dictionary(uniqueKeysWithValues: report.collections.map { ($0.collection, $0.documents) })
    #expect(counts["users"] == 8)
    #expect(counts["studios"] == 52)
    #expect(counts["posts"] == 20)

    for path in sink.order where path.segmentCount == 2 && path.text.hasPrefix("posts/") {
      let post = try #require(sink[path.text])
      guard case .map(let stats)? = post["stats"] else {
        Issue.record("\(path) has no stats")
        continue
      }
      let likes = sink.order.count { $0.text.hasPrefix(path.text + "/likes/") }
      let comments = sink.order.count { $0.text.hasPrefix(path.text + "/comments/") }
      #expect(stats["likeCount"] == .integer(Int64(likes)))
      #expect(stats["commentCount"] == .integer(Int64(comments)))
    }
  }

  @Test("seeding it twice changes nothing the second time")
  func twice() async throws {
    let seeder = try Seeder(checkingFile: Self.seedPath, database: testDatabase)
    var sink = MemorySink()
    let first = try await seeder.write(to: &sink)
    let second = try await seeder.write(to: &sink)
    #expect(second.outcome == SeedOutcome(unchanged: first.outcome.total))
  }
}
