/// A gRPC load generator: a few connections, one call under way on each, one thread.
///
/// It knows no more than it needs, so that what is measured is the server: libnghttp2 in client mode
/// over non-blocking sockets and `poll`, requests encoded once.

internal import CNGHTTP2
internal import Glibc

/// What a run of the load generator saw.
struct LoadResult {
  let calls: Int
  /// With those before the measurement began.
  let callsWithWarmUp: Int
  let failures: Int
  let seconds: Double
  /// Nanoseconds, sorted.
  let latencies: [UInt64]

  var perSecond: Double { Double(calls) / seconds }

  func latencyMicroseconds(percentile: Double) -> Double {
    guard !latencies.isEmpty else { return 0 }
    let index = min(latencies.count - 1, Int(Double(latencies.count) * percentile))
    return Double(latencies[index]) / 1_000
  }
}

/// One unary method with one request, repeated.
struct LoadPlan {
  var port: Int
  var path: String
  var authorization: String
  /// The request messages, used in turn.
  var messages: [[UInt8]]
  var connections = 8
  var warmUpSeconds = 0.5
  var seconds = 2.0
}

enum LoadError: Error {
  case cannotConnect(port: Int)
  case protocolFailure(String)
}

/// LIMIT: what an answer is waited for.
private let longestNanoseconds: UInt64 = 60_000_000_000

/// Runs a plan and counts answers.
func runLoad(_ plan: LoadPlan) throws(LoadError) -> LoadResult {
  let load = Load(plan)
  defer { load.close() }
  try load.open()
  try load.run(until: monotonicNanoseconds() + UInt64(plan.warmUpSeconds * 1e9))
  let warmUpCalls = load.calls
  load.reset()
  let start = monotonicNanoseconds()
  try load.run(until: start + UInt64(plan.seconds * 1e9))
  // Who is slower than the time is measured by the first answer; a peer may stall for that long, collecting garbage.
  if load.calls == 0 { try load.run(until: start + longestNanoseconds, calls: 1) }
  let seconds = Double(monotonicNanoseconds() - start) / 1e9
  return LoadResult(
    calls: load.calls, callsWithWarmUp: load.calls + warmUpCalls, failures: load.failures, seconds: seconds,
    latencies: load.latencies.sorted())
}

/// Makes one call. Whether it succeeded.
func callOnce(_ plan: LoadPlan) throws(LoadError) -> Bool {
  let load = Load(plan)
  defer { load.close() }
  try load.open()
  try load.run(until: monotonicNanoseconds() + longestNanoseconds, calls: 1)
  return load.calls >= 1 && load.failures == 0
}

/// Makes one call with each message. Whether all succeeded.
func callEach(_ plan: LoadPlan) throws(LoadError) -> Bool {
  let load = Load(plan)
  defer { load.close() }
  try load.open()
  try load.run(until: monotonicNanoseconds() + longestNanoseconds, calls: plan.messages.count)
  return load.calls >= plan.messages.count && load.failures == 0
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
  private var nextMessage = 0

  init(_ plan: LoadPlan) {
    self.plan = plan
    latencies.reserveCapacity(1 << 18)
  }

  func open() throws(LoadError) {
    for _ in 0..<plan.connections { connections.append(try LoadConnection(load: self)) }
  }

  func close() {
    for connection in connections { connection.close() }
  }

  func reset() {
    calls = 0
    failures = 0
    latencies.removeAll(keepingCapacity: true)
  }

  func message() -> [UInt8] {
    nextMessage = (nextMessage + 1) % plan.messages.count
    return plan.messages[nextMessage]
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
  let socket: Int32
  private var session: OpaquePointer?
  private var headers = HeaderList()
  private var body: [UInt8] = []
  private var bodyOffset = 0
  private var startedAt: UInt64 = 0
  private var statusIsOK = false
  var isBusy = false
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var outgoing: [UInt8] = []

  init(load: Load) throws(LoadError) {
    self.load = load
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(load.plan.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw LoadError.cannotConnect(port: load.plan.port) }
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    headers.add(":method", "POST")
    headers.add(":scheme", "http")
    headers.add(":path", load.plan.path)
    headers.add(":authority", "127.0.0.1:\(load.plan.port)")
    headers.add("content-type", "application/grpc")
    headers.add("te", "trailers")
    if !load.plan.authorization.isEmpty { headers.add("authorization", load.plan.authorization) }
    startSession()
  }

  private func startSession() {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, _, name, nameLength, value, length, _, data in
      guard let data, let name, let value, nameLength == 11, memcmp(name, "grpc-status", 11) == 0 else {
        return 0
      }
      let connection = Unmanaged<LoadConnection>.fromOpaque(data).takeUnretainedValue()
      connection.statusIsOK = length == 1 && value[0] == UInt8(ascii: "0")
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, _, _, data in
      guard let data else { return 0 }
      Unmanaged<LoadConnection>.fromOpaque(data).takeUnretainedValue().callEnded()
      return 0
    }
    nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
    nghttp2_session_callbacks_del(callbacks)
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil, 0)
    nghttp2_session_set_local_window_size(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 1 << 24)
  }

  func submit() throws(LoadError) {
    let message = load.message()
    let count = UInt32(message.count)
    body =
      [0, UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + message
    bodyOffset = 0
    statusIsOK = false
    isBusy = true
    startedAt = monotonicNanoseconds()
    var provider = nghttp2_data_provider()
    provider.read_callback = { _, _, target, length, flags, _, data in
      guard let data, let target, let flags else { return 0 }
      let connection = Unmanaged<LoadConnection>.fromOpaque(data).takeUnretainedValue()
      let count = min(length, connection.body.count - connection.bodyOffset)
      connection.body.withUnsafeBytes {
        if let base = $0.baseAddress { _ = memcpy(target, base + connection.bodyOffset, count) }
      }
      connection.bodyOffset += count
      if connection.bodyOffset == connection.body.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    }
    let stream = headers.withPairs {
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
    isBusy = false
    load.calls += 1
    if !statusIsOK { load.failures += 1 }
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
