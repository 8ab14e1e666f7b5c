/// The end of a server as the system asks for it.

import ArgumentParser
import Platform
import Synchronization

/// SIGINT and SIGTERM as one event.
///
/// The handler only writes the signal's number to a pipe, which is all that is safe there; a thread that
/// does nothing else reads it.
enum Signals {
  /// The pipe's ends. Written once, before the handlers are installed, and only read afterwards.
  nonisolated(unsafe) private static var pipeEnds: (read: Int32, write: Int32) = (-1, -1)

  /// Calls `body` with the signal's number each time one arrives. To be called once.
  static func whenEnding(_ body: @escaping @Sendable (Int32) -> Void) {
    // A client that goes away while we write must not end the process.
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    pipeEnds = (ends[0], ends[1])
    let reader = Reader(descriptor: ends[0], body: body)
    // Without a thread to be had, signals do what they do to any program.
    guard (try? PlatformThread.start { reader.run() }) != nil else { return }
    for number in [SIGINT, SIGTERM] {
      signal(number) { received in
        // What was interrupted may be about to read why its call failed.
        let before = errno
        var byte = UInt8(truncatingIfNeeded: received)
        _ = write(Signals.pipeEnds.write, &byte, 1)
        errno = before
      }
    }
  }

  /// Ends the process without any cleaning up.
  static func endNow(status: Int32) -> Never { _exit(status) }

  private final class Reader: Sendable {
    let descriptor: Int32
    let body: @Sendable (Int32) -> Void

    init(descriptor: Int32, body: @escaping @Sendable (Int32) -> Void) {
      self.descriptor = descriptor
      self.body = body
    }

    func run() {
      var byte: UInt8 = 0
      while true {
        let count = read(descriptor, &byte, 1)
        if count == 1 { body(Int32(byte)) } else if errno != EINTR { return }
      }
    }
  }
}

/// Whether there was one before.
final class Interruptions: Sendable {
  private let count = Atomic(0)

  func isSecond() -> Bool { count.add(1, ordering: .relaxed).newValue > 1 }
}

/// A file with our process id, there while we serve.
struct PIDFile {
  private let path: String

  /// Complains and ends when it cannot be written.
  init(_ path: String) throws {
    self.path = path
    do throws(FileError) {
      try FileAccess.write(Array("\(getpid())\n".utf8), to: path)
    } catch {
      throw Terminal.end(ExitStatus.failure, error.description)
    }
  }

  func remove() { unlink(path) }
}
