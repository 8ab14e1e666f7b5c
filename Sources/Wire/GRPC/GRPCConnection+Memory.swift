/// How a connection keeps to the server's memory budget.
///
/// While it holds more than its share, requests wait: they are read, since the windows that a client opens for its
/// answers come by the same way, but not begun. When the room is full and this connection is the greediest, it loses
/// what it holds.
///
/// State and its owner: the connection's event loop, as for all of it.

internal import CNGHTTP2
internal import DequeModule
internal import DocModel

extension GRPCConnection {
  func openAccount(_ budget: MemoryBudget) -> MemoryAccount {
    let reference = ConnectionReference(self)
    let perform = perform
    return MemoryAccount(budget) { perform { reference.connection?.shed() } }
  }

  func closeAccount() {
    parked = []
    channelBytes = 0
    tally.set(0, in: account)
    account?.close()
  }

  /// Tells the account what the connection holds.
  func count() { tally.set(http2.unsentBytes + bufferedBytes + channelBytes, in: account) }

  // MARK: requests that wait

  /// Whether a request may begin now; otherwise it is remembered.
  func mayBegin(_ stream: HTTP2Stream) -> Bool {
    eventLoop.assertInside()
    guard let account else { return true }
    count()
    // One that came before is not overtaken.
    if parked.isEmpty, account.mayTake() { return true }
    parked.append(stream)
    awaitRoom(account)
    return false
  }

  private func awaitRoom(_ account: MemoryAccount) {
    guard !isWaitingForRoom else { return }
    isWaitingForRoom = true
    let reference = ConnectionReference(self)
    account.wait { [perform] in
      perform {
        guard let connection = reference.connection else { return }
        connection.isWaitingForRoom = false
        connection.resumeParked()
      }
    }
  }

  /// Begins requests that waited, as far as there is room.
  func resumeParked() {
    eventLoop.assertInside()
    guard let account else { return }
    count()
    var waiting: Deque<HTTP2Stream> = []
    swap(&waiting, &parked)
    while account.mayTake(), let stream = waiting.popFirst() {
      switch stream.owner {
      case .call(let call): complete(call)
      case .request(let request): complete(request)
      case .nobody: break
      }
      count()
    }
    // Those that came meanwhile came later.
    waiting.append(contentsOf: parked)
    parked = waiting
    if !parked.isEmpty { awaitRoom(account) }
  }

  // MARK: the greediest

  /// LIMIT: bytes of a stream that is left alone.
  private static let modestBytes = 1 << 10

  /// Gives up what the connection holds: requests that are not there yet, and answers that are not read.
  private func shed() {
    eventLoop.preconditionInside()
    for stream in http2.openStreams where holdsMuch(stream) { end(stream) }
    count()
    // The rest is in hands that work for the others: listeners, answers that are being made.
    if account?.isGreedy ?? false {
      for stream in http2.openStreams { end(stream) }
    }
    wake()
    // What the channel holds goes only where the peer reads.
    if channelBytes > 0 { onGiveUp?() }
  }

  private func holdsMuch(_ stream: HTTP2Stream) -> Bool {
    if max(stream.unsentBytes, stream.inbound.count) > Self.modestBytes { return true }
    switch stream.owner {
    case .call(let call): return call.bufferedBytes > Self.modestBytes
    case .request(let request): return request.bufferedBytes > Self.modestBytes
    case .nobody: return false
    }
  }

  private func end(_ stream: HTTP2Stream) {
    switch stream.owner {
    case .call(let call): call.fail(MemoryBudget.exhausted)
    case .request(let request): fail(request)
    case .nobody: break
    }
    // The status stands behind the messages, which are not read. By this code clients know it all the same.
    if stream.hasResponseHead, stream.unsentBytes > 0 {
      http2.reset(stream, code: NGHTTP2_ENHANCE_YOUR_CALM.rawValue)
    }
  }
}

extension MemoryBudget {
  /// What those are told who lose what they hold.
  static let exhausted = GRPCStatus(
    .resourceExhausted,
    "The server's memory budget is used up, and this connection holds most of it: read answers, and send requests to"
      + " their end.")
}

/// A way back to a connection from its event loop.
///
/// `@unchecked Sendable`: the connection is touched only inside its `perform`.
private struct ConnectionReference: @unchecked Sendable {
  private(set) weak var connection: GRPCConnection?

  init(_ connection: GRPCConnection) { self.connection = connection }
}
