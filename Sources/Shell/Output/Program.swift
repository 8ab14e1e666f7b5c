/// Programs of the system that statements run: with results flowing into them, or alone at the terminal.

import Platform

/// A program that runs, as `sh -c`.
///
/// It belongs to the terminal's foreground as the shell does, so a Ctrl-C reaches both. While its end is waited for the shell
/// hears of none: what came of the program says whether it was ended by one, which is certain, while a signal to the shell
/// may be heard of by another thread, at another time.
///
/// INVARIANT: a program that was started is waited for once, by `wait` or `deinit`, so that it does not stay a zombie.
///
/// Owner: the session's thread.
final class Program {
  private let command: String
  private let identifier: pid_t
  /// Where results are written; -1 once that is closed, and for a program that reads what the shell reads.
  private(set) var input: Int32
  private var isOver = false
  /// The terminal as it was; nil when there is none.
  private let terminal: termios?

  /// - Parameter readsResults: whether what is written to `input` is its standard input.
  init(_ command: String, readsResults: Bool) throws(ShellError) {
    var state = termios()
    let isInFront = tcgetattr(STDIN_FILENO, &state) == 0 && tcgetpgrp(STDIN_FILENO) == getpgrp()
    do throws(SystemError) {
      (identifier, input) = try Self.start(command, readsResults)
    } catch {
      throw .usage("cannot run `\(TextEscape.printable(command))`: \(error)")
    }
    self.command = command
    terminal = isInFront ? state : nil
  }

  deinit { if !isOver { _ = end() } }

  /// Runs a program to its end.
  static func run(_ command: String) throws(ShellError) {
    // From before it begins: there is nothing but the program that Ctrl-C could be for.
    let signals = Interruption.Deafness()
    defer { signals.end() }
    try Program(command, readsResults: false).wait()
  }

  /// Waits for its end, behind the last of what it reads. Fails when it did not end with 0, as `interrupted` when it was
  /// ended by Ctrl-C.
  func wait() throws(ShellError) {
    let status = end()
    if status == 0 { return }
    if Self.isInterrupted(status) { throw ShellError(.interrupted, "interrupted") }
    try Interruption.check()
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    let name = "`\(TextEscape.printable(command))`"
    throw .failed(signal == 0 ? "\(name) ended with \(code)" : "\(name) was ended by signal \(signal)")
  }

  /// Whether Ctrl-C ended it. As shells have it: 130 is what a program ends with that hears of Ctrl-C itself, or of a part of
  /// it that was ended so.
  private static func isInterrupted(_ status: Int32) -> Bool {
    status & 0x7F == SIGINT || status == (128 + SIGINT) << 8
  }

  /// The status, as the system has it.
  private func end() -> Int32 {
    isOver = true
    // Before its input ends, which may be all that it waits for.
    let signals = Interruption.Deafness()
    defer { signals.end() }
    if input >= 0 { close(input) }
    input = -1
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      // Somebody else has waited for it: nothing is known.
      if errno != EINTR { return 0 }
    }
    // What it had no time to put right, such as a mode in which nothing is echoed.
    if status & 0x7F != 0 || Self.isInterrupted(status), var terminal {
      tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal)
    }
    return status
  }

  // MARK: the start

  private static func start(_ command: String, _ readsResults: Bool) throws(SystemError) -> (pid_t, Int32) {
    // What is buffered would be written twice, or too late.
    fflush(nil)
    var ends: [Int32] = [-1, -1]
    if readsResults {
      guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
      // The writing end is nobody else's: a program that had it, too, would never see the end of what it reads.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    defer { if readsResults { close(ends[0]) } }
    var identifier: pid_t = 0
    let code = spawn(&identifier, command, input: ends[0])
    guard code == 0 else {
      if readsResults { close(ends[1]) }
      throw SystemError(code: code)
    }
    return (identifier, ends[1])
  }

  private static func spawn(_ identifier: inout pid_t, _ command: String, input: Int32) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if input >= 0 { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The shell's thread may be one that no signal reaches, and it ignores closed pipes: neither is the program's business.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(command), nil]
    defer { for word in words { free(word) } }
    return posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &words, environ)
  }
}
