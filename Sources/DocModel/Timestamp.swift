/// Instants and geographic points as documents hold them.

/// An instant as `google.protobuf.Timestamp` writes it.
///
/// INVARIANT: `nanoseconds` is in 0..<1_000_000_000, also before 1970.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var seconds: Int64
  public var nanoseconds: Int32

  /// LIMIT: 0001-01-01T00:00:00Z. Source: proto google/protobuf/timestamp.proto.
  public static let secondsMin: Int64 = -62_135_596_800
  /// LIMIT: 9999-12-31T23:59:59Z. Source: proto google/protobuf/timestamp.proto.
  public static let secondsMax: Int64 = 253_402_300_799

  @inlinable
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The instant `microseconds` after the Unix epoch (negative before it).
  @inlinable
  public init(microseconds: Int64) {
    var seconds = microseconds / 1_000_000
    var rest = microseconds % 1_000_000
    if rest < 0 {
      rest += 1_000_000
      seconds -= 1
    }
    self.init(seconds: seconds, nanoseconds: Int32(rest * 1_000))
  }

  /// Whole microseconds since the Unix epoch, rounded towards the past.
  ///
  /// Exact for every valid instant: the valid range fits Int64 in microseconds.
  @inlinable
  public var microseconds: Int64 {
    seconds &* 1_000_000 &+ Int64(nanoseconds / 1_000)
  }

  /// Whether both parts are inside the range that the service accepts.
  @inlinable
  public var isValid: Bool {
    seconds >= Self.secondsMin && seconds <= Self.secondsMax && nanoseconds >= 0
      && nanoseconds < 1_000_000_000
  }

  /// The instant with everything below a microsecond cut off, towards the past.
  @inlinable
  public var truncatedToMicroseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds - nanoseconds % 1_000)
  }

  @inlinable
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.seconds != right.seconds
      ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }
}

/// A point on the globe, in degrees.
public struct GeoPoint: Hashable, Sendable {
  /// In -90...90.
  public var latitude: Double
  /// In -180...180.
  public var longitude: Double

  @inlinable
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both parts are inside their ranges (NaN is not).
  @inlinable
  public var isValid: Bool {
    latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180
  }
}
