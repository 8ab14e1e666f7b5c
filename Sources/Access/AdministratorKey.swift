/// The key of `--admin-key-file`: who shows it may administrate a server.
///
/// It is shown as `Authorization: Bearer KEY`. Servers read it from the file of their option, docsh's own clients from the
/// file that the environment variable `DOCSH_ADMIN_KEY_FILE` names.

internal import Platform

public struct AdministratorKey: Sendable {
  /// What is wrong with a key's file, and what to do.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// LIMIT: bytes of a key. A short one can be guessed, a long one is no header any more.
  public static let bytesMin = 16
  public static let bytesMax = 1_024

  public static let environmentVariable = "DOCSH_ADMIN_KEY_FILE"

  private let bytes: [UInt8]

  /// - Parameter text: letters, digits and signs of ASCII; what a header can hold.
  public init?(_ text: String) {
    bytes = Array(text.utf8)
    guard (Self.bytesMin...Self.bytesMax).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
  }

  /// Whether a token is the key. Takes as long for a wrong one as for the right one.
  public func matches(_ token: some Collection<UInt8>) -> Bool {
    guard token.count == bytes.count else { return false }
    var difference: UInt8 = 0
    for (a, b) in zip(bytes, token) { difference |= a ^ b }
    return difference == 0
  }

  /// `Bearer KEY`
  public var authorization: String { "Bearer " + String(decoding: bytes, as: UTF8.self) }

  /// Reads the key of a file that nobody but its owner may read.
  public static func load(_ path: String) throws(Failure) -> AdministratorKey {
    func failure(_ words: String) -> Failure { Failure(description: "the key file `\(path)` \(words)") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      throw failure("is no file")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw failure("may be read by others than its owner: chmod 600 \(path)")
    }
    var buffer = [UInt8](repeating: 0, count: bytesMax + 3)
    let count = read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw failure("cannot be read: \(String(cString: strerror(errno)))") }
    // Editors end a file with a line break.
    var text = String(decoding: buffer.prefix(count), as: UTF8.self)
    while let last = text.last, last.isNewline { text.removeLast() }
    if text.isEmpty { throw failure("is empty: openssl rand -hex 32 > \(path)") }
    guard let key = AdministratorKey(text) else {
      throw failure(
        "must hold one line of \(bytesMin) to \(bytesMax) letters, digits and signs without blanks:"
          + " openssl rand -hex 32 > \(path)")
    }
    return key
  }

  /// The key that this process shows to servers; nil when the environment names none.
  public static func ofClient() throws(Failure) -> AdministratorKey? {
    guard let path = getenv(environmentVariable).map({ String(cString: $0) }), !path.isEmpty else {
      return nil
    }
    do throws(Failure) { return try load(path) } catch {
      throw Failure(description: "\(environmentVariable): \(error)")
    }
  }

  /// What docsh's own clients send as administrators: the key, or `Bearer owner` where there is none.
  public static let clientAuthorization: String =
    (try? ofClient()).flatMap { $0?.authorization } ?? "Bearer owner"
}

/// Who counts as an administrator of a server.
public struct AdministratorAccess: Sendable {
  /// Who shows it is one, and administrative endpoints ask for it. Nil: they are open.
  public var key: AdministratorKey?
  /// Whether `Bearer owner`, `Bearer ya29.…` and a service account's own token pass by the rules, which anybody can send.
  public var takesOwner: Bool

  public init(key: AdministratorKey? = nil, takesOwner: Bool = true) {
    self.key = key
    self.takesOwner = takesOwner
  }

  /// Whether anybody may administrate who reaches the server.
  public var isOpen: Bool { key == nil && takesOwner }
}
