/// Who waits for whom: a slow client, a long result and a busy hub hold up nobody else.
///
/// Source: docs/spec/streams.md 1.5; docs/listen.md, "Slow clients".

import DocModel
import DocStore
import EngineLMDB
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct ListenFlowTests {
  private func path(_ text: String) -> ResourcePath { ResourcePath(unchecked: text) }

  /// Documents of 1,000 bytes.
  private func writes(_ numbers: Range<Int>, _ value: Int) -> [Write] {
    numbers.map {
      .set(
        "c/d\($0)",
        ["n": .integer(Int64(value)), "b": .bytes([UInt8](repeating: 1, count: 1_000))])
    }
  }

  @Test("a client that reads nothing holds up neither commits nor other clients, and is told the rest once")
  func slowClient() throws {
    let slow = ListenHarness(try TestStore())
    let quick = ListenProbe()
    let stream = slow.listening.open(slow.database, judge: nil, quick.sink)
    defer { stream.close() }
    let all = try slow.query("c")
    slow.add(2, all)
    stream.take(.add(TargetRequest(id: 2, selection: .success(all))))
    slow.threads.run()
    slow.probe.setUnsentBytes(5 << 20)
    // The first commit is what fills the buffer; from then on nothing is handed over.
    try slow.commit(writes(0..<10, 0))
    let told = slow.probe.now.messages
    for value in 1...30 {
      try slow.commit(writes(0..<10, value))
      #expect(quick.target(2).documents == (try slow.truth(all)))
    }
    #expect(slow.probe.now.messages == told)
    slow.probe.setUnsentBytes(0)
    slow.stream.clientHasRead()
    slow.threads.run()
    #expect(slow.probe.target(2).documents == (try slow.truth(all)))
    // Ten documents and the closing message, whatever happened in between.
    #expect(slow.probe.now.messages == told + 11)
    #expect(slow.probe.target(2).resets == 0 && slow.probe.now.complaints.isEmpty)
  }

  @Test(
    "a target that falls too far behind is reset and told so: by the number of documents, by their bytes",
    arguments: [(changes: 8, bytes: 1 << 20), (changes: 1_000, bytes: 8_000)])
  func tooFarBehind(limit: (changes: Int, bytes: Int)) throws {
    var limits = ListenLimits()
    limits.catchUpChangesMax = limit.changes
    limits.catchUpBytesMax = limit.bytes
    let harness = ListenHarness(try TestStore(), limits: limits)
    try harness.commit(writes(0..<3, 0))
    let selections: [(Int32, TargetSelection)] = [
      (2, try harness.query("c")), (4, try harness.query("d")),
      (
        6,
        try harness.query("c") {
          $0.orders = [.init("n", .descending)]
          $0.limit = 20
        }
      ), (8, .documents([path("c/d1"), path("c/d30")])),
    ]
    for (id, selection) in selections { harness.add(id, selection) }
    harness.probe.setUnsentBytes(5 << 20)
    try harness.commit(writes(3..<4, 0))
    for value in 1...5 { try harness.commit(writes(0..<25, value)) }
    harness.probe.setUnsentBytes(0)
    harness.stream.clientHasRead()
    harness.threads.run()
    for (id, selection) in selections {
      #expect(harness.probe.target(id).documents == (try harness.truth(selection)), "target \(id)")
      #expect(harness.probe.target(id).isCurrent, "target \(id)")
    }
    #expect(harness.probe.target(2).resets == 1)
    #expect(harness.probe.target(4).resets == 0)
    #expect(harness.probe.target(8).resets == 0)
    #expect(harness.probe.now.untold == 0 && harness.probe.now.complaints.isEmpty)
    try harness.commit(writes(0..<2, 9))
    for (id, selection) in selections {
      #expect(harness.probe.target(id).documents == (try harness.truth(selection)), "target \(id)")
    }
  }

  @Test("a result that nobody reads yet holds up no listener")
  func loads() throws {
    let test = try TestStore()
    let database = QueryTestSource.database
    let hubs = ManualThreads()
    let reading = ManualThreads()
    let listening = Listening(
      test.store, deliver: { hubs.submit($0) }, execute: { reading.submit($0) }, keepsTime: false)
    defer { listening.close() }
    let probes = [ListenProbe(), ListenProbe()]
    let streams = probes.map { listening.open(database, judge: nil, $0.sink) }
    let target = TargetRequest(id: 2, selection: .success(.documents([path("c/d1")])))
    func turn() {
      reading.run()
      hubs.run()
    }
    streams[0].take(.add(target))
    hubs.run()
    for _ in 0..<3 { turn() }
    #expect(probes[0].target(2).isCurrent)
    // The second one's result waits for a thread of queries, and they are all busy.
    streams[1].take(.add(target))
    hubs.run()
    for value in 1...3 {
      test.clock.advance(microseconds: 10)
      let version = try test.store.commitAndWait(database, writes(1..<2, value)).commitTime
      hubs.run()
      #expect(probes[0].target(2).documents == [path("c/d1"): version])
      #expect(!probes[1].target(2).isCurrent)
    }
    for _ in 0..<3 { turn() }
    #expect(probes[1].target(2).isCurrent)
    #expect(probes[1].target(2).documents == probes[0].target(2).documents)
    for stream in streams { stream.close() }
    hubs.run()
  }

  @Test("a target by many names comes in pieces as the client reads")
  func names() throws {
    var limits = ListenLimits()
    limits.pieceBytesMax = 4_000
    limits.unsentBytesMax = 8_000
    let harness = ListenHarness(try TestStore(), limits: limits)
    try harness.commit(writes(0..<60, 0))
    let selection = TargetSelection.documents((0..<80).map { path("c/d\($0)") })
    harness.probe.setUnsentBytes(perSending: 8_001)
    harness.add(2, selection)
    // ADD has filled the buffer.
    #expect(harness.probe.now.messages == 1)
    try harness.commit(writes(0..<1, 1) + [.delete("c/d7"), .set("c/d70", [:])])
    var most = 0
    for _ in 0..<200 where !harness.probe.target(2).isCurrent {
      let before = harness.probe.now.messages
      harness.probe.setUnsentBytes(0)
      harness.stream.clientHasRead()
      harness.threads.run()
      most = max(most, harness.probe.now.messages - before)
    }
    #expect(harness.probe.target(2).documents == (try harness.truth(selection)))
    #expect(harness.probe.target(2).resets == 0)
    #expect(most < 40, "\(most) messages in one piece")
  }

  @Test("what happens while a result is read is told without reading it again", arguments: [false, true])
  func behind(isTooMuch: Bool) throws {
    var limits = ListenLimits()
    limits.pieceBytesMax = 4_000
    limits.unsentBytesMax = 8_000
    limits.joinChangesMax = 3
    limits.loadChangesMax = isTooMuch ? 10 : 100
    let harness = ListenHarness(try TestStore(), limits: limits)
    try harness.commit(writes(0..<60, 0))
    let selection = try harness.query("c") { $0.filter = .field("n", .lessThan, .integer(2)) }
    harness.probe.setUnsentBytes(8_001)
    harness.add(2, selection)
    for value in 1...2 { try harness.commit(writes(value * 10..<value * 20, value)) }
    try harness.commit((0..<5).map { .delete("c/d\($0)") })
    for _ in 0..<400 where !harness.probe.target(2).isCurrent {
      harness.probe.setUnsentBytes(0)
      harness.stream.clientHasRead()
      harness.threads.run()
    }
    #expect(harness.probe.target(2).documents == (try harness.truth(selection)))
    #expect(harness.probe.target(2).resets == (isTooMuch ? 1 : 0))
    #expect(harness.probe.now.complaints.isEmpty)
    try harness.commit(writes(50..<52, 1))
    #expect(harness.probe.target(2).documents == (try harness.truth(selection)))
  }

  @Test("databases share the threads: one that is stuck leaves the others theirs")
  func stuck() throws {
    let test = try TestStore()
    let listening = Listening(test.store) { $0() }
    defer { listening.close() }
    let gate = Monitor(false)
    let told = Monitor<[String: Int]>([:])
    func sink(_ name: String, waits: Bool) -> ListenSink {
      ListenSink(
        send: { events in
          if waits { gate.wait { $0 ? () : nil } }
          told.change { $0[name, default: 0] += events.count }
        }, unsentBytes: { 0 }, fail: { _ in })
    }
    let target = TargetRequest(id: 2, selection: .success(.documents([path("c/a")])))
    let names = ["stuck", "free1", "free2", "free3"]
    let streams = names.map { name in
      listening.open(DatabaseID(project: name), judge: nil, sink(name, waits: name == "stuck"))
    }
    for stream in streams { stream.take(.add(target)) }
    for name in names.dropFirst() {
      #expect(told.wait(atMost: 60_000) { $0[name] == 4 ? () : nil } != nil, "\(name) was not told")
    }
    for name in names {
      try test.store.commitAndWait(DatabaseID(project: name), [.set("c/a", ["n": .integer(1)])])
    }
    for name in names.dropFirst() {
      #expect(told.wait(atMost: 60_000) { $0[name] == 6 ? () : nil } != nil, "\(name) was not told")
    }
    #expect(told.withLock { $0["stuck"] } == nil)
    gate.change { $0 = true }
    // It is told the newest state only: what was committed meanwhile is in its first result.
    #expect(told.wait(atMost: 60_000) { $0["stuck"] == 4 ? () : nil } != nil)
    for stream in streams { stream.close() }
  }
}
