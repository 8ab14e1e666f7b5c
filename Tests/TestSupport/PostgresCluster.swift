/// PostgreSQL for tests, where it is installed.

internal import Platform

/// A cluster of its own in a temporary folder, which ends with the process. `Scripts/postgres` makes it.
public final class PostgresCluster: Sendable {
  /// One for all tests; nil, and said once, where PostgreSQL is not installed.
  public static let shared: PostgresCluster? = {
    let cluster = PostgresCluster()
    if cluster == nil { print("skipped: PostgreSQL is not installed (Debian: apt-get install postgresql)") }
    return cluster
  }()

  private let folder: TemporaryFolder
  private static let script =
    String(#filePath.dropLast("Tests/TestSupport/PostgresCluster.swift".count)) + "Scripts/postgres"

  /// The script's own status.
  private static let notInstalled: Int32 = 3

  public struct Failure: Error {
    public let command: String
    public let status: Int32
  }

  /// - Parameter settings: of the server, as `name=value`.
  public init?(settings: [String] = ["fsync=off"]) {
    folder = TemporaryFolder()
    let words = ["start", folder.path, "\(getpid())", "--"] + settings
    let status = Self.run(words, output: folder.path + "/start")
    if status >> 8 == Self.notInstalled { return nil }
    precondition(status == 0, "Scripts/postgres failed with \(status); \(folder.path)/start says why")
  }

  /// A second server that follows another one, which waits with each commit for it.
  public init(following other: PostgresCluster) throws {
    folder = TemporaryFolder()
    let words = ["standby", folder.path, other.folder.path]
    let status = Self.run(words, output: folder.path + "/start")
    if status != 0 { throw Failure(command: words.joined(separator: " "), status: status) }
  }

  /// Takes over from the one that it follows.
  public func promote() throws { try check(["promote", folder.path]) }

  /// How to connect to a database of whichever of two may be written to.
  public static func address(of database: String, on clusters: PostgresCluster...) -> String {
    let hosts = clusters.map(\.folder.path).joined(separator: ",")
    let ports = clusters.map { _ in "5432" }.joined(separator: ",")
    return "postgres:///\(database)?host=\(hosts)&port=\(ports)&user=docstore"
  }

  deinit { _ = Self.run(["remove", folder.path], output: "/dev/null") }

  /// An empty database: how to connect to it.
  public func database() throws -> String {
    let number = nextNumber()
    // Tests of other suites run at the same time.
    let output = "\(folder.path)/address-\(number)"
    try check(["create", folder.path, "t\(number)"], output: output)
    return String(decoding: try FileContents.read(output, bytesMax: 1 << 20), as: UTF8.self).filter {
      !$0.isNewline
    }
  }

  /// Ends the server as a crash would, or in order.
  public func stop(_ mode: String = "immediate") throws { try check(["stop", folder.path, mode]) }

  public func startAgain() throws { try check(["again", folder.path]) }

  /// What `psql` prints for a statement, without heads.
  public func ask(_ address: String, _ statement: String) throws -> String {
    let output = folder.path + "/answer"
    let command = "psql -qXAt '\(address)' -c \"\(statement)\" </dev/null >\(output)"
    let status = system(command)
    if status != 0 { throw Failure(command: command, status: status) }
    return String(decoding: try FileContents.read(output, bytesMax: 1 << 20), as: UTF8.self)
  }

  /// Whether a statement of somebody sleeps.
  public var isAsleep: Bool { has("wait_event = 'PgSleep'") }

  /// Whether somebody waits for a row.
  public var isLockedOut: Bool { has("wait_event_type = 'Lock'") }

  private func has(_ condition: String) -> Bool {
    let statement = "select 1 from pg_stat_activity where \(condition)"
    let address = "postgres:///postgres?host=\(folder.path)&user=docstore"
    return system("psql -qXAt '\(address)' -c \"\(statement)\" </dev/null 2>/dev/null | grep -q 1") == 0
  }

  private let numbers = Monitor(0)

  private func nextNumber() -> Int {
    numbers.change { number in
      number += 1
      return number
    }
  }

  private func check(_ words: [String], output: String = "/dev/null") throws {
    let status = Self.run(words, output: output)
    if status != 0 { throw Failure(command: words.joined(separator: " "), status: status) }
  }

  private static func run(_ words: [String], output: String) -> Int32 {
    system("'\(script)' \(words.joined(separator: " ")) </dev/null >\(output) 2>&1")
  }
}
