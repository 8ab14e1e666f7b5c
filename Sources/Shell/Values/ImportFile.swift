/// A file of documents, a line each, read as it is written: its size does not matter.

import DocModel
import DocStore
import Platform

/// Owner: the session's thread.
final class ImportFile {
  private let path: String
  private let descriptor: Int32
  private let context: LanguageContext
  private var lines: InputLines
  private var number = 0

  init(_ path: String, _ context: LanguageContext) throws(ShellError) {
    self.path = path
    self.context = context
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let code = errno
    lines = InputLines(descriptor)
    guard descriptor >= 0 else { throw unreadable(code) }
  }

  deinit { close(descriptor) }

  /// Reads all lines for their mistakes, and begins again. A pipe cannot be read twice; its mistakes are found when
  /// the lines before are written.
  func check() throws(ShellError) {
    guard lseek(descriptor, 0, SEEK_CUR) == 0 else { return }
    while try next() != nil {}
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw unreadable(errno) }
    lines = InputLines(descriptor)
    number = 0
  }

  /// What the next line writes; nil at the end.
  func next() throws(ShellError) -> Write? {
    while true {
      try Interruption.check()
      number += 1
      switch lines.next() {
      case .line(let line):
        if line.isEmpty { continue }
        do throws(ShellError) { return try ImportLine.write(line, context) } catch {
          throw .usage("\(path):\(number): \(error.message)")
        }
      case .end: return nil
      case .interrupted: throw ShellError(.interrupted, "interrupted")
      case .tooLong:
        throw .usage("\(path):\(number): the line is longer than \(InputLines.lineBytesMax >> 20) MiB")
      case .failed(let code): throw unreadable(code)
      }
    }
  }

  private func unreadable(_ code: Int32) -> ShellError {
    .unknown("cannot read `\(TextEscape.printable(path))`: \(String(cString: strerror(code)))")
  }
}
