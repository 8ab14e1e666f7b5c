/// What the nodes of a plan see while they run.

internal import DocModel

/// The state of one evaluation: the request, the frame of the running function, the budget.
///
/// Reused from evaluation to evaluation; `DocumentAccess` owns one. Nodes get it as their only argument.
///
/// INVARIANT: used by one thread at a time. Pointers in it are valid from `RequestScope.open` to the
/// end of the decision.
package final class Evaluation {
  /// LIMIT: cost of all conditions tried for one operation. Source: docs/spec/production-differences.md 1.9.
  static let budget = 1_000
  /// LIMIT: the same for reads that are to be short work, of which one request may bring a hundred: microseconds. Commits that
  /// are to be short have few documents, and the whole budget.
  static let shortBudget = 200

  package let arena = Arena()
  /// Steps that the operation took, and that looking at parts of it again took. See Work.swift.
  package var work = 0
  var probedWork = 0
  /// How many the operation may take.
  var workMax = Evaluation.operationWorkMax
  /// The condition during which the operation ended because something was used up.
  var exhaustedCondition: Int32 = 0
  /// What earlier operations of the request took, and what all of them may take.
  var requestWork = 0
  var requestWorkMax = Int.max

  // The request.
  var method = RuleMethod.get
  var time = Timestamp(seconds: 0, nanoseconds: 0)
  /// Segments of the full path: `databases`, the database, `documents`, then the document's.
  package let segments: UnsafeMutablePointer<ByteView>
  package var segmentCount = 0
  /// How many of them are `request.path`.
  var requestSegmentCount = 0
  private(set) var isSignedIn = false { didSet { forgetMemos() } }
  /// `.string`, or `.null` for a token that names nobody. Means something only when somebody is signed in.
  private(set) var uid = Operand.null
  /// Whose claims are asked for. Not retained: the request holds it.
  private var claimant: Unmanaged<AuthFacts>?
  /// Its claims, where somebody has asked for them.
  private var readClaims = ByteView(WireCursor.empty)
  private var hasReadClaims = false
  /// The fields before: `.document`, a computed `.map` for a query, `.null` when there is none.
  var resourceData = Operand.null { didSet { forgetMemos() } }
  /// The fields after: `.document`; `.null` for a delete.
  var newResourceData = Operand.null { didSet { forgetMemos() } }
  /// Of a write.
  var writtenPaths: WrittenPaths? { didSet { hasWrittenPaths = writtenPaths != nil } }
  /// Whether there are any: asked in every evaluation.
  private(set) var hasWrittenPaths = false
  /// The path that `resource.__name__` and `resource.id` name: the last segment is unknown for queries
  /// without a key filter.
  var isIDKnown = true
  /// `resource.__name__` of a query whose filters say something of it; nil otherwise.
  var nameConstraint: Operand?
  /// Whether `request.path` has a value; it has none for a collection group.
  var isPathKnown = true
  /// False for a document that a query names and that does not exist.
  var isResourceReadable = true
  var query: QueryFacts?
  /// Whether no stored document may be looked at: for what a client is told. Every question about one then has no value,
  /// with the code `undetermined`.
  package var hidesDocuments = false { didSet { forgetMemos() } }
  /// Whether `request.resource` holds what is stored, too, and that may not be looked at.
  var isNewResourceHidden = false
  /// Whether the rules of files are asked, not those of documents.
  var isStorage = false
  /// `request.params` of an operation on a file.
  var parameters = Operand.null
  /// INVARIANT: the owner of this object and whoever called `decide` keep it alive.
  private var source: Unmanaged<DocumentAccess>?
  /// What was asked for since the request began.
  let log = AccessLog()
  var accessMax = AccessLog.operationMax
  /// The document or collection that `method` was judged for last, in the arena.
  var judgedPath = ByteView(WireCursor.empty)
  /// The text of `segments[1]`, kept from evaluation to evaluation because it is the same in nearly all.
  private var database = ""
  /// The representation of `database`. Two strings with one representation have the same bytes while one of
  /// them is held.
  private var databaseBits: (UInt64, UInt64) = (0, 0)
  private let databaseArena = Arena()
  /// INVARIANT: of the ruleset that is judging, which lives as long as the decision.
  var patternTable: Unmanaged<PatternTable>?

  // The running condition.
  /// Captures of the matched pattern, outermost first.
  package let captures: UnsafeMutablePointer<Operand>
  /// Parameters and lets of the running function, in the arena.
  package var frame: UnsafeMutablePointer<Operand>
  package var spent = 0
  /// What may be spent before the evaluation ends.
  private(set) var spentMax = Evaluation.budget
  /// Whether it is to break off when it turns out to be more than short work.
  var isShort = false {
    didSet { spentMax = isShort && !isOfCommit ? Self.shortBudget : Self.budget }
  }
  /// Whether a commit is judged.
  var isOfCommit = false

  // Field paths that were evaluated, for the places that name them again.
  private struct Memo {
    var generation: UInt64
    var value: Operand
  }

  private var memos: UnsafeMutablePointer<Memo>
  private var memoCapacity = 16
  /// INVARIANT: rises whenever what a field path begins at changes.
  private var generation: UInt64 = 0

  // Tracing.
  package var isTracing = false
  /// Where recording nodes write; nil outside recordings.
  var steps: StepLog?
  var messages: [String] = []

  /// LIMIT: captures along nested patterns. Source: docs/spec/rules-language.md 5.1 (20, checked at compile).
  static let capturesMax = 32
  /// LIMIT: segments of a full path: 100 pairs and `databases/{id}/documents`.
  static let segmentsMax = 2 * Limits.namePairsMax + 4

  let matches = MatchScratch()

  init() {
    segments = .allocate(capacity: Self.segmentsMax)
    captures = .allocate(capacity: Self.capturesMax)
    captures.initialize(repeating: .null, count: Self.capturesMax)
    frame = captures
    memos = .allocate(capacity: memoCapacity)
    memos.initialize(repeating: Memo(generation: 0, value: .null), count: memoCapacity)
    arena.owner = self
  }

  deinit {
    segments.deallocate()
    captures.deallocate()
    memos.deallocate()
    matches.free()
  }

  @inline(__always)
  private func forgetMemos() { generation &+= 1 }  // 64 bits do not come round.

  /// The value kept at a place in the same state.
  @inline(__always)
  func memo(_ place: Int) -> Operand? {
    memos[place].generation == generation ? memos[place].value : nil
  }

  @inline(__always)
  func keep(_ value: Operand, memo place: Int) {
    memos[place] = Memo(generation: generation, value: value)
  }

  /// Makes room for the places of a ruleset.
  @inline(__always)
  package func reserveMemos(_ count: Int) { if count > memoCapacity { growMemos(count) } }

  @inline(never)
  private func growMemos(_ count: Int) {
    memos.deallocate()
    memos = .allocate(capacity: count)
    memos.initialize(repeating: Memo(generation: 0, value: .null), count: count)
    memoCapacity = count
    forgetMemos()
  }

  /// Where documents come from.
  var documents: DocumentAccess? {
    get { source?.takeUnretainedValue() }
    set { source = newValue.map { .passUnretained($0) } }
  }

  /// A document as it is stored; nil when it does not exist.
  @inline(__always)
  func document(at path: ByteView, afterCommit: Bool) -> FieldsView? {
    source?._withUnsafeGuaranteedRef { source in
      isStorage
        ? source.document(named: path.buffer) : source.document(at: path.buffer, afterCommit: afterCommit)
    }
  }

  /// Whether the commit that is judged writes the document.
  func isWritten(_ path: ByteView) -> Bool {
    source?._withUnsafeGuaranteedRef { $0.isWritten(path.buffer) } ?? false
  }

  /// Whether `get` of a missing document fails.
  var failsAtMissingDocuments: Bool {
    source?._withUnsafeGuaranteedRef { $0.failsAtMissingDocuments } ?? false
  }

  /// `string()` of a float.
  func text(of number: Double) -> String {
    source?._withUnsafeGuaranteedRef { $0.text(of: number) } ?? Conversions.text(number)
  }

  /// Makes the database's name the second segment.
  @inline(__always)
  func setDatabase(_ name: String) {
    if unsafeBitCast(name, to: (UInt64, UInt64).self) != databaseBits { keepDatabase(name) }
  }

  @inline(never)
  private func keepDatabase(_ name: String) {
    database = name
    databaseBits = unsafeBitCast(name, to: (UInt64, UInt64).self)
    databaseArena.reset()
    segments[1] = databaseArena.copy(name)
  }

  /// The second segment is about to be something else.
  func forgetDatabase() {
    database = ""
    databaseBits = (0, 0)
  }

  /// Whether the path begins with `databases/…/documents`.
  ///
  /// INVARIANT: true only while `segments` has the three of them, that is from `open` of a request on documents
  /// to `open` of one on a file.
  var hasDocumentsRoot = false

  @inline(never)
  /// A pattern that does not compile, or that nobody tries to.
  func badPattern(_ source: ByteView, _ node: Int32) -> Operand {
    let isTooLong = PatternDialect.isTooLong(Array(source.buffer))
    return fault(
      .pattern, node, isTooLong ? FaultText.longPattern(source.text) : FaultText.pattern(source.text))
  }

  /// A fault of the expression `node`; the message is made only in a traced evaluation.
  @inline(__always)
  func fault(_ code: FaultCode, _ node: Int32, _ message: @autoclosure () -> String) -> Operand {
    .fault(code, node: node, detail: isTracing ? keep(message()) : -1)
  }

  @inline(never)
  private func keep(_ message: String) -> Int32 {
    messages.append(message)
    return Int32(messages.count - 1)
  }

  func message(_ detail: Int32) -> String {
    detail >= 0 && Int(detail) < messages.count ? messages[Int(detail)] : ""
  }
}

/// `request.query`, ready to be looked at.
struct QueryFacts {
  let map: Operand
}

// MARK: - Who asks

extension Evaluation {
  /// `auth` is not bound, which would count a reference.
  @inline(__always)
  func signIn(_ auth: Unmanaged<AuthFacts>?) {
    claimant = auth
    hasReadClaims = false
    isSignedIn = auth != nil
    guard let auth else { return }
    uid = auth._withUnsafeGuaranteedRef { $0.uid.map { .string($0) } ?? .null }
  }

  /// `request.auth.token` of who is signed in.
  var claims: ByteView {
    if !hasReadClaims {
      readClaims = ByteView(claimant?._withUnsafeGuaranteedRef { $0.claims } ?? WireCursor.empty)
      hasReadClaims = true
    }
    return readClaims
  }
}
