/// A streaming answer that is made on worker threads and sent on the call's event loop.
///
/// The answer is made in pieces. A piece hands its messages over in batches and ends early when more than a
/// limit wait for the client; its thread and its view of the store are given back. When the client has read
/// them, the next piece begins. So a slow client costs memory up to the limit, and nothing else.
///
/// A piece also begins only while the call's connection may hold more of the server's memory, and ends early when it
/// may not.
///
/// INVARIANT: one piece runs at a time, and none while the client is waited for; a call that is over
/// (answered, cancelled, late, lost) drops the pieces that would follow.

internal import DocModel
internal import DocStore
internal import Synchronization

/// A part of an answer: one turn on a worker thread. Gives the piece that follows; nil at the end.
struct AnswerPiece: Sendable {
  let run: @Sendable (ResultStream) throws(GRPCStatus) -> AnswerPiece?
}

/// `@unchecked Sendable`: `batch`, `batchBytes`, `pieceBytes` and `isOnEventLoop` belong to the thread that runs the piece,
/// one after the other; `waitingBytes`, `isWaiting` and `next` to the event loop alone.
final class ResultStream: @unchecked Sendable {
  /// Messages are handed over when this many bytes are together: a hop to the event loop costs microseconds.
  private static let batchBytesMax = 64 << 10

  private let call: CallReference
  /// Brings messages into the form in which they are sent, on the thread that makes them.
  private let form: (@Sendable ([UInt8]) -> [UInt8])?
  private let threads: WorkerThreads
  private let unsentBytesMax: Int
  private let memory: MemoryAccount?
  /// Bytes handed over that the client has not taken.
  private let unsentBytes = Atomic(0)

  private var batch: [[UInt8]] = []
  private var batchBytes = 0
  /// Bytes that the piece at hand has made.
  private var pieceBytes = 0
  private var isOnEventLoop = false

  private var waitingBytes = 0
  private var isWaiting = false
  private var next: AnswerPiece?

  /// On the call's event loop.
  init(_ call: ServerCall, threads: WorkerThreads, unsentBytesMax: Int) {
    self.call = call.reference
    form = call.elementForm
    self.threads = threads
    self.unsentBytesMax = unsentBytesMax
    memory = call.memory
  }

  // MARK: on the thread of a piece

  /// Adds a message. `.stop`: the piece is to end here, because the client must read first or is gone.
  func send(_ message: [UInt8]) -> ScanStep {
    let message = form?(message) ?? message
    batch.append(message)
    batchBytes += message.count
    // On the event loop messages go out when the piece is over, which keeps them in order.
    if batchBytes >= Self.batchBytesMax, !isOnEventLoop {
      let batch = takeBatch()
      call { [self] call in pass(batch, to: call) }
      if pieceBytes >= pieceBytesMin, let memory, !memory.mayTake() { return .stop }
    }
    if call.isCancelled { return .stop }
    return unsentBytes.load(ordering: .relaxed) + batchBytes > unsentBytesMax ? .stop : .more
  }

  /// What a piece makes at least where memory is short: beginning the next one may cost sorting again.
  private var pieceBytesMin: Int { unsentBytesMax / 16 }

  /// Messages on their way to the event loop.
  private struct Batch: Sendable {
    let messages: [[UInt8]]
    let bytes: Int
    /// Counts them until the connection does.
    let held: HeldMemory?
  }

  private func takeBatch() -> Batch {
    defer {
      batch = []
      batchBytes = 0
    }
    pieceBytes += batchBytes
    unsentBytes.add(batchBytes, ordering: .relaxed)
    return Batch(messages: batch, bytes: batchBytes, held: memory?.hold(batchBytes))
  }

  // MARK: on the event loop

  /// Runs a piece, and those that follow, on threads of their own.
  func run(_ piece: AnswerPiece) {
    threads.submit { [self] in
      if let memory, !memory.mayTake() { return wait(memory, piece) }
      pieceBytes = 0
      do throws(GRPCStatus) {
        let next = try ScanInterruption.during(call.abandonment) { () throws(GRPCStatus) in
          try piece.run(self)
        }
        let batch = takeBatch()
        call { [self] call in
          pass(batch, to: call)
          end(next, call)
        }
      } catch {
        let batch = takeBatch()
        call { [self] call in
          pass(batch, to: call)
          call.finish(error)
        }
      }
    }
  }

  /// Runs a piece once there is room. Of a call that is over meanwhile nobody wants it.
  private func wait(_ memory: MemoryAccount, _ piece: AnswerPiece) {
    memory.wait { [self] in
      if !call.isCancelled { run(piece) }
    }
  }

  /// Runs a short piece at once; what follows it runs on threads.
  func runHere(_ piece: AnswerPiece, _ call: ServerCall) throws(GRPCStatus) {
    call.assertOnLoop()
    isOnEventLoop = true
    let next = try piece.run(self)
    isOnEventLoop = false
    pass(takeBatch(), to: call)
    end(next, call)
  }

  private func pass(_ batch: Batch, to call: ServerCall) {
    call.assertOnLoop()
    // A call that is over forgets its closures once; none may be set after that.
    guard !call.isFinished else { return }
    waitingBytes += batch.bytes
    if form == nil {
      for message in batch.messages { isWaiting = !call.send(message) }
    } else if !batch.messages.isEmpty {
      isWaiting = !call.send(formed: batch.messages)
    }
    if isWaiting {
      call.onWritable = { [self] in clientHasRead() }
    } else {
      clientHasRead()
    }
  }

  /// The piece is over, and all its messages were passed on.
  private func end(_ next: AnswerPiece?, _ call: ServerCall) {
    call.assertOnLoop()
    guard !call.isFinished else { return }
    guard let next else { return call.finish(.ok) }
    if isWaiting {
      self.next = next
    } else {
      run(next)
    }
  }

  /// The client has taken all that was sent so far.
  private func clientHasRead() {
    call.assertOnLoop()
    isWaiting = false
    unsentBytes.subtract(waitingBytes, ordering: .relaxed)
    waitingBytes = 0
    guard let next else { return }
    self.next = nil
    run(next)
  }
}
