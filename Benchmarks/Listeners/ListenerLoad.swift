/// What a listener costs whoever writes: 100,000 documents in batches of 500, with one listener on the whole
/// collection, and again with one on the 50 newest. Ours beside the official emulator's.

import DocModel

/// Milliseconds from sending each batch until its listener has all of it, in order.
struct ListenerLoad {
  var milliseconds: [Double] = []

  var seconds: Double { seconds(batches: milliseconds.count) }

  func seconds(batches: Int) -> Double { milliseconds.prefix(batches).reduce(0, +) / 1_000 }

  /// How much longer a batch takes at the end than at the start, in percent: medians of a tenth each.
  var growthPercent: Double {
    let tenth = max(1, milliseconds.count / 10)
    // The very first batches find a cold server.
    let start = median(Array(milliseconds.dropFirst(min(5, tenth)).prefix(tenth)))
    return 100 * (median(milliseconds.suffix(tenth)) / start - 1)
  }
}

/// - Parameter peerSeconds: after so long the official emulator is not asked for more batches.
func listenerLoadBenchmark(own: WirePeer, rules: String, withPeers: Bool, peerSeconds: Double) throws {
  let batches = 200
  let official = withPeers ? officialPeer() : nil
  for limit in [nil, 50] {
    say(
      "\(batches * ListenedBatches.size) documents in batches of \(ListenedBatches.size), a listener on "
        + (limit.map { "the newest \($0)" } ?? "the whole collection"))
    let ours = try measure(own, rules: rules, limit: limit, batches: batches, secondsMax: 600)
    row(
      own.name,
      "\(rounded(Double(batches * ListenedBatches.size) / ours.seconds)) documents/s",
      "median \(rounded(median(ours.milliseconds), 2)) ms a batch")
    row("a batch at the end to one at the start", "\(rounded(ours.growthPercent, 1)) % longer")
    guard let official else {
      say(withPeers ? "official emulator: not installed, not measured" : "official emulator: not asked for")
      continue
    }
    let theirs = try measure(
      official, rules: rules, limit: limit, batches: batches, secondsMax: peerSeconds)
    let count = theirs.milliseconds.count
    row(
      official.name, "\(rounded(Double(count * ListenedBatches.size) / theirs.seconds)) documents/s",
      "its first \(count * ListenedBatches.size) documents, the last batch "
        + "\(rounded(theirs.milliseconds.last ?? 0, 1)) ms")
    row(
      "ours to theirs, those documents",
      "\(rounded(theirs.seconds / ours.seconds(batches: count), 1)) x faster")
  }
}

private func measure(
  _ peer: WirePeer, rules: String, limit: Int?, batches: Int, secondsMax: Double
) throws -> ListenerLoad {
  let port = freePort()
  let server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
  defer { server.stop() }
  let run = try ListenedBatches(port: port, name: peer.name, limit: limit)
  defer { run.close() }
  var load = ListenerLoad()
  for batch in 0..<batches {
    load.milliseconds.append(try run.write(batch))
    if load.seconds > secondsMax { break }
  }
  return load
}

/// A writer and a listener of one server.
private final class ListenedBatches {
  static let size = 500

  private let client = StreamClient()
  private let writer: StreamConnection
  private let commit: StreamMethod
  private let name: String
  private let state = State()

  /// What the listener has seen.
  private final class State {
    var awaited: [UInt8] = []
    var hasAwaited = false
    var consistentStates = 0
    /// The batch is there, and so is the word that it is complete.
    var isShown = false

    func take(_ message: UnsafeRawBufferPointer) {
      switch ListenAnswer(message) {
      case .document(let name):
        if !hasAwaited, awaited.withUnsafeBytes({ WireCursor.areEqual($0, name) }) { hasAwaited = true }
      case .consistent:
        consistentStates += 1
        if hasAwaited { isShown = true }
      case .ended, .other: return
      }
    }
  }

  init(port: Int, name: String, limit: Int?) throws {
    self.name = name
    let listen = StreamMethod("Listen", port: port, as: "Bearer owner")
    commit = StreamMethod("Commit", port: port, as: "Bearer owner")
    writer = try client.connect(port: port)
    let state = state
    let call = try client.connect(port: port).call(
      listen, listenRequest(collection: "load", limit: limit), isRequestComplete: false
    ) { state.take($0) }
    guard try client.run(atMost: 30, until: { state.consistentStates > 0 || call.isOver }), !call.isOver
    else { throw BenchmarkFailure(description: "\(name): cannot listen, status \(call.status ?? -1)") }
  }

  /// Writes one batch and waits until the listener has it; the milliseconds that took.
  func write(_ batch: Int) throws -> Double {
    let first = batch * Self.size
    let request = commitRequest("load", first: first, count: Self.size, listenedDocument)
    let last = first + Self.size - 1
    state.awaited = Array("projects/bench/databases/(default)/documents/load/l\(last)".utf8)
    state.hasAwaited = false
    state.isShown = false
    let start = monotonicNanoseconds()
    let call = try writer.call(commit, request, isRequestComplete: true) { _ in }
    guard try client.run(atMost: 120, until: { call.isOver && state.isShown }), call.status == 0 else {
      throw BenchmarkFailure(
        description: "\(name): batch \(batch) did not reach its listener, status \(call.status ?? -1)")
    }
    return Double(monotonicNanoseconds() - start) / 1e6
  }

  func close() { client.close() }
}
