/// A load generator for PostgreSQL's wire protocol: connections with one round trip under way on each.
///
/// A round trip is one implied transaction: bound statements before one Sync. The statements are prepared once.

internal import CNGHTTP2
internal import Glibc

/// One round trip: statements with a parameter each, and how many rows all of them together answer.
struct PostgresCall {
  var statements: [(name: String, parameter: String)]
  var rows: Int
}

/// What a run sends.
struct PostgresPlan {
  var port: Int
  var user: String
  /// By name.
  var statements: [(name: String, text: String)]
  var connections: Int
  var seconds: Double
  var next: () -> PostgresCall
}

/// Runs a plan and counts answers; see `runLoad`.
func runPostgresLoad(_ plan: PostgresPlan, processor: () -> Double? = { nil }) throws(LoadError) -> LoadResult
{
  var open: [PostgresConnection] = []
  defer { for connection in open { connection.close() } }
  for _ in 0..<plan.connections { open.append(try PostgresConnection(plan)) }
  var result = PostgresCounts()
  try run(&open, &result, until: monotonicNanoseconds() + 500_000_000)
  result = PostgresCounts()
  let before = processor()
  let start = monotonicNanoseconds()
  try run(&open, &result, until: start + UInt64(plan.seconds * 1e9))
  let seconds = Double(monotonicNanoseconds() - start) / 1e9
  let after = processor()
  let calls = result.latencies.count
  return LoadResult(
    calls: calls, failures: result.failures, seconds: seconds, latencies: result.latencies.sorted(),
    serverNanoseconds: before.flatMap { before in after.map { ($0 - before) / Double(max(1, calls)) } })
}

struct PostgresCounts {
  var failures = 0
  var latencies: [UInt64] = []
}

private func run(
  _ connections: inout [PostgresConnection], _ counts: inout PostgresCounts, until end: UInt64
) throws(LoadError) {
  for connection in connections where !connection.isBusy { try connection.submit() }
  var polled = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
  while monotonicNanoseconds() < end {
    guard poll(&polled, nfds_t(polled.count), 100) >= 0 else { continue }
    for index in polled.indices where polled[index].revents != 0 {
      guard let isRight = try connections[index].receive() else { continue }
      counts.latencies.append(monotonicNanoseconds() - connections[index].startedAt)
      if !isRight { counts.failures += 1 }
      try connections[index].submit()
    }
  }
}

/// One connection, speaking version 3 of the protocol.
private final class PostgresConnection {
  let socket: Int32
  private let plan: PostgresPlan
  var isBusy = false
  var startedAt: UInt64 = 0
  private var inbound: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)
  private var rows = 0
  private var expectedRows = 0
  private var hasFailed = false

  init(_ plan: PostgresPlan) throws(LoadError) {
    self.plan = plan
    guard let socket = loopbackSocket(port: plan.port) else { throw .cannotConnect(port: plan.port) }
    self.socket = socket
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var startup = PostgresMessages()
    startup.startup(user: plan.user, database: "postgres")
    for statement in plan.statements { startup.parse(statement.name, statement.text) }
    startup.sync()
    try send(startup.bytes)
    // Ready after the start-up, and again after the preparation.
    for _ in 0..<2 { while answer() == nil { if try receive() != nil { break } } }
    guard !hasFailed else { throw .protocolFailure("PostgreSQL refuses the statements") }
  }

  func submit() throws(LoadError) {
    let call = plan.next()
    var messages = PostgresMessages()
    for statement in call.statements { messages.execute(statement.name, statement.parameter) }
    messages.sync()
    rows = 0
    expectedRows = call.rows
    hasFailed = false
    isBusy = true
    startedAt = monotonicNanoseconds()
    try send(messages.bytes)
  }

  private func send(_ bytes: [UInt8]) throws(LoadError) {
    let sent = bytes.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard sent == bytes.count else { throw .protocolFailure("PostgreSQL closed the connection") }
  }

  /// Reads what is there. True or false when an answer is complete: whether it has the rows it should.
  func receive() throws(LoadError) -> Bool? {
    let count = recv(socket, &chunk, chunk.count, 0)
    guard count > 0 else { throw .protocolFailure("PostgreSQL closed the connection") }
    inbound.append(contentsOf: chunk[..<count])
    return answer()
  }

  /// The next complete answer of what has been read.
  private func answer() -> Bool? {
    var start = 0
    defer { inbound.removeFirst(start) }
    while inbound.count - start >= 5 {
      let length = inbound[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
      guard inbound.count - start > length else { break }
      let kind = inbound[start]
      start += 1 + length
      switch kind {
      case UInt8(ascii: "D"): rows += 1
      case UInt8(ascii: "E"): hasFailed = true
      case UInt8(ascii: "Z"):
        isBusy = false
        return rows == expectedRows && !hasFailed
      // Parameters, completions and notices say nothing that counts here.
      default: break
      }
    }
    return nil
  }

  func close() { _ = Glibc.close(socket) }
}

/// Frontend messages, one after another.
private struct PostgresMessages {
  private(set) var bytes: [UInt8] = []

  mutating func startup(user: String, database: String) {
    message(nil) { body in
      body += [0, 3, 0, 0]
      for text in ["user", user, "database", database] { body += Array(text.utf8) + [0] }
      body.append(0)
    }
  }

  mutating func parse(_ name: String, _ statement: String) {
    message("P") { $0 += Array(name.utf8) + [0] + Array(statement.utf8) + [0, 0, 0] }
  }

  /// Binds one text parameter and executes.
  mutating func execute(_ name: String, _ parameter: String) {
    let value = Array(parameter.utf8)
    message("B") { body in
      let size = UInt32(value.count)
      body += [0] + Array(name.utf8) + [0, 0, 0, 0, 1]
      body += [UInt8(size >> 24), UInt8(size >> 16 & 255), UInt8(size >> 8 & 255), UInt8(size & 255)]
      body += value + [0, 0]
    }
    message("E") { $0 += [0, 0, 0, 0, 0] }
  }

  mutating func sync() { message("S") { _ in } }

  private mutating func message(_ kind: Unicode.Scalar?, _ fill: (inout [UInt8]) -> Void) {
    var body: [UInt8] = []
    fill(&body)
    if let kind { bytes.append(UInt8(ascii: kind)) }
    let length = UInt32(body.count + 4)
    bytes += [UInt8(length >> 24), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
    bytes += body
  }
}
