/// Where a session reads from and writes to: results to one side, messages to the other.

import JSON
import Platform

/// What became of bytes that were to be written.
enum WriteOutcome: Equatable {
  case written
  /// Nobody reads any more, which is no failure.
  case closed
  /// The code of the system: the disk is full, or whatever it was.
  case failed(Int32)

  init(_ error: SystemError) { self = error.code == EPIPE ? .closed : .failed(error.code) }
}

/// The two outputs of a shell.
///
/// Owner: the session's thread.
final class Console {
  typealias Sink = (_ bytes: [UInt8]) -> WriteOutcome

  /// Columns and rows; nil to ask the terminal.
  private let fixedSize: (columns: Int, rows: Int)?
  private let results: Sink
  private let messages: Sink
  /// Whether people look at the results.
  let isTerminal: Bool
  var isColored: Bool
  /// Whether notes that are no results are left out.
  var isQuiet = false
  /// Whether messages are for programs: a line of JSON each.
  var writesJSON = false
  /// Whether whoever read the results has gone.
  private(set) var isClosed = false
  /// Why results of the statement under way are lost, as a code of the system.
  private var failure: Int32?

  init(
    results: @escaping Sink, messages: @escaping Sink, isTerminal: Bool, isColored: Bool,
    size: (columns: Int, rows: Int)? = nil
  ) {
    fixedSize = size
    self.results = results
    self.messages = messages
    self.isTerminal = isTerminal
    self.isColored = isColored
  }

  /// Standard output and standard error.
  static func standard(isColored: Bool? = nil) -> Console {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    return Console(
      results: { put($0, to: STDOUT_FILENO) }, messages: { put($0, to: STDERR_FILENO) },
      isTerminal: isTerminal, isColored: isColored ?? (isTerminal && getenv("NO_COLOR") == nil))
  }

  /// Writes all bytes; whether they are written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    put(bytes, to: descriptor) == .written
  }

  /// Writes all bytes.
  static func put(_ bytes: [UInt8], to descriptor: Int32) -> WriteOutcome {
    do throws(SystemError) { try Descriptor.writeAll(bytes, to: descriptor) } catch {
      return WriteOutcome(error)
    }
    return .written
  }

  /// A line of result; false when nobody reads, or when it cannot be written.
  @discardableResult
  func result(_ line: String) -> Bool {
    if isClosed || failure != nil { return false }
    switch results(Array((line + "\n").utf8)) {
    case .written: return true
    case .closed: isClosed = true
    case .failed(let code): failure = code
    }
    return false
  }

  /// Fails when results since the last call could not be written.
  func checkResults() throws(ShellError) {
    guard let code = failure else { return }
    failure = nil
    throw ShellError(
      .failed(code: "DATA_LOSS"), "cannot write the results: \(String(cString: strerror(code)))")
  }

  /// A note for people, which quiet shells leave out.
  func note(_ line: String) {
    if !isQuiet { message(isColored && !writesJSON ? "\u{1B}[2m\(line)\u{1B}[0m" : line) }
  }

  /// A message: an error, a question.
  func message(_ line: String) {
    guard writesJSON else { return put(message: line) }
    var writer = JSONWriter()
    writer.object { $0.member("message") { $0.printable(line) } }
    put(message: writer.text)
  }

  /// An error for programs, which is JSON already.
  func put(message line: String) { _ = messages(Array((line + "\n").utf8)) }

  /// Columns and rows of the terminal.
  var size: (columns: Int, rows: Int) {
    if let fixedSize { return fixedSize }
    var size = winsize()
    guard isTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return (110, 50)
    }
    return (max(40, Int(size.ws_col)), max(5, Int(size.ws_row)))
  }

  // MARK: colours

  func red(_ text: String) -> String { painted(text, "31") }
  func bold(_ text: String) -> String { painted(text, "1") }
  func dim(_ text: String) -> String { painted(text, "2") }

  private func painted(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
