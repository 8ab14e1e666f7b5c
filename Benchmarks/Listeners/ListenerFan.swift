/// How soon a write reaches who listens: one of 1,000 listeners, and all of 1,000. Each has a connection of its
/// own, as clients have.

import DocModel

/// How many listeners are waited for, and how many have been told.
private final class Arrivals {
  var told = 0
  var consistent = 0
  var ended = 0
  var lastAt: UInt64 = 0

  func take(_ message: UnsafeRawBufferPointer) {
    switch ListenAnswer(message) {
    case .document:
      told += 1
      lastAt = monotonicNanoseconds()
    case .consistent: consistent += 1
    case .ended: ended += 1
    case .other: return
    }
  }
}

/// Listeners of one server that have seen their first state, and a writer.
final class Listeners {
  private let client = StreamClient()
  private let writer: StreamConnection
  private let update: StreamMethod
  private let arrivals = Arrivals()

  /// - Parameter connections: over which the listeners are spread evenly.
  convenience init(port: Int, paths: [String], connections: Int) throws {
    try self.init(port: port, requests: paths.map { listenRequest(document: $0) }, connections: connections)
  }

  /// - Parameter requests: one `ListenRequest` a listener.
  init(port: Int, requests: [[UInt8]], connections: Int) throws {
    update = StreamMethod("UpdateDocument", port: port, as: "Bearer owner")
    writer = try client.connect(port: port)
    let listen = StreamMethod("Listen", port: port, as: "Bearer owner")
    let arrivals = arrivals
    var own: [StreamConnection] = []
    // More connections than listeners: the others say nothing.
    for _ in requests.count..<max(requests.count, connections) { own.append(try client.connect(port: port)) }
    var begun = 0
    // A few at a time: more connections than the server's backlog would be turned away.
    while begun < requests.count {
      for listener in begun..<min(begun + 100, requests.count) {
        if own.count < connections { own.append(try client.connect(port: port)) }
        _ = try own[listener % connections].call(
          listen, requests[listener], isRequestComplete: false
        ) { arrivals.take($0) }
        begun += 1
      }
      let awaited = begun
      guard try client.run(atMost: 60, until: { arrivals.consistent >= awaited }), arrivals.ended == 0 else {
        throw BenchmarkFailure(description: "\(arrivals.consistent) of \(awaited) listeners were answered")
      }
    }
  }

  /// Writes a document; microseconds until `listeners` of them have it, which are all that listen to it.
  func write(_ path: String, _ number: Int, listeners: Int) throws -> Double {
    let request = updateRequest(path, listenedDocument(number))
    let arrivals = arrivals
    let awaited = arrivals.told + listeners
    let start = monotonicNanoseconds()
    let call = try writer.call(update, request, isRequestComplete: true) { _ in }
    guard try client.run(atMost: 30, until: { call.isOver && arrivals.told >= awaited }), call.status == 0
    else { throw BenchmarkFailure(description: "a write did not reach its listeners") }
    return Double(arrivals.lastAt - start) / 1e3
  }

  func close() { client.close() }
}

func listenerFanBenchmark(own: WirePeer, rules: String) throws {
  let count = 1_000
  let paths = (0..<count).map { "fan/d\($0)" }
  let port = freePort()
  let server = try ServerProcess(own.name, port: port, own.command(port, rules))
  defer { server.stop() }
  say("\(count) listeners on \(count) documents, a connection each")
  let each = try Listeners(port: port, paths: paths, connections: count)
  var times: [Double] = []
  var numbers = NumberSequence(seed: 5)
  for write in 0..<1_200 {
    let time = try each.write(paths[numbers.next(below: count)], write, listeners: 1)
    if write >= 200 { times.append(time) }
  }
  each.close()
  times.sort()
  row(
    "one write to its one listener", "p50 \(rounded(times[times.count / 2])) us",
    "p99 \(rounded(times[times.count * 99 / 100])) us")

  say("\(count) listeners on one document, a connection each")
  let all = try Listeners(port: port, paths: Array(repeating: "fan/one", count: count), connections: count)
  defer { all.close() }
  times = try (0..<55).map { try all.write("fan/one", $0, listeners: count) / 1e3 }
  times = times.dropFirst(5).sorted()
  row(
    "one write to all of them", "median \(rounded(median(times), 1)) ms",
    "slowest of \(times.count) \(rounded(times[times.count - 1], 1)) ms")
}
