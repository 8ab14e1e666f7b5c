/// A gRPC load generator: a few connections, one call under way on each, one thread.
///
/// It knows no more than it needs, so that what is measured is the server (`LoadConnection`), over non-blocking sockets and
/// `poll`.

internal import CNGHTTP2
internal import Glibc

/// What a run of a load generator saw.
struct LoadResult {
  /// Pieces of work that were done.
  let calls: Int
  let failures: Int
  let seconds: Double
  /// Nanoseconds of a piece of work, sorted.
  let latencies: [UInt64]
  /// Of the server, for a piece of work; nil where nobody asked or the system does not tell.
  let serverNanoseconds: Double?

  var perSecond: Double { Double(calls) / seconds }

  func latencyMicroseconds(percentile: Double) -> Double {
    guard !latencies.isEmpty else { return 0 }
    let index = min(latencies.count - 1, Int(Double(latencies.count) * percentile))
    return Double(latencies[index]) / 1_000
  }
}

/// One call of a unary or streaming method.
struct LoadCall {
  /// `GetDocument`
  var method: StaticString
  /// The header, as `HeaderCoder.authorization` codes it; empty for none.
  var authorization: [UInt8]
  var message: [UInt8]
  /// The status of gRPC that is right.
  var status = 0
  /// Whether a piece of work ends with this call; one is timed from its first call to the end of its last.
  var endsWork = true
  /// Whether the server may say ABORTED; the work then goes on with `LoadPlan.next`, as an SDK begins its transaction anew.
  var mayAbort = false
}

/// What a run sends.
struct LoadPlan {
  var port: Int
  var connections = 8
  var warmUpSeconds = 0.5
  var seconds = 2.0
  /// Whether `next` is shown answers.
  var keepsAnswers = false
  /// The next call of a connection, by its number, and the bytes of the answer to the one before.
  var next: (_ connection: Int, _ answer: [UInt8]) -> LoadCall

  /// One method with these messages in turn.
  static func method(
    _ name: StaticString, port: Int, as authorization: String, _ messages: [[UInt8]], connections: Int,
    seconds: Double
  ) -> LoadPlan {
    let header = HeaderCoder.authorization(Array(authorization.utf8))
    var number = 0
    var plan = LoadPlan(port: port) { _, _ in
      number = (number + 1) % messages.count
      return LoadCall(method: name, authorization: header, message: messages[number])
    }
    plan.connections = connections
    plan.seconds = seconds
    return plan
  }
}

enum LoadError: Error {
  case cannotConnect(port: Int)
  case protocolFailure(String)
}

/// LIMIT: what an answer is waited for.
private let longestNanoseconds: UInt64 = 60_000_000_000

/// Runs a plan and counts answers.
///
/// - Parameter processor: the time that the server has used so far, in nanoseconds.
func runLoad(_ plan: LoadPlan, processor: () -> Double? = { nil }) throws(LoadError) -> LoadResult {
  let load = Load(plan)
  defer { load.close() }
  try load.open()
  try load.run(until: monotonicNanoseconds() + UInt64(plan.warmUpSeconds * 1e9))
  load.reset()
  let before = processor()
  let start = monotonicNanoseconds()
  try load.run(until: start + UInt64(plan.seconds * 1e9))
  // Who is slower than the time is measured by the first answer; a peer may stall for that long, collecting garbage.
  if load.calls == 0 { try load.run(until: start + longestNanoseconds, calls: 1) }
  let seconds = Double(monotonicNanoseconds() - start) / 1e9
  let after = processor()
  let calls = Double(max(1, load.calls))
  return LoadResult(
    calls: load.calls, failures: load.failures, seconds: seconds, latencies: load.latencies.sorted(),
    serverNanoseconds: before.flatMap { before in after.map { ($0 - before) / calls } })
}

/// Makes so many calls, one with each message where there are as many. Whether all succeeded.
func succeeds(_ plan: LoadPlan, calls: Int) throws(LoadError) -> Bool {
  let load = Load(plan)
  defer { load.close() }
  try load.open()
  try load.run(until: monotonicNanoseconds() + longestNanoseconds, calls: calls)
  return load.calls >= calls && load.failures == 0
}

func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// The connections of one run.
final class Load {
  let plan: LoadPlan
  var connections: [LoadConnection] = []
  var calls = 0
  var failures = 0
  var latencies: [UInt64] = []

  init(_ plan: LoadPlan) {
    self.plan = plan
    latencies.reserveCapacity(1 << 18)
  }

  func open() throws(LoadError) {
    for number in 0..<plan.connections { connections.append(try LoadConnection(number, load: self)) }
  }

  func close() {
    for connection in connections { connection.close() }
  }

  func reset() {
    calls = 0
    failures = 0
    latencies.removeAll(keepingCapacity: true)
  }

  func run(until end: UInt64, calls callsMax: Int = .max) throws(LoadError) {
    for connection in connections where !connection.isBusy { try connection.submit() }
    var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    while monotonicNanoseconds() < end, calls < callsMax {
      guard poll(&polled, nfds_t(polled.count), 100) >= 0 else { continue }
      for index in polled.indices where polled[index].revents != 0 { try connections[index].receive() }
    }
  }
}

/// Header fields whose bytes stay where they are.
struct HeaderList {
  private var pairs: [nghttp2_nv] = []

  /// The copies live as long as the process, which is as long as a benchmark.
  mutating func add(_ name: String, _ value: String) {
    pairs.append(
      nghttp2_nv(
        name: Self.copy(name), value: Self.copy(value), namelen: name.utf8.count, valuelen: value.utf8.count,
        flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)))
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, text.utf8.count))
    for (index, byte) in text.utf8.enumerated() { copy[index] = byte }
    return copy
  }

  func withPairs<R>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> R) -> R {
    pairs.withUnsafeBufferPointer(body)
  }
}
