/// One request over plain HTTP: enough to ask a server on this machine.

import Access
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum PlainHTTP {
  /// LIMIT: bytes of an answer.
  static let answerBytesMax = 64 << 20
  /// LIMIT: seconds that one read or write may take.
  static let secondsMax = 30

  /// A GET as the administrator of the emulator.
  ///
  /// - Parameter address: `host:port`, also `[::1]:8080`.
  static func get(_ target: String, from address: String) throws(HTTPFailure) -> ClientAnswer {
    try send(
      ClientRequest(target: target, headers: [("Authorization", AdministratorKey.clientAuthorization)]),
      to: address)
  }

  /// Sends a request over a connection of its own and reads the whole answer. Blocks.
  ///
  /// - Parameter seconds: how long a read or write may take.
  static func send(
    _ request: ClientRequest, to address: String, seconds: Int = secondsMax
  ) throws(HTTPFailure) -> ClientAnswer {
    if address.hasPrefix("https://") || address.hasPrefix("http://") {
      throw HTTPFailure(
        description:
          "`\(address)` is no `host:port`: docsh asks servers in plain text, without `https://` or `http://`",
        mayPass: false)
    }
    guard let colon = address.lastIndex(of: ":") else {
      throw HTTPFailure(description: "`\(address)` is no `host:port`", mayPass: false)
    }
    var host = String(address[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let descriptor = try connect(host, String(address[address.index(after: colon)...]), address, seconds)
    defer { close(descriptor) }
    try send(request.bytes(host: address), descriptor, address)
    let bytes = try receive(descriptor, address)
    let answer = try ClientAnswer(bytes, from: address)
    if answer.status == 400, ServerTLS.isRefusal(answer.body) {
      throw HTTPFailure(
        description:
          "`\(address)` speaks TLS, and docsh asks servers in plain text: start one without --tls-cert",
        mayPass: false, isTLS: true)
    }
    return answer
  }

  private static func connect(
    _ host: String, _ port: String, _ address: String, _ seconds: Int
  ) throws(HTTPFailure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &found) == 0 else {
      throw HTTPFailure(description: "`\(address)` is no address", mayPass: false)
    }
    defer { freeaddrinfo(found) }
    var next = found
    while let candidate = next {
      let info = candidate.pointee
      let descriptor = socket(
        info.ai_family, info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), info.ai_protocol)
      if descriptor >= 0 {
        var patience = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) == 0 { return descriptor }
        close(descriptor)
      }
      next = info.ai_next
    }
    throw HTTPFailure(description: "no server answers at `\(address)`: \(FileAccess.systemMessage())")
  }

  private static func send(_ bytes: [UInt8], _ descriptor: Int32, _ address: String) throws(HTTPFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        throw HTTPFailure(description: "`\(address)` hung up: \(FileAccess.systemMessage())")
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func receive(_ descriptor: Int32, _ address: String) throws(HTTPFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var end = AnswerEnd()
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count == 0 { return bytes }
      guard count > 0 else {
        throw HTTPFailure(description: "`\(address)` did not answer: \(FileAccess.systemMessage())")
      }
      guard bytes.count + count <= answerBytesMax else {
        throw HTTPFailure(
          description: "`\(address)` answers more than \(answerBytesMax >> 20) MiB", mayPass: false,
          isTooLarge: true)
      }
      bytes.append(contentsOf: chunk[..<count])
      // Not every server closes its connection when it is asked to.
      if end.isReached(in: bytes) { return bytes }
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
