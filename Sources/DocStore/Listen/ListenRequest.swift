/// What a client asks of its stream.

public import DocModel

/// What a target shows.
public enum TargetSelection: Sendable {
  /// Documents by name, each once, in the order of the request.
  case documents([ResourcePath])
  case query(NormalizedQuery)
}

/// From where a target goes on.
public enum TargetResumption: Sendable {
  /// From nothing.
  case none
  /// The bytes of a token, ours or not.
  case token([UInt8])
  /// A read time in microseconds.
  case readTime(Int64)
  /// From a token that costs the target.
  case refused(InvalidArgument)
}

/// A target as a client adds it.
public struct TargetRequest: Sendable {
  /// 0 lets the stream choose one.
  public let id: Int32
  /// Or why the target cannot be: a fault costs the target, never the stream.
  public let selection: Result<TargetSelection, InvalidArgument>
  public let resumption: TargetResumption
  /// How many documents the client believes to be in the result it goes on from; nil when it does not say.
  public let expectedCount: Int?
  /// Whether the target is over when its result has been shown.
  public let isOnce: Bool

  public init(
    id: Int32, selection: Result<TargetSelection, InvalidArgument>, resumption: TargetResumption = .none,
    expectedCount: Int? = nil, isOnce: Bool = false
  ) {
    self.id = id
    self.selection = selection
    self.resumption = resumption
    self.expectedCount = expectedCount
    self.isOnce = isOnce
  }
}

public enum ListenRequest: Sendable {
  case add(TargetRequest)
  case remove(Int32)
}

/// LIMIT: what one stream may hold, and when it has to wait for its client.
public struct ListenLimits: Sendable {
  /// Targets of one stream, those that wait to be answered included.
  public var targetsMax = 10_000
  /// Bytes that wait for a client. Above, its targets stand still; they catch up, or are reset, when it has
  /// read.
  public var unsentBytesMax = 4 << 20
  /// Bytes of a new target's result that are handed over at once.
  public var pieceBytesMax = 1 << 20
  /// Changed documents that a target which fell behind is told one by one; above, it is reset.
  public var catchUpChangesMax = 10_000
  /// The same in bytes of their new states, which wait in memory.
  public var catchUpBytesMax = 16 << 20
  /// Documents that changed while a new target was read. Below, its hub tells them at once; above, they are
  /// read on another thread first, and the hub goes on meanwhile.
  public var joinChangesMax = 1_000
  /// Documents that are told so; above, the target is read again.
  public var loadChangesMax = 100_000
  /// Events of a database that wait for its hub.
  public var waitingEventsMax = 16_384
  /// Without traffic for this long, or for down to half of it, a stream is told that nothing has happened.
  public var heartbeatMicroseconds: Int64 = 30_000_000

  public init() {}
}
