/// What places do to studios that are there, and to those that are not.

import DocModel
import DocStore
import EngineLMDB
import Seeder
import Testing

@Suite("shadow studios")
struct StudioSeederTests {
  private static func place(
    _ id: String, name: String = "Mat", rating: Double? = 4.5, isClosed: Bool = false
  ) -> Place {
    Place(
      id: id, name: name, address: "1 Road", location: GeoPoint(latitude: 51.5, longitude: -0.25),
      rating: rating,
      ratingCount: 12, isClosedForGood: isClosed)
  }

  private static func stored(_ path: String, in store: DocumentStore<LMDBEngine>) throws -> Fields? {
    try store.read(testDatabase) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
    }
  }

  private static func put(_ path: String, _ fields: Fields, in store: DocumentStore<LMDBEngine>) throws {
    try store.commitAndWait(
      testDatabase, [Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil))])
  }

  private static func seed(
    _ places: [Place], into store: DocumentStore<LMDBEngine>, isDryRun: Bool = false
  ) async throws -> StudioReport {
    var studios = StoreStudios(store, testDatabase)
    return try await StudioSeeder(places).seed(&studios, isDryRun: isDryRun)
  }

  private static func withStore(_ body: (DocumentStore<LMDBEngine>) async throws -> Void) async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    defer { store.close() }
    try await body(store)
  }

  @Test("a new studio has the schema's fields and belongs to nobody")
  func creates() async throws {
    try await Self.withStore { store in
      let report = try await Self.seed([Self.place("ChIJ_a-1")], into: store)
      #expect(report.entries.map(\.outcome) == [.created])
      #expect(
        try Self.stored("studios/ChIJ_a-1", in: store) == [
          "id": .string("ChIJ_a-1"), "name": .string("Mat"), "address": .string("1 Road"),
          "about": .string(""),
          "rating": .double(4.5), "reviewCount": .integer(12), "isClaimed": .boolean(false), "ownerId": .null,
          "location": .geoPoint(GeoPoint(latitude: 51.5, longitude: -0.25)),
          "moderationSettings": .map([
            "autoApproveMemberComments": .boolean(true), "guestCommentsEnabled": .boolean(false),
          ]),
        ])
    }
  }

  @Test("seeding again writes nothing; a change writes what changed and nothing else")
  func updates() async throws {
    try await Self.withStore { store in
      _ = try await Self.seed([Self.place("a"), Self.place("b")], into: store)
      var changed = try #require(try Self.stored("studios/a", in: store))
      changed["about"] = .string("kept")
      changed["more"] = .integer(1)
      try Self.put("studios/a", changed, in: store)
      let again = try await Self.seed([Self.place("a"), Self.place("b")], into: store)
      #expect(again.entries.map(\.outcome) == [.unchanged, .unchanged])
      let report = try await Self.seed(
        [Self.place("a", name: "New Mat", rating: nil), Self.place("b")], into: store)
      #expect(report.entries.map(\.outcome) == [.updated(["name", "rating"]), .unchanged])
      changed["name"] = .string("New Mat")
      changed["rating"] = .null
      #expect(try Self.stored("studios/a", in: store) == changed)
    }
  }

  static let holders: [(Fields, StudioReport.Outcome)] = [
    (["isClaimed": .boolean(true), "ownerId": .string("olga")], .skipped(.claimed)),
    (["isClaimed": .boolean(true), "ownerId": .null], .skipped(.claimed)),
    (["isClaimed": .boolean(false), "ownerId": .string("olga")], .skipped(.claimed)),
    (["ownerId": .string("olga")], .skipped(.claimed)),
    (["isClaimed": .string("no"), "ownerId": .null], .skipped(.noShadow)),
    (["name": .string("x")], .skipped(.noShadow)),
    ([:], .skipped(.noShadow)),
    (
      ["isClaimed": .boolean(false), "ownerId": .null],
      .updated(["address", "location", "name", "rating", "reviewCount"])
    ),
    (["isClaimed": .boolean(false)], .updated(["address", "location", "name", "rating", "reviewCount"])),
  ]

  @Test("a studio that somebody owns, or that does not say so, is never touched", arguments: holders)
  func claimed(fields: Fields, outcome: StudioReport.Outcome) async throws {
    try await Self.withStore { store in
      try Self.put("studios/a", fields, in: store)
      let report = try await Self.seed([Self.place("a")], into: store)
      #expect(report.entries.map(\.outcome) == [outcome])
      if case .skipped = outcome { #expect(try Self.stored("studios/a", in: store) == fields) }
    }
  }

  /// A store whose studio is claimed between the look and the commit.
  private struct ClaimedMeanwhile: StudioTarget {
    var studios: StoreStudios<LMDBEngine>
    let store: DocumentStore<LMDBEngine>
    var commits = 0

    mutating func studios(_ paths: [ResourcePath]) async throws(SeedSinkError) -> [StoredStudio?] {
      try await studios.studios(paths)
    }

    mutating func commit(_ writes: [StudioWrite]) async throws(SeedSinkError) -> Bool {
      commits += 1
      if commits == 1 {
        let claimed: Fields = ["isClaimed": .boolean(true), "ownerId": .string("olga")]
        do throws(StoreError) {
          try store.commitAndWait(
            testDatabase,
            [Write(ResourcePath(unchecked: "studios/a"), .update(fields: claimed.encoded, mask: nil))])
        } catch {
          throw SeedSinkError(error.message)
        }
      }
      return try await studios.commit(writes)
    }
  }

  @Test(
    "one that is claimed while we look stays as its owner has it; the others are written",
    arguments: [true, false])
  func race(isThere: Bool) async throws {
    try await Self.withStore { store in
      if isThere {
        try Self.put("studios/a", ["isClaimed": .boolean(false), "ownerId": .null], in: store)
      }
      var target = ClaimedMeanwhile(studios: StoreStudios(store, testDatabase), store: store)
      let report = try await StudioSeeder([Self.place("a"), Self.place("b")]).seed(&target)
      #expect(report.entries.map(\.outcome) == [.skipped(.claimed), .created])
      #expect(target.commits == 2)
      #expect(
        try Self.stored("studios/a", in: store) == ["isClaimed": .boolean(true), "ownerId": .string("olga")])
      #expect(try Self.stored("studios/b", in: store) != nil)
    }
  }

  /// A target that others always get in the way of.
  private struct NeverInTime: StudioTarget {
    mutating func studios(_ paths: [ResourcePath]) async throws(SeedSinkError) -> [StoredStudio?] {
      paths.map { _ in nil }
    }
    mutating func commit(_ writes: [StudioWrite]) async throws(SeedSinkError) -> Bool { false }
  }

  @Test("trying again ends")
  func gaveUp() async {
    var target = NeverInTime()
    await #expect(throws: SeedFailure.self) { try await StudioSeeder([Self.place("a")]).seed(&target) }
  }

  @Test("a dry run says the same and writes nothing")
  func dryRun() async throws {
    try await Self.withStore { store in
      let report = try await Self.seed([Self.place("a")], into: store, isDryRun: true)
      #expect(report.isDryRun && report.created == 1)
      #expect(try Self.stored("studios/a", in: store) == nil)
    }
  }

  @Test("the last of places with one id counts; places closed for good are left out; batches are many")
  func many() async throws {
    try await Self.withStore { store in
      var places = (0..<1_000).map { Self.place("p\($0)") }
      places.append(Self.place("p7", name: "Seven"))
      places.append(Self.place("gone", isClosed: true))
      let report = try await Self.seed(places, into: store)
      #expect(report.created == 1_000 && report.skipped == 1 && report.repeated == 1)
      #expect(try Self.stored("studios/p7", in: store)?["name"] == .string("Seven"))
      #expect(try Self.stored("studios/gone", in: store) == nil)
    }
  }

  @Test(
    "ids are the place's own where that can be a document's and a community's, otherwise a hash of it",
    arguments: [
      ("ChIJ7cv00DwsDogRAMDACa2m4K8", "ChIJ7cv00DwsDogRAMDACa2m4K8"),
      (String(repeating: "x", count: 100), String(repeating: "x", count: 100)),
      (String(repeating: "x", count: 101), "place_c675a2e604b0cd1229c036e3ce0c87422980a245"),
      ("a/b", "place_c14cddc033f64b9dea80ea675cf280a015e67251"),
      ("__x__", "place_a917b03b1e3e583a0d785c73641cc888e97b0a8d"),
      ("é", "place_4a99557e4033c3539de2eb65472017cad5f9557f"),
    ])
  func ids(place: String, id: String) {
    #expect(StudioDocument(Self.place(place)).id == id)
  }

  @Test("the report as text and as JSON")
  func report() async throws {
    try await Self.withStore { store in
      try Self.put("studios/c", ["isClaimed": .boolean(true)], in: store)
      _ = try await Self.seed([Self.place("u"), Self.place("s")], into: store)
      let report = try await Self.seed(
        [Self.place("u", name: "Ü"), Self.place("s"), Self.place("c"), Self.place("n")], into: store)
      #expect(
        report.text == """
          updated    studios/u  name
          skipped    studios/c  it has an owner
          created    studios/n
          4 studios: 1 created, 1 updated, 1 unchanged, 1 skipped
          """)
      #expect(
        String(decoding: report.json, as: UTF8.self)
          == #"{"dryRun":false,"created":1,"updated":1,"unchanged":1,"skipped":1,"repeated":0,"studios":["#
          + #"{"id":"u","outcome":"updated","fields":["name"]},{"id":"s","outcome":"unchanged"},"#
          + #"{"id":"c","outcome":"skipped","reason":"claimed"},{"id":"n","outcome":"created"}]}"#)
    }
  }
}
