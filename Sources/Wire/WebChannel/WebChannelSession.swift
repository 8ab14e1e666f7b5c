/// The server's side of one WebChannel session, free of I/O.
///
/// WebChannel carries one bidirectional stream over plain requests: what the client says comes in forms, each message
/// with a number; what the server says are numbered *arrays*, which go out on a *back channel*, the answer to a GET
/// that is kept open. The client acknowledges arrays with its next request of any kind; what it has not acknowledged is
/// kept, and sent again when a back channel opens.
///
/// The session is given forms, back channels, the server's messages and the time, and writes to its sink; so it is
/// tested without a socket.
///
/// State and its owner: one event loop.
///
/// INVARIANT: `kept` holds the arrays behind the newest acknowledged one, in order, the first `writtenCount` of which
/// the back channel at hand (or, without one, the last) was given.
/// INVARIANT: the client's messages are delivered in the order of their numbers, each once.
///
/// Source: docs/spec/streams.md section 3.

internal import DequeModule
internal import DocModel
internal import JSON

/// The answer to a client's GET, which takes what the session says.
package protocol WebChannelSink: AnyObject {
  /// Takes a piece of the answer, the first together with the head. The session is told when it has gone out.
  func write(_ bytes: [UInt8])
  /// Ends the answer.
  func end()
}

package struct WebChannelLimits: Sendable {
  /// A sign of life on a silent back channel; the client counts it as lost after one and a half of these.
  package var keepAliveMilliseconds: UInt64 = 30_000
  /// After this the answer to a GET ends, and the client opens the next.
  package var backChannelMilliseconds: UInt64 = 60_000
  /// LIMIT: how long a session lives after its last request or back channel. Hidden pages wake once a minute.
  package var idleMilliseconds: UInt64 = 120_000
  /// LIMIT: bytes of arrays that were sent and not acknowledged. Then the answer ends, because the client
  /// acknowledges with its next GET.
  package var unacknowledgedBytesMax = 1 << 20
  /// LIMIT: bytes handed to a back channel that the connection has not taken.
  package var unflushedBytesMax = 256 << 10
  /// Bytes of unsent arrays from which the stream is asked to pause.
  package var unsentBytesHigh = 256 << 10
  /// LIMIT: bytes of unsent arrays. Streams pause long before; what comes all the same, such as answers to writes that
  /// nobody fetches, ends the session.
  package var unsentBytesMax = 32 << 20
  /// LIMIT: messages and bytes that wait because one before them is missing.
  package var gapMessagesMax = 1_000
  package var gapBytesMax = 16 << 20
  /// LIMIT: sessions of a server; beyond, the one that was silent longest makes room, or the handshake is refused.
  package var sessionsMax = 10_000
  /// Bytes of arrays in one frame.
  package var frameBytes = 64 << 10

  package init() {}
}

package final class WebChannelSession {
  private let limits: WebChannelLimits

  // What the server says.
  private var kept = Deque<[UInt8]>()
  private var firstKeptID = 1
  private var writtenCount = 0
  private var unsentBytes = 0
  private var unacknowledgedBytes = 0
  private var lastID: Int { firstKeptID + kept.count - 1 }
  /// The highest array that any back channel was given.
  private var lastWrittenID = 0
  private var isPaused = false

  // What the client says.
  private var nextNumber = 0
  private var gap: [Int: [UInt8]] = [:]
  private var gapBytes = 0

  // The back channel.
  private var sink: (any WebChannelSink)?
  private var isPolling = false
  private var unflushedBytes = 0
  private var endOfBackChannel: UInt64 = 0
  private var nextKeepAlive: UInt64 = 0
  private var idleSince: UInt64

  /// Runs when arrays that waited for the client have gone out.
  package var onWritable: (() -> Void)?

  package init(limits: WebChannelLimits = WebChannelLimits(), now: UInt64) {
    self.limits = limits
    idleSince = now
  }

  package var hasBackChannel: Bool { sink != nil }

  /// Bytes of the client's messages and of the server's that the session keeps, and those that its connection has not taken.
  var heldBytes: Int { unsentBytes + unacknowledgedBytes + gapBytes + (sink == nil ? 0 : unflushedBytes) }

  /// The client fetches nothing of all that is said.
  package var isOverfull: Bool { unsentBytes > limits.unsentBytesMax }

  /// When the client was last heard of.
  package var lastSeen: UInt64 { sink == nil ? idleSince : .max }
}

// MARK: - What stays true

extension WebChannelSession {
  @inline(__always)
  private func noteChange() {
    if Invariants.areDue(at: kept.count + gap.count) { checkInvariants() }
  }

  func checkInvariants() {
    assert((0...kept.count).contains(writtenCount), "what was given to the back channel is kept")
    assert(
      kept.enumerated().allSatisfy { $0.element.starts(with: "[\(firstKeptID + $0.offset),".utf8) },
      "arrays are in the order of their ids, without gap")
    assert(
      unacknowledgedBytes == kept.prefix(writtenCount).reduce(0) { $0 + $1.count },
      "`unacknowledgedBytes` counts what was given and not acknowledged")
    assert(
      unsentBytes == kept.dropFirst(writtenCount).reduce(0) { $0 + $1.count }, "`unsentBytes` counts the rest"
    )
    assert(gapBytes == gap.values.reduce(0) { $0 + $1.count }, "`gapBytes` counts")
    assert(gap.keys.allSatisfy { $0 > nextNumber }, "only messages behind one that is missing wait")
  }
}

// MARK: - What the client says

extension WebChannelSession {
  package enum Fault: Error {
    /// More is missing or waiting than the limits allow.
    case gapTooLarge
  }

  /// Takes messages in any order; answers those whose turn has come, in theirs.
  package func receive(
    _ messages: [(number: Int, bytes: [UInt8])], now: UInt64
  ) throws(Fault) -> [[UInt8]] {
    idleSince = now
    for message in messages where message.number >= nextNumber && gap[message.number] == nil {
      guard message.number - nextNumber <= limits.gapMessagesMax, gap.count < limits.gapMessagesMax,
        gapBytes + message.bytes.count <= limits.gapBytesMax || message.number == nextNumber
      else { throw .gapTooLarge }
      gap[message.number] = message.bytes
      gapBytes += message.bytes.count
    }
    var due: [[UInt8]] = []
    while let bytes = gap.removeValue(forKey: nextNumber) {
      gapBytes -= bytes.count
      due.append(bytes)
      nextNumber += 1
    }
    noteChange()
    return due
  }

  /// Forgets the arrays that the client has.
  package func acknowledge(_ id: Int?, now: UInt64) {
    idleSince = now
    guard let id else { return }
    while firstKeptID <= id, writtenCount > 0 {
      unacknowledgedBytes -= kept.removeFirst().count
      firstKeptID += 1
      writtenCount -= 1
    }
    noteChange()
  }

  /// The answer to a form: is there a back channel, what was it given, how much of that is not acknowledged.
  package var formAnswer: [UInt8] {
    Self.frame([.int(sink == nil ? 0 : 1), .int(lastWrittenID), .int(unacknowledgedBytes)])
  }

  static func frame(_ arrays: JSONValue) -> [UInt8] {
    let bytes = JSONWriter.bytes(of: arrays)
    return Array("\(bytes.count)\n".utf8) + bytes
  }
}

// MARK: - What the server says

extension WebChannelSession {
  /// Takes one message, JSON in ASCII, for the client. False: wait for `onWritable`. `flush` sends it.
  package func append(_ message: [UInt8]) -> Bool {
    var array = Array("[\(lastID + 1),[".utf8)
    array.reserveCapacity(array.count + message.count + 2)
    array.append(contentsOf: message)
    array.append(UInt8(ascii: "]"))
    array.append(UInt8(ascii: "]"))
    unsentBytes += array.count
    kept.append(array)
    if unsentBytes > limits.unsentBytesHigh { isPaused = true }
    noteChange()
    return !isPaused
  }

  /// Sends what waits, as far as the back channel takes it.
  package func flush(now: UInt64) {
    guard sink != nil else { return }
    let hasSent = writeFrames(now: now)
    if isPolling, hasSent { return closeBackChannel(now: now) }
    if unacknowledgedBytes >= limits.unacknowledgedBytesMax { return closeBackChannel(now: now) }
    resume()
  }

  /// Writes frames of waiting arrays; whether there was one.
  private func writeFrames(now: UInt64) -> Bool {
    guard let sink else { return false }
    var hasSent = false
    while writtenCount < kept.count, unflushedBytes < limits.unflushedBytesMax,
      unacknowledgedBytes < limits.unacknowledgedBytesMax
    {
      var bytes = 0
      let first = writtenCount
      while writtenCount < kept.count, bytes == 0 || bytes + kept[writtenCount].count < limits.frameBytes {
        bytes += kept[writtenCount].count + 1
        unsentBytes -= kept[writtenCount].count
        unacknowledgedBytes += kept[writtenCount].count
        writtenCount += 1
      }
      // Brackets around, commas between.
      var frame = Array("\(bytes + 1)\n[".utf8)
      frame.reserveCapacity(frame.count + bytes)
      for index in first..<writtenCount {
        if index > first { frame.append(UInt8(ascii: ",")) }
        frame.append(contentsOf: kept[index])
      }
      frame.append(UInt8(ascii: "]"))
      write(frame, to: sink, now: now)
      hasSent = true
    }
    lastWrittenID = max(lastWrittenID, firstKeptID + writtenCount - 1)
    noteChange()
    return hasSent
  }

  private func write(_ bytes: [UInt8], to sink: any WebChannelSink, now: UInt64) {
    unflushedBytes += bytes.count
    nextKeepAlive = now + limits.keepAliveMilliseconds * 1_000_000
    sink.write(bytes)
  }

  /// An array that says nothing. It takes an id, because clients count by the last one; it is kept only where others
  /// wait, so that ids stay in order.
  private func writeNoop(now: UInt64) {
    guard let sink else { return }
    guard kept.isEmpty else {
      // Behind arrays that wait it would come too late to be a sign of life; behind sent ones it is one more.
      guard writtenCount == kept.count else { return }
      _ = append(Array("\"noop\"".utf8))
      _ = writeFrames(now: now)
      return
    }
    let noop: JSONValue = [[.int(firstKeptID), ["noop"]]]
    lastWrittenID = firstKeptID
    firstKeptID += 1
    write(Self.frame(noop), to: sink, now: now)
  }

  private func resume() {
    guard isPaused, unsentBytes <= limits.unsentBytesHigh / 2 else { return }
    isPaused = false
    onWritable?()
  }
}

// MARK: - Back channels

extension WebChannelSession {
  /// A client's GET: takes the place of the one before, and gets all that is not acknowledged, at once. Something is
  /// always said at once: a client that hears nothing for some milliseconds takes the way to it for one that collects
  /// answers before it passes them on.
  package func open(
    _ sink: any WebChannelSink, acknowledging id: Int?, isPolling: Bool, holdMilliseconds: Int?,
    now: UInt64
  ) {
    let old = self.sink
    self.sink = nil
    old?.end()
    acknowledge(id, now: now)
    for index in 0..<writtenCount { unsentBytes += kept[index].count }
    writtenCount = 0
    unacknowledgedBytes = 0
    unflushedBytes = 0
    self.sink = sink
    self.isPolling = isPolling
    let hold = holdMilliseconds.map { UInt64(max($0, 0)) } ?? limits.keepAliveMilliseconds
    endOfBackChannel =
      now + (isPolling ? min(hold, limits.keepAliveMilliseconds) : limits.backChannelMilliseconds) * 1_000_000
    let hasSent = writeFrames(now: now)
    if isPolling, hasSent { return closeBackChannel(now: now) }
    if unacknowledgedBytes >= limits.unacknowledgedBytesMax { return closeBackChannel(now: now) }
    writeNoop(now: now)
    resume()
  }

  /// The connection has taken bytes of a back channel.
  package func flushed(_ count: Int, of sink: any WebChannelSink, now: UInt64) {
    guard sink === self.sink else { return }
    unflushedBytes -= count
    flush(now: now)
  }

  /// The connection of a back channel is lost.
  package func lost(_ sink: any WebChannelSink, now: UInt64) {
    guard sink === self.sink else { return }
    self.sink = nil
    idleSince = now
  }

  /// Ends the back channel at hand; the client opens another.
  package func closeBackChannel(now: UInt64) {
    guard let sink else { return }
    self.sink = nil
    idleSince = now
    sink.end()
    resume()
  }

  /// When `tick` is due, in nanoseconds.
  package var deadline: UInt64 {
    sink == nil ? idleSince + limits.idleMilliseconds * 1_000_000 : min(nextKeepAlive, endOfBackChannel)
  }

  /// Time has passed. False: the session is over, because nothing was heard of the client for long.
  package func tick(now: UInt64) -> Bool {
    guard now >= deadline else { return true }
    guard sink != nil else { return false }
    writeNoop(now: now)
    if now >= endOfBackChannel { closeBackChannel(now: now) }
    // Nothing could be said, as much waits to be taken: that is sign enough.
    if nextKeepAlive <= now { nextKeepAlive = now + limits.keepAliveMilliseconds * 1_000_000 }
    return true
  }
}
