/// One kept-alive HTTP/1.1 connection to a local emulator. No more of HTTP than that needs.

internal import Platform

/// Why nothing can be asked.
public struct ConnectionError: Error, CustomStringConvertible {
  public let description: String
}

final class Connection {
  private let host: String
  private let port: UInt16
  private var socket: Int32 = -1
  private var received: [UInt8] = []

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  deinit { disconnect() }

  private func disconnect() {
    if socket >= 0 { _ = close(socket) }
    socket = -1
    received.removeAll()
  }

  /// Sends a request and waits for its whole answer. A connection that the server has closed is opened anew.
  func ask(_ request: RESTRequest) throws(ConnectionError) -> (status: Int, body: String) {
    for attempt in 0..<3 {
      do throws(ConnectionError) {
        if socket < 0 { try connect() }
        try send(request)
        return try receive()
      } catch {
        disconnect()
        if attempt == 2 { throw error }
      }
    }
    throw ConnectionError(description: "unreachable")
  }

  private func connect() throws(ConnectionError) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address.sin_addr) == 1 else {
      throw ConnectionError(description: "\(host) is no IPv4 address")
    }
    socket = openSocket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var one: Int32 = 1
    _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    _ = setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connectSocket(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      disconnect()
      throw ConnectionError(description: "nobody answers at \(host):\(port)")
    }
  }

  private func send(_ request: RESTRequest) throws(ConnectionError) {
    var text = "\(request.method) \(request.target) HTTP/1.1\r\nHost: \(host)\r\n"
    if let authorization = request.authorization { text += "Authorization: \(authorization)\r\n" }
    if let body = request.body {
      text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
    } else {
      text += "\r\n"
    }
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        sendBytes(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw ConnectionError(description: "the connection broke while sending") }
      sent += count
    }
  }

  // MARK: answers

  private func more() throws(ConnectionError) {
    let start = received.count
    received.append(contentsOf: repeatElement(0, count: 65_536))
    let count = received.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + start, 65_536, 0) }
    received.removeLast(65_536 - max(0, count))
    guard count > 0 else { throw ConnectionError(description: "the connection ended inside an answer") }
  }

  private func line() throws(ConnectionError) -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        let text = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        return text.hasSuffix("\r") ? String(text.dropLast()) : text
      }
      try more()
    }
  }

  private func take(_ count: Int) throws(ConnectionError) -> [UInt8] {
    while received.count < count { try more() }
    let bytes = Array(received[..<count])
    received.removeSubrange(..<count)
    return bytes
  }

  private func receive() throws(ConnectionError) -> (status: Int, body: String) {
    let status = Int(try line().split(separator: " ").dropFirst().first ?? "") ?? 0
    var length: Int?
    var isChunked = false
    while true {
      let header = try line()
      if header.isEmpty { break }
      let lower = header.lowercased()
      if lower.hasPrefix("content-length:") { length = Int(lower.dropFirst(15).drop { $0 == " " }) }
      if lower.hasPrefix("transfer-encoding:"), lower.hasSuffix("chunked") { isChunked = true }
    }
    var body: [UInt8] = []
    if isChunked {
      while true {
        let size = Int(try line().split(separator: ";").first ?? "", radix: 16) ?? 0
        body += try take(size)
        _ = try line()
        if size == 0 { break }
      }
    } else if let length {
      body = try take(length)
    }
    return (status, String(decoding: body, as: UTF8.self))
  }
}

// The system's functions, whose names the class uses itself.

private func openSocket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 {
  socket(family, kind, number)
}

private func connectSocket(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32
{
  connect(socket, address, length)
}

private func sendBytes(_ socket: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
  send(socket, bytes, count, flags)
}
