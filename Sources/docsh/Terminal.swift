/// What docsh says to people: results on standard output, complaints on standard error.

import ArgumentParser
import DocModel
import JSON
import Platform
import Synchronization

enum Terminal {
  /// Whether programs read standard error: each text is a line of JSON then. Set before anything is said.
  static let writesJSON = Atomic(false)

  /// A line of result.
  static func say(_ line: String) {
    write(line + "\n", to: STDOUT_FILENO)
  }

  /// Bytes of result, as they are.
  static func write(_ bytes: [UInt8]) {
    write(bytes, to: STDOUT_FILENO)
  }

  /// A complaint, with the program's name in front as shells expect.
  static func complain(_ message: String) {
    if writesJSON.load(ordering: .relaxed) { return report(message) }
    write("docsh: " + message + "\n", to: STDERR_FILENO)
  }

  /// Complains of what ends the command; to be thrown.
  static func end(_ status: Int32, _ complaint: String) -> ExitCode {
    complain(complaint)
    return ExitCode(status)
  }

  /// Text as it is, on standard error.
  static func report(_ text: String) {
    if writesJSON.load(ordering: .relaxed) {
      return write(JSONWriter.bytes(of: ["message": .text(text)]) + [0x0A], to: STDERR_FILENO)
    }
    write(text.hasSuffix("\n") ? text : text + "\n", to: STDERR_FILENO)
  }

  /// Replaces what stands on the terminal's current line.
  static func overwrite(_ text: String) {
    write("\r\u{1B}[K" + text, to: STDOUT_FILENO)
  }

  /// Whether standard output is a terminal, so that colours and progress make sense.
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

  /// Columns of the terminal that standard output is; nil when it is none.
  static var width: Int? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return max(60, Int(size.ws_col))
  }

  private static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8), to: descriptor)
  }

  private static func write(_ text: [UInt8], to descriptor: Int32) {
    // Where nobody reads there is no one left to tell.
    try? Descriptor.writeAll(text, to: descriptor)
  }
}

/// How docsh ends. Scripts and CI read these.
enum ExitStatus {
  static let success: Int32 = 0
  /// A test failed, or a command could not do what was asked.
  static let failure: Int32 = 1
  /// The input is at fault: a rules file, a seed, a suite.
  static let badInput: Int32 = 2
  /// Everything passed, and less is covered or noticed than was asked for.
  static let gateMissed: Int32 = 3
  /// Data is damaged: a data folder, at the start or in the middle of work (EX_DATAERR).
  static let damaged: Int32 = 65
  /// The command line itself (BSD's EX_USAGE), as swift-argument-parser has it.
  static let usage: Int32 = 64
  /// A file or folder that is to be read is not there (EX_NOINPUT).
  static let noInput: Int32 = 66
  /// The port is taken or forbidden, or a server cannot be asked (EX_UNAVAILABLE).
  static let unavailable: Int32 = 69
  /// The data folder cannot be used: in use, unreadable, full (EX_IOERR).
  static let storage: Int32 = 74
}
