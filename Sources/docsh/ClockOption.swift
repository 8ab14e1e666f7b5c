/// `--clock`: a store in which time passes only when somebody says so.

import ArgumentParser
import DocModel
import DocStore

enum ClockOption {
  /// Reads the option's value, in microseconds since the epoch.
  static func time(_ text: String) throws -> Int64 {
    if text.hasPrefix("+") {
      throw ValidationError(
        "'\(text)' is a step; write the time at which the clock stands: 2026-03-01T00:00:00Z")
    }
    do throws(InvalidArgument) { return try StandingClock.time(text, after: 0) } catch {
      throw ValidationError(error.message)
    }
  }
}

extension StandingClock {
  /// Time does not go back behind what is stored: a folder that has later commits moves the clock, and is told.
  func catchUp(with store: DocumentStore<some StorageEngine>) {
    let stored = store.presentTime
    guard stored > now else { return }
    // Server timestamps are whole milliseconds.
    try? move(to: (stored + 999) / 1_000 * 1_000)
    Terminal.complain(
      "the clock stands at \(Timestamp(microseconds: now).rfc3339), the time of the last commit")
  }
}
