/// Results that go to a file or into a program.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// INVARIANT: writing never ends the shell: whoever reads may go at any time.
final class OutputSink {
  private let stream: UnsafeMutablePointer<FILE>
  private let isProgram: Bool
  private var isOpen = true

  /// Nil when a read writes where everything goes.
  static func open(_ read: ReadStatement, console: Console) throws(ShellError) -> OutputSink? {
    if let command = read.program {
      if read.redirection != nil { throw .usage("a program or a file reads the output, not both") }
      fflush(nil)
      guard let stream = popen(command, "we") else { throw .usage("cannot run `\(command)`") }
      return OutputSink(stream, isProgram: true)
    }
    guard let redirection = read.redirection else { return nil }
    guard let stream = fopen(redirection.path, redirection.appends ? "ae" : "we") else {
      throw .usage("cannot write `\(redirection.path)`: \(String(cString: strerror(errno)))")
    }
    return OutputSink(stream, isProgram: false)
  }

  private init(_ stream: UnsafeMutablePointer<FILE>, isProgram: Bool) {
    self.stream = stream
    self.isProgram = isProgram
  }

  /// False when nobody reads any more.
  func write(_ line: String) -> Bool {
    guard isOpen else { return false }
    if fputs(line + "\n", stream) < 0 { isOpen = false }
    return isOpen
  }

  /// Waits for the program.
  func close() {
    _ = isProgram ? pclose(stream) : fclose(stream)
  }
}
