/// HTTP/1.1 as an emulator's client needs it: one connection, one request at a time, bodies whole.

internal import Glibc

/// An emulator that cannot be asked, or whose answer cannot be read.
struct WireFailure: Error {
  let message: String
}

struct HTTPAnswer {
  let status: Int
  let body: [UInt8]
}

/// State and its owner: whoever asks. Opens anew what the server has closed.
final class HTTPConnection {
  /// LIMIT: an answer's head, and its body.
  private static let headBytesMax = 64 << 10
  private static let bodyBytesMax = 64 << 20
  /// LIMIT: seconds without a byte.
  private static let silenceSecondsMax = 60

  private let host: String
  private let port: String
  private var descriptor: Int32 = -1
  /// What was received beyond the last answer.
  private var received: [UInt8] = []

  /// - Parameter address: `HOST:PORT`; an IPv6 host in brackets.
  init(_ address: String) throws(WireFailure) {
    guard let colon = address.lastIndex(of: ":"), colon != address.startIndex,
      let number = UInt16(address[address.index(after: colon)...])
    else { throw WireFailure(message: "'\(address)' is no address; write HOST:PORT") }
    let host = address[..<colon]
    self.host =
      host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    port = String(number)
    // A server that goes away must not end the process.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends a request and waits for its answer.
  func send(
    _ method: String, _ path: String, body: [UInt8] = [], authorization: String? = nil
  ) throws(WireFailure) -> HTTPAnswer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nContent-Length: \(body.count)\r\n"
    if !body.isEmpty { head += "Content-Type: application/json\r\n" }
    if let authorization { head += "Authorization: \(authorization)\r\n" }
    let request = Array((head + "\r\n").utf8) + body
    let isFresh = descriptor < 0
    do throws(WireFailure) {
      return try exchange(request)
    } catch {
      disconnect()
      // A connection that was kept may have been closed since.
      guard !isFresh else { throw error }
      return try exchange(request)
    }
  }

  private func exchange(_ request: [UInt8]) throws(WireFailure) -> HTTPAnswer {
    if descriptor < 0 { try connect() }
    try write(request)
    return try readAnswer()
  }

  private func disconnect() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    received = []
  }

  // MARK: bytes

  private func connect() throws(WireFailure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, port, &hints, &found)
    guard status == 0, let first = found else {
      throw WireFailure(message: "\(host):\(port): \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(first) }
    var next: UnsafeMutablePointer<addrinfo>? = first
    var reason = "no address"
    while let address = next {
      descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
      if descriptor >= 0 {
        if Glibc.connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
          return setOptions()
        }
        reason = String(cString: strerror(errno))
        disconnect()
      }
      next = address.pointee.ai_next
    }
    throw WireFailure(message: "cannot reach an emulator at \(host):\(port): \(reason)")
  }

  private func setOptions() {
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var silence = timeval(tv_sec: Self.silenceSecondsMax, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &silence, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &silence, socklen_t(MemoryLayout<timeval>.size))
  }

  private func write(_ bytes: [UInt8]) throws(WireFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw lost()
      }
    }
  }

  private func lost() -> WireFailure {
    WireFailure(
      message: "the emulator at \(host):\(port) does not answer: \(String(cString: strerror(errno)))")
  }

  /// More bytes; throws when the server has closed.
  private func receive() throws(WireFailure) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    // Servers that send head and body apart wait for the acknowledgement of the first.
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &one, socklen_t(MemoryLayout<Int32>.size))
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        received += chunk[..<count]
        return
      }
      if count == 0 { throw WireFailure(message: "the emulator at \(host):\(port) closed the connection") }
      if errno != EINTR { throw lost() }
    }
  }

  private func take(_ count: Int) throws(WireFailure) -> [UInt8] {
    guard (0...Self.bodyBytesMax).contains(count) else {
      throw WireFailure(message: "an answer is larger than 64 MiB, or has no length")
    }
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// A line without its line break.
  private func takeLine() throws(WireFailure) -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[..<end].last == UInt8(ascii: "\r") ? received[..<(end - 1)] : received[..<end]
        defer { received.removeFirst(end + 1) }
        return String(decoding: line, as: UTF8.self)
      }
      guard received.count < Self.headBytesMax else {
        throw WireFailure(message: "an answer has no end of its head")
      }
      try receive()
    }
  }

  // MARK: answers

  private func readAnswer() throws(WireFailure) -> HTTPAnswer {
    let words = try takeLine().split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw WireFailure(message: "\(host):\(port) does not speak HTTP/1.1")
    }
    var length = 0
    var isChunked = false
    var closes = false
    while case let line = try takeLine(), !line.isEmpty {
      let halves = line.split(separator: ":", maxSplits: 1)
      guard halves.count == 2 else { continue }
      let value = halves[1].lowercased().filter { $0 != " " }
      switch halves[0].lowercased() {
      case "content-length": length = Int(value) ?? -1
      case "transfer-encoding": isChunked = value.hasSuffix("chunked")
      case "connection": closes = value == "close"
      default: continue  // Nothing else of the head is of use.
      }
    }
    let body = isChunked ? try readChunks() : try take(length)
    if closes { disconnect() }
    return HTTPAnswer(status: status, body: body)
  }

  private func readChunks() throws(WireFailure) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let size = try takeLine().prefix { $0 != ";" }
      guard let count = Int(size, radix: 16), count >= 0 else {
        throw WireFailure(message: "a chunk has no size")
      }
      if count == 0 {
        while try !takeLine().isEmpty {}
        return body
      }
      guard count <= Self.bodyBytesMax - body.count else {
        throw WireFailure(message: "an answer is larger than 64 MiB")
      }
      body += try take(count)
      _ = try takeLine()
    }
  }
}
