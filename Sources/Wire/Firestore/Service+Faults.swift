/// Where the service injects faults: before a call begins, so that one that fails has done nothing.
///
/// Streams in both directions have no request when they begin; `ListenSession` and `WriteSession` ask for each message.

internal import Access
internal import DocModel
internal import DocStore
internal import Faults
internal import NIOCore
internal import NIOPosix

/// Runs something later, on a thread that must not be kept: milliseconds, and what to run.
package struct FaultTimer: Sendable {
  package let after: @Sendable (Int, @escaping @Sendable () -> Void) -> Void

  package init(_ after: @escaping @Sendable (Int, @escaping @Sendable () -> Void) -> Void) {
    self.after = after
  }

  /// Timers of an event loop that belongs to no server; it is made for the first delay.
  static let standard = FaultTimer { milliseconds, work in
    MultiThreadedEventLoopGroup.singleton.any()
      .scheduleTask(in: .milliseconds(Int64(milliseconds)), work)
  }
}

extension FaultInjector {
  /// What delays a message of a stream; nil where nothing does. Throws what is to be answered at once.
  func delay(of faulted: FaultedCall) throws(GRPCStatus) -> FaultInjection? {
    guard let injection = inject(faulted) else { return nil }
    if injection.delayMilliseconds > 0 { return injection }
    if let status = injection.status { throw status }
    return nil
  }
}

extension FirestoreService {
  typealias Beginning = @Sendable (ServerCall) throws(GRPCStatus) -> Void

  /// Begins a call while faults are set. What is wrong with the request or its header is said as without faults.
  /// - Parameter method: `GetDocument`
  func begin(
    _ call: ServerCall, _ kind: InjectedFault.Call, _ method: String, _ run: @escaping Beginning
  ) {
    let message = call.withRequest { FaultedMessage(method, $0) }
    guard let database = message.database,
      let credentials = try? tokens.credentials(
        call.authorization, for: database.project, nowSeconds: nowSeconds),
      let injection = faults.inject(FaultedCall(kind, database, credentials, paths: message.paths))
    else {
      do throws(GRPCStatus) { try run(call) } catch { call.finish(error) }
      return
    }
    let goOn: @Sendable (ServerCall) -> Void = { [self] call in
      do throws(GRPCStatus) {
        guard let status = injection.status else { return try run(call) }
        call.note(database, credentials)
        if status.code == .aborted { end(message.transaction, in: database, as: credentials, call) }
        throw status
      } catch {
        call.finish(error)
      }
    }
    guard injection.delayMilliseconds > 0 else { return goOn(call) }
    delay(injection.delayMilliseconds, call, then: goOn)
  }

  /// ABORTED says that the transaction is over; any other status leaves it open, so that a client that tries again
  /// finds it. Source: `StoreError.endsTransaction`.
  private func end(
    _ token: [UInt8]?, in database: DatabaseID, as credentials: Credentials, _ call: ServerCall
  ) {
    guard let token, let transaction = try? transaction(token, in: database, as: credentials) else { return }
    // One that is unknown or over needs no end.
    try? store.store.rollBack(transaction, in: database)
    call.ties?.remove(transaction)
  }

  /// Goes on with a call later, on its event loop, unless it is over by then: cancelled, or past its deadline.
  func delay(
    _ milliseconds: Int, _ call: ServerCall, then goOn: @escaping @Sendable (ServerCall) -> Void
  ) {
    call.assertOnLoop()
    guard faults.beginDelay() else { return goOn(call) }
    let reference = call.reference
    let faults = faults
    options.faultTimer.after(milliseconds) {
      faults.endDelay()
      reference { if !$0.isFinished { goOn($0) } }
    }
  }
}
