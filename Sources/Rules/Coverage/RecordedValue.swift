/// A value of an evaluation that outlives it: for reports.
///
/// INVARIANT: texts are UTF-8 bytes and compare as bytes.

public import DocModel

/// A value, or why there is none.
public indirect enum RecordedValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case float(FloatBits)
  case string([UInt8])
  case bytes([UInt8])
  case timestamp(Timestamp)
  case duration(seconds: Int64, nanoseconds: Int32)
  case latlng(latitude: FloatBits, longitude: FloatBits)
  case path([Segment])
  case list([RecordedValue])
  case map([Entry])
  case set([RecordedValue])
  case mapDiff([KeyStatus])
  case vector([FloatBits])
  /// What a query says of a field that it does not fix.
  case constraint([Bound])
  case error(RecordedFault)
  /// What was too much to keep; how much: bytes of a text, elements of a list, entries of a map.
  case cut(Int)

  /// A number that equals itself, also when it is not a number.
  public struct FloatBits: Sendable, Hashable {
    public let bits: UInt64

    public init(_ number: Double) { bits = number.bitPattern }

    public var number: Double { Double(bitPattern: bits) }
  }

  /// One segment of a path: written or bound, or a placeholder of a template.
  public struct Segment: Sendable, Hashable {
    public let text: [UInt8]?
    /// The placeholder's name.
    public let name: [UInt8]?
    public let isGlob: Bool
  }

  public struct Entry: Sendable, Hashable {
    public let key: [UInt8]
    public let value: RecordedValue
  }

  /// What became of one key from the old map to the new one.
  public struct KeyStatus: Sendable, Hashable {
    public let key: [UInt8]
    /// `ADDED`, `REMOVED`, `CHANGED` or `UNCHANGED`.
    public let status: String
  }

  /// One filter of a query on a field.
  public struct Bound: Sendable, Hashable {
    /// `EQ`, `NEQ`, `LT`, `LTE`, `GT`, `GTE` or `LIST_CONTAINS`.
    public let comparator: String
    public let value: RecordedValue
  }

  public var isError: Bool {
    if case .error = self { true } else { false }
  }

  /// The truth of a boolean; nil for everything else.
  public var truth: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  /// Whether a part was left out.
  public var isCut: Bool {
    switch self {
    case .cut: true
    case .list(let elements), .set(let elements): elements.contains { $0.isCut }
    case .map(let entries): entries.contains { $0.value.isCut }
    case .constraint(let bounds): bounds.contains { $0.value.isCut }
    case .null, .boolean, .integer, .float, .string, .bytes, .timestamp, .duration, .latlng, .path, .mapDiff,
      .vector, .error:
      false
    }
  }
}

/// Why an expression had no value.
public struct RecordedFault: Sendable, Hashable {
  public let code: FaultCode
  /// The official engine's words; empty for a question that a query's filters leave open.
  public let message: String
  /// The token that the official engine reports it at: an operator, a name, the start of an access.
  public let token: Span
}
