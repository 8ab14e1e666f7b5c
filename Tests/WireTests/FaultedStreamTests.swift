/// Injected faults on streams in both directions.

import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Synchronization
import Testing

import struct Foundation.Data

@testable import Faults
@testable import Wire

/// What tests of injected faults share.
enum FaultKit {
  static let database = DatabaseID(project: "p")

  @discardableResult
  static func set(_ rule: String, _ harness: ServiceHarness) throws -> Int {
    try #require(harness.service.faults.add(try InjectedFaultParser.read(rule), in: database))
  }

  static func metrics(_ harness: ServiceHarness) -> [String] {
    harness.service.faults.list(database).map {
      "\($0.rule): \($0.injected) of \($0.matched)\($0.isOver ? ", over" : "")"
    }
  }

  /// Delays that were asked for; each is over at once.
  final class Delays: Sendable {
    let milliseconds = Mutex<[Int]>([])
    var timer: FaultTimer {
      FaultTimer { [self] milliseconds, work in
        self.milliseconds.withLock { $0.append(milliseconds) }
        work()
      }
    }
  }
}

@Suite("injected faults on streams")
struct FaultedStreamTests {
  private typealias H = ServiceHarness
  private typealias Listen = Google_Firestore_V1_ListenRequest
  private typealias WriteRequest = Google_Firestore_V1_WriteRequest

  private static func target(_ id: Int32, _ collection: String) -> Listen {
    .with { request in
      request.database = H.database
      request.addTarget.targetID = id
      request.addTarget.query.parent = H.root
      request.addTarget.query.structuredQuery.from = [.with { $0.collectionID = collection }]
    }
  }

  @Test("a Write stream ends with the status of its request, which is not applied")
  func writeStream() throws {
    let delays = FaultKit.Delays()
    let harness = try H(faultTimer: delays.timer)
    try FaultKit.set("delay 5ms on commit", harness)
    try FaultKit.set("UNAVAILABLE on commit 2 under c", harness)
    let stream = harness.open("Write")
    try harness.say(WriteRequest.with { $0.database = H.database }, on: stream)
    for number: Int64 in 1...3 {
      let request = WriteRequest.with { request in
        request.streamToken = Data("0".utf8)
        request.writes = [
          .with {
            $0.update.name = H.root + "/c/a"
            $0.update.fields["n"] = .with { $0.integerValue = number }
          }
        ]
      }
      try harness.say(request, on: stream)
    }
    let received = harness.receive(on: stream) { $0.isClosed }
    #expect(received.status == "14" && received.messages.count == 2)
    _ = harness.service.faults.clear(FaultKit.database, number: nil)
    let get = try harness.call("GetDocument", TransactionServiceTests.get("c/a", []))
    let kept = try Google_Firestore_V1_Document(serializedBytes: try #require(get.messages.first))
    #expect(kept.fields["n"]?.integerValue == 1)
    #expect(delays.milliseconds.withLock { $0 } == [5, 5])
  }

  @Test("a new target may fail its stream; others are not asked")
  func listenFails() throws {
    let harness = try H()
    try FaultKit.set("RESOURCE_EXHAUSTED on listen under d", harness)
    let stream = harness.open("Listen")
    try harness.say(Self.target(2, "c"), on: stream)
    #expect(harness.receive(on: stream) { $0.messages.count >= 3 }.status == nil)
    try harness.say(Self.target(4, "d"), on: stream)
    #expect(harness.receive(on: stream) { $0.isClosed }.status == "8")
  }

  @Test("requests behind a delayed target come behind it")
  func listenWaits() throws {
    let held = Mutex<[@Sendable () -> Void]>([])
    // The first delay lasts until the second target was heard; there is no second delay.
    let timer = FaultTimer { _, work in held.withLock { $0.append(work) } }
    let harness = try H(faultTimer: timer)
    try FaultKit.set("delay 1s on listen 1", harness)
    let stream = harness.open("Listen")
    try harness.say(Self.target(2, "c"), on: stream)
    try harness.say(Self.target(4, "d"), on: stream)
    // Another call lets the connection hear all that was said.
    _ = try harness.call("GetDocument", TransactionServiceTests.get("c/a", []))
    let works = held.withLock { $0 }
    #expect(works.count == 1)
    for work in works { work() }
    let received = harness.receive(on: stream) { $0.messages.count >= 6 }
    let added = try received.messages.map {
      try Google_Firestore_V1_ListenResponse(serializedBytes: $0)
    }
    .filter { $0.targetChange.targetChangeType == .add }.flatMap(\.targetChange.targetIds)
    #expect(added == [2, 4])
  }

  @Test("a stream is dropped behind so many messages, once or each")
  func drops() throws {
    for (rule, second) in [
      ("drop listen after 2 messages", nil), ("drop every listen after 2 messages", "14"),
    ] {
      let harness = try H()
      try harness.set(["c/a": 1])
      try FaultKit.set(rule, harness)
      let first = harness.open("Listen")
      try harness.say(Self.target(2, "c"), on: first)
      let received = harness.receive(on: first) { $0.isClosed }
      #expect(received.status == "14" && received.messages.count == 2)
      let next = harness.open("Listen")
      try harness.say(Self.target(2, "c"), on: next)
      #expect(harness.receive(on: next) { $0.messages.count >= 4 }.status == second, "\(rule)")
    }
  }

  @Test(
    "with a path, messages about documents there are counted, on streams that were open before, too"
  )
  func dropsUnder() throws {
    let harness = try H()
    try harness.set(["c/a": 1, "d/a": 1])
    let stream = harness.open("Listen")
    for (id, collection) in [(2, "c"), (4, "d")] as [(Int32, String)] {
      try harness.say(Self.target(id, collection), on: stream)
      _ = harness.receive(on: stream) { $0.messages.count >= Int(id) * 2 }
    }
    try FaultKit.set("drop listen after 2 messages of alice", harness)
    try FaultKit.set("drop listen after 2 messages under d", harness)
    for number: Int64 in 2...4 { try harness.set(["c/a": number]) }
    try harness.set(["d/a": 2])
    // Both are told of in the order of the commits.
    let counted = "drop listen after 2 messages under d: 0 of 1"
    #expect(
      harness.receive(on: stream) { _ in FaultKit.metrics(harness).last == counted }.status == nil)
    try harness.set(["d/a": 3])
    #expect(harness.receive(on: stream) { $0.isClosed }.status == "14")
    #expect(
      FaultKit.metrics(harness) == [
        "drop listen after 2 messages of alice: 0 of 0",
        "drop listen after 2 messages under d: 1 of 2, over",
      ])
  }
}
