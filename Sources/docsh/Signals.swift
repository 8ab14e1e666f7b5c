/// The end of a server as the system asks for it.

import ArgumentParser
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
    let reader = Unmanaged.passRetained(Reader(descriptor: ends[0], body: body))
    var thread = pthread_t()
    let failed = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Reader>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, reader.toOpaque())
    guard failed == 0 else { return reader.release() }
    pthread_detach(thread)
    for number in [SIGINT, SIGTERM] {
      signal(number) { received in
        var byte = UInt8(truncatingIfNeeded: received)
        _ = write(Signals.pipeEnds.write, &byte, 1)
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
      Terminal.complain(error.description)
      throw ExitCode(ExitStatus.failure)
    }
  }

  func remove() { unlink(path) }
}
