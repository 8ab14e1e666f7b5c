/// Write: a stream of commits, applied and answered strictly in order.
///
/// One batch is carried out at a time. A client that re-sends what was not acknowledged, as all do, would
/// otherwise apply twice what was behind a batch that failed.
///
/// Source: spec/streams.md section 2.

internal import Access
internal import DocModel
internal import DocStore
internal import NIOPosix
internal import Synchronization

extension FirestoreService {
  @Sendable
  func writeStream(_ call: ServerCall) throws(GRPCStatus) {
    let session = WriteSession(self)
    call.onMessage = { [unowned call] message in session.take(message, call) }
    call.onHalfClose = { [unowned call] in session.halfClose(call) }
    call.onCancel = { session.close() }
  }

  /// LIMIT: bytes and batches of one stream that wait for their turn. Clients send ten at most.
  fileprivate static var waitingBytesMax: Int { 64 << 20 }
  fileprivate static var waitingBatchesMax: Int { 1_000 }
  /// LIMIT: bytes of a batch that is checked on the event loop; larger ones take a thread.
  fileprivate static var onEventLoopBytesMax: Int { 256 << 10 }
}

/// One Write call. State and its owner: the call's event loop.
private final class WriteSession<Engine: StorageEngine> {
  private let service: FirestoreService<Engine>
  private var database: DatabaseID?
  private var answeredCount = 0
  private var waiting: [[UInt8]] = []
  private var waitingBytes = 0
  private var isBusy = false
  /// Gives up the batch that is being applied, while it waits for transactions to end.
  private var cancellation: CommitCancellation?
  private var isHalfClosed = false
  private var isOver = false

  init(_ service: FirestoreService<Engine>) { self.service = service }

  func take(_ message: [UInt8], _ call: ServerCall) {
    guard !isOver else { return }
    waiting.append(message)
    waitingBytes += message.count
    guard waiting.count <= FirestoreService<Engine>.waitingBatchesMax,
      waitingBytes <= FirestoreService<Engine>.waitingBytesMax
    else { return end(call, GRPCStatus(.resourceExhausted, "too many batches of one stream are waiting")) }
    goOn(call)
  }

  func halfClose(_ call: ServerCall) {
    isHalfClosed = true
    goOn(call)
  }

  func close() {
    isOver = true
    waiting = []
    if let cancellation { service.store.store.cancel(cancellation) }
    cancellation = nil
  }

  private func end(_ call: ServerCall, _ status: GRPCStatus) {
    close()
    call.finish(status)
  }

  /// Works on what waits until a batch has to be waited for.
  private func goOn(_ call: ServerCall) {
    while !isOver, !isBusy, !waiting.isEmpty {
      let message = waiting.removeFirst()
      waitingBytes -= message.count
      do throws(GRPCStatus) { try begin(message, call) } catch { end(call, error) }
    }
    if isHalfClosed, !isOver, !isBusy { end(call, .ok) }
  }

  /// - Parameter isPastFaults: whether an injected fault has had its turn.
  private func begin(
    _ message: [UInt8], _ call: ServerCall, isPastFaults: Bool = false
  ) throws(GRPCStatus) {
    guard let database else { return try shakeHands(message, call) }
    let isLast = try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in
      let request = try WriteStreamRequest(bytes)
      try request.checkDatabase(database)
      return request.writes.isEmpty
    }
    if isLast {
      answeredCount += 1
      _ = call.send(Answers.writeStream(token: answeredCount))
      return end(call, .ok)
    }
    let credentials = try service.credentials(call, in: database)
    if !isPastFaults, service.faults.areSet, try isDelayed(message, database, credentials, call) { return }
    isBusy = true
    let reference = call.reference
    let cancellation = CommitCancellation()
    self.cancellation = cancellation
    // What made the client open the stream: all that it writes there belongs to that.
    let session = WriteSessionReference(
      session: self, origin: call.origin(of: credentials), cancellation: cancellation)
    guard message.count > FirestoreService<Engine>.onEventLoopBytesMax else {
      return session.submit(try Self.writes(message, database), database, credentials, service, reference)
    }
    service.threads.submit { [service] state in
      guard state == .active else { return }
      do throws(GRPCStatus) {
        session.submit(try Self.writes(message, database), database, credentials, service, reference)
      } catch {
        session.finish(.failure(error), reference)
      }
    }
  }

  /// Lets a fault strike a request; whether it delays it, and with it all that come behind.
  private func isDelayed(
    _ message: [UInt8], _ database: DatabaseID, _ credentials: Credentials, _ call: ServerCall
  ) throws(GRPCStatus) -> Bool {
    let paths = message.withUnsafeBytes { FaultedMessage.paths(ofWriteStream: $0) }
    guard let strike = service.faults.strike(FaultedCall(.commit, database, credentials, paths: paths)) else {
      return false
    }
    guard strike.delayMilliseconds > 0 else {
      if let status = strike.status { throw status }
      return false
    }
    isBusy = true
    let delayed = DelayedWrite(session: self, message: message, status: strike.status)
    service.delay(strike.delayMilliseconds, call) { delayed.goOn($0) }
    return true
  }

  /// After a delay: the request is carried out, or fails.
  fileprivate func goOn(_ message: [UInt8], _ status: GRPCStatus?, _ call: ServerCall) {
    isBusy = false
    guard !isOver else { return }
    do throws(GRPCStatus) {
      if let status { throw status }
      try begin(message, call, isPastFaults: true)
    } catch { return end(call, error) }
    goOn(call)
  }

  private func shakeHands(_ message: [UInt8], _ call: ServerCall) throws(GRPCStatus) {
    let database = try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in
      try WriteStreamRequest(bytes).handshake()
    }
    _ = try service.credentials(call, in: database)
    self.database = database
    let id = service.writeStreams.add(1, ordering: .relaxed).newValue
    _ = call.send(Answers.writeStream(id: id, token: 0))
  }

  private static func writes(_ message: [UInt8], _ database: DatabaseID) throws(GRPCStatus) -> [Write] {
    try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in
      let request = try WriteStreamRequest(bytes)
      do throws(Complaint) {
        return try WriteList.read(request.writes, in: database)
      } catch { throw GRPCStatus(error) }
    }
  }

  func finish(_ result: Result<CommitResult, GRPCStatus>, _ call: ServerCall) {
    isBusy = false
    cancellation = nil
    guard !isOver else { return }
    switch result {
    case .success(let result):
      answeredCount += 1
      _ = call.send(Answers.writeStream(token: answeredCount, result))
      goOn(call)
    case .failure(let status): end(call, status)
    }
  }
}

/// A request of a Write stream that waits.
///
/// `@unchecked Sendable`: the session is touched on its call's event loop alone.
private struct DelayedWrite<Engine: StorageEngine>: @unchecked Sendable {
  let session: WriteSession<Engine>
  let message: [UInt8]
  let status: GRPCStatus?

  func goOn(_ call: ServerCall) { session.goOn(message, status, call) }
}

/// A session on its way through other threads, which only pass it on.
///
/// `@unchecked Sendable`: the session is touched on its call's event loop alone.
private struct WriteSessionReference<Engine: StorageEngine>: @unchecked Sendable {
  let session: WriteSession<Engine>
  let origin: CommitOrigin?
  let cancellation: CommitCancellation

  func submit(
    _ writes: [Write], _ database: DatabaseID, _ credentials: Credentials,
    _ service: FirestoreService<Engine>, _ call: CallReference
  ) {
    CommitOrigin.$current.withValue(origin) {
      service.store.submit(database, writes, as: credentials, cancellation: cancellation) { result in
        finish(result.mapError(GRPCStatus.init), call)
      }
    }
  }

  func finish(_ result: Result<CommitResult, GRPCStatus>, _ call: CallReference) {
    call { session.finish(result, $0) }
  }
}
