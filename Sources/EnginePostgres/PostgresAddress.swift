/// Where a store is: a connection string, which may hold a password, and a text of it which does not.

internal import CPQ

public struct PostgresAddress: Sendable {
  let connection: String

  /// Without the password: for messages and logs.
  public let text: String

  /// Whether a text names a store in PostgreSQL, and not a folder.
  public static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
  }

  /// - Parameter text: as `psql` takes it; what it leaves out comes from the environment (PGPASSWORD, PGPASSFILE,
  ///   PGSSLMODE and so on) and from ~/.pgpass.
  public init(_ text: String) throws(PostgresOpenError) {
    guard Self.isOne(text) else { throw .malformed(reason: "`\(text)` does not begin with postgres://") }
    if let missing = docstore_pq_load() { throw .noLibrary(reason: String(cString: missing)) }
    if let message = docstore_pq_check(text) {
      defer { docstore_pq_free(message) }
      throw .malformed(reason: Self.trimmed(String(cString: message)))
    }
    connection = text
    self.text = Self.withoutPassword(text)
  }

  /// Passwords stand behind the user's name, or among the parameters.
  static func withoutPassword(_ text: String) -> String {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let scheme = parts[0].prefix { $0 != ":" } + "://"
    var rest = parts[0].dropFirst(scheme.count)
    if let at = rest.lastIndex(of: "@") { rest = rest[..<at].prefix { $0 != ":" } + rest[at...] }
    guard parts.count == 2 else { return String(scheme + rest) }
    let kept = parts[1].split(separator: "&").filter { parameter in
      !["password=", "sslpassword="].contains { parameter.hasPrefix($0) }
    }
    return String(scheme + rest) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
  }

  /// A message of the library on one line, without the punctuation at its end.
  static func trimmed(_ text: String) -> String {
    var line = text.split { $0.isNewline || $0 == "\t" }.joined(separator: " ")
    while let last = line.last, " .?".contains(last) { line.removeLast() }
    return line
  }
}
