/// Where requests are read, and where the work goes that an event loop has no time for.
///
/// A small request is read on its connection's event loop, in the turn in which it came. A large one is read on a thread:
/// the others of the loop do not wait for its masks, filters and documents to be checked. Both ways run the same code, in
/// the protocol's order: readable message, resource name, who calls, the rest of the request.

internal import Access
internal import DocModel
internal import DocStore

/// A request that reads, read: what it asks for, of which state, and for whom.
struct SentRead<Content: Sendable>: Sendable {
  let content: Content
  let consistency: ConsistencyChoice
  var explain = ExplainChoice.none
  let credentials: Credentials
}

extension FirestoreService {
  /// LIMIT: bytes of a request that is read on the event loop; a fraction of a millisecond.
  static var onEventLoopBytesMax: Int { 64 << 10 }

  /// Who calls, for documents of a database; asked as soon as a request has named it.
  typealias Authorize = (DatabaseID) throws(GRPCStatus) -> Credentials

  /// Reads a request, here or on a thread, and goes on with it on the call's event loop.
  @inline(__always)
  func reading<Request: Sendable>(
    _ call: ServerCall,
    _ read: @escaping @Sendable (UnsafeRawBufferPointer, Authorize) throws(GRPCStatus) -> Request,
    then next: @escaping @Sendable (ServerCall, Request) throws(GRPCStatus) -> Void
  ) throws(GRPCStatus) {
    guard call.requestMessage.count <= Self.onEventLoopBytesMax else {
      return readLater(call, read, next)
    }
    let request = try call.withRequest { bytes throws(GRPCStatus) in
      try read(bytes) { database throws(GRPCStatus) in try credentials(call, in: database) }
    }
    try next(call, request)
  }

  @inline(never)
  private func readLater<Request: Sendable>(
    _ call: ServerCall,
    _ read: @escaping @Sendable (UnsafeRawBufferPointer, Authorize) throws(GRPCStatus) -> Request,
    _ next: @escaping @Sendable (ServerCall, Request) throws(GRPCStatus) -> Void
  ) {
    let message = call.requestMessage
    let (authorization, methodName) = (call.authorization, call.methodName)
    onThread(for: call) { [self] () throws(GRPCStatus) in
      var caller: (database: DatabaseID, credentials: Credentials)?
      let request = Result { () throws(GRPCStatus) in
        try message.withBytes { bytes throws(GRPCStatus) in
          try read(bytes) { database throws(GRPCStatus) in
            let credentials = try credentials(authorization, in: database, for: methodName)
            caller = (database, credentials)
            return credentials
          }
        }
      }
      return (caller, request)
    } then: { call, read throws(GRPCStatus) in
      let (caller, request) = read
      if let caller { call.note(caller.database, caller.credentials) }
      try next(call, try request.get())
    }
  }

  /// Runs `work` on a thread, and `next` with what it came to on the call's event loop, unless the call is over by then:
  /// cancelled, past its deadline, lost. What scans or reads much ends early in that case.
  func onThread<Outcome: Sendable>(
    for call: ServerCall, _ work: @escaping @Sendable () throws(GRPCStatus) -> Outcome,
    then next: @escaping @Sendable (ServerCall, Outcome) throws(GRPCStatus) -> Void
  ) {
    let reference = call.reference
    threads.submit {
      guard !reference.isCancelled else { return }
      let outcome = Result { () throws(GRPCStatus) in
        try ScanInterruption.during(reference.abandonment) { () throws(GRPCStatus) in try work() }
      }
      reference.goOn { call throws(GRPCStatus) in try next(call, try outcome.get()) }
    }
  }

  /// Runs `work` on a thread and answers the call with what it came to. It waits while the connection holds all it may.
  func answerLater(_ call: ServerCall, _ work: @escaping @Sendable () throws(GRPCStatus) -> [UInt8]) {
    answerLater(call.reference, call.memory, call.answerForm, work)
  }

  private func answerLater(
    _ reference: CallReference, _ memory: MemoryAccount?, _ form: (@Sendable ([UInt8]) -> [UInt8])?,
    _ work: @escaping @Sendable () throws(GRPCStatus) -> [UInt8]
  ) {
    threads.submit { [self] in
      guard !reference.isCancelled else { return }
      if let memory, !memory.mayTake() {
        return memory.wait { [self] in answerLater(reference, memory, form, work) }
      }
      let outcome = Result { () throws(GRPCStatus) in
        try ScanInterruption.during(reference.abandonment) { () throws(GRPCStatus) in
          let answer = try work()
          return form?(answer) ?? answer
        }
      }
      let held = (try? outcome.get()).flatMap { memory?.hold($0.count) }
      reference.goOn { call throws(GRPCStatus) in
        defer { _ = held }
        call.respond(formed: try outcome.get())
      }
    }
  }
}
