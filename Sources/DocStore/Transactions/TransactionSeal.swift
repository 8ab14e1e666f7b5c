/// Transaction ids as clients hold them: sealed, so that nobody can guess or change one, or use another's.
///
/// A token is a nonce, the encrypted id and its tag. The key is another one in each process, so ids of before a restart are
/// unknown. Caller and database are bound to it without being in it.

internal import Crypto
internal import DocModel

struct TransactionSeal: Sendable {
  /// Nonce, `TransactionID.encoded`, tag.
  private static let byteCount = 12 + TransactionID.encodedCount + 16

  private let key = SymmetricKey(size: .bits256)

  func seal(_ id: TransactionID, _ database: DatabaseID, _ caller: CommitAuthor) -> [UInt8] {
    do {
      return Array(
        try ChaChaPoly.seal(id.encoded, using: key, authenticating: Self.binding(database, caller)).combined)
    } catch {
      preconditionFailure("sealing fails only for keys and nonces of a wrong size: \(error)")
    }
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
    guard token.count == Self.byteCount, let box = try? ChaChaPoly.SealedBox(combined: token) else {
      return .malformed
    }
    guard let bytes = try? ChaChaPoly.open(box, using: key, authenticating: Self.binding(database, caller)),
      let id = TransactionID(encoded: Array(bytes))
    else { return .unknown }
    return .id(id)
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
