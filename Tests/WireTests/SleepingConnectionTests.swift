/// Connections that let go of their memory between any two pieces of work.

import DocModel
import Glibc
import TestSupport
import Testing

@testable import Wire

@Suite("sleeping connections")
struct SleepingConnectionTests {
  /// What a client does, drawn at random: calls of every kind with headers that come again and headers that do not,
  /// bodies above a frame and above the window, streams that stay open, resets and pings.
  private struct Script {
    var random: SeededRandom
    let harness: GRPCHarness
    private(set) var transcript: [UInt8] = []
    private var talks: [Int32] = []

    init(seed: UInt64, sleeps: Bool) {
      random = SeededRandom(seed: seed)
      harness = GRPCHarness(clientWindowBytes: 20_000, sleeps: sleeps)
    }

    private mutating func body() -> [UInt8] {
      let sizes = [0, 1, 40, 700, 5_000, 17_000, 90_000]
      return [UInt8](
        repeating: UInt8.random(in: 0...255, using: &random), count: sizes.randomElement(using: &random)!)
    }

    private mutating func extra() -> [(String, String)] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in
        (
          "x-\(Int.random(in: 0...9, using: &random))",
          String(repeating: "v", count: Int.random(in: 1...300, using: &random))
        )
      }
    }

    private mutating func step() {
      let client = harness.client
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: client.request(path: "/test.Echo/Unary", body: framed(body()), extra: extra())
      case 2: client.request(path: "/test.Echo/Fail", body: framed([]), extra: extra())
      case 3: client.request(path: "/test.Echo/Keep", body: framed(body()), extra: extra())
      case 4:
        talks.append(
          client.request(path: "/test.Echo/Talk", body: framed(body()), ends: false, extra: extra()))
      case 5, 6:
        if let talk = talks.randomElement(using: &random) { client.append(talk, framed(body()), ends: false) }
      case 7:
        if let index = talks.indices.randomElement(using: &random) {
          let talk = talks.remove(at: index)
          if Bool.random(using: &random) { client.reset(talk) } else { client.append(talk, [], ends: true) }
        }
      default: client.ping()
      }
      if Int.random(in: 0..<4, using: &random) == 0,
        let call = harness.recorder.calls.randomElement(using: &random)
      {
        call.respond(body())
      }
    }

    mutating func run(steps: Int) {
      for _ in 0..<steps {
        for _ in 0..<Int.random(in: 1...4, using: &random) { step() }
        let piece = [Int.max, 9, 1_000].randomElement(using: &random)!
        while true {
          let toServer = harness.client.output()
          harness.give(toServer, piece: toServer.count > 3_000 ? max(piece, 1_000) : piece)
          let toClient = harness.serverOutput()
          harness.client.receive(toClient)
          transcript += toClient
          if toServer.isEmpty, toClient.isEmpty { break }
        }
      }
    }
  }

  @Test("a connection that sleeps whenever it can says the same, byte for byte", arguments: UInt64(1)...4)
  func sameBytes(seed: UInt64) {
    var awake = Script(seed: seed, sleeps: false)
    var sleeper = Script(seed: seed, sleeps: true)
    awake.run(steps: 40)
    sleeper.run(steps: 40)
    #expect(awake.transcript == sleeper.transcript)
    #expect(sleeper.harness.sleepCount > 40)
    #expect(awake.harness.recorder.messages == sleeper.harness.recorder.messages)
    #expect(awake.harness.recorder.cancelled == sleeper.harness.recorder.cancelled)
  }

  @Test("a connection with an open stream sleeps in less than 2 KiB, however large its last frame was")
  func size() {
    let harness = GRPCHarness()
    let id = harness.client.request(
      path: "/test.Echo/Talk", body: framed([UInt8](repeating: 5, count: 60_000)), ends: false)
    harness.exchange()
    #expect(harness.connection.sleep())
    #expect(harness.connection.http2.isAsleep)
    #expect(harness.connection.http2.sleepingBytes < 2 << 10)
    harness.client.append(id, framed([1, 2, 3]), ends: true)
    harness.exchange()
    #expect(!harness.connection.http2.isAsleep)
    #expect(harness.client.streams[id]?.messages.last == [1, 2, 3])
    #expect(harness.client.streams[id]?.status == "0")
  }

  @Test("a connection with something to send does not sleep")
  func busy() {
    let harness = GRPCHarness()
    harness.client.request(path: "/test.Echo/Unary", body: framed([1]))
    harness.give(harness.client.output())
    #expect(!harness.connection.sleep())
    harness.exchange()
    #expect(harness.connection.sleep())
  }

  @Test("a connection that is lost while it sleeps cancels its calls")
  func lost() {
    let harness = GRPCHarness()
    harness.client.request(path: "/test.Echo/Keep", body: framed([1]))
    harness.exchange()
    #expect(harness.connection.sleep())
    harness.connection.loseConnection()
    #expect(harness.recorder.cancelled == 1)
  }

  @Test("blocks keep their content through sleep, growth and each other's end", arguments: UInt64(1)...6)
  func blocks(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let memory = SessionMemory()
    var blocks: [(content: UnsafeMutableRawPointer, bytes: Int, mark: UInt8)] = []
    func fill(_ block: (content: UnsafeMutableRawPointer, bytes: Int, mark: UInt8)) {
      memset(block.content, CInt(block.mark), block.bytes)
    }
    func holds(_ block: (content: UnsafeMutableRawPointer, bytes: Int, mark: UInt8), _ count: Int) -> Bool {
      [UInt8](repeating: block.mark, count: count).withUnsafeBytes {
        memcmp(block.content, $0.baseAddress!, count) == 0
      }
    }
    for step in 0..<1_000 {
      if step == 40 { memory.found() }
      let bytes = Int.random(
        in: 1...(Int.random(in: 0..<20, using: &random) == 0 ? 9_000 : 400), using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1, 2:
        let isZero = Bool.random(using: &random)
        guard let content = isZero ? memory.allocateZeros(bytes) : memory.allocate(bytes) else {
          Issue.record("no memory")
          return
        }
        #expect(UInt(bitPattern: content) % 16 == 0)
        if isZero { #expect(holds((content, bytes, 0), bytes)) }
        blocks.append((content, bytes, UInt8.random(in: 0...255, using: &random)))
        fill(blocks[blocks.count - 1])
      case 3, 4, 5:
        guard let index = blocks.indices.randomElement(using: &random) else { continue }
        let block = blocks.remove(at: index)
        #expect(holds(block, block.bytes))
        memory.release(block.content)
      case 6:
        guard let index = blocks.indices.randomElement(using: &random),
          let content = memory.resize(blocks[index].content, bytes)
        else { continue }
        let kept = min(bytes, blocks[index].bytes)
        blocks[index].content = content
        blocks[index].bytes = bytes
        #expect(holds(blocks[index], kept))
        fill(blocks[index])
      default:
        if memory.sleep() { memory.wake() }
      }
    }
    for block in blocks {
      #expect(holds(block, block.bytes))
      memory.release(block.content)
    }
  }
}
