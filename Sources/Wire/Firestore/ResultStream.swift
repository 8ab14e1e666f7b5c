/// A streaming answer that is made on one thread and sent on another.
///
/// The thread that runs a query hands its rows over in batches; the call's event loop sends them. When
/// more than a limit wait for a slow client, the query waits too; when the client is gone, it stops.
///
/// State and its owner: `batch` belongs to the query's thread; `flow` is shared behind its monitor.

internal import DocStore
internal import NIOPosix

/// `@unchecked Sendable`: `batch` and `batchBytes` are used by the one thread that runs the query,
/// `waitingBytes` by the event loop alone.
final class ResultStream: @unchecked Sendable {
  private struct Flow {
    var unsentBytes = 0
    var isCancelled = false
  }

  /// Rows are handed over when this many bytes are together: a hop to the event loop costs microseconds.
  private static let batchBytesMax = 64 << 10

  private let call: CallReference
  private let flow = Monitor(Flow())
  private let unsentBytesMax: Int
  private var batch: [[UInt8]] = []
  private var batchBytes = 0
  private var waitingBytes = 0

  /// On the call's event loop.
  init(_ call: ServerCall, unsentBytesMax: Int) {
    self.call = call.reference
    self.unsentBytesMax = unsentBytesMax
    call.onCancel = { [flow] in flow.change { $0.isCancelled = true } }
  }

  /// Adds a message. `.stop`: nobody wants more.
  func send(_ message: [UInt8]) -> ScanStep {
    batch.append(message)
    batchBytes += message.count
    return batchBytes < Self.batchBytesMax ? .more : flush()
  }

  private func flush() -> ScanStep {
    let messages = batch
    let bytes = batchBytes
    batch = []
    batchBytes = 0
    let limit = unsentBytesMax
    let step: ScanStep = flow.wait { flow in
      if flow.isCancelled { return .stop }
      guard flow.unsentBytes <= limit else { return nil }
      flow.unsentBytes += bytes
      return .more
    }
    guard step == .more else { return .stop }
    call { [self] call in
      var isTaken = true
      for message in messages { isTaken = call.send(message) }
      waitingBytes += bytes
      // A call that is over forgets its closures once; none may be set after that.
      if isTaken || call.isFinished { return release() }
      call.onWritable = { [self] in release() }
    }
    return .more
  }

  /// The client has taken all that was sent so far.
  private func release() {
    let bytes = waitingBytes
    waitingBytes = 0
    flow.change { $0.unsentBytes -= bytes }
  }

  /// Sends the rest and the status.
  func finish(_ status: GRPCStatus) {
    let messages = batch
    batch = []
    call { call in
      for message in messages { _ = call.send(message) }
      call.finish(status)
    }
  }
}

extension FirestoreService {
  /// Runs a query's work on a thread of its own.
  func run(_ stream: ResultStream, _ work: @escaping @Sendable () throws(GRPCStatus) -> Void) {
    threads.submit { state in
      guard state == .active else { return }
      do throws(GRPCStatus) {
        try work()
        stream.finish(.ok)
      } catch {
        stream.finish(error)
      }
    }
  }
}
