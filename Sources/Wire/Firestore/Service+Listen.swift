/// Listen: a stream of targets and of what happens to them.
///
/// The call belongs to its event loop; requests go to the store's listeners in order, and their events come
/// back encoded. What the client has not read is counted, and the listeners are told when it has.
///
/// Source: spec/streams.md section 1.

internal import Access
internal import DocModel
internal import DocStore
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

/// One Listen call. State and its owner: the call's event loop; the outlet is `ListenPipe`.
private final class ListenSession<Engine: StorageEngine> {
  private let service: FirestoreService<Engine>
  private let pipe: ListenPipe
  private var stream: ListenStream<Engine>?
  private var isClosed = false

  init(_ service: FirestoreService<Engine>, _ call: ServerCall) {
    self.service = service
    pipe = ListenPipe(call.reference, unsentBytesMax: service.options.listen.unsentBytesMax)
  }

  deinit { close() }

  func take(_ message: [UInt8], _ call: ServerCall) {
    guard !isClosed else { return }
    do throws(GRPCStatus) {
      try RequestMessage(buffer: message).withBytes { bytes throws(GRPCStatus) in try take(bytes, call) }
    } catch {
      close()
      call.finish(error)
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, _ call: ServerCall) throws(GRPCStatus) {
    let request = try WireListenRequest(bytes)
    guard let stream = try open(request, call) else { return }
    switch request.change {
    case .none: return
    case .remove(let id): stream.take(.remove(id))
    case .add(let target): stream.take(.add(target.request(in: stream.database)))
    }
  }

  /// The stream; opened by the first request that says for which database it is.
  private func open(_ request: WireListenRequest, _ call: ServerCall) throws(GRPCStatus) -> ListenStream<
    Engine
  >? {
    if let stream { return stream }
    guard let database = try request.databaseID() else { return nil }
    let credentials = try service.credentials(call, in: database)
    let answers = ListenAnswers(root: database.documentsRoot)
    let opened = service.listening.open(
      database, judge: service.store.listenJudge(credentials), pipe.outlet(answers))
    pipe.clientHasRead = { opened.clientHasRead() }
    pipe.hasFailed = { [weak self] in self?.close() }
    stream = opened
    return opened
  }

  func clientHasRead() { pipe.drain() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    stream?.close()
    stream = nil
    pipe.clientHasRead = nil
    pipe.hasFailed = nil
  }
}

/// Carries a stream's events to its call, and counts what the client has not taken.
///
/// `@unchecked Sendable`: `waitingBytes` and the closures belong to the event loop;
/// everything else never changes or is atomic.
private final class ListenPipe: @unchecked Sendable {
  private let call: CallReference
  private let unsentBytesMax: Int
  private let unsentBytes = Atomic(0)
  private var waitingBytes = 0
  /// Told when the client has taken so much that more than the limit waits no longer.
  var clientHasRead: (() -> Void)?
  /// Told before the stream is ended for a request that it cannot bear.
  var hasFailed: (() -> Void)?

  init(_ call: CallReference, unsentBytesMax: Int) {
    self.call = call
    self.unsentBytesMax = unsentBytesMax
  }

  func outlet(_ answers: ListenAnswers) -> ListenOutlet {
    ListenOutlet(
      send: { [self] events in send(events.map(answers.message)) },
      unsentBytes: { [self] in unsentBytes.load(ordering: .sequentiallyConsistent) },
      fail: { [self] error in
        call { [self] call in
          hasFailed?()
          call.finish(GRPCStatus(error))
        }
      })
  }

  private func send(_ messages: [[UInt8]]) {
    let bytes = messages.reduce(0) { $0 + $1.count }
    unsentBytes.add(bytes, ordering: .sequentiallyConsistent)
    call { [self] call in
      waitingBytes += bytes
      var hasRoom = true
      for message in messages { hasRoom = call.send(message) }
      if hasRoom { drain() }
    }
  }

  /// On the event loop: the client has taken all that was sent so far.
  func drain() {
    let taken = waitingBytes
    waitingBytes = 0
    // Listeners stand still only above the limit, so only who falls below it is waited for.
    let before = unsentBytes.subtract(taken, ordering: .sequentiallyConsistent).oldValue
    if before > unsentBytesMax { clientHasRead?() }
  }
}
