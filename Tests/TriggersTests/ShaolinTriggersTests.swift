/// The school's triggers: enrolment from the CRM.

import DocModel
import DocStore
import EngineLMDB
import TestSupport
import Testing

@testable import Packs
@testable import Triggers

@Suite(.timeLimit(.minutes(5))) struct ShaolinEnrolmentTests {
  private let address = "nina.park@example.org"
  private var record: String { "crmStudents/" + StudentRecord.hash(address) }
  private var enrolment: String { "enrolments/" + StudentRecord.hash(address) }

  /// Runs the pack's triggers while `body` commits, then until all is quiet; why some events could not be handled.
  @discardableResult
  private func running<Engine: StorageEngine>(
    on store: DocumentStore<Engine>, _ body: () async throws -> Void
  ) async throws -> [String] {
    let runner = try TriggerRunner(store, try ShaolinTriggers(store).all, settings: .quick)
    try await runner.whileRunning {
      try await body()
      #expect(await runner.drain())
    }
    return runner.deadLetters.map(\.reason)
  }

  private func profile(_ email: String?, _ userType: String = "free") -> Fields {
    [
      "userType": .string(userType), "email": email.map { .string($0) } ?? .null,
      "name": .string("Nina Park"),
      "programs": .array([]), "ranks": .map([:]),
    ]
  }

  private func crm(_ ranks: [String: Int64], email: String = "nina.park@example.org") -> Fields {
    [
      "email": .string(email), "name": .string("Nina Park"),
      "programs": .array(ranks.keys.sorted().map { .string($0) }),
      "ranks": .map(Fields(ranks.map { ($0.key, .integer($0.value)) })),
    ]
  }

  /// Type, programs and ranks of a profile in one line.
  private func standing(_ store: DocumentStore<some StorageEngine>, _ uid: String) throws -> String? {
    guard let fields = try store.fields("users/\(uid)") else { return nil }
    let ranks = (fields.map("ranks") ?? [:]).entries.map { entry in
      guard case .integer(let rank) = entry.value else { return "?" }
      return "\(entry.name) \(rank)"
    }
    return "\(fields.string("userType") ?? "?") \(fields.strings("programs")) \(ranks)"
  }

  private func ids(_ store: DocumentStore<some StorageEngine>, _ collection: String) throws -> [String] {
    try store.documents(StructuredQuery(database: database, collection: path(collection)))
      .map(\.path.lastSegment)
  }

  /// The changes of the log, by time.
  private func log(_ store: DocumentStore<some StorageEngine>) throws -> [String] {
    var query = StructuredQuery(database: database, collection: path("auditLog"))
    query.orders = [.init("at")]
    return try store.documents(query).map {
      "\($0.fields.string("uid") ?? "?") \($0.fields.string("change") ?? "?") \($0.fields.strings("programs"))"
    }
  }

  @Test("the id of a record is the hash of the address in lower case")
  func hashes() {
    let id = "d80ac39a72109a79487e4e578a1fed28a26f90289842eb6abe96f3309bf69058"
    #expect(StudentRecord.hash("nina.park@example.org") == id)
    #expect(StudentRecord.hash("Nina.Park@Example.ORG") == id)
  }

  @Test("a user and a record meet whichever was there first", arguments: [true, false])
  func meeting(userFirst: Bool) async throws {
    let store = try naiveStore()
    let reasons = try await running(on: store) {
      if userFirst { try await store.set("users/nina", profile(address)) }
      try await store.set(record, crm(["taichi": 1]))
      if !userFirst { try await store.set("users/nina", profile(address)) }
    }
    #expect(reasons == [])
    var expected = profile(address, "enrolled")
    expected["programs"] = .array([.string("taichi")])
    expected["ranks"] = .map(["taichi": .integer(1)])
    #expect(try store.fields("users/nina") == expected)
    #expect(try store.fields(enrolment)?.string("uid") == "nina")
    #expect(try log(store) == [#"nina enrolled ["taichi"]"#])
    #expect(try ids(store, "users/nina/notifications") == ids(store, "auditLog"))
  }

  @Test("an address that is added later enrols, and nobody else is touched")
  func addedLater() async throws {
    let store = try naiveStore()
    try await running(on: store) {
      try await store.set(record, crm(["taichi": 1]))
      try await store.set("users/nina", profile(nil))
      try await store.set("users/fay", profile("fay.brandt@example.org"))
    }
    #expect(try standing(store, "nina") == "free [] []")
    try await running(on: store) { try await store.set("users/nina", profile(address)) }
    #expect(try standing(store, "nina") == #"enrolled ["taichi"] ["taichi 1"]"#)
    #expect(try standing(store, "fay") == "free [] []")
  }

  @Test(
    "what somebody is while enrolled, and afterwards",
    arguments: [
      ("free", false, "enrolled", "free"), ("enrolled", false, "enrolled", "free"),
      ("paid", true, "enrolled", "paid"), ("parent", false, "parent", "parent"),
      ("instructor", true, "instructor", "instructor"),
    ])
  func types(_ type: String, _ hasBought: Bool, _ enrolled: String, _ after: String) async throws {
    let store = try naiveStore()
    if hasBought { try await store.set("purchases/nina/courses/sword", ["courseId": .string("sword")]) }
    try await store.set("users/ida", ["students": .array([.string("eli"), .string("nina"), .integer(3)])])
    try await running(on: store) {
      try await store.set("users/nina", profile(address, type))
      try await store.set(record, crm(["kungfu": 2]))
    }
    #expect(try standing(store, "nina") == #"\#(enrolled) ["kungfu"] ["kungfu 2"]"#)
    try await running(on: store) { try await store.set(record, crm([:])) }
    #expect(try standing(store, "nina") == "\(after) [] []")
    #expect(try store.fields("users/ida")?.array("students") == [.string("eli"), .integer(3)])
    #expect(try log(store) == [#"nina enrolled ["kungfu"]"#, "nina revoked []"])
  }

  @Test("promotion, another program, and the end of the record")
  func course() async throws {
    let store = try naiveStore()
    try await store.set("users/nina", profile(address))
    for step: [String: Int64] in [["taichi": 1], ["taichi": 2], ["kungfu": 1, "taichi": 2]] {
      try await running(on: store) { try await store.set(record, crm(step)) }
    }
    #expect(try standing(store, "nina") == #"enrolled ["kungfu", "taichi"] ["kungfu 1", "taichi 2"]"#)
    try await running(on: store) { try await store.delete(record) }
    #expect(try standing(store, "nina") == "free [] []")
    #expect(
      try log(store) == [
        #"nina enrolled ["taichi"]"#, #"nina changed ["taichi"]"#, #"nina changed ["kungfu", "taichi"]"#,
        "nina revoked []",
      ])
    #expect(try store.fields(enrolment)?["uid"] == .null)
  }

  @Test("an address that changed hands enrols nobody until the school has made a new record")
  func changedHands() async throws {
    let store = try naiveStore()
    try await running(on: store) {
      try await store.set(record, crm(["taichi": 1]))
      try await store.set("users/nina", profile(address))
    }
    try await running(on: store) {
      try await store.delete("users/nina")
      try await store.set("users/new", profile(address))
    }
    #expect(try standing(store, "new") == "free [] []")
    // Who made the profile again is the same user.
    try await running(on: store) { try await store.set("users/nina", profile(address)) }
    #expect(try standing(store, "nina") == #"enrolled ["taichi"] ["taichi 1"]"#)
    try await running(on: store) {
      try await store.delete("users/nina")
      try await store.delete(record)
    }
    try await running(on: store) { try await store.set(record, crm(["taichi": 1])) }
    #expect(try standing(store, "new") == #"enrolled ["taichi"] ["taichi 1"]"#)
  }

  @Test("a record that two profiles could have is given to neither, and reported")
  func shared() async throws {
    let store = try naiveStore()
    let reasons = try await running(on: store) {
      try await store.set("users/a", profile(address))
      try await store.set("users/b", profile(address))
      try await store.set(record, crm(["taichi": 1]))
    }
    // By the record or by a profile, whichever was handled when all three were there.
    #expect(
      Set(reasons) == ["\(record) enrols nobody: 2 profiles have its address; leave it to one of them"])
    #expect(try [standing(store, "a"), standing(store, "b")] == ["free [] []", "free [] []"])
    try await running(on: store) { try await store.set("users/b", profile(nil)) }
    #expect(try standing(store, "a") == #"enrolled ["taichi"] ["taichi 1"]"#)
    #expect(try standing(store, "b") == "free [] []")
  }

  @Test("another address of the school's choice takes one enrolment and gives the other")
  func moved() async throws {
    let store = try naiveStore()
    let other = "np@example.org"
    try await running(on: store) {
      try await store.set(record, crm(["taichi": 1]))
      try await store.set("crmStudents/" + StudentRecord.hash(other), crm(["kungfu": 4], email: other))
      try await store.set("users/nina", profile(address))
    }
    try await running(on: store) {
      _ = try await store.commit(database, [.merge(path("users/nina"), ["email": .string(other)])])
    }
    #expect(try standing(store, "nina") == #"enrolled ["kungfu"] ["kungfu 4"]"#)
    #expect(try store.fields(enrolment)?.strings("programs") == [])
    // The record that was left changes nothing for her now.
    try await running(on: store) { try await store.delete(record) }
    #expect(try standing(store, "nina") == #"enrolled ["kungfu"] ["kungfu 4"]"#)
  }

  // MARK: what is not valid

  private static let faults: [(String, Value?, String)] = [
    ("email", nil, "email is no address"), ("email", .integer(1), "email is no address"),
    ("email", .string("nina"), "email is no address"),
    ("email", .string("x@example.org"), "its id is not the SHA-256 of email in lower case"),
    ("programs", nil, "programs is no list of at most 50 ids"),
    ("programs", .map([:]), "programs is no list of at most 50 ids"),
    ("programs", .array((0...50).map { .string("p\($0)") }), "programs is no list of at most 50 ids"),
    ("programs", .array([.string("a/b")]), "programs holds what is no id of a program"),
    ("programs", .array([.string("")]), "programs holds what is no id of a program"),
    ("programs", .array([.string("..")]), "programs holds what is no id of a program"),
    ("programs", .array([.null]), "programs holds what is no id of a program"),
    ("programs", .array([.string("a"), .string("a")]), "programs names one twice"),
    ("ranks", .array([]), "ranks is no map of at most 50 programs"),
    ("ranks", .map(["a": .integer(0)]), #"the rank in "a" is no whole number from 1"#),
    ("ranks", .map(["a": .integer(.min)]), #"the rank in "a" is no whole number from 1"#),
    ("ranks", .map(["a": .double(1)]), #"the rank in "a" is no whole number from 1"#),
  ]

  @Test("a record that is not valid changes nothing and is reported once", arguments: faults.indices)
  func invalid(index: Int) async throws {
    let (field, value, fault) = Self.faults[index]
    let store = try naiveStore()
    try await running(on: store) {
      try await store.set(record, crm(["taichi": 1]))
      try await store.set("users/nina", profile(address))
    }
    var fields = crm(["kungfu": 3])
    fields[field] = value
    let before = try store.fields("users/nina")
    let reasons = try await running(on: store) {
      try await store.set(record, fields)
      _ = try await store.commit(database, [.merge(path("users/nina"), ["name": .string("N")])])
    }
    #expect(reasons == ["\(record) changes nothing: \(fault); correct the record in the CRM"])
    var after = try store.fields("users/nina")
    after?["name"] = .string("Nina Park")
    #expect(after == before)
    #expect(try log(store).count == 1)
  }

  @Test(
    "profiles of any shape are survived",
    arguments: [
      [:], ["email": .integer(1)], ["email": .string("")], ["email": .map([:])],
      ["email": .string(String(repeating: "ä", count: 2_000))],
      ["email": .string("nina.park@example.org"), "programs": .integer(.max), "ranks": .null],
      ["email": .string("nina.park@example.org"), "userType": .array([]), "students": .string("nina")],
    ] as [Fields])
  func shapes(fields: Fields) async throws {
    let store = try naiveStore()
    let reasons = try await running(on: store) {
      try await store.set("users/nina", fields)
      try await store.set(record, crm(["taichi": 1]))
    }
    #expect(reasons == [])
    let isKnown = fields.string("email") == address
    #expect(
      try standing(store, "nina") == (isKnown ? #"enrolled ["taichi"] ["taichi 1"]"# : "? [] []"))
  }

  // MARK: repetition

  @Test("deliveries that overlap and cross enrol once")
  func overlapping() async throws {
    let store = try DocumentStore(engine: try LMDBEngine.ephemeral())
    let pack = ShaolinTriggers(store)
    for number in 0..<20 {
      let email = "n\(number)@example.org"
      let record = "crmStudents/" + StudentRecord.hash(email)
      let user = profile(email)
      let signedUp = try await store.set("users/u\(number)", user)
      let pushed = try await store.set(record, crm(["taichi": 1], email: email))
      let events = [
        DocumentEvent(
          "a\(number)", path("users/u\(number)"), before: nil, after: user, version: signedUp.commitTime),
        DocumentEvent(
          "b\(number)", path(record), before: nil, after: crm(["taichi": 1], email: email),
          version: pushed.commitTime),
      ]
      try await withThrowingTaskGroup { group in
        for _ in 0..<16 {
          group.addTask { try await pack.enrolByAddress(events[0]) }
          group.addTask { try await pack.applyStudentRecord(events[1]) }
        }
        try await group.waitForAll()
      }
      #expect(try standing(store, "u\(number)") == #"enrolled ["taichi"] ["taichi 1"]"#)
      #expect(try ids(store, "users/u\(number)/notifications").count == 1)
    }
    #expect(try log(store).count == 20)
    store.close()
  }

  @Test("nothing is written when every event comes again")
  func redelivery() async throws {
    let store = try naiveStore()
    let events = Journal<(DocumentTrigger, DocumentEvent)>()
    let noting = try ShaolinTriggers(store).all.map { trigger throws(InvalidArgument) in
      try DocumentTrigger(trigger.name, on: trigger.event, trigger.pattern.text) { event in
        try await trigger.action(event)
        events.note((trigger, event))
      }
    }
    let runner = try TriggerRunner(store, noting, settings: .quick)
    try await runner.whileRunning {
      try await store.set("users/nina", profile(address))
      try await store.set(record, crm(["taichi": 1]))
      #expect(await runner.drain())
      try await store.set(record, crm(["taichi": 2]))
      #expect(await runner.drain())
      try await store.delete(record)
      #expect(await runner.drain())
      try await store.set(record, crm(["kungfu": 1]))
      #expect(await runner.drain())
    }
    #expect(runner.deadLetters.map(\.reason) == [])
    #expect(Set(events.entries.map(\.0.name)) == ["enrolByAddress", "applyStudentRecord"])
    let version = try store.presentVersion()
    for (trigger, event) in events.entries + events.entries.reversed() { try await trigger.action(event) }
    let changed = Journal<ResourcePath>()
    try store.changes(database, after: version) { _, path, _ in
      changed.note(path)
      return .more
    }
    #expect(changed.entries == [])
    #expect(try log(store).count == 4)
  }
}
