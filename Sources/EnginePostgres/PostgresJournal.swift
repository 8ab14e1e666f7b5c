/// Bytes beside the store that are appended to: what triggers have delivered.
///
/// State: the link, behind a lock that is held while something is asked over it.

internal import Platform
internal import Synchronization

public final class PostgresJournal: Sendable {
  /// Why it cannot be read or written, in words.
  public struct Failure: Error, Hashable, Sendable {
    public let reason: String
  }

  private let address: PostgresAddress
  private let ownership: PostgresOwnership
  private let link = Mutex<PostgresLink?>(nil)

  private static let seconds = 10.0

  init(_ address: PostgresAddress, _ ownership: PostgresOwnership) {
    self.address = address
    self.ownership = ownership
  }

  public func contents() throws(Failure) -> [UInt8] {
    let rows = try ask([PostgresTables.journal])
    var bytes: [UInt8] = []
    for row in 0..<rows.count { bytes += Array(rows.bytes(row, 0)) }
    return bytes
  }

  /// Puts bytes at the end, which is at `offset`: all of them, or none.
  public func append(_ bytes: [UInt8], at offset: Int) throws(Failure) {
    try change([PostgresTables.append(bytes, at: offset, of: ownership.row, epoch: ownership.epoch)])
  }

  /// What lies behind `count` bytes goes, which begins with an append of its own.
  public func cut(to count: Int) throws(Failure) {
    try change([PostgresTables.cutJournal(to: count, of: ownership.row, epoch: ownership.epoch)])
  }

  /// All of it becomes `bytes`.
  public func replace(by bytes: [UInt8]) throws(Failure) {
    let (row, epoch) = (ownership.row, ownership.epoch)
    try change([
      PostgresTables.begin, PostgresTables.cutJournal(to: 0, of: row, epoch: epoch),
      PostgresTables.append(bytes, at: 0, of: row, epoch: epoch), PostgresTables.end,
    ])
  }

  /// - Parameter statements: the last that has rows says whether this server has the store.
  private func change(_ statements: [PostgresStatement]) throws(Failure) {
    let rows = try ask(statements)
    if rows.count == 0 { throw Failure(reason: "another server has taken the store") }
  }

  private func ask(_ statements: [PostgresStatement]) throws(Failure) -> PostgresRows {
    let outcome = link.withLock { link -> Result<PostgresRows, Failure> in
      do throws(PostgresFailure) {
        // A link that has lain idle may have been cut: what is asked here can be asked twice.
        let wasThere = link != nil
        do throws(PostgresFailure) { return try Self.run(statements, &link, address) } catch {
          guard error.isLost, wasThere else { throw error }
        }
        return try Self.run(statements, &link, address)
      } catch { return .failure(Failure(reason: error.message)) }
    }
    return try outcome.get()
  }

  private static func run(
    _ statements: [PostgresStatement], _ link: inout PostgresLink?, _ address: PostgresAddress
  ) throws(PostgresFailure) -> Result<PostgresRows, Failure> {
    let current = try PostgresLink.opened(&link, address)
    do throws(PostgresFailure) {
      guard let rows = try current.run(statements, seconds: seconds).last else {
        throw PostgresFailure(message: "there is no answer")
      }
      return .success(rows)
    } catch {
      link = nil
      throw error
    }
  }
}
