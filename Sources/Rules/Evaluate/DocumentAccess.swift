/// The documents that rules read, and the memory that evaluations of one request share.

public import DocModel

/// What `get`, `exists`, `getAfter` and `existsAfter` see. Subclass it over a store's view.
///
/// One object serves one request after another, one at a time: `beginRequest` forgets the paths that
/// were read and their count. Between two calls of it every path is fetched once, however many
/// operations (documents of a batch, writes of a commit) are judged.
///
/// INVARIANT: used by one thread at a time; owned by whoever judges the request.
open class DocumentAccess {
  package final let evaluation: Evaluation
  /// The same, for what is called so often that counting references to it would show.
  final let evaluationReference: Unmanaged<Evaluation>
  package final var log: AccessLog { evaluation.log }

  public init() {
    evaluation = Evaluation()
    evaluationReference = .passUnretained(evaluation)
  }

  /// The stored form of a document, nil when it does not exist.
  ///
  /// What is returned must stay valid until the next `beginRequest`.
  /// - Parameters:
  ///   - path: relative to the database's root (`users/bob`).
  ///   - afterCommit: as it will be after the whole commit; equal to before when nothing is written.
  open func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? { nil }

  /// Whether the commit that is judged writes the document; false for a request that reads.
  ///
  /// What such a document will be is known without reading it, so `getAfter` of it does not count.
  open func isWritten(_ path: UnsafeRawBufferPointer) -> Bool { false }

  /// As `document(at:)`, for the rules of files: `name` names its database, too
  /// (`databases/(default)/documents/users/bob`).
  open func document(named name: UnsafeRawBufferPointer) -> FieldsView? { nil }

  /// Gets the value that a condition's `debug()` was called with, as text.
  open func debug(_ value: String) {}

  /// Whether `debug` should be called. Making the text costs; say true only when somebody reads it.
  open var wantsDebugValues: Bool { false }

  /// Whether `get` and `getAfter` of a missing document fail, as in official emulators before 1.22, unless the
  /// request itself names it. The service answers null.
  open var failsAtMissingDocuments: Bool { false }

  /// The text of a float, where it is not to be the shortest one that names it; nil where it is. The official
  /// emulator prints what its Java prints.
  open func text(of number: Double) -> String? { nil }

  /// Whether decisions are to break off when they turn out to be more than short work: on a thread that others wait for.
  /// Whoever asks for that judges again elsewhere when `hasBrokenOff`.
  public final var isShort: Bool {
    get { evaluationReference._withUnsafeGuaranteedRef { $0.isShort } }
    set { evaluation.isShort = newValue }
  }

  /// Whether the last decision broke off, so that it says nothing. To be asked only of short work.
  public final var hasBrokenOff: Bool { evaluationReference._withUnsafeGuaranteedRef { $0.isExhausted } }

  /// Makes the decision under way break off: what it has asked for is much work.
  public final func breakOff() { evaluation.breakOff() }

  /// Starts a new request: nothing was read yet.
  public final func beginRequest() { begin(workMax: .max, isCommit: false) }

  /// Starts a commit, which is judged while all others wait: its operations together may take only so many steps.
  public final func beginCommit() { begin(workMax: Evaluation.commitWorkMax, isCommit: true) }

  private func begin(workMax: Int, isCommit: Bool) {
    evaluationReference._withUnsafeGuaranteedRef {
      $0.log.reset()
      $0.isOfCommit = isCommit
      $0.beginRequestWork(max: workMax)
    }
  }

  /// Distinct documents that rules asked for since `beginRequest`, without those that do not count.
  public final var distinctAccesses: Int { log.requestCount }
}
