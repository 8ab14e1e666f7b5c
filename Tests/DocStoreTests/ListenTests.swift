/// What a commit means for a target, case by case.
///
/// Source: docs/spec/streams.md 1.2 to 1.6.

import DocModel
import Platform
import Synchronization
import TestSupport
import Testing

@testable import DocStore

@Suite struct ListenTests {
  private func begin(_ writes: Write...) throws -> ListenHarness {
    let harness = ListenHarness(try TestStore())
    if !writes.isEmpty { try harness.commit(writes) }
    return harness
  }

  private func path(_ text: String) -> ResourcePath { ResourcePath(unchecked: text) }

  private func lines(_ harness: ListenHarness) -> [String] {
    harness.probe.takeEvents().map { event in
      switch event {
      case .added(let id): "add \(id)"
      case .removed(let id, let cause): "remove \(id)\(cause == nil ? "" : " with cause")"
      case .reset(let id): "reset \(id)"
      case .current(let id, _): "current \(id)"
      case .consistent: "consistent"
      case .changed(let document, let targets, let removed): "change \(document.path) \(targets) \(removed)"
      case .deleted(let path, let removed, _): "delete \(path) \(removed)"
      case .left(let path, let removed, _): "leave \(path) \(removed)"
      case .filter(let id, let count, let names): "filter \(id) \(count) \(names?.hashCount ?? 0)"
      }
    }
  }

  @Test("a document that stops matching comes with its new state, one that is pushed out without")
  func departures() throws {
    let harness = try begin(
      .set("c/a", ["n": .integer(1)]), .set("c/b", ["n": .integer(2)]), .set("c/z", ["n": .integer(3)]))
    harness.add(2, try harness.query("c") { $0.filter = .field("n", .lessThan, .integer(9)) })
    harness.add(
      4,
      try harness.query("c") {
        $0.orders = [.init("n")]
        $0.limit = 2
      })
    _ = lines(harness)
    try harness.commit(.set("c/a", ["n": .integer(10)]))
    #expect(
      lines(harness) == ["change c/a [] [2, 4]", "change c/z [4] []", "consistent"])
    try harness.commit(.set("c/q", ["n": .integer(0)]))
    #expect(lines(harness) == ["leave c/z [4]", "change c/q [2, 4] []", "consistent"])
    try harness.commit(.delete("c/q"))
    #expect(lines(harness) == ["delete c/q [2, 4]", "change c/z [4] []", "consistent"])
  }

  @Test("a commit that touches no target says nothing, nor does a write that changes nothing")
  func silence() throws {
    let harness = try begin(.set("c/a", ["n": .integer(1)]))
    harness.add(2, try harness.query("c") { $0.filter = .field("n", .equal, .integer(1)) })
    harness.add(4, .documents([path("c/a")]))
    _ = lines(harness)
    try harness.commit(.set("d/a", [:]), .set("c/b", ["n": .integer(2)]))
    try harness.commit(.set("c/a", ["n": .integer(1)]))
    try harness.commit(.delete("c/none"))
    #expect(lines(harness) == [])
  }

  @Test("1 and 1.0 are the same value to the index of targets")
  func numbers() throws {
    let harness = try begin()
    harness.add(2, try harness.query("c") { $0.filter = .field("n", .equal, .integer(1)) })
    harness.add(4, try harness.query("c") { $0.filter = .field("l", .arrayContains, .double(2)) })
    _ = lines(harness)
    try harness.commit(.set("c/a", ["n": .double(1), "l": .array([.integer(2)])]))
    #expect(lines(harness) == ["change c/a [2, 4] []", "consistent"])
  }

  @Test("all documents of a commit are told before the state is consistent")
  func atomicity() throws {
    let harness = try begin()
    harness.add(2, try harness.query("c"))
    harness.add(4, try harness.query("d"))
    _ = lines(harness)
    try harness.commit(.set("c/a", [:]), .set("d/a", [:]), .set("c/b", [:]))
    #expect(
      lines(harness) == ["change c/a [2] []", "change d/a [4] []", "change c/b [2] []", "consistent"])
  }

  @Test("projections differ, so each has its message")
  func projections() throws {
    let harness = try begin()
    harness.add(2, try harness.query("c") { $0.projection = ["n"] })
    harness.add(4, try harness.query("c"))
    _ = lines(harness)
    try harness.commit(.set("c/a", ["n": .integer(1), "m": .integer(2)]))
    #expect(lines(harness) == ["change c/a [2] []", "change c/a [4] []", "consistent"])
  }

  @Test("clearing empties every target and the listeners live on")
  func clearing() async throws {
    let harness = try begin(.set("c/a", [:]), .set("c/b", [:]))
    harness.add(2, try harness.query("c"))
    harness.add(4, .documents([path("c/a")]))
    harness.add(6, try harness.query("c") { $0.limit = 1 })
    harness.test.clock.advance(microseconds: 10)
    _ = try await harness.test.store.clear(harness.database)
    harness.threads.run()
    for id: Int32 in [2, 4, 6] { #expect(harness.probe.target(id).documents.isEmpty) }
    #expect(
      lines(harness).suffix(3) == ["delete c/a [2, 4, 6]", "delete c/b [2]", "consistent"])
    try harness.commit(.set("c/a", [:]))
    for id: Int32 in [2, 4, 6] { #expect(harness.probe.target(id).documents.count == 1) }
  }

  @Test("a clearing of more documents than are named resets what keeps no list, and nothing else")
  func largeClearing() throws {
    let harness = try begin()
    for batch in 0..<21 {
      try harness.commit((0..<500).map { .set("c/d\(batch * 500 + $0)", ["n": .integer(Int64($0))]) })
    }
    harness.add(2, try harness.query("c"))
    harness.add(4, .documents([path("c/d1"), path("c/none")]))
    harness.add(6, try harness.query("c") { $0.limit = 1 })
    _ = lines(harness)
    harness.test.clock.advance(microseconds: 10)
    _ = try harness.test.store.clearAndWait(harness.database)
    harness.threads.run()
    for id: Int32 in [2, 4, 6] {
      #expect(harness.probe.target(id).documents.isEmpty)
      #expect(harness.probe.target(id).isCurrent)
      #expect(harness.probe.target(id).resets == (id == 2 ? 1 : 0))
    }
    #expect(lines(harness).last == "consistent")
    try harness.commit(.set("c/d1", [:]))
    for id: Int32 in [2, 4, 6] { #expect(harness.probe.target(id).documents.count == 1) }
  }

  @Test("a clearing right behind commits deletes what they wrote, and tells nothing twice")
  func clearingBehindCommits() throws {
    let harness = try begin(.set("c/a", [:]), .set("c/b/d/e", [:]))
    harness.add(2, try harness.query("c"))
    harness.add(4, try harness.query("d") { $0.from[0].includesDescendants = true })
    let store = harness.test.store
    let waiting = Monitor(3)
    // Submitted at once, so that they may come to be planned in one batch.
    for writes: [Write] in [[.set("c/z", [:]), .delete("c/a")], [.set("c/y", [:])]] {
      store.submit(harness.database, writes) { _ in waiting.change { $0 -= 1 } }
    }
    try runThreads(1) { [database = harness.database] _ in
      _ = try store.clearAndWait(database)
      waiting.change { $0 -= 1 }
    }
    waiting.wait { $0 == 0 ? () : nil }
    harness.threads.run()
    #expect(harness.probe.now.complaints.isEmpty)
    for id: Int32 in [2, 4] {
      #expect(harness.probe.target(id).documents.isEmpty)
      #expect(harness.probe.target(id).resets == 0)
    }
    let deleted = lines(harness).filter { $0.hasPrefix("delete") }
    #expect(Set(deleted).count == deleted.count)
    #expect(deleted.contains("delete c/b/d/e [4]") && deleted.contains("delete c/z [2]"))
  }

  @Test("a token from before a clearing resets")
  func tokenAcrossClearing() async throws {
    let harness = try begin(.set("c/a", [:]))
    harness.add(2, try harness.query("c"))
    let token = try #require(harness.probe.now.token)
    harness.test.clock.advance(microseconds: 10)
    _ = try await harness.test.store.clear(harness.database)
    try harness.commit(.set("c/b", [:]))
    let second = ListenHarness(harness.test)
    second.add(2, try harness.query("c"), from: .token(token.bytes))
    #expect(lines(second) == ["add 2", "reset 2", "change c/b [2] []", "current 2", "consistent"])
  }

  @Test("a token older than history is answered with what is newer, and a filter")
  func oldToken() async throws {
    let harness = try begin(.set("c/a", [:]), .set("c/b", [:]))
    harness.add(2, try harness.query("c"))
    let token = try #require(harness.probe.now.token)
    try harness.commit(.delete("c/a"), .set("c/c", [:]))
    harness.test.clock.advance(seconds: Retention.seconds + 10)
    _ = try await harness.test.store.tidy()
    try harness.commit(.set("d/a", [:]))
    let second = ListenHarness(harness.test)
    second.add(2, try harness.query("c"), from: .token(token.bytes))
    #expect(
      lines(second) == ["add 2", "change c/c [2] []", "filter 2 2 7", "current 2", "consistent"])
  }

  @Test("a client that miscounted gets a filter", arguments: [0, 1, 2, 3])
  func expectedCount(count: Int) throws {
    let harness = try begin(.set("c/a", [:]), .set("c/b", [:]))
    harness.add(2, try harness.query("c"))
    let token = try #require(harness.probe.now.token)
    harness.remove(2)
    _ = lines(harness)
    harness.add(2, try harness.query("c"), from: .token(token.bytes), expecting: count)
    #expect(lines(harness).contains("filter 2 2 7") == (count != 2))
  }

  @Test(
    "ids: an unused one for 0, a refusal for one in use, the stream's end for a negative one, silence for an unknown removal"
  )
  func ids() throws {
    let harness = try begin()
    harness.add(1, try harness.query("c"))
    harness.add(0, try harness.query("d"))
    harness.remove(9)
    harness.remove(1)
    #expect(
      lines(harness) == [
        "add 1", "current 1", "consistent", "add 2", "current 2", "consistent", "remove 1",
      ])
    harness.add(2, try harness.query("e"))
    #expect(lines(harness) == ["remove 2 with cause"])
    #expect(harness.probe.now.failure == nil)
    harness.add(-2, try harness.query("e"))
    #expect(harness.probe.now.failure?.message == "Target ID -2 is negative.")
  }

  @Test("a silent stream is told the time, and no commit falls below it")
  func heartbeat() async throws {
    let test = try TestStore()
    var limits = ListenLimits()
    limits.heartbeatMicroseconds = 40_000
    let harness = ListenHarness(test, limits: limits, keepsTime: true)
    harness.add(2, try harness.query("c"))
    _ = lines(harness)
    test.clock.advance(seconds: 40)
    // The clock's thread beats in real time; it only has to beat at all.
    var told: [String] = []
    for _ in 0..<6_000 where told.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
      harness.threads.run()
      told = lines(harness)
    }
    #expect(told == ["consistent"])
    let promised = try #require(harness.probe.now.token).readTime
    #expect(try harness.commit(.set("c/a", [:])).commitTime > promised)
  }

  @Test("silent streams are told the time in turn, each within the limit")
  func heartbeats() throws {
    let test = try TestStore()
    var limits = ListenLimits()
    limits.heartbeatMicroseconds = 40_000_000
    let harness = ListenHarness(test, limits: limits)
    let probes = (0..<HubStream.beatShares).map { _ in ListenProbe() }
    let streams = probes.map { harness.listening.open(harness.database, judge: nil, $0.sink) }
    defer { for stream in streams { stream.close() } }
    for stream in streams {
      stream.take(.add(TargetRequest(id: 2, selection: .success(try harness.query("c")))))
    }
    harness.threads.run()
    let before = probes.map(\.now.messages)
    func told(after seconds: Int64) -> Int {
      test.clock.advance(seconds: seconds)
      harness.listening.beat()
      harness.threads.run()
      return zip(probes, before).count { $0.now.messages > $1 }
    }
    #expect(told(after: 20) == 0)
    #expect([told(after: 5), told(after: 5), told(after: 5), told(after: 5)] == [4, 8, 12, 16])
  }

  @Test("a stream that is closed is told nothing more, and nobody is followed")
  func closing() throws {
    let harness = try begin()
    let probe = ListenProbe()
    let stream = harness.listening.open(harness.database, judge: nil, probe.sink)
    stream.take(.add(TargetRequest(id: 2, selection: .success(try harness.query("c")))))
    harness.threads.run()
    #expect(harness.listening.streamCount == 2)
    stream.close()
    harness.threads.run()
    let before = probe.now.messages
    try harness.commit(.set("c/a", [:]))
    #expect(probe.now.messages == before && harness.listening.streamCount == 1)
  }

  @Test("a large result comes in pieces as the client reads, and commits meanwhile are not lost")
  func pieces() throws {
    let test = try TestStore()
    var limits = ListenLimits()
    limits.pieceBytesMax = 4_000
    limits.unsentBytesMax = 8_000
    let harness = ListenHarness(test, limits: limits)
    try harness.commit((0..<200).map { .set("c/k\($0)", ["n": .integer(Int64($0))]) })
    let selection = try harness.query("c")
    harness.probe.setUnsentBytes(8_001)
    harness.add(2, selection)
    try harness.commit(.set("c/new", [:]), .delete("c/k7"))
    var turns = 0
    while !harness.probe.target(2).isCurrent, turns < 100 {
      turns += 1
      harness.probe.setUnsentBytes(0)
      harness.stream.clientHasRead()
      harness.threads.run()
    }
    #expect(harness.probe.target(2).documents == (try harness.truth(selection)))
  }
}
