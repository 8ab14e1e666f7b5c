/// The journal of triggers of a store in PostgreSQL.

import EnginePostgres
import Triggers

struct StoredJournal: JournalStorage {
  private let journal: PostgresJournal
  let name: String

  init(of engine: PostgresEngine) {
    journal = engine.journal
    name = "docstore.journal of \(engine.location)"
  }

  func contents() throws(JournalError) -> [UInt8] {
    do throws(PostgresJournal.Failure) { return try journal.contents() } catch { throw named(error) }
  }

  /// Every append is on PostgreSQL's disk.
  func append(_ bytes: [UInt8], at offset: Int, isSynced: Bool) throws(JournalError) {
    do throws(PostgresJournal.Failure) { try journal.append(bytes, at: offset) } catch { throw named(error) }
  }

  func cut(to count: Int) throws(JournalError) {
    do throws(PostgresJournal.Failure) { try journal.cut(to: count) } catch { throw named(error) }
  }

  func replace(by bytes: [UInt8]) throws(JournalError) {
    do throws(PostgresJournal.Failure) { try journal.replace(by: bytes) } catch { throw named(error) }
  }

  private func named(_ failure: PostgresJournal.Failure) -> JournalError {
    JournalError(path: name, reason: failure.reason)
  }
}
