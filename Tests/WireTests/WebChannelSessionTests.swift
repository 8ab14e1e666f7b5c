/// WebChannel without a socket: what the session writes, in exact bytes, and what a client makes of it whatever is lost.
///
/// Source: docs/spec/streams.md 3.2, 3.3.

import DocModel
import JSON
import Testing

@testable import Wire

/// A back channel that keeps what it was given.
final class RecordingSink: WebChannelSink {
  var text = ""
  var isEnded = false
  var unreported = 0

  func write(_ bytes: [UInt8]) {
    text += String(decoding: bytes, as: UTF8.self)
    unreported += bytes.count
  }

  func end() { isEnded = true }
}

@Suite("WebChannel sessions")
struct WebChannelSessionTests {
  private let second: UInt64 = 1_000_000_000

  private func append(_ session: WebChannelSession, _ texts: String...) {
    for text in texts { _ = session.append(Array("\"\(text)\"".utf8)) }
  }

  private func open(
    _ session: WebChannelSession, after id: Int = 0, polling: Bool = false, hold: Int? = nil,
    at now: UInt64 = 0
  ) -> RecordingSink {
    let sink = RecordingSink()
    session.open(sink, acknowledging: id, isPolling: polling, holdMilliseconds: hold, now: now)
    return sink
  }

  private func answer(_ session: WebChannelSession) -> String {
    String(decoding: session.formAnswer, as: UTF8.self)
  }

  @Test("a back channel says at once what waits, then that it is alive")
  func first() {
    let session = WebChannelSession(now: 0)
    append(session, "a", "b")
    #expect(answer(session) == "7\n[0,0,0]")
    #expect(open(session).text == "21\n[[1,[\"a\"]],[2,[\"b\"]]]14\n[[3,[\"noop\"]]]")
    #expect(answer(session) == "8\n[1,3,30]")
    #expect(open(WebChannelSession(now: 0)).text == "14\n[[1,[\"noop\"]]]")
  }

  @Test("what is not acknowledged is sent again, what is is not")
  func resending() {
    let session = WebChannelSession(now: 0)
    append(session, "a", "b", "c")
    let lost = open(session)
    session.lost(lost, now: 1)
    #expect(answer(session).hasSuffix("[0,4,39]"))
    #expect(open(session, after: 2).text.hasPrefix("24\n[[3,[\"c\"]],[4,[\"noop\"]]]"))
    session.acknowledge(5, now: 2)
    #expect(open(session, after: 5).text == "14\n[[6,[\"noop\"]]]")
    #expect(open(session, after: 1).text == "14\n[[7,[\"noop\"]]]")
  }

  @Test("an acknowledgement of what was never sent is not believed")
  func boastful() {
    let session = WebChannelSession(now: 0)
    append(session, "a")
    session.acknowledge(1_000_000, now: 0)
    #expect(open(session, after: 1_000_000).text.hasPrefix("11\n[[1,[\"a\"]]]"))
  }

  @Test("messages of one turn are one frame; a large answer takes several")
  func frames() {
    var limits = WebChannelLimits()
    limits.frameBytes = 30
    let session = WebChannelSession(limits: limits, now: 0)
    let sink = open(session)
    sink.text = ""
    append(session, "a", "b", "cc", "d")
    session.flush(now: 0)
    #expect(sink.text == "21\n[[2,[\"a\"]],[3,[\"b\"]]]22\n[[4,[\"cc\"]],[5,[\"d\"]]]")
  }

  @Test("a polling back channel ends with what it brings, or after a while")
  func polling() {
    let session = WebChannelSession(now: 0)
    let first = open(session, polling: true)
    #expect(first.text == "14\n[[1,[\"noop\"]]]" && !first.isEnded)
    append(session, "a")
    session.flush(now: 1)
    #expect(first.text.hasSuffix("11\n[[2,[\"a\"]]]") && first.isEnded)
    append(session, "b")
    #expect(open(session, after: 2, polling: true).isEnded)
    let held = open(session, after: 3, polling: true, hold: 5_000, at: 10 * second)
    #expect(session.deadline == 15 * second)
    #expect(session.tick(now: 15 * second))
    #expect(held.isEnded && held.text == "14\n[[4,[\"noop\"]]]14\n[[5,[\"noop\"]]]")
    _ = open(session, after: 5, polling: true, hold: 3_600_000, at: 20 * second)
    #expect(session.deadline == 50 * second, "nobody is held longer than half a minute")
  }

  @Test("a silent back channel says every half minute that it is alive, and ends after a minute")
  func keepAlive() {
    let session = WebChannelSession(now: 0)
    let sink = open(session)
    sink.text = ""
    #expect(session.deadline == 30 * second)
    #expect(session.tick(now: 30 * second))
    #expect(sink.text == "14\n[[2,[\"noop\"]]]" && !sink.isEnded)
    #expect(session.tick(now: 60 * second))
    #expect(sink.text.hasSuffix("14\n[[3,[\"noop\"]]]") && sink.isEnded)
  }

  @Test("a session ends two minutes after the last request or back channel, not before")
  func idle() throws {
    let session = WebChannelSession(now: 0)
    #expect(session.tick(now: 119 * second))
    _ = try session.receive([], now: 119 * second)
    #expect(session.tick(now: 238 * second))
    let sink = open(session, at: 238 * second)
    session.lost(sink, now: 300 * second)
    #expect(session.tick(now: 419 * second))
    #expect(!session.tick(now: 420 * second))
  }

  @Test("a new back channel takes the place of the one before, which ends cleanly and is not heard any more")
  func replaced() {
    let session = WebChannelSession(now: 0)
    let old = open(session)
    let new = open(session, after: 1)
    #expect(old.isEnded && !new.isEnded)
    session.lost(old, now: 1)
    session.flushed(1_000, of: old, now: 1)
    #expect(session.hasBackChannel)
  }

  @Test("a client that does not read makes the stream pause; when it has read the stream goes on")
  func slowReader() {
    var limits = WebChannelLimits()
    limits.unflushedBytesMax = 100
    limits.unsentBytesHigh = 200
    let session = WebChannelSession(limits: limits, now: 0)
    var resumed = 0
    session.onWritable = { resumed += 1 }
    let sink = open(session)
    var accepted = 0
    while session.append(Array("\"0123456789\"".utf8)) {
      accepted += 1
      session.flush(now: 0)
    }
    #expect(accepted < 30 && sink.text.utf8.count < 400)
    for _ in 0..<10 {
      let count = sink.unreported
      sink.unreported = 0
      session.flushed(count, of: sink, now: 1)
    }
    #expect(resumed == 1 && sink.text.contains("[\(accepted + 2),["))
  }

  @Test("an answer ends when much of it is not acknowledged, so that little is kept")
  func bounded() {
    var limits = WebChannelLimits()
    limits.unacknowledgedBytesMax = 100
    let session = WebChannelSession(limits: limits, now: 0)
    let sink = open(session)
    for _ in 0..<20 { append(session, "0123456789") }
    session.flush(now: 0)
    #expect(sink.isEnded)
    #expect(open(session, after: 7).text.contains("[8,["))
  }

  @Test(
    "the client's messages: any order, each once",
    arguments: [
      ([[0], [1], [2]], [0, 1, 2]), ([[2], [1], [0]], [0, 1, 2]), ([[0, 0], [0], [1, 0]], [0, 1]),
      ([[1], [1], [3], [0]], [0, 1]), ([[0, 2], [1]], [0, 1, 2]),
    ] as [([[Int]], [Int])])
  func order(forms: [[Int]], delivered: [Int]) throws {
    let session = WebChannelSession(now: 0)
    let got = try forms.flatMap { form in
      try session.receive(form.map { (number: $0, bytes: [UInt8($0)]) }, now: 0)
    }
    #expect(got.map { Int($0[0]) } == delivered)
  }

  @Test("what waits for a missing message is bounded, by number and by bytes")
  func gaps() throws {
    let session = WebChannelSession(now: 0)
    #expect(throws: WebChannelSession.Fault.gapTooLarge) { try session.receive([(1_002, [])], now: 0) }
    let large = [UInt8](repeating: 0, count: 9 << 20)
    _ = try session.receive([(1, large)], now: 0)
    #expect(throws: WebChannelSession.Fault.gapTooLarge) { try session.receive([(2, large)], now: 0) }
    #expect(try session.receive([(0, [])], now: 0).count == 2)
  }

  @Test("whatever is lost, each side gets what the other said, in order and once", arguments: 0..<200)
  func random(seed: Int) throws {
    var world = LossyWorld(seed: UInt64(seed))
    try world.run(steps: 400)
  }
}

/// A client and a session with a network between that loses, cuts, repeats and reorders.
private struct LossyWorld {
  private var random: SplitMix
  private let session: WebChannelSession
  private var now: UInt64 = 0
  private var said = 0
  private var heard: [Int] = []
  private var lastID = 0
  private var sink: RecordingSink?
  private var read = 0
  private var numbers = 0
  private var waiting: [Int] = []
  private var delivered: [Int] = []

  struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  init(seed: UInt64) {
    random = SplitMix(state: seed)
    var limits = WebChannelLimits()
    limits.unacknowledgedBytesMax = 400
    limits.unflushedBytesMax = 120
    limits.frameBytes = 64
    session = WebChannelSession(limits: limits, now: 0)
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps { try step(Int.random(in: 0..<9, using: &random)) }
    for _ in 0..<500 where heard.count < said || delivered.count < numbers {
      try step(2)
      try step(3)
      try step(5)
      if sink?.isEnded ?? true { try step(4) }
    }
    #expect(heard == Array(0..<said))
    #expect(delivered == Array(0..<numbers))
  }

  private mutating func step(_ choice: Int) throws {
    switch choice {
    case 0, 1:
      _ = session.append(Array("\"m\(said)\"".utf8))
      said += 1
      session.flush(now: now)
    case 2: readSome(all: Bool.random(using: &random))
    case 3:
      // The connection took some, or all.
      guard let sink else { return }
      let count = sink.unreported
      sink.unreported = 0
      session.flushed(count, of: sink, now: now)
    case 4:
      if Bool.random(using: &random), let sink { session.lost(sink, now: now) }
      let fresh = RecordingSink()
      sink = fresh
      read = 0
      session.open(
        fresh, acknowledging: lastID, isPolling: Int.random(in: 0..<3, using: &random) == 0,
        holdMilliseconds: nil,
        now: now)
    case 5:
      waiting.append(contentsOf: waiting.randomElement(using: &random).map { [$0] } ?? [])
      let form = waiting.shuffled(using: &random).map { (number: $0, bytes: Array("\($0)".utf8)) }
      session.acknowledge(lastID, now: now)
      for bytes in try session.receive(form, now: now) {
        delivered.append(Int(String(decoding: bytes, as: UTF8.self)) ?? -1)
      }
      waiting = []
    case 6:
      waiting.append(numbers)
      numbers += 1
    case 7: now += UInt64.random(in: 0..<40, using: &random) * 1_000_000_000
    default: if now >= session.deadline, session.hasBackChannel { _ = session.tick(now: now) }
    }
  }

  /// The client reads frames, whole ones only: what is cut off is lost with the connection.
  private mutating func readSome(all: Bool) {
    guard let sink else { return }
    let bytes = Array(sink.text.utf8)
    while read < bytes.count {
      guard let end = bytes[read...].firstIndex(of: 0x0A),
        let length = Int(String(decoding: bytes[read..<end], as: UTF8.self))
      else { return }
      let frame = Array(bytes[(end + 1)..<(end + 1 + length)])
      read = end + 1 + length
      guard let arrays = (try? JSONReader.read(frame))?.elements else { return }
      for array in arrays {
        guard let pair = array.elements, let id = pair[0].int, let message = pair[1].elements else { return }
        lastID = id
        guard let text = message[0].text, text.hasPrefix("m"), let number = Int(text.dropFirst()) else {
          continue
        }
        heard.append(number)
      }
      if !all { return }
    }
  }
}
