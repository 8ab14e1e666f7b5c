/// The end of a server as the system asks for it, and what else it is told without a request.

import ArgumentParser
import Platform
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as events.
///
/// The handler only writes the signal's number to a pipe, which is all that is safe there; a thread that
/// does nothing else reads it. The same thread sees that files were saved, so that waiting for that takes none.
enum Signals {
  /// The pipe's ends. Written once, before the handlers are installed, and only read afterwards.
  nonisolated(unsafe) private static var pipeEnds: (read: Int32, write: Int32) = (-1, -1)

  /// Calls `onSignal` with the signal's number each time one arrives. To be called once.
  ///
  /// - Parameters:
  ///   - descriptor: one that is waited for as well; none for -1.
  ///   - onChange: called once, when that is readable for the first time.
  static func follow(
    watching descriptor: Int32, onChange changed: @escaping @Sendable () -> Void,
    onSignal body: @escaping @Sendable (Int32) -> Void
  ) {
    // A client that goes away while we write must not end the process.
    signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    pipeEnds = (ends[0], ends[1])
    let reader = Reader(descriptor: ends[0], other: descriptor, changed: changed, body: body)
    // Without a thread to be had, signals do what they do to any program.
    guard (try? PlatformThread.start { reader.run() }) != nil else { return }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number) { received in
        // What was interrupted may be about to read why its call failed.
        let before = errno
        var byte = UInt8(truncatingIfNeeded: received)
        _ = write(Signals.pipeEnds.write, &byte, 1)
        errno = before
      }
      // `nohup` means it.
      if number == SIGHUP, unsafeBitCast(before, to: Int.self) == 1 { signal(number, SIG_IGN) }
    }
  }

  /// Whether SIGHUP came because the terminal went: a terminal that is gone answers nothing any more.
  static var hasLostTerminal: Bool {
    var state = termios()
    return [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains {
      tcgetattr($0, &state) != 0 && errno == EIO
    }
  }

  /// Ends the process without any cleaning up.
  static func endNow(status: Int32) -> Never { _exit(status) }

  private final class Reader: Sendable {
    let descriptor: Int32
    let other: Int32
    let changed: @Sendable () -> Void
    let body: @Sendable (Int32) -> Void

    init(
      descriptor: Int32, other: Int32, changed: @escaping @Sendable () -> Void,
      body: @escaping @Sendable (Int32) -> Void
    ) {
      self.descriptor = descriptor
      self.other = other
      self.changed = changed
      self.body = body
    }

    func run() {
      var pollers = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      while true {
        let count = poll(&pollers, 2, -1)
        if count < 0, errno != EINTR { return }
        guard count > 0 else { continue }
        if pollers[1].revents != 0 {
          pollers[1] = pollfd(fd: -1, events: 0, revents: 0)
          changed()
        }
        guard pollers[0].revents != 0 else { continue }
        var byte: UInt8 = 0
        let size = read(descriptor, &byte, 1)
        if size == 1 { body(Int32(byte)) } else if errno != EINTR { return }
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
