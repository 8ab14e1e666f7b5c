/// A gRPC load generator: a few connections, one call under way on each, one thread.
///
/// It knows no more than it needs, so that what is measured is the server: libnghttp2 in client mode
/// over non-blocking sockets and `poll`.

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
  /// The header; empty for none.
  var authorization: [UInt8]
  var message: [UInt8]
  /// The status of gRPC that is right.
  var status = 0
  /// Whether a piece of work ends with this call; one is timed from its first call to the end of its last.
  var endsWork = true
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
    let header = Array(authorization.utf8)
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
private final class Load {
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

/// One HTTP/2 connection with one call under way.
private final class LoadConnection {
  private unowned let load: Load
  private let number: Int
  let socket: Int32
  private var session: OpaquePointer?
  /// What stands before each method's headers, by method.
  private var headers: [(method: StaticString, list: HeaderList)] = []
  private var call: LoadCall?
  private var body: [UInt8] = []
  private var bodyOffset = 0
  private var answer: [UInt8] = []
  private var startedAt: UInt64 = 0
  private var beginsWork = true
  private var status: Int?
  var isBusy: Bool { call != nil }
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var outgoing: [UInt8] = []

  init(_ number: Int, load: Load) throws(LoadError) {
    self.number = number
    self.load = load
    guard let socket = loopbackSocket(port: load.plan.port) else {
      throw LoadError.cannotConnect(port: load.plan.port)
    }
    self.socket = socket
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    startSession()
  }

  private func list(_ method: StaticString) -> HeaderList {
    let known = headers.first { $0.method.utf8Start == method.utf8Start }
    if let known { return known.list }
    var list = HeaderList()
    list.add(":method", "POST")
    list.add(":scheme", "http")
    list.add(":path", "/google.firestore.v1.Firestore/\(method)")
    list.add(":authority", "127.0.0.1:\(load.plan.port)")
    list.add("content-type", "application/grpc")
    list.add("te", "trailers")
    headers.append((method, list))
    return list
  }

  private static func connection(_ data: UnsafeMutableRawPointer?) -> LoadConnection? {
    data.map { Unmanaged<LoadConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  private func startSession() {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, _, name, nameLength, value, valueLength, _, data in
      guard let name, let value, nameLength == 11, memcmp(name, "grpc-status", 11) == 0 else { return 0 }
      LoadConnection.connection(data)?.status = (0..<valueLength).reduce(0) { $0 * 10 + Int(value[$1]) - 48 }
      return 0
    }
    if load.plan.keepsAnswers {
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, _, bytes, count, data in
        LoadConnection.connection(data)?.answer.append(
          contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return 0
      }
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, _, _, data in
      LoadConnection.connection(data)?.callEnded()
      return 0
    }
    nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    nghttp2_session_callbacks_del(callbacks)
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil, 0)
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 1 << 24)
  }

  func submit() throws(LoadError) {
    let call = load.plan.next(number, answer)
    answer.removeAll(keepingCapacity: true)
    self.call = call
    let count = UInt32(call.message.count)
    body.removeAll(keepingCapacity: true)
    body += [0, UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
    body += call.message
    bodyOffset = 0
    status = nil
    if beginsWork { startedAt = monotonicNanoseconds() }
    beginsWork = call.endsWork
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, _, target, length, flags, _, data in
      guard let connection = LoadConnection.connection(data), let target, let flags else { return 0 }
      let count = min(length, connection.body.count - connection.bodyOffset)
      connection.body.withUnsafeBytes {
        if let base = $0.baseAddress { _ = memcpy(target, base + connection.bodyOffset, count) }
      }
      connection.bodyOffset += count
      if connection.bodyOffset == connection.body.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
    let stream = list(call.method).withPairs(authorization: call.authorization) {
      nghttp2_submit_request(session, nil, $0.baseAddress, $0.count, &provider, nil)
    }
    guard stream > 0 else { throw LoadError.protocolFailure("cannot submit a request: \(stream)") }
    try flush()
  }

  /// Sends all pending frames in one piece: two small segments would measure the kernels' delays.
  private func flush() throws(LoadError) {
    outgoing.removeAll(keepingCapacity: true)
    while true {
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      guard count > 0, let bytes else { break }
      outgoing.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    }
    var sent = 0
    while sent < outgoing.count {
      let written = outgoing.withUnsafeBytes {
        send(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if written > 0 {
        sent += written
      } else if errno != EAGAIN {
        throw LoadError.protocolFailure("the server closed the connection")
      }
    }
  }

  func receive() throws(LoadError) {
    let count = recv(socket, &buffer, buffer.count, 0)
    if count < 0, errno == EAGAIN { return }
    guard count > 0 else { throw LoadError.protocolFailure("the server closed the connection") }
    guard nghttp2_session_mem_recv(session, buffer, count) == count else {
      throw LoadError.protocolFailure("the server's frames are malformed")
    }
    if isBusy { try flush() } else { try submit() }
  }

  private func callEnded() {
    guard let call else { return }
    self.call = nil
    if status != call.status { load.failures += 1 }
    guard call.endsWork else { return }
    load.calls += 1
    load.latencies.append(monotonicNanoseconds() - startedAt)
  }

  func close() {
    nghttp2_session_del(session)
    _ = Glibc.close(socket)
  }
}

/// Header fields whose bytes stay where they are.
struct HeaderList {
  private var pairs: [nghttp2_nv] = []
  private let flags: UInt8

  /// - Parameter flags: of every field, beside those of its memory.
  init(flags: UInt32 = 0) {
    self.flags = UInt8(
      truncatingIfNeeded: flags | NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
        | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
  }

  /// The copies live as long as the process, which is as long as a benchmark.
  mutating func add(_ name: String, _ value: String) {
    pairs.append(
      nghttp2_nv(
        name: Self.copy(name), value: Self.copy(value), namelen: name.utf8.count, valuelen: value.utf8.count,
        flags: flags))
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<UInt8> {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, text.utf8.count))
    for (index, byte) in text.utf8.enumerated() { copy[index] = byte }
    return copy
  }

  func withPairs<R>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> R) -> R {
    pairs.withUnsafeBufferPointer(body)
  }

  /// With one more, whose bytes are copied by whoever takes it; empty for none.
  func withPairs<R>(authorization: [UInt8], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> R) -> R {
    guard !authorization.isEmpty else { return withPairs(body) }
    var value = authorization
    return value.withUnsafeMutableBufferPointer { value in
      let pair = nghttp2_nv(
        name: Self.authorizationName, value: value.baseAddress, namelen: 13, valuelen: value.count,
        flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue))
      return (pairs + [pair]).withUnsafeBufferPointer(body)
    }
  }

  nonisolated(unsafe) private static let authorizationName = copy("authorization")
}
