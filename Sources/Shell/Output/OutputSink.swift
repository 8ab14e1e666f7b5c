/// Results that go to a file or into a program.

import Platform

/// INVARIANT: writing never ends the shell: whoever reads may go at any time. A file that is replaced is whole at
/// every moment. Where nothing can be made beside it, it is written over in `finish`, when the result is whole.
final class OutputSink {
  private enum Target {
    case program(Program, command: String)
    /// Appended to, or no plain file: a device, a pipe.
    case direct(path: String)
    case replacement(FileReplacement, of: String)
    /// A file without a name that is copied.
    case spool(of: String)
  }

  /// LIMIT: bytes that wait for being written.
  private static let bufferBytes = 16 << 10

  private let target: Target
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var isOver = false
  /// What came of writing; `written` as long as all is well.
  private var outcome = WriteOutcome.written

  /// Nil when a read writes where everything goes.
  static func open(_ read: ReadStatement) throws(ShellError) -> OutputSink? {
    if let command = read.program {
      if read.redirection != nil { throw .usage("a program or a file reads the output, not both") }
      return try program(command)
    }
    guard let redirection = read.redirection else { return nil }
    return try file(redirection)
  }

  static func program(_ command: String) throws(ShellError) -> OutputSink {
    let program = try Program(command, readsResults: true)
    return OutputSink(.program(program, command: command), program.input)
  }

  static func file(
    _ redirection: Redirection, permissions: FileReplacement.Permissions = .kept(new: 0o666)
  ) throws(ShellError) -> OutputSink {
    let path = redirection.path
    var state = stat()
    let exists = stat(path, &state) == 0
    let isPlain = exists && state.st_mode & S_IFMT == S_IFREG
    if redirection.appends || (exists && !isPlain) {
      let flags = O_WRONLY | O_CLOEXEC | (redirection.appends ? O_CREAT | O_APPEND : 0)
      let descriptor = Platform.open(path, flags, 0o666)
      guard descriptor >= 0 else { throw refused(path, errno) }
      return OutputSink(.direct(path: path), descriptor)
    }
    do throws(FileReplacement.Failure) {
      let replacement = try FileReplacement(of: path, permissions: permissions)
      return OutputSink(.replacement(replacement, of: path), replacement.descriptor)
    } catch {
      let isBeside = [EACCES, EPERM, EROFS, ENAMETOOLONG].contains(error.code)
      if isBeside, exists, access(path, W_OK) == 0, let descriptor = nameless() {
        return OutputSink(.spool(of: path), descriptor)
      }
      throw refused(path, error.code)
    }
  }

  /// A file that nobody else finds, among the temporary ones.
  private static func nameless() -> Int32? {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/docsh-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  private init(_ target: Target, _ descriptor: Int32) {
    self.target = target
    self.descriptor = descriptor
  }

  deinit { cancel() }

  /// False when nobody reads any more, or when it cannot be written.
  func write(_ line: String) -> Bool {
    guard !isOver, outcome == .written else { return false }
    buffer += line.utf8
    buffer.append(0x0A)
    if buffer.count >= Self.bufferBytes { flush() }
    return outcome == .written
  }

  private func flush() {
    if outcome == .written, !buffer.isEmpty { outcome = Console.put(buffer, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what waits, puts a file into its place, waits for a program. Nobody reading is no failure.
  func finish() throws(ShellError) {
    guard !isOver else { return }
    flush()
    isOver = true
    switch target {
    case .program(let program, let command):
      try program.wait()
      if case .failed(let code) = outcome { throw Self.lost("into `\(TextEscape.printable(command))`", code) }
    case .direct(let path):
      let isClosed = close(descriptor) == 0
      try Self.check(isClosed ? outcome : .failed(errno), path)
    case .replacement(let replacement, let path):
      defer { replacement.discard() }
      try Self.check(outcome, path)
      do throws(FileReplacement.Failure) { try replacement.finish() } catch {
        throw Self.lost("`\(TextEscape.printable(path))`", error.code)
      }
    case .spool(let path):
      defer { close(descriptor) }
      try Self.check(outcome, path)
      try Self.check(copy(to: path), path)
    }
  }

  /// Writes the file without a name over another one.
  private func copy(to path: String) -> WriteOutcome {
    let copy = Platform.open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard copy >= 0 else { return .failed(errno) }
    defer { close(copy) }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { return .failed(errno) }
    do throws(SystemError) { try Descriptor.copyAll(from: descriptor, to: copy) } catch {
      return WriteOutcome(error)
    }
    return .written
  }

  /// Gives up; a file that was to be replaced stays as it is.
  func cancel() {
    guard !isOver else { return }
    isOver = true
    switch target {
    case .program(let program, _): try? program.wait()
    case .direct:
      flush()
      close(descriptor)
    case .replacement(let replacement, _): replacement.discard()
    case .spool: close(descriptor)
    }
  }

  private static func check(_ outcome: WriteOutcome, _ path: String) throws(ShellError) {
    if case .failed(let code) = outcome { throw lost("`\(TextEscape.printable(path))`", code) }
  }

  private static func refused(_ path: String, _ code: Int32) -> ShellError {
    .unknown("cannot write `\(TextEscape.printable(path))`: \(String(cString: strerror(code)))")
  }

  private static func lost(_ where: String, _ code: Int32) -> ShellError {
    ShellError(.failed(code: "DATA_LOSS"), "cannot write \(`where`): \(String(cString: strerror(code)))")
  }
}
