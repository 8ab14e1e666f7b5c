/// Lines of a descriptor as they come, with an ear for Ctrl-C.

import Platform

/// Owner: the session's thread. `readLine` goes on after a signal, so that nothing would end a shell that waits.
final class InputLines {
  enum Line: Equatable {
    case line(String)
    case end
    case interrupted
    /// Longer than any statement.
    case tooLong
    /// The code of the system.
    case failed(Int32)
  }

  /// LIMIT: bytes of one line.
  static let lineBytesMax = StatementAssembler.statementBytesMax

  private let descriptor: Int32
  /// What was read; lines before `start` are given.
  private var bytes: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Without the line's end; a last line may have none.
  func next() -> Line {
    var seen = start
    while true {
      if let end = bytes[seen...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return .line(TextLines.line(Array(bytes[start..<end])))
      }
      if isAtEnd {
        guard start < bytes.count else { return .end }
        defer { start = bytes.count }
        return .line(TextLines.line(Array(bytes[start...])))
      }
      bytes.removeFirst(start)
      start = 0
      seen = bytes.count
      if seen > Self.lineBytesMax { return .tooLong }
      if Interruption.isRaised { return .interrupted }
      if let failure = readMore() { return .failed(failure) }
    }
  }

  /// Whether another line, or the end, comes in so many milliseconds.
  func hasMore(within milliseconds: Int32) -> Bool {
    while !isAtEnd, !bytes[start...].contains(0x0A) {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, milliseconds) > 0, readMore() == nil, bytes.count - start <= Self.lineBytesMax
      else {
        return false
      }
    }
    return true
  }

  /// Waits for a moment only: the signal may go to another thread, and then it ends no waiting here.
  private func readMore() -> Int32? {
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if poll(&ready, 1, 100) <= 0 { return nil }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = Platform.read(descriptor, &chunk, chunk.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : errno }
    if count == 0 { isAtEnd = true } else { bytes += chunk[..<count] }
    return nil
  }
}
