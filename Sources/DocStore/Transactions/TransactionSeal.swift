/// Transaction ids as clients hold them: sealed, so that nobody can guess or change one, or use another's.
///
/// A token is a tag, and the id hidden behind a mask that the tag makes: equal ids have equal tokens, and no two transactions
/// have equal ids. The keys are others in each process, so ids of before a restart are unknown. Caller and database are
/// bound to it without being in it.
///
/// Source: RFC 5297, "synthetic initialization vector", with SipHash for both parts.

internal import DocModel

struct TransactionSeal: Sendable {
  private static let tagBytes = SipHash.codeBytes
  private static let byteCount = tagBytes + TransactionID.encodedCount

  private let tagging = SipHash()
  private let masking = SipHash()

  func seal(_ id: TransactionID, _ database: DatabaseID, _ caller: CommitAuthor) -> [UInt8] {
    let id = id.encoded
    let tag = tag(id, database, caller)
    return tag + masked(id[...], tag)
  }

  /// What a token can be.
  enum Opened {
    case id(TransactionID)
    /// None of this process, or not of this caller and database.
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
    Array("\(database.project)\n\(database.database)\n\(text(caller))".utf8)
  }

  private static func text(_ caller: CommitAuthor) -> String {
    switch caller {
    case .unknown: "unknown"
    case .system: "system"
    case .administrator: "administrator"
    case .anonymous: "anonymous"
    case .user(let uid): "user \(uid)"
    }
  }
}
