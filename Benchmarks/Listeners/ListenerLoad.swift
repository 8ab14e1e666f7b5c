/// What a listener costs whoever writes: 100,000 documents in batches of 500, with one listener on the whole
/// collection, and again with one on the 50 newest. Ours beside the official emulator's.

import DocModel

/// - Parameter peerSeconds: after so long the official emulator is not asked for more batches.
func listenerLoadBenchmark(own: WirePeer, rules: String, withPeers: Bool, peerSeconds: Double) throws {
  let batches = 200
  let official = withPeers ? officialPeer() : nil
  for limit in [nil, 50] {
    say(
      "\(batches * ListenedBatches.size) documents in batches of \(ListenedBatches.size), a listener on "
        + (limit.map { "the newest \($0)" } ?? "the whole collection"))
    let ours = try LoadedServer(own, rules: rules, limit: limit)
    defer { ours.stop() }
    try ours.write(batches: batches, secondsMax: 600)
    row(
      own.name, "\(rounded(Double(batches * ListenedBatches.size) / ours.seconds)) documents/s",
      "median \(rounded(median(ours.milliseconds), 2)) ms a batch")
    let fresh = try LoadedServer(own, rules: rules, limit: limit)
    defer { fresh.stop() }
    let growth = try growthPercent(from: fresh, to: ours)
    row("a batch at the end to one at the start", "\(rounded(growth, 1)) % more time")
    guard let official else {
      say(withPeers ? "official emulator: not installed, not measured" : "official emulator: not asked for")
      continue
    }
    let theirs = try LoadedServer(official, rules: rules, limit: limit)
    defer { theirs.stop() }
    try theirs.write(batches: batches, secondsMax: peerSeconds)
    compare(ours, theirs, official.name)
  }
}

private func compare(_ ours: LoadedServer, _ theirs: LoadedServer, _ name: String) {
  let count = theirs.milliseconds.count
  row(
    name, "\(rounded(Double(count * ListenedBatches.size) / theirs.seconds)) documents/s",
    "its first \(count * ListenedBatches.size) documents, the last batch "
      + "\(rounded(theirs.milliseconds.last ?? 0, 1)) ms")
  row(
    "ours to theirs, those documents",
    "\(rounded(theirs.seconds / ours.seconds(batches: count), 1)) x faster")
}

/// How much more time a batch takes a server that holds everything than one that is new, in percent. They take
/// turns, so that both feel alike what else the machine does.
private func growthPercent(from fresh: LoadedServer, to full: LoadedServer) throws -> Double {
  var start: [Double] = []
  var end: [Double] = []
  for turn in 0..<45 {
    let (first, last) = (try fresh.write(), try full.write())
    // The very first batches find a cold server.
    guard turn >= 5 else { continue }
    start.append(first)
    end.append(last)
  }
  return 100 * (median(end) / median(start) - 1)
}

/// A server with one listener, and what each batch took it.
private final class LoadedServer {
  private let server: ServerProcess
  private let run: ListenedBatches
  /// From sending a batch until its listener has all of it, in order.
  private(set) var milliseconds: [Double] = []

  init(_ peer: WirePeer, rules: String, limit: Int?) throws {
    let port = freePort()
    server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
    run = try ListenedBatches(port: port, name: peer.name, limit: limit)
  }

  var seconds: Double { seconds(batches: milliseconds.count) }

  func seconds(batches: Int) -> Double { milliseconds.prefix(batches).reduce(0, +) / 1_000 }

  func write(batches: Int, secondsMax: Double) throws {
    for _ in 0..<batches where seconds <= secondsMax { _ = try write() }
  }

  func write() throws -> Double {
    let time = try run.write(milliseconds.count)
    milliseconds.append(time)
    return time
  }

  func stop() {
    run.close()
    server.stop()
  }
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
