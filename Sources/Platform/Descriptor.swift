/// Bytes into and out of an open file, pipe or terminal: all of them, or the reason why not.

/// What the system says to a call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  package var description: String { String(cString: strerror(code)) }
}

package enum Descriptor {
  /// Writes all bytes. A signal does not end it, a part that was written is gone on with, and where there is no room at
  /// the moment it waits for some.
  ///
  /// - Parameter offset: where in the file; nil for where the descriptor stands.
  package static func writeAll(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int? = nil
  ) throws(SystemError) {
    if let failure = bytes.withUnsafeBytes({ failure(writing: $0, to: descriptor, at: offset) }) {
      throw failure
    }
  }

  /// As `writeAll`, for bytes that lie elsewhere; nil when all are written.
  package static func failure(
    writing bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil
  ) -> SystemError? {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count =
        if let offset {
          pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
        } else {
          write(descriptor, rest.baseAddress, rest.count)
        }
      // Nothing written and no reason: trying again would go on for ever.
      let code = count < 0 ? errno : EIO
      if count > 0 {
        done += count
      } else if code == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, 1_000)
      } else if code != EINTR {
        return SystemError(code: code)
      }
    }
    return nil
  }

  /// What is left to read, without an end for a signal; nil where that is more than `bytesMax`.
  package static func readAll(from descriptor: Int32, atMost bytesMax: Int) throws(SystemError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= bytesMax {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      let code = errno
      if count < 0, code == EINTR { continue }
      if count < 0 { throw SystemError(code: code) }
      bytes.append(contentsOf: piece[..<count])
    }
    return nil
  }

  /// Writes what is left to read of `source`, in pieces.
  package static func copyAll(from source: Int32, to target: Int32) throws(SystemError) {
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &piece, piece.count)
      if count == 0 { return }
      let code = errno
      if count < 0, code == EINTR { continue }
      if count < 0 { throw SystemError(code: code) }
      let failed = piece.withUnsafeBytes {
        failure(writing: UnsafeRawBufferPointer(rebasing: $0[..<count]), to: target)
      }
      if let failed { throw failed }
    }
  }
}
