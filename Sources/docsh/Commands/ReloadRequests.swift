/// When a running server reads its files again: after a save, or at SIGHUP.

import Platform
import Synchronization

/// Waits without a thread until there is something to do for the first time; from then on one thread waits.
///
/// State and its guard: `state` behind its mutex, held for look-ups.
final class ReloadRequests: Sendable {
  private struct State {
    /// What the thread does; nil before the server has opened.
    var work: (@Sendable () -> Void)?
    /// Whether something came before `work` did.
    var isAsked = false
    var isRunning = false
    /// Whether all files are to be read, changed or not.
    var wantsAll = false
  }

  /// Nil where saves are not watched.
  let watch: FileWatch?
  private let state = Mutex(State())
  /// Bytes that wake the thread.
  private let wake: (read: Int32, write: Int32)

  init(watchesFiles: Bool) {
    do throws(FileWatchError) { watch = watchesFiles ? try FileWatch() : nil } catch {
      watch = nil
      Terminal.complain("\(error.description); files are read again at SIGHUP only")
    }
    var ends: [Int32] = [-1, -1]
    wake = pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    if wake.read >= 0 { close(wake.read) }
    if wake.write >= 0 { close(wake.write) }
  }

  /// Says what to do; does it at once when something has come meanwhile, or when it shall begin anyway.
  func open(startsAtOnce: Bool, _ work: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.work = work
      state.isAsked = state.isAsked || startsAtOnce
    }
    begin()
  }

  /// A file was saved.
  func noteChange() {
    state.withLock { $0.isAsked = true }
    begin()
  }

  /// Asks for all files to be read.
  func askForAll() {
    state.withLock { state in
      state.isAsked = true
      state.wantsAll = true
    }
    begin()
    var byte: UInt8 = 0
    if wake.write >= 0 { _ = write(wake.write, &byte, 1) }
  }

  private func begin() {
    let work = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.isAsked, !state.isRunning, let work = state.work else { return nil }
      state.isRunning = true
      return work
    }
    guard let work else { return }
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes, work)
    } catch {
      state.withLock { $0.isRunning = false }
      Terminal.complain("files are not read again: \(error)")
    }
  }

  /// Waits, on the thread that works: the files that changed, and whether all are asked for.
  func next() -> (changed: [String], wantsAll: Bool) {
    let changed: [String]
    if state.withLock({ $0.wantsAll }) {
      changed = []
    } else if let watch {
      changed = watch.wait(quiet: Self.quietMilliseconds, orInput: wake.read)
    } else {
      var poller = pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)
      _ = poll(&poller, 1, -1)
      changed = []
    }
    return (changed, takeAll())
  }

  /// Whether all files are asked for, which is told once.
  func takeAll() -> Bool {
    var byte: UInt8 = 0
    while wake.read >= 0, read(wake.read, &byte, 1) == 1 {}
    return state.withLock { state in
      defer { state.wantsAll = false }
      return state.wantsAll
    }
  }

  /// How long nothing may happen until a save is over: editors write, rename and remove.
  private static let quietMilliseconds: Int32 = 50
}
