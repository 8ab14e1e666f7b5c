/// Write: a stream of commits, applied and answered strictly in order.
///
/// One batch is carried out at a time. A client that re-sends what was not acknowledged, as all do, would
/// otherwise apply twice what was behind a batch that failed.
///
/// Source: docs/spec/streams.md section 2.

internal import Access
internal import DocModel
internal import DocStore
internal import Faults
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
}

/// One Write call. State and its owner: the call's event loop.
private final class WriteSession<Engine: StorageEngine> {
  private let service: FirestoreService<Engine>
  private var database: DatabaseID?
  private var answeredCount = 0
  private var waiting: [(message: [UInt8], held: HeldMemory?)] = []
  private var waitingBytes = 0
  private var isBusy = false
  /// Gives up the batch that is being applied, while it waits for transactions to end.
  private var cancellation: CommitCancellation?
  private var isHalfClosed = false
  private var isOver = false

  init(_ service: FirestoreService<Engine>) { self.service = service }

  func take(_ message: [UInt8], _ call: ServerCall) {
    call.assertOnLoop()
    guard !isOver else { return }
    waiting.append((message, call.memory?.hold(message.count)))
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
    call.assertOnLoop()
    while !isOver, !isBusy, !waiting.isEmpty {
      let (message, _) = waiting.removeFirst()
      waitingBytes -= message.count
      do throws(GRPCStatus) { try begin(message, call) } catch { end(call, error) }
    }
    if isHalfClosed, !isOver, !isBusy { end(call, .ok) }
  }

  /// - Parameter isPastFaults: whether an injected fault has had its turn.
  private func begin(
    _ message: [UInt8], _ call: ServerCall, isPastFaults: Bool = false
  ) throws(GRPCStatus) {
    // Whoever sets faults waits for large requests.
    guard message.count <= FirestoreService<Engine>.onEventLoopBytesMax || service.faults.areSet else {
      return readLater(message, call)
    }
    guard let database else {
      let named = try Self.reading(message) { request throws(GRPCStatus) in try request.handshake() }
      return try shakeHands(named, call)
    }
    let isLast = try Self.reading(message) { request throws(GRPCStatus) in
      try request.checkDatabase(database)
      return request.writes.isEmpty
    }
    if isLast { return finishLast(call) }
    let credentials = try service.credentials(call, in: database)
    if !isPastFaults, service.faults.areSet, try isDelayed(message, database, credentials, call) { return }
    let writes = try Self.reading(message) { request throws(GRPCStatus) in try request.checked(in: database) }
    submit(writes, database, credentials, call)
  }

  private static func reading<Content>(
    _ message: [UInt8], _ body: (WriteStreamRequest) throws(GRPCStatus) -> Content
  ) throws(GRPCStatus) -> Content {
    try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in
      try body(try WriteStreamRequest(bytes))
    }
  }

  private func finishLast(_ call: ServerCall) {
    answeredCount += 1
    _ = call.send(Answers.writeStream(token: answeredCount))
    end(call, .ok)
  }

  private func submit(
    _ writes: [Write], _ database: DatabaseID, _ credentials: Credentials, _ call: ServerCall
  ) {
    isBusy = true
    let cancellation = CommitCancellation()
    self.cancellation = cancellation
    // What made the client open the stream: all that it writes there belongs to that.
    let origin = call.origin(of: credentials)
    let session = LoopConfined(value: self)
    let reference = call.reference
    CommitOrigin.$current.withValue(origin) {
      service.store.submit(
        database, writes, as: credentials, cancellation: cancellation, later: call.perform
      ) { result in
        reference { session.value.finish(result.mapError(GRPCStatus.init), $0) }
      }
    }
  }

  // MARK: large requests

  /// Reads a request on a thread; those behind it wait.
  private func readLater(_ message: [UInt8], _ call: ServerCall) {
    isBusy = true
    let session = LoopConfined(value: self)
    let database = database
    service.onThread(for: call) {
      Result { () throws(GRPCStatus) in
        try Self.reading(message) { request throws(GRPCStatus) -> ReadWriteRequest in
          guard let database else { return .first(try request.handshake()) }
          try request.checkDatabase(database)
          return request.writes.isEmpty ? .last : .batch(try request.checked(in: database))
        }
      }
    } then: { call, read in
      session.value.goOn(read, call)
    }
  }

  fileprivate func goOn(_ read: Result<ReadWriteRequest, GRPCStatus>, _ call: ServerCall) {
    call.assertOnLoop()
    isBusy = false
    guard !isOver else { return }
    do throws(GRPCStatus) {
      switch try read.get() {
      case .first(let database): try shakeHands(database, call)
      case .last: return finishLast(call)
      case .batch(let writes):
        guard let database else { return }
        submit(writes, database, try service.credentials(call, in: database), call)
      }
    } catch { return end(call, error) }
    goOn(call)
  }

  // MARK: injected faults

  /// Injects a fault into a request; whether it delays it, and with it all that come behind.
  private func isDelayed(
    _ message: [UInt8], _ database: DatabaseID, _ credentials: Credentials, _ call: ServerCall
  ) throws(GRPCStatus) -> Bool {
    let paths = message.withUnsafeBytes { FaultedMessage.paths(ofWriteStream: $0) }
    let faulted = FaultedCall(.commit, database, credentials, paths: paths)
    guard let injection = try service.faults.delay(of: faulted) else { return false }
    isBusy = true
    let session = LoopConfined(value: self)
    service.delay(injection.delayMilliseconds, call) { session.value.goOn(message, injection.status, $0) }
    return true
  }

  /// After a delay: the request is carried out, or fails.
  fileprivate func goOn(_ message: [UInt8], _ status: GRPCStatus?, _ call: ServerCall) {
    call.assertOnLoop()
    isBusy = false
    guard !isOver else { return }
    do throws(GRPCStatus) {
      if let status { throw status }
      try begin(message, call, isPastFaults: true)
    } catch { return end(call, error) }
    goOn(call)
  }

  private func shakeHands(_ database: DatabaseID, _ call: ServerCall) throws(GRPCStatus) {
    _ = try service.credentials(call, in: database)
    self.database = database
    let id = service.writeStreams.add(1, ordering: .relaxed).newValue
    _ = call.send(Answers.writeStream(id: id, token: 0))
  }

  func finish(_ result: Result<CommitResult, GRPCStatus>, _ call: ServerCall) {
    call.assertOnLoop()
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

/// A large request, read.
private enum ReadWriteRequest: Sendable {
  case first(DatabaseID)
  case batch([Write])
  /// One without writes ends the stream.
  case last
}
