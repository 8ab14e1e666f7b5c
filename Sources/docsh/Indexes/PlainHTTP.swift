/// One GET over plain HTTP: enough to ask a server on this machine.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum PlainHTTP {
  struct Answer {
    let status: Int
    let body: [UInt8]
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// LIMIT: bytes of an answer, and seconds that it may take.
  private static let answerBytesMax = 64 << 20
  private static let secondsMax = 10

  /// - Parameter address: `host:port`, also `[::1]:8080`.
  static func get(_ target: String, from address: String) throws(Failure) -> Answer {
    guard let colon = address.lastIndex(of: ":") else {
      throw Failure(description: "`\(address)` is no `host:port`")
    }
    var host = String(address[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let descriptor = try connect(host, String(address[address.index(after: colon)...]), address)
    defer { close(descriptor) }
    let request =
      "GET \(target) HTTP/1.1\r\nHost: \(address)\r\nAuthorization: Bearer owner\r\nConnection: close\r\n\r\n"
    try send(Array(request.utf8), descriptor, address)
    return try answer(try receive(descriptor, address), address)
  }

  private static func connect(_ host: String, _ port: String, _ address: String) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &found) == 0 else {
      throw Failure(description: "`\(address)` is no address")
    }
    defer { freeaddrinfo(found) }
    var next = found
    while let candidate = next {
      let info = candidate.pointee
      let descriptor = socket(
        info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
      if descriptor >= 0 {
        var patience = timeval(tv_sec: secondsMax, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return descriptor }
        close(descriptor)
      }
      next = info.ai_next
    }
    throw Failure(
      description:
        "no server answers at `\(address)`: \(FileAccess.systemMessage()). Start one with `docsh serve`, "
        + "or name another with --server")
  }

  private static func send(_ bytes: [UInt8], _ descriptor: Int32, _ address: String) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        throw Failure(description: "`\(address)` hung up: \(FileAccess.systemMessage())")
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func receive(_ descriptor: Int32, _ address: String) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return bytes }
      guard count > 0, bytes.count + count <= answerBytesMax else {
        throw Failure(description: "`\(address)` did not answer: \(FileAccess.systemMessage())")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// Status and body; a body in chunks is put together.
  private static func answer(_ bytes: [UInt8], _ address: String) throws(Failure) -> Answer {
    let failure = Failure(description: "what `\(address)` answers is no HTTP")
    var index = 0
    func line() -> String? {
      guard let end = bytes[index...].firstIndex(of: 0x0A) else { return nil }
      let text = String(decoding: bytes[index..<end], as: UTF8.self)
      index = end + 1
      return text.utf8.last == 0x0D ? String(text.unicodeScalars.dropLast()) : text
    }
    guard let first = line() else { throw failure }
    let words = first.split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { throw failure }
    var isChunked = false
    while true {
      guard let header = line() else { throw failure }
      if header.isEmpty { break }
      let lowered = header.lowercased()
      if lowered.hasPrefix("transfer-encoding:"), lowered.hasSuffix("chunked") { isChunked = true }
    }
    guard isChunked else { return Answer(status: status, body: Array(bytes[index...])) }
    var body: [UInt8] = []
    while true {
      guard let size = line().flatMap({ Int($0.prefix { $0 != ";" }, radix: 16) }), size >= 0,
        index + size <= bytes.count
      else { throw failure }
      if size == 0 { return Answer(status: status, body: body) }
      body.append(contentsOf: bytes[index..<index + size])
      index += size
      _ = line()
    }
  }
}

/// The process's environment.
enum Environment {
  /// The value of a variable; nil when it is not set or empty.
  static func value(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
