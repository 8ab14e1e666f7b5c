/// What a stream tells its client, before it is encoded.
///
/// Source: docs/spec/streams.md 1.1, 1.3, 1.4.

public import DocModel

/// One state of one document, shared by all streams that show it.
public struct ListenedDocument: Sendable {
  public let path: ResourcePath
  public let image: DocumentImage
  /// The fields that the target's query selects; nil for all.
  public let mask: FieldMask?

  init(_ path: ResourcePath, _ image: DocumentImage, mask: FieldMask?) {
    self.path = path
    self.image = image
    self.mask = mask
  }
}

public enum ListenEvent: Sendable {
  case added(Int32)
  /// The target is over; with a cause unless the client asked for it.
  case removed(Int32, cause: StoreError?)
  /// The client must forget what it knows of the target.
  case reset(Int32)
  /// The target has shown everything up to the token's read time.
  case current(Int32, ResumeToken)
  /// All targets of the stream show one state: the token's.
  case consistent(ResumeToken)
  case changed(ListenedDocument, targets: [Int32], removedTargets: [Int32])
  case deleted(ResourcePath, removedTargets: [Int32], readTime: Int64)
  /// The document left the targets without having been written, or its new state may not be shown.
  case left(ResourcePath, removedTargets: [Int32], readTime: Int64)
  /// How many documents the target holds, and which, for a client that may have lost count.
  case filter(Int32, count: Int, names: BloomFilter?)

  /// About what the event will take when encoded.
  var weight: Int {
    switch self {
    case .added, .removed, .reset, .current, .consistent: 64
    case .changed(let document, _, _): document.image.byteCount + 256
    case .deleted, .left: 256
    case .filter(_, _, let names): 64 + (names?.bitmap.count ?? 0)
    }
  }
}

/// Where a stream's events go. Called by the hub, one call at a time.
public struct ListenSink: Sendable {
  /// Takes events in order. Never waits.
  let send: @Sendable ([ListenEvent]) -> Void
  /// Bytes taken that the client has not read.
  let unsentBytes: @Sendable () -> Int
  /// Whether the client may be told about so many bytes more. After a no, `clientHasRead` of the stream is called once
  /// it may.
  let hasMemory: @Sendable (_ bytes: Int) -> Bool
  /// Counts bytes that wait to be sent for as long as the answer lives.
  let hold: @Sendable (_ bytes: Int) -> (any Sendable)?
  /// Ends the stream because of a request that it cannot bear.
  let fail: @Sendable (StoreError) -> Void

  public init(
    send: @escaping @Sendable ([ListenEvent]) -> Void, unsentBytes: @escaping @Sendable () -> Int,
    hasMemory: @escaping @Sendable (_ bytes: Int) -> Bool = { _ in true },
    hold: @escaping @Sendable (_ bytes: Int) -> (any Sendable)? = { _ in nil },
    fail: @escaping @Sendable (StoreError) -> Void
  ) {
    self.send = send
    self.unsentBytes = unsentBytes
    self.hasMemory = hasMemory
    self.hold = hold
    self.fail = fail
  }
}

/// Whether somebody may see something, and what the decision looked at.
public struct ListenVerdict: Sendable {
  /// Why not; nil when they may.
  public var denial: StoreError?
  /// Documents that the decision read beside the one it was about: when one of them changes, it is made anew.
  public var reads: [ResourcePath]

  public init(denial: StoreError? = nil, reads: [ResourcePath] = []) {
    self.denial = denial
    self.reads = reads
  }
}

/// Decides for one stream's user. A stream without a judge sees everything.
public struct ListenJudge: Sendable {
  let mayList: @Sendable (NormalizedQuery, StoreView) -> ListenVerdict
  /// The document is nil when there is none.
  let mayGet: @Sendable (ResourcePath, StoredDocument?, StoreView) -> ListenVerdict

  public init(
    mayList: @escaping @Sendable (NormalizedQuery, StoreView) -> ListenVerdict,
    mayGet: @escaping @Sendable (ResourcePath, StoredDocument?, StoreView) -> ListenVerdict
  ) {
    self.mayList = mayList
    self.mayGet = mayGet
  }
}
