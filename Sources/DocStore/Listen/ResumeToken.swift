/// What a listener remembers to go on from.
///
/// Shape: field 1 of the outer message holds the inner one; its field 1 is the read time in microseconds,
/// field 2 the generation, 0 while nobody has written to the database. Clients never look inside.
/// Source: docs/spec/streams.md 1.5 (field 1 is the official form; field 2 is ours).

internal import DocModel

/// A state of one database that was shown to a client.
public struct ResumeToken: Hashable, Sendable {
  /// Microseconds since the epoch.
  public let readTime: Int64
  /// The version that made the generation of documents which was shown: another number after a clearing,
  /// and in another store.
  public let generation: Int64

  public init(readTime: Int64, generation: Int64) {
    self.readTime = readTime
    self.generation = generation
  }

  public var bytes: [UInt8] {
    var writer = WireWriter(reserving: 24)
    writer.message(1) { inner in
      inner.field(1, varint: UInt64(bitPattern: readTime))
      if generation != 0 { inner.field(2, varint: UInt64(bitPattern: generation)) }
    }
    return writer.bytes
  }

  /// Nil for bytes that are no token of ours.
  public init?(_ bytes: [UInt8]) {
    let parsed = bytes.withUnsafeBytes { bytes -> (Int64, Int64)? in
      var outer = WireCursor(bytes)
      guard outer.tag() == 1 << 3 | 2 else { return nil }
      var inner = WireCursor(outer.lengthDelimited())
      guard !outer.isCorrupt, outer.isAtEnd, inner.tag() == 1 << 3 else { return nil }
      let time = Int64(bitPattern: inner.varint())
      guard !inner.isCorrupt else { return nil }
      if inner.isAtEnd { return (time, 0) }
      guard inner.tag() == 2 << 3 else { return nil }
      let generation = Int64(bitPattern: inner.varint())
      return !inner.isCorrupt && inner.isAtEnd ? (time, generation) : nil
    }
    guard let parsed, parsed.0 > 0 else { return nil }
    self.init(readTime: parsed.0, generation: parsed.1)
  }
}
