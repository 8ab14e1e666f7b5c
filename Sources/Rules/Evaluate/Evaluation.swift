/// What the nodes of a plan see while they run.

internal import DocModel

/// The state of one evaluation: the request, the frame of the running function, the budget.
///
/// Reused from evaluation to evaluation; `DocumentAccess` owns one. Nodes get it as their only argument.
///
/// INVARIANT: used by one thread at a time. Pointers in it are valid from `RequestScope.open` to the
/// end of the decision.
final class Evaluation {
  /// LIMIT: cost of all conditions tried for one operation. Source: spec/production-differences.md 1.9.
  static let budget = 1_000

  let arena = Arena()

  // The request.
  var method = RuleMethod.get
  var time = Timestamp(seconds: 0, nanoseconds: 0)
  /// Segments of the full path: `databases`, the database, `documents`, then the document's.
  let segments: UnsafeMutablePointer<ByteView>
  var segmentCount = 0
  /// How many of them are `request.path`.
  var requestSegmentCount = 0
  var isSignedIn = false
  /// `.string`, or `.null` for a token that names nobody. Means something only when somebody is signed in.
  var uid = Operand.null
  var claims = ByteView(WireCursor.empty)
  /// The fields before: `.document`, a computed `.map` for a query, `.null` when there is none.
  var resourceData = Operand.null
  /// The fields after: `.document`; `.null` for a delete.
  var newResourceData = Operand.null
  /// The path that `resource.__name__` and `resource.id` name: the last segment is unknown for queries
  /// without a key filter.
  var isIDKnown = true
  /// Whether `request.path` has a value; it has none for a collection group.
  var isPathKnown = true
  /// False for a document that a query names and that does not exist.
  var isResourceReadable = true
  var query: QueryFacts?
  unowned(unsafe) var documents: DocumentAccess!
  var accessMax = AccessLog.operationMax
  /// The document or collection that `method` was judged for last.
  var judgedPath = ""
  unowned(unsafe) var patterns: PatternTable!

  // The running condition.
  /// Captures of the matched pattern, outermost first.
  let captures: UnsafeMutablePointer<Operand>
  /// Parameters and lets of the running function, in the arena.
  var frame: UnsafeMutablePointer<Operand>
  var spent = 0

  // Tracing.
  var isTracing = false
  var messages: [String] = []

  /// LIMIT: captures along nested patterns. Source: spec/rules-language.md 5.1 (20, checked at compile).
  static let capturesMax = 32
  /// LIMIT: segments of a full path: 100 pairs and `databases/{id}/documents`.
  static let segmentsMax = 2 * Limits.namePairsMax + 4

  let matches = MatchScratch()

  init() {
    segments = .allocate(capacity: Self.segmentsMax)
    captures = .allocate(capacity: Self.capturesMax)
    captures.initialize(repeating: .null, count: Self.capturesMax)
    frame = captures
  }

  deinit {
    segments.deallocate()
    captures.deallocate()
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
