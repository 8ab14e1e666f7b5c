/// `--exit-with-parent`: a server that a tool has started ends with that tool, however the tool ends.

import CProcess
import Platform

enum ParentWatch {
  /// How often to look whether the parent is still the same, where nothing else tells.
  private static let lookMilliseconds: Int32 = 500

  /// Calls `body` once when the parent is gone, which is told by the kernel, by the end of standard input if that is
  /// a pipe or a socket, or by another process being our parent.
  static func begin(_ body: @escaping @Sendable () -> Void) {
    let parent = getppid()
    // SIGTERM is a graceful end here; the handler is installed by `Signals`.
    _ = docstore_signal_on_parent_end(SIGTERM)
    let watch = Watch(parent: parent, body: body)
    // Without a thread the kernel's signal is what is left.
    try? PlatformThread.start { watch.run() }
  }

  private final class Watch: Sendable {
    let parent: pid_t
    let body: @Sendable () -> Void

    init(parent: pid_t, body: @escaping @Sendable () -> Void) {
      self.parent = parent
      self.body = body
    }

    func run() {
      var watchesInput = Self.inputIsPipe
      while getppid() == parent {
        guard watchesInput else {
          usleep(UInt32(lookMilliseconds) * 1_000)
          continue
        }
        var poll = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard Platform.poll(&poll, 1, lookMilliseconds) > 0 else { continue }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count == 0 { return body() }
        // What is written to us is not for us; an error is no end.
        if count < 0, errno != EINTR, errno != EAGAIN { watchesInput = false }
      }
      body()
    }

    private static var inputIsPipe: Bool {
      var status = stat()
      guard fstat(STDIN_FILENO, &status) == 0 else { return false }
      let kind = status.st_mode & S_IFMT
      return kind == S_IFIFO || kind == S_IFSOCK
    }
  }
}
