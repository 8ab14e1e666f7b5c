/// Listen: a stream of targets and of what happens to them.
///
/// The call belongs to its event loop; requests go to the store's listeners in order, and their events come
/// back encoded. What the client has not read is counted, and the listeners are told when it has.
///
/// Source: docs/spec/streams.md section 1.

internal import Access
internal import DocModel
internal import DocStore
internal import Faults
internal import Synchronization

extension FirestoreService {
  @Sendable
  func listen(_ call: ServerCall) throws(GRPCStatus) {
    let session = ListenSession(self, call)
    call.onMessage = { [unowned call] message in session.take(message, call) }
    call.onHalfClose = { [unowned call] in
      session.close()
      call.finish(.ok)
    }
    call.onCancel = { session.close() }
    call.onWritable = { session.clientHasRead() }
  }
}

/// One Listen call. State and its owner: the call's event loop; the sink is `ListenPipe`.
private final class ListenSession<Engine: StorageEngine> {
  private let service: FirestoreService<Engine>
  private let pipe: ListenPipe
  private var stream: ListenStream<Engine>?
  private var credentials = Credentials.anonymous
  private var isClosed = false
  /// Requests behind one that an injected fault delays, or that is read on a thread; nil while there is none.
  private var waiting: [[UInt8]]?

  init(_ service: FirestoreService<Engine>, _ call: ServerCall) {
    self.service = service
    pipe = ListenPipe(
      call, service.faults, unsentBytesMax: service.options.listen.unsentBytesMax)
  }

  /// Wherever the last reference goes: nobody else has one, so no thread can be the wrong one.
  deinit { close() }

  func take(_ message: [UInt8], _ call: ServerCall) {
    call.assertOnLoop()
    guard !isClosed else { return }
    if waiting != nil {
      guard waiting?.count ?? 0 < Self.waitingMax else {
        return end(call, GRPCStatus(.resourceExhausted, "too many requests of one stream are waiting"))
      }
      waiting?.append(message)
      return
    }
    carryOut(message, call, isPastFaults: false)
  }

  /// LIMIT: requests that wait behind one that is delayed.
  private static var waitingMax: Int { 1_000 }

  private func carryOut(_ message: [UInt8], _ call: ServerCall, isPastFaults: Bool) {
    // Whoever sets faults waits for large requests.
    guard message.count <= FirestoreService<Engine>.onEventLoopBytesMax || service.faults.areSet else {
      return readLater(message, call)
    }
    do throws(GRPCStatus) {
      try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in
        let request = try WireListenRequest(bytes)
        guard let database = try request.databaseID(of: stream?.database) else { return }
        let stream = try open(database, call)
        if !isPastFaults, service.faults.areSet, try isDelayed(message, request, stream.database, call) {
          return
        }
        let like = service.options.profile.listenTargets
        if let change = request.change(in: stream.database, like) { stream.take(change) }
      }
    } catch { end(call, error) }
  }

  private func end(_ call: ServerCall, _ status: GRPCStatus) {
    close()
    call.finish(status)
  }

  // MARK: large requests

  /// Reads a request on a thread; what comes behind it waits.
  private func readLater(_ message: [UInt8], _ call: ServerCall) {
    waiting = []
    let known = stream?.database
    let like = service.options.profile.listenTargets
    let session = LoopConfined(value: self)
    service.onThread(for: call) {
      Result { () throws(GRPCStatus) in
        try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) -> ReadListenRequest? in
          let request = try WireListenRequest(bytes)
          guard let database = try request.databaseID(of: known) else { return nil }
          return ReadListenRequest(database: database, request: request.change(in: database, like))
        }
      }
    } then: { call, read in
      session.value.goOn(read, call)
    }
  }

  /// The request is read: it is carried out, then what came behind it.
  fileprivate func goOn(_ read: Result<ReadListenRequest?, GRPCStatus>, _ call: ServerCall) {
    call.assertOnLoop()
    let behind = waiting ?? []
    waiting = nil
    guard !isClosed else { return }
    do throws(GRPCStatus) {
      if let read = try read.get() {
        let stream = try open(read.database, call)
        if let request = read.request { stream.take(request) }
      }
    } catch { return end(call, error) }
    for message in behind { take(message, call) }
  }

  // MARK: injected faults

  /// Injects a fault into a new target; whether it delays it, and with it all requests that come behind.
  private func isDelayed(
    _ message: [UInt8], _ request: WireListenRequest, _ database: DatabaseID, _ call: ServerCall
  ) throws(GRPCStatus) -> Bool {
    guard case .add(let target) = request.change else { return false }
    let faulted = FaultedCall(.listen, database, credentials, paths: FaultedMessage.paths(of: target))
    guard let injection = try service.faults.delay(of: faulted) else { return false }
    waiting = []
    let session = LoopConfined(value: self)
    service.delay(injection.delayMilliseconds, call) { session.value.goOn(message, injection.status, $0) }
    return true
  }

  /// After a delay: the request is carried out, or the stream fails; then what came behind it.
  fileprivate func goOn(_ message: [UInt8], _ status: GRPCStatus?, _ call: ServerCall) {
    call.assertOnLoop()
    let behind = waiting ?? []
    waiting = nil
    guard !isClosed else { return }
    if let status { return end(call, status) }
    carryOut(message, call, isPastFaults: true)
    for message in behind { take(message, call) }
  }

  /// The stream; opened by the first request that says for which database it is.
  private func open(_ database: DatabaseID, _ call: ServerCall) throws(GRPCStatus) -> ListenStream<Engine> {
    if let stream { return stream }
    credentials = try service.credentials(call, in: database)
    let answers = ListenAnswers(root: database.documentsRoot)
    let opened = service.listening.open(
      database, judge: service.store.listenJudge(credentials), pipe.sink(answers))
    pipe.faulted = FaultedStream(database, credentials)
    pipe.clientHasRead = { opened.clientHasRead() }
    pipe.hasFailed = { [weak self] in self?.close() }
    stream = opened
    return opened
  }

  func clientHasRead() { pipe.drain() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    waiting = nil
    stream?.close()
    stream = nil
    pipe.clientHasRead = nil
    pipe.hasFailed = nil
  }
}

/// A large request, read. Nil where it asks for nothing but to open the stream.
private struct ReadListenRequest: Sendable {
  let database: DatabaseID
  let request: ListenRequest?
}

/// Carries a stream's events to its call, and counts what the client has not taken.
///
/// `@unchecked Sendable`: `waitingBytes`, `faulted` and the closures belong to the event loop;
/// everything else never changes or is atomic.
private final class ListenPipe: @unchecked Sendable {
  /// LIMIT: bytes of messages that are brought into their form on the event loop.
  private static let formedThereBytesMax = 64 << 10

  private let call: CallReference
  private let form: (@Sendable ([UInt8]) -> [UInt8])?
  private let memory: MemoryAccount?
  private let faults: FaultInjector
  private let unsentBytesMax: Int
  private let unsentBytes = Atomic(0)
  private var waitingBytes = 0
  /// The listeners are told when there is memory again.
  private let isWaitingForMemory = Atomic(false)
  /// What injected faults know of the stream.
  var faulted: FaultedStream?
  /// Told when the client has taken so much that more than the limit waits no longer.
  var clientHasRead: (() -> Void)?
  /// Told before the stream is ended for a request that it cannot bear.
  var hasFailed: (() -> Void)?

  init(_ call: ServerCall, _ faults: FaultInjector, unsentBytesMax: Int) {
    self.call = call.reference
    form = call.elementForm
    memory = call.memory
    self.faults = faults
    self.unsentBytesMax = unsentBytesMax
  }

  func sink(_ answers: ListenAnswers) -> ListenSink {
    ListenSink(
      send: { [self] events in send(events.map(answers.message)) },
      unsentBytes: { [self] in unsentBytes.load(ordering: .sequentiallyConsistent) },
      hasMemory: { [self] in hasMemory(for: $0) }, hold: { [memory] in memory?.hold($0) },
      fail: { [self] error in
        call { [self] call in
          hasFailed?()
          call.finish(GRPCStatus(error))
        }
      })
  }

  private func send(_ plain: [[UInt8]]) {
    let plainBytes = plain.reduce(0) { $0 + $1.count }
    let form = plainBytes > Self.formedThereBytesMax ? form : nil
    let messages = form.map { plain.map($0) } ?? plain
    let bytes = form == nil ? plainBytes : messages.reduce(0) { $0 + $1.count }
    let faulted = faults.areSet ? plain : []
    unsentBytes.add(bytes, ordering: .sequentiallyConsistent)
    let held = memory?.hold(bytes)
    call { [self] call in
      // Until here; from here the connection counts.
      defer { _ = held }
      waitingBytes += bytes
      var hasRoom = true
      for (index, message) in messages.enumerated() {
        hasRoom = form == nil ? call.send(message) : call.send(formed: [message])
        if index < faulted.count, drops(faulted[index], call) { return }
      }
      if hasRoom { drain() }
    }
  }

  /// Whether the connection may be told so much more; if not, the listeners are woken when it may.
  private func hasMemory(for bytes: Int) -> Bool {
    guard let memory, !memory.mayTell(bytes) else { return true }
    guard isWaitingForMemory.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    else {
      return false
    }
    memory.wait(for: bytes) { [weak self] in
      guard let self else { return }
      isWaitingForMemory.store(false, ordering: .relaxed)
      call { [weak self] _ in self?.clientHasRead?() }
    }
    return false
  }

  /// Lets a fault end the stream behind a message; whether it does.
  private func drops(_ message: [UInt8], _ call: ServerCall) -> Bool {
    call.assertOnLoop()
    guard !call.isFinished, var stream = faulted else { return false }
    let path = message.withUnsafeBytes { FaultedMessage.path(ofListenAnswer: $0) }
    let status = faults.drop(&stream, afterMessageAbout: path)
    faulted = stream
    guard let status else { return false }
    hasFailed?()
    call.finish(status)
    return true
  }

  /// On the event loop: the client has taken all that was sent so far.
  func drain() {
    call.assertOnLoop()
    let taken = waitingBytes
    waitingBytes = 0
    // Listeners stand still only above the limit, so only who falls below it is waited for.
    let before = unsentBytes.subtract(taken, ordering: .sequentiallyConsistent).oldValue
    if before > unsentBytesMax { clientHasRead?() }
  }
}
