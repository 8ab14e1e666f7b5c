/// Time and randomness, as values: a test that freezes both replays a run.

internal import Platform

/// Where the store takes the time and its random numbers from.
public struct Environment: Sendable {
  /// Microseconds since the Unix epoch.
  public let now: @Sendable () -> Int64
  /// 64 random bits.
  public let random: @Sendable () -> UInt64
  /// What a commit of a version writes as server time, and what rules get as `request.time` for it: the
  /// version in whole milliseconds, unless time is frozen, when versions must go on all the same.
  /// Source: docs/spec/protocol.md 4.7.
  public let serverTime: @Sendable (_ version: Int64) -> Int64
  /// Microseconds of a clock that runs on although `now` may stand, or be set: what waits, limits and heartbeats are measured by.
  public let elapsed: @Sendable () -> Int64

  public init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64,
    serverTime: (@Sendable (_ version: Int64) -> Int64)? = nil,
    elapsed: (@Sendable () -> Int64)? = nil
  ) {
    self.now = now
    self.random = random
    self.serverTime = serverTime ?? TransformApplication.wholeMilliseconds
    self.elapsed = elapsed ?? now
  }

  /// The machine's clock and its random numbers.
  public static let system = Environment(
    now: { SystemClock.wall / 1_000 },
    random: {
      var generator = SystemRandomNumberGenerator()
      return generator.next()
    },
    elapsed: { SystemClock.monotonic / 1_000 })
}

extension Environment {
  private static let idAlphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// A document id as clients make them: 20 letters and digits, about 119 bits.
  public func documentID() -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(20)
    while bytes.count < 20 {
      var bits = random()
      // Ten groups of six bits a number; 62 and 63 are passed over so that every letter is as likely.
      for _ in 0..<10 where bytes.count < 20 {
        let group = Int(bits & 63)
        bits >>= 6
        if group < Self.idAlphabet.count { bytes.append(Self.idAlphabet[group]) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
