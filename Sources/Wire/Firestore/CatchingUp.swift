/// Requests that read, where several servers commit to one store: they begin when what was committed anywhere before they came is
/// here. All that an event loop has read in one turn ask once.

internal import DocModel
internal import DocStore
internal import NIOCore
internal import Platform
internal import Synchronization

/// State: the calls of each loop's present turn, by its thread, behind one lock.
final class CatchingUp<Engine: StorageEngine>: Sendable {
  typealias Run = @Sendable (ServerCall) throws(GRPCStatus) -> Void

  private struct Waiting {
    let call: LoopConfined<ServerCall>
    let run: Run
  }

  private let store: DocumentStore<Engine>
  private let waiting = Mutex<[PlatformThread.ID: [Waiting]]>([:])

  init(_ store: DocumentStore<Engine>) { self.store = store }

  /// A method that begins when it may read.
  func before(_ run: @escaping Run) -> Run {
    { [self] (call) throws(GRPCStatus) in begin(call, run) }
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
    guard store.isCurrent() else { return wait(calls) }
    for waiting in calls where !waiting.call.value.isFinished {
      do throws(GRPCStatus) { try waiting.run(waiting.call.value) } catch { waiting.call.value.finish(error) }
    }
  }

  /// For what others have committed, or for an answer of their engine.
  private func wait(_ calls: [Waiting]) {
    let calls = calls.map { ($0.call.value.reference, $0.run) }
    store.whenCurrent { error in
      for (reference, run) in calls {
        reference.goOn { (call) throws(GRPCStatus) in
          if let error { throw GRPCStatus(error) }
          try run(call)
        }
      }
    }
  }
}
