/// Connections to a server, and requests over plain HTTP: what only emulators answer, such as their rules.

import Access
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum ServerSocket {
  /// LIMIT: seconds that connecting may take.
  private static let connectSeconds = 5

  /// Host and port of `HOST:PORT`; hosts that are IPv6 addresses have brackets around them.
  private static func parts(of address: String) throws(ShellError) -> (host: String, port: String) {
    let parts = address.utf8.lastIndex(of: UInt8(ascii: ":")).map { colon in
      (host: String(address[..<colon]), port: String(address[address.utf8.index(after: colon)...]))
    }
    // The system takes a port modulo 65536, and the names of services.
    guard let parts, !parts.host.isEmpty, parts.port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = Int(parts.port), (1...65_535).contains(port)
    else {
      let isURL = address.hasPrefix("https://") || address.hasPrefix("http://")
      throw .usage(
        "`\(address)` is no HOST:PORT"
          + (isURL ? ": the shell asks servers in plain text, without a scheme" : ""))
    }
    guard parts.host.hasPrefix("["), parts.host.hasSuffix("]") else { return parts }
    return (String(parts.host.dropFirst().dropLast()), parts.port)
  }

  static func connect(_ address: String) throws(ShellError) -> Int32 {
    let (host, port) = try parts(of: address)
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, port, &hints, &found)
    guard code == 0 else {
      throw ShellError(.connection, "cannot find `\(address)`: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(found) }
    var reason = "no address"
    var next = found
    while let entry = next?.pointee {
      let descriptor = socket(
        entry.ai_family, entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), entry.ai_protocol)
      var limit = timeval(tv_sec: connectSeconds, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      if descriptor >= 0, Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
      }
      reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      next = entry.ai_next
    }
    throw ShellError(
      .connection, "cannot connect to \(address): \(reason); is the server running? `docsh serve` starts one")
  }
}

extension ShellError {
  /// A server of ours that speaks TLS only.
  static func speaksTLS(_ address: String) -> ShellError {
    ShellError(
      .connection,
      "\(address) speaks TLS, and the shell asks servers in plain text; start one without --tls-cert")
  }
}

enum PlainRequest {
  /// LIMIT: bytes of an answer, and seconds that it may take.
  private static let answerBytesMax = 64 << 20
  private static let answerSeconds = 60

  /// One request as administrator, on a connection of its own.
  static func send(
    _ method: String, _ path: String, to address: String, body: [UInt8] = []
  ) throws(ShellError) -> (status: Int, body: [UInt8]) {
    let descriptor = try ServerSocket.connect(address)
    defer { close(descriptor) }
    var request = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\n"
    request += "Authorization: \(AdministratorKey.clientAuthorization)\r\n"
    request += "Connection: close\r\nContent-Length: \(body.count)\r\n"
    if !body.isEmpty { request += "Content-Type: application/json\r\n" }
    guard Console.write(Array((request + "\r\n").utf8) + body, to: descriptor) else {
      throw ShellError(.connection, "\(address) takes no request: \(String(cString: strerror(errno)))")
    }
    let answer = try answer(try received(descriptor, address), address)
    if answer.status == 400, ServerTLS.isRefusal(answer.body) { throw .speaksTLS(address) }
    return answer
  }

  /// Everything up to the end of the connection.
  private static func received(_ descriptor: Int32, _ address: String) throws(ShellError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var idle = 0
    while true {
      try Interruption.check()
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, 200) <= 0 {
        idle += 1
        if idle > answerSeconds * 5 {
          throw ShellError(.connection, "\(address) did not answer within \(answerSeconds) seconds")
        }
        continue
      }
      idle = 0
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0, bytes.count + count <= answerBytesMax else {
        throw ShellError(.connection, "\(address) did not answer: \(String(cString: strerror(errno)))")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Status and body; a body in chunks is put together.
  private static func answer(
    _ bytes: [UInt8], _ address: String
  ) throws(ShellError) -> (status: Int, body: [UInt8]) {
    let failure = ShellError(.connection, "what \(address) answers is no HTTP")
    var index = 0
    func line() -> String? {
      guard let end = bytes[index...].firstIndex(of: 0x0A) else { return nil }
      let text = String(decoding: bytes[index..<end].filter { $0 != 0x0D }, as: UTF8.self)
      index = end + 1
      return text
    }
    guard let words = line()?.split(separator: " "), words.count >= 2, words[0].hasPrefix("HTTP/1."),
      let status = Int(words[1])
    else { throw failure }
    var isChunked = false
    while true {
      guard let header = line() else { throw failure }
      if header.isEmpty { break }
      let lowered = header.lowercased()
      if lowered.hasPrefix("transfer-encoding:"), lowered.hasSuffix("chunked") { isChunked = true }
    }
    guard isChunked else { return (status, Array(bytes[index...])) }
    var body: [UInt8] = []
    while true {
      guard let size = line().flatMap({ Int($0.prefix { $0 != ";" }, radix: 16) }), size >= 0,
        size <= bytes.count - index
      else { throw failure }
      if size == 0 { return (status, body) }
      body.append(contentsOf: bytes[index..<index + size])
      index += size
      _ = line()
    }
  }
}
