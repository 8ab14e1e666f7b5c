/// One connection to a server in plain text, used by one thread, which looks up while it waits.

internal import Platform

/// Owner: whoever asks. Closed when it is let go of.
final class ServerSocket {
  /// LIMIT: seconds that connecting may take.
  private static let connectSeconds = 5
  /// How long one look for bytes waits.
  static let lookMilliseconds: Int32 = 200

  private let descriptor: Int32

  /// What the system said.
  struct Failure: Error {
    let reason: String

    fileprivate init(_ reason: String) { self.reason = reason }
    fileprivate static var ofSystem: Failure { Failure(String(cString: strerror(errno))) }
  }

  /// Connects. Tries each address of the host.
  init(_ address: HTTPOrigin) throws(Failure) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(address.host, String(address.port), &hints, &found)
    guard code == 0 else { throw Failure(String(cString: gai_strerror(code))) }
    defer { freeaddrinfo(found) }
    var failure = Failure("no address")
    var next = found
    while let entry = next?.pointee {
      let descriptor = socket(
        entry.ai_family, entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), entry.ai_protocol)
      // Bounds `connect` on Linux, too; without SA_RESTART a signal would end it.
      Self.setTimeout(SO_SNDTIMEO, descriptor)
      if descriptor >= 0, connect(descriptor, entry.ai_addr, entry.ai_addrlen) == 0 {
        var on: Int32 = 1
        setsockopt(
          descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        self.descriptor = descriptor
        return
      }
      failure = .ofSystem
      if descriptor >= 0 { close(descriptor) }
      next = entry.ai_next
    }
    throw failure
  }

  deinit { close(descriptor) }

  private static func setTimeout(_ option: Int32, _ descriptor: Int32) {
    var limit = timeval(tv_sec: connectSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let sent = Platform.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      if sent > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[sent...])
      } else if errno != EINTR {
        throw .ofSystem
      }
    }
  }

  /// Waits a moment for bytes and puts them into `chunk`; 0 when none came, nil when the server has closed.
  func receive(_ chunk: inout [UInt8]) throws(Failure) -> Int? {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&ready, 1, Self.lookMilliseconds) > 0 else { return 0 }
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EINTR || errno == EAGAIN { return 0 }
    guard count >= 0 else { throw .ofSystem }
    return count == 0 ? nil : count
  }
}
