/// Results that go to a file or into a program.

import Platform

/// INVARIANT: writing never ends the shell: whoever reads may go at any time. A file that is replaced is whole at
/// every moment: lines go to a draft beside it, which takes its place in `finish`. Where nothing can be made beside it,
/// it is written over in `finish`, when the result is whole.
final class OutputSink {
  private enum Target {
    case program(UnsafeMutablePointer<FILE>, command: String)
    /// Appended to, or no plain file: a device, a pipe.
    case direct(path: String)
    case draft(path: String, of: String)
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
    fflush(nil)
    guard let stream = popen(command, "we") else { throw .usage("cannot run `\(command)`") }
    return OutputSink(.program(stream, command: command), fileno(stream))
  }

  static func file(_ redirection: Redirection) throws(ShellError) -> OutputSink {
    var path = redirection.path
    var state = stat()
    let exists = stat(path, &state) == 0
    let isPlain = exists && state.st_mode & S_IFMT == S_IFREG
    if redirection.appends || (exists && !isPlain) {
      let flags = O_WRONLY | O_CLOEXEC | (redirection.appends ? O_CREAT | O_APPEND : 0)
      let descriptor = Platform.open(path, flags, 0o666)
      guard descriptor >= 0 else { throw refused(path, errno) }
      return OutputSink(.direct(path: path), descriptor)
    }
    // A link stays one: the file that it leads to is replaced, or made.
    path = try followed(path)
    if exists, access(path, W_OK) != 0 { throw refused(path, errno) }
    let draft = path + ".\(getpid()).draft"
    unlink(draft)
    let descriptor = Platform.open(draft, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else {
      let code = errno
      if exists, [EACCES, EPERM, EROFS, ENAMETOOLONG].contains(code), let descriptor = nameless() {
        return OutputSink(.spool(of: path), descriptor)
      }
      throw refused(path, code)
    }
    if exists { fchmod(descriptor, state.st_mode & 0o7777) }
    return OutputSink(.draft(path: draft, of: path), descriptor)
  }

  /// LIMIT: links that lead to links, as the system has it.
  private static let linksMax = 40

  /// The path that is no link, whether something is there or not.
  private static func followed(_ path: String) throws(ShellError) -> String {
    var real = path
    for _ in 0...linksMax {
      var state = stat()
      guard lstat(real, &state) == 0, state.st_mode & S_IFMT == S_IFLNK else { return real }
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(real, &buffer, buffer.count)
      guard count > 0 else { throw refused(path, errno) }
      let target = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let folder = real.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(real[...$0]) } ?? ""
      real = target.hasPrefix("/") ? target : folder + target
    }
    throw refused(path, ELOOP)
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
    case .program(let stream, let command):
      let status = pclose(stream)
      try Self.check(status, of: command)
      if case .failed(let code) = outcome { throw Self.lost("into `\(TextEscape.printable(command))`", code) }
    case .direct(let path):
      let isClosed = close(descriptor) == 0
      try Self.check(isClosed ? outcome : .failed(errno), path)
    case .draft(let draft, let path):
      do throws(ShellError) {
        let isClosed = close(descriptor) == 0
        try Self.check(isClosed ? outcome : .failed(errno), path)
        guard rename(draft, path) == 0 else { throw Self.lost("`\(TextEscape.printable(path))`", errno) }
      } catch {
        unlink(draft)
        throw error
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
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Platform.read(descriptor, &chunk, chunk.count)
      if count == 0 { return .written }
      guard count > 0 else { return .failed(errno) }
      let outcome = Console.put(Array(chunk[..<count]), to: copy)
      guard outcome == .written else { return outcome }
    }
  }

  /// Gives up; a file that was to be replaced stays as it is.
  func cancel() {
    guard !isOver else { return }
    isOver = true
    switch target {
    case .program(let stream, _): pclose(stream)
    case .direct:
      flush()
      close(descriptor)
    case .draft(let draft, _):
      close(descriptor)
      unlink(draft)
    case .spool: close(descriptor)
    }
  }

  private static func check(_ outcome: WriteOutcome, _ path: String) throws(ShellError) {
    if case .failed(let code) = outcome { throw lost("`\(TextEscape.printable(path))`", code) }
  }

  /// - Parameter status: as `wait` gives it.
  static func check(_ status: Int32, of command: String) throws(ShellError) {
    if status == 0 { return }
    try Interruption.check()
    let name = "`\(TextEscape.printable(command))`"
    let signal = status & 0x7F
    throw .failed(
      signal == 0 ? "\(name) ended with \(status >> 8 & 0xFF)" : "\(name) was ended by signal \(signal)")
  }

  private static func refused(_ path: String, _ code: Int32) -> ShellError {
    .usage("cannot write `\(TextEscape.printable(path))`: \(String(cString: strerror(code)))")
  }

  private static func lost(_ where: String, _ code: Int32) -> ShellError {
    ShellError(.failed(code: "DATA_LOSS"), "cannot write \(`where`): \(String(cString: strerror(code)))")
  }
}
