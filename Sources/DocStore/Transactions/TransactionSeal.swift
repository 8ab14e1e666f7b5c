/// Transaction ids as clients hold them: sealed, so that nobody can guess or change one, or use another's.
///
/// A token is a tag, and the id hidden behind a mask that the tag makes: equal ids have equal tokens, and no two transactions
/// have equal ids. The keys are others in each process, so ids of before a restart are unknown. Caller and database are
/// bound to it without being in it. Servers that have one store have the same keys.
///
/// Source: RFC 5297, "synthetic initialization vector", with SipHash for both parts.

internal import DocModel

struct TransactionSeal: Sendable {
  private static let tagBytes = SipHash.codeBytes
  private static let byteCount = tagBytes + TransactionID.encodedCount

  static let secretBytes = 32

  /// Whether tokens say before their caller is known that they were made here.
  private let isShared: Bool
  private let tagging: SipHash
  private let masking: SipHash

  /// With keys of this process alone.
  init() {
    isShared = false
    tagging = SipHash()
    masking = SipHash()
  }

  /// Nil for a secret of another length.
  init?(secret: [UInt8]) {
    guard secret.count == Self.secretBytes else { return nil }
    let words = stride(from: 0, to: secret.count, by: 8).map { start in
      secret[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    isShared = true
    tagging = SipHash(key: (words[0], words[1]))
    masking = SipHash(key: (words[2], words[3]))
  }

  func seal(_ id: TransactionID, _ database: DatabaseID, _ caller: CommitAuthor) -> [UInt8] {
    var id = id.encoded
    // What shows a read time in others is free in one that may write.
    if isShared, id[0] == 0 { id.replaceSubrange((id.count - Self.checkBytes)..., with: check(id)) }
    let tag = tag(id, database, caller)
    return tag + masked(id[...], tag)
  }

  /// What a token can be.
  enum Opened {
    case id(TransactionID)
    /// None of this process or store, or not of this caller and database.
    case unknown
    /// Of another form than any that was ever given out.
    case malformed
  }

  func open(_ token: [UInt8], _ database: DatabaseID, _ caller: CommitAuthor) -> Opened {
    // Ids of earlier versions and of the official emulator were of nine bytes.
    if token.count == 9, token[0] == 0x11 { return .unknown }
    guard token.count == Self.byteCount else { return .malformed }
    let tag = Array(token[..<Self.tagBytes])
    let bytes = masked(token[Self.tagBytes...], tag)
    guard Self.areEqual(tag, self.tag(bytes, database, caller)), let id = TransactionID(encoded: bytes)
    else { return .unknown }
    return .id(id)
  }

  /// What a token of a transaction that may write says before its caller is known; nil for what is none of this store.
  func glance(_ token: [UInt8]) -> TransactionID? {
    guard token.count == Self.byteCount else { return nil }
    let bytes = masked(token[Self.tagBytes...], Array(token[..<Self.tagBytes]))
    guard isShared, bytes[0] == 0, Self.areEqual(Array(bytes.suffix(Self.checkBytes)), check(bytes)) else {
      return nil
    }
    return TransactionID(encoded: bytes)
  }

  private static let checkBytes = 8

  /// Without it a token could be altered so that it names a stranger's transaction, of which other servers are asked before
  /// its tag is looked at.
  private func check(_ id: [UInt8]) -> [UInt8] {
    Array(tagging.code(of: Array(id.dropLast(Self.checkBytes))).prefix(Self.checkBytes))
  }

  /// In a time that does not tell where they differ.
  private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private func tag(_ id: [UInt8], _ database: DatabaseID, _ caller: CommitAuthor) -> [UInt8] {
    tagging.code(of: id + Self.binding(database, caller))
  }

  /// There and back.
  private func masked(_ id: ArraySlice<UInt8>, _ tag: [UInt8]) -> [UInt8] {
    let mask = masking.code(of: tag + [0]) + masking.code(of: tag + [1])
    precondition(id.count <= mask.count, "an id is longer than its mask")
    return zip(id, mask).map { $0 ^ $1 }
  }

  /// Project and database hold no line break; what comes last may hold anything.
  private static func binding(_ database: DatabaseID, _ caller: CommitAuthor) -> [UInt8] {
    Array("\(database.project)\n\(database.database)\n\(caller.text)".utf8)
  }
}
