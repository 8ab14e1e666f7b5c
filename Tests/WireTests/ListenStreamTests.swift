/// Listen over the wire: messages as the generated types of the published protocol read them.

import Access
import DocModel
import DocStore
import FirestoreProtos
import Rules
import SwiftProtobuf
import Testing

import struct Foundation.Data

@testable import Wire

private typealias Request = Google_Firestore_V1_ListenRequest
private typealias Response = Google_Firestore_V1_ListenResponse

@Suite struct ListenStreamTests {
  private func add(_ id: Int32, documents: [String]) -> Request {
    .with { request in
      request.database = ServiceHarness.database
      request.addTarget.targetID = id
      request.addTarget.documents.documents = documents.map { ServiceHarness.root + "/" + $0 }
    }
  }

  private func add(_ id: Int32, collection: String) -> Request {
    .with { request in
      request.database = ServiceHarness.database
      request.addTarget.targetID = id
      request.addTarget.query.parent = ServiceHarness.root
      request.addTarget.query.structuredQuery.from = [.with { $0.collectionID = collection }]
    }
  }

  /// What the stream has said, one line a message.
  private func lines(_ received: Received) throws -> [String] {
    try received.messages.map { bytes in
      let response = try Response(serializedBytes: bytes)
      switch response.responseType {
      case .targetChange(let change):
        let cause = change.hasCause ? " cause \(change.cause.code)" : ""
        return "\(change.targetChangeType) \(change.targetIds)\(cause)"
      case .documentChange(let change):
        let name = change.document.name.dropFirst(ServiceHarness.root.count + 1)
        return "change \(name) \(change.targetIds) \(change.removedTargetIds)"
      case .documentDelete(let delete):
        return "delete \(delete.document.dropFirst(ServiceHarness.root.count + 1)) \(delete.removedTargetIds)"
      case .documentRemove(let remove):
        return "leave \(remove.document.dropFirst(ServiceHarness.root.count + 1)) \(remove.removedTargetIds)"
      case .filter(let filter): return "filter \(filter.targetID) \(filter.count)"
      case nil: return "nothing"
      }
    }
  }

  private func answer(
    _ harness: ServiceHarness, _ stream: Int32, count: Int
  ) throws -> [String] {
    try lines(harness.receive(on: stream) { $0.messages.count >= count })
  }

  @Test(
    "a query without its index is refused as a listener, too", arguments: ["owner", "e30.eyJzdWIiOiJhIn0."])
  func indexes(token: String) throws {
    let harness = try ServiceHarness(isOpen: true, indexes: IndexGate(.enforce))
    let stream = harness.open("Listen", token: token)
    var request = add(2, collection: "c")
    request.addTarget.query.structuredQuery.orderBy = ["a", "b"].map { path in
      .with { $0.field.fieldPath = path }
    }
    try harness.say(request, on: stream)
    #expect(try answer(harness, stream, count: 2) == ["add [2]", "remove [2] cause 9"])
    try harness.say(add(4, collection: "c"), on: stream)
    #expect(try answer(harness, stream, count: 5).dropFirst(2) == ["add [4]", "current [4]", "noChange []"])
  }

  @Test("a new target is answered in the protocol's order, then by differences")
  func sequence() throws {
    let harness = try ServiceHarness()
    try harness.set(["c/a": 1, "c/b": 2])
    let stream = harness.open("Listen")
    try harness.say(add(2, collection: "c"), on: stream)
    #expect(
      try answer(harness, stream, count: 5) == [
        "add [2]", "change c/a [2] []", "change c/b [2] []", "current [2]", "noChange []",
      ])
    try harness.say(add(4, documents: ["c/a", "c/none"]), on: stream)
    #expect(
      try answer(harness, stream, count: 10).dropFirst(5) == [
        "add [4]", "change c/a [4] []", "delete c/none [4]", "current [4]", "noChange []",
      ])
    try harness.set(["c/a": 5, "d/x": 1])
    #expect(
      try answer(harness, stream, count: 12).dropFirst(10) == ["change c/a [2, 4] []", "noChange []"])
    try harness.say(Request.with { $0.removeTarget = 2 }, on: stream)
    #expect(try answer(harness, stream, count: 13).last == "remove [2]")
  }

  @Test("a token goes on from where it was given")
  func resumption() throws {
    let harness = try ServiceHarness()
    try harness.set(["c/a": 1, "c/b": 2])
    let first = harness.open("Listen")
    try harness.say(add(2, collection: "c"), on: first)
    let messages = harness.receive(on: first) { $0.messages.count >= 5 }.messages
    let closing = try Response(serializedBytes: try #require(messages.last)).targetChange
    #expect(closing.resumeToken.first == 0x0A && closing.readTime.seconds > 0)
    try harness.set(["c/b": 3])
    let second = harness.open("Listen")
    var request = add(2, collection: "c")
    request.addTarget.resumeToken = closing.resumeToken
    request.addTarget.expectedCount = 2
    try harness.say(request, on: second)
    #expect(
      try answer(harness, second, count: 4) == [
        "add [2]", "change c/b [2] []", "current [2]", "noChange []",
      ])
  }

  /// A later target shows what became of the stream and of the target.
  @Test(
    "a token that cannot be read: the service drops the target, the official emulator begins anew",
    arguments: [
      (ServiceProfile.production, ["remove [2] cause 3"]),
      (.emulator, ["add [2]", "reset [2]", "change c/a [2] []", "current [2]", "noChange []"]),
    ])
  func unreadableToken(_ profile: ServiceProfile, _ expected: [String]) throws {
    let harness = try ServiceHarness(profile: profile)
    try harness.set(["c/a": 1])
    let stream = harness.open("Listen")
    var request = add(2, collection: "c")
    request.addTarget.resumeToken = Data([1, 2, 3])
    try harness.say(request, on: stream)
    try harness.say(add(4, documents: []), on: stream)
    #expect(
      try answer(harness, stream, count: expected.count + 3) == expected + [
        "add [4]", "current [4]", "noChange []",
      ])
  }

  @Test("a token of another store resets the target", arguments: [ServiceProfile.production, .emulator])
  func foreignToken(_ profile: ServiceProfile) throws {
    let harness = try ServiceHarness(profile: profile)
    try harness.set(["c/a": 1])
    let stream = harness.open("Listen")
    var request = add(2, collection: "c")
    request.addTarget.resumeToken = Data(ResumeToken(readTime: 7, generation: 3).bytes)
    try harness.say(request, on: stream)
    #expect(
      try answer(harness, stream, count: 5) == [
        "add [2]", "reset [2]", "change c/a [2] []", "current [2]", "noChange []",
      ])
  }

  @Test(
    "a target that is asked once is over behind its result in the service, and stays in the official emulator",
    arguments: [(ServiceProfile.production, ["remove [2]"]), (.emulator, [])])
  func once(_ profile: ServiceProfile, _ end: [String]) throws {
    let harness = try ServiceHarness(profile: profile)
    try harness.set(["c/a": 1])
    let stream = harness.open("Listen")
    var request = add(2, collection: "c")
    request.addTarget.once = true
    try harness.say(request, on: stream)
    let shown = ["add [2]", "change c/a [2] []", "current [2]", "noChange []"] + end
    #expect(try answer(harness, stream, count: shown.count) == shown)
    try harness.set(["c/a": 2])
    try harness.say(add(4, collection: "c"), on: stream)
    let after = end.isEmpty ? ["change c/a [2] []", "noChange []"] : []
    #expect(
      try answer(harness, stream, count: shown.count + after.count + 4) == shown + after + [
        "add [4]", "change c/a [4] []", "current [4]", "noChange []",
      ])
  }

  @Test("a fault of a target ends the target and nothing else")
  func faults() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Listen")
    try harness.say(
      Request.with {
        $0.database = ServiceHarness.database
        $0.addTarget.targetID = 2
      }, on: stream)
    try harness.say(add(0, collection: "c"), on: stream)
    #expect(
      try answer(harness, stream, count: 5) == [
        "add [2]", "remove [2] cause 3", "add [1]", "current [1]", "noChange []",
      ])
  }

  @Test("a negative id ends the stream")
  func negative() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Listen")
    try harness.say(add(2, collection: "c"), on: stream)
    try harness.say(add(-4, collection: "c"), on: stream)
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "3")
    #expect(received.message == "Target ID -4 is negative.")
  }

  @Test("an id in use is refused by its number, and who has it lives on")
  func duplicate() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Listen")
    try harness.say(add(2, collection: "c"), on: stream)
    try harness.say(add(2, collection: "d"), on: stream)
    #expect(
      try answer(harness, stream, count: 4) == [
        "add [2]", "current [2]", "noChange []", "remove [2] cause 6",
      ])
    let refusal = try Response(
      serializedBytes: try #require(harness.receive(on: stream) { $0.messages.count >= 4 }.messages.last))
    #expect(refusal.targetChange.cause.message == "Target ID already exists: 2")
    try harness.set(["c/a": 1, "d/a": 1])
    #expect(try answer(harness, stream, count: 6).suffix(2) == ["change c/a [2] []", "noChange []"])
  }

  @Test("rules decide at the beginning, when they are replaced and when what they read changes")
  func rules() throws {
    let harness = try ServiceHarness()
    let text = """
      service cloud.firestore { match /databases/{d}/documents {
        match /open/{x} { allow read; }
        match /held/{x} { allow read: if get(/databases/$(d)/documents/keys/one).data.n == 1; }
      } }
      """
    func load(_ text: String) throws {
      let ruleset = try #require(Ruleset.compile(source: Array(text.utf8), name: "r").ruleset)
      harness.rulesets.setStandard(ruleset)
    }
    try load(text)
    try harness.set(["keys/one": 1, "open/a": 1])
    let stream = harness.open("Listen", token: nil)
    try harness.say(add(2, collection: "closed"), on: stream)
    try harness.say(add(4, collection: "held"), on: stream)
    try harness.say(add(6, collection: "open"), on: stream)
    #expect(
      try answer(harness, stream, count: 9) == [
        "add [2]", "remove [2] cause 7", "add [4]", "current [4]", "noChange []", "add [6]",
        "change open/a [6] []", "current [6]", "noChange []",
      ])
    try harness.set(["keys/one": 2])
    #expect(try answer(harness, stream, count: 10).last == "remove [4] cause 7")
    try load(text.replacing("match /open", with: "match /shut"))
    #expect(try answer(harness, stream, count: 11).last == "remove [6] cause 7")
  }

  @Test("half-close ends the stream well")
  func halfClose() throws {
    let harness = try ServiceHarness()
    let stream = harness.open("Listen")
    try harness.say(add(2, collection: "c"), on: stream, ends: true)
    #expect(harness.receive(on: stream) { $0.isClosed }.status == "0")
  }
}
