/// Requests that read, where several servers commit to one store: they begin when what was committed anywhere before they came is
/// here. All that an event loop has read in one turn ask once.

internal import DocModel
internal import DocStore
internal import NIOCore
internal import Platform
internal import Synchronization

/// State: the calls of each loop's present turn, by its thread, behind one lock.
///
/// Not generic: what is stored in a generic class's own types is looked up by its type at each use.
final class CatchingUp: Sendable {
  typealias Run = @Sendable (ServerCall) throws(GRPCStatus) -> Void

  private struct Waiting {
    let call: LoopConfined<ServerCall>
    let run: Run
  }

  /// `DocumentStore.hasReadLease`, `isCurrent` and `whenCurrent`.
  private let hasLease: @Sendable () -> Bool
  private let isCurrent: @Sendable () -> Bool
  private let whenCurrent: @Sendable (@escaping @Sendable (StoreError?) -> Void) -> Void
  private let waiting = Mutex<[PlatformThread.ID: [Waiting]]>([:])

  init(_ store: DocumentStore<some StorageEngine>) {
    hasLease = { store.hasReadLease }
    isCurrent = { store.isCurrent() }
    whenCurrent = { store.whenCurrent($0) }
  }

  /// A method that begins when it may read.
  func before(_ run: @escaping Run) -> Run {
    { [self] (call) throws(GRPCStatus) in
      if hasLease() { try run(call) } else { begin(call, run) }
    }
  }

  /// On the call's event loop: runs it when it may read.
  private func begin(_ call: ServerCall, _ run: @escaping Run) {
    let new = Waiting(call: LoopConfined(value: call), run: run)
    guard let loop = call.eventLoop else { return wait([new]) }
    let thread = PlatformThread.current
    let isFirst = waiting.withLock { waiting in
      waiting[thread, default: []].append(new)
      return waiting[thread]?.count == 1
    }
    if isFirst { loop.execute { [self] in look(of: thread) } }
  }

  /// The loop has looked at all that was ready for it.
  private func look(of thread: PlatformThread.ID) {
    let calls = waiting.withLock { $0.removeValue(forKey: thread) } ?? []
    guard isCurrent() else { return wait(calls) }
    for waiting in calls where !waiting.call.value.isFinished {
      do throws(GRPCStatus) { try waiting.run(waiting.call.value) } catch { waiting.call.value.finish(error) }
    }
  }

  /// For what others have committed, or for an answer of their engine.
  private func wait(_ calls: [Waiting]) {
    let calls = calls.map { ($0.call.value.reference, $0.run) }
    whenCurrent { error in
      for (reference, run) in calls {
        reference.goOn { (call) throws(GRPCStatus) in
          if let error { throw GRPCStatus(error) }
          try run(call)
        }
      }
    }
  }
}
