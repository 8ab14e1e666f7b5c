/// Lines of a result at the terminal: a screen at a time, through the user's pager, or as they are.

import Platform

/// What somebody at a terminal says after a screen of lines.
enum MoreAnswer {
  case more, enough
}

/// Owner: the session's thread.
final class ResultPager {
  private let session: Session
  private var program: Program?
  /// Lines until the next question; nil for never.
  private var room: Int?

  init(_ session: Session) {
    self.session = session
    session.rest = []
    guard session.console.isTerminal else { return }
    switch session.settings.pager {
    case .off: break
    case .on: program = session.openPager?()
    case .auto: room = session.askMore == nil ? nil : Session.pageLines
    }
  }

  /// False when nobody wants more. What of these lines was not shown `:more` shows.
  func put(_ lines: [String]) -> Bool {
    for (index, line) in lines.enumerated() {
      if let program {
        guard Console.write(Array((line + "\n").utf8), to: program.input) else { return false }
        continue
      }
      if room == 0 {
        guard pausing({ session.askMore?() }) == .more else {
          session.rest = Array(lines[index...])
          return false
        }
        room = Session.pageLines
      }
      guard session.console.result(line) else { return false }
      room = room.map { $0 - 1 }
    }
    return true
  }

  /// Waits until the user has left the pager.
  func finish() {
    guard let program else { return }
    // However it ends: people have seen what they wanted to see.
    pausing { try? program.wait() }
    self.program = nil
  }

  /// The time that people take for reading is none of the query's.
  @discardableResult
  private func pausing<R>(_ body: () -> R) -> R {
    let started = SystemClock.monotonic
    defer { session.pausedTime += SystemClock.monotonic - started }
    return body()
  }
}
