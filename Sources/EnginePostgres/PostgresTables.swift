/// The tables of a store and the statements on them: plain SQL, so that servers that speak PostgreSQL's protocol can have it.
///
/// A table for each keyspace, keys and values byte for byte those of a data folder. Beside them `clock`, the one row that
/// orders commits and says whose they are, and `sizes`.

internal import DocStore

enum PostgresTables {
  /// What the tables hold means this. A store of a later one is refused.
  static let layout: Int64 = 1

  static func name(_ keyspace: Keyspace) -> String {
    switch keyspace {
    case .catalog: "docstore.catalog"
    case .documents: "docstore.documents"
    case .documentHistory: "docstore.document_history"
    case .indexEntries: "docstore.index_entries"
    case .indexHistory: "docstore.index_history"
    case .changes: "docstore.changes"
    }
  }

  /// Makes what is missing. Two servers that do it at once wait for each other at the clock's row.
  ///
  /// Rows of `clock` and `sizes` are written with each commit: room in their pages lets new states stay there.
  static var creation: [PostgresStatement] {
    var statements = [PostgresStatement("create schema if not exists docstore")]
    for keyspace in Keyspace.allCases {
      statements.append(
        PostgresStatement(
          "create table if not exists \(name(keyspace)) (k bytea primary key, v bytea not null)"))
    }
    statements += [
      PostgresStatement(
        "create table if not exists docstore.sizes (keyspace int primary key, entries bigint not null, "
          + "bytes bigint not null) with (fillfactor = 10)"),
      PostgresStatement(
        "create table if not exists docstore.journal (place bigint primary key, bytes bytea not null)"),
      PostgresStatement(
        "create table if not exists docstore.clock (id int primary key, layout bigint not null, "
          + "epoch bigint not null, commit bigint not null, beat bigint not null, owner text) "
          + "with (fillfactor = 10)"),
      PostgresStatement(
        "insert into docstore.clock (id, layout, epoch, commit, beat) values (1, $1, 0, 0, 0) "
          + "on conflict (id) do nothing", .integer(layout)),
    ]
    for keyspace in Keyspace.allCases {
      statements.append(
        PostgresStatement(
          "insert into docstore.sizes (keyspace, entries, bytes) values (\(keyspace.rawValue), 0, 0) "
            + "on conflict (keyspace) do nothing"))
    }
    return statements
  }

  /// What several servers need beside: made when the first of them opens the store.
  ///
  /// `log` has the commits of the last minutes, for those who did not make them. The clock's second row says which of them
  /// is the leader, and the epoch of the third one whether commits may come (`PostgresReadLease`).
  static let sharedCreation: [PostgresStatement] = [
    PostgresStatement(
      "create table if not exists docstore.log (n bigint primary key, token bytea not null, batch bytea not null, "
        + "at timestamptz not null default clock_timestamp())"),
    PostgresStatement(
      "insert into docstore.clock (id, layout, epoch, commit, beat) values (2, $1, 0, 0, 0), (3, $1, 1, 0, 0) "
        + "on conflict (id) do nothing", .integer(layout)),
  ]

  /// Makes what several servers need. Who comes at the same time is refused here, and finds it afterwards.
  static func openShared(_ link: PostgresLink) throws(PostgresFailure) {
    for attempt in 0..<creationAttempts {
      do throws(PostgresFailure) {
        try link.run(sharedCreation, seconds: creationSeconds)
        return
      } catch {
        guard error.isDuplicate, attempt + 1 < creationAttempts else { throw error }
      }
    }
  }

  /// What is in a database, made where nothing is: its layout.
  static func open(_ link: PostgresLink) throws(PostgresFailure) -> Int64 {
    for attempt in 0..<creationAttempts {
      do throws(PostgresFailure) {
        guard let rows = try link.run([clock], seconds: creationSeconds).last else {
          throw PostgresFailure(message: "there is no answer")
        }
        return try PostgresClock(rows).layout
      } catch {
        guard error.isMissing, attempt + 1 < creationAttempts else { throw error }
      }
      // What another server makes at the same time is refused here, and there afterwards.
      do throws(PostgresFailure) { try link.run(creation, seconds: creationSeconds) } catch {
        guard error.isDuplicate else { throw error }
      }
    }
    throw PostgresFailure(state: "42P01", message: "its tables cannot be made")
  }

  private static let creationAttempts = 3
  private static let creationSeconds = 30.0

  // MARK: reading

  static let beginView = PostgresStatement("begin isolation level repeatable read read only")
  static let begin = PostgresStatement("begin isolation level read committed")
  static let end = PostgresStatement("commit")

  static func value(_ keyspace: Keyspace, _ key: UnsafeRawBufferPointer) -> PostgresStatement {
    PostgresStatement("select v from \(name(keyspace)) where k = $1", .bytes(key))
  }

  static func size(_ keyspace: Keyspace) -> PostgresStatement {
    PostgresStatement("select entries, bytes from docstore.sizes where keyspace = \(keyspace.rawValue)")
  }

  /// The first rows of a range: at most `limit`, and no more after those that have `bytes` together.
  static func page(
    _ keyspace: Keyspace, _ range: KeyRange, _ direction: ScanDirection, limit: Int, bytes: Int
  ) -> PostgresStatement {
    let order = direction == .forward ? "k" : "k desc"
    let upper = range.upper == nil ? "" : " and k < $4"
    let text =
      "select k, v from (select k, v, sum(octet_length(v)) over (order by \(order)) - octet_length(v) as before "
      + "from (select k, v from \(name(keyspace)) where k >= $1\(upper) order by \(order) limit $2) as page) "
      + "as counted where before < $3 order by \(order)"
    var statement = PostgresStatement(
      text, .bytes(range.lower), .integer(Int64(limit)), .integer(Int64(bytes)))
    if let upper = range.upper { statement.values.append(.bytes(upper)) }
    return statement
  }

  // MARK: writing

  static func put(
    _ keyspace: Keyspace, keys: [UnsafeRawBufferPointer], values: [UnsafeRawBufferPointer]
  ) -> PostgresStatement {
    let table = name(keyspace)
    let text =
      "with new as (select * from unnest($1, $2) as n(k, v)), "
      + "old as (select count(*) as entries, coalesce(sum(octet_length(k) + octet_length(v)), 0) as bytes "
      + "from \(table) where k = any($1)), "
      + "put as (insert into \(table) (k, v) select k, v from new on conflict (k) do update set v = excluded.v) "
      + "update docstore.sizes as s set entries = s.entries + $3 - old.entries, bytes = s.bytes + $4 - old.bytes "
      + "from old where s.keyspace = \(keyspace.rawValue)"
    let bytes = keys.reduce(0) { $0 + $1.count } + values.reduce(0) { $0 + $1.count }
    return PostgresStatement(
      text, .array(keys), .array(values), .integer(Int64(keys.count)), .integer(Int64(bytes)))
  }

  static func remove(_ keyspace: Keyspace, keys: [UnsafeRawBufferPointer]) -> PostgresStatement {
    PostgresStatement(removal(keyspace, "where k = any($1)"), .array(keys))
  }

  static func removeRange(_ keyspace: Keyspace, _ range: KeyRange, limit: Int) -> PostgresStatement {
    let upper = range.upper == nil ? "" : " and k < $3"
    let doomed = "select k from \(name(keyspace)) where k >= $1\(upper) order by k limit $2"
    var statement = PostgresStatement(
      removal(keyspace, "where k in (\(doomed))"), .bytes(range.lower), .integer(Int64(limit)))
    if let upper = range.upper { statement.values.append(.bytes(upper)) }
    return statement
  }

  private static func removal(_ keyspace: Keyspace, _ condition: String) -> String {
    "with gone as (delete from \(name(keyspace)) \(condition) returning octet_length(k) + octet_length(v) as bytes), "
      + "old as (select count(*) as entries, coalesce(sum(bytes), 0) as bytes from gone) "
      + "update docstore.sizes as s set entries = s.entries - old.entries, bytes = s.bytes - old.bytes "
      + "from old where s.keyspace = \(keyspace.rawValue) and old.entries > 0"
  }

  // MARK: the clock

  /// The state of the clock, after whoever is changing it.
  static let settledClock = settledClock(of: .store)

  static func settledClock(of row: ClockRow) -> PostgresStatement {
    PostgresStatement(
      "select layout, epoch, commit, beat, owner from docstore.clock where id = \(row.rawValue) for share")
  }

  static let clock = PostgresStatement(
    "select layout, epoch, commit, beat, owner from docstore.clock where id = 1")

  /// Makes the next commit, if it is this server's to make. A server that is no longer the owner, or that has missed a
  /// commit, breaks the column's constraint, which takes all that is sent with this back: no answer has to be waited for
  /// before the rest is sent.
  static func commit(epoch: Int64, after commit: Int64) -> PostgresStatement {
    PostgresStatement(
      "update docstore.clock set commit = commit + 1, beat = beat + 1, "
        + "epoch = case when epoch = $1 and commit = $2 then epoch end where id = 1",
      .integer(epoch), .integer(commit))
  }

  static func beat(of row: ClockRow, epoch: Int64) -> PostgresStatement {
    PostgresStatement(
      "update docstore.clock set beat = beat + 1 where id = \(row.rawValue) and epoch = $1 returning commit",
      .integer(epoch))
  }

  /// Gives the store to a server, unless anything has happened since the clock was read.
  static func take(_ row: ClockRow, _ seen: PostgresClock, owner: String) -> PostgresStatement {
    PostgresStatement(
      "update docstore.clock set epoch = epoch + 1, beat = beat + 1, owner = $1 "
        + "where id = \(row.rawValue) and epoch = $2 and beat = $3 returning epoch, commit",
      .text(owner), .integer(seen.epoch), .integer(seen.beat))
  }

  static func release(_ row: ClockRow, epoch: Int64) -> PostgresStatement {
    PostgresStatement(
      "update docstore.clock set owner = null where id = \(row.rawValue) and epoch = $1", .integer(epoch))
  }

  // MARK: several servers

  static let rollback = PostgresStatement("rollback")

  /// LIMIT: how long a server that has the clock's row may do nothing. One that was stopped then loses its transaction,
  /// and others go on.
  static let limitIdleness = PostgresStatement("set local idle_in_transaction_session_timeout = '2s'")

  /// The same, for so many bytes that come to it: LIMIT, four megabytes a second.
  static func limitIdleness(awaiting bytes: Int) -> PostgresStatement {
    PostgresStatement(
      "select set_config('idle_in_transaction_session_timeout', $1, true)",
      .text("\(2_000 + bytes / 4_000)"))
  }

  /// Has the server look whether its client is there: some five seconds after the last sign of it the session ends.
  static let watchClient = [
    PostgresStatement(
      "select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false), "
        + "set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '5000', false)"),
    // Also while a statement runs, such as one that waits for a row.
    PostgresStatement("select set_config('client_connection_check_interval', '1000', false)"),
  ]

  /// Takes the row, after whoever has it, and with it the number of the commit that is about to be made. Another epoch
  /// breaks the column's constraint.
  static func lock(epoch: Int64) -> PostgresStatement {
    PostgresStatement(
      "update docstore.clock set commit = commit + 1, beat = beat + 1, epoch = case when epoch = $1 then epoch end "
        + "where id = 1 returning commit",
      .integer(epoch))
  }

  /// LIMIT: commits that are read at once.
  static let missedMax = 256

  /// The clock's row and, in the same state, the log from a commit on: a row for each, or one with nulls where there is none.
  /// Of the first only the token is wanted, by which it is known again.
  static func news(from commit: Int64) -> PostgresStatement {
    PostgresStatement(
      "select log.n, case when log.n > $1 then log.batch end, log.token, clock.epoch, clock.commit, said.epoch "
        + "from docstore.clock as clock join docstore.clock as said on said.id = 3 "
        + "left join docstore.log as log on log.n >= $1 where clock.id = 1 order by log.n limit \(missedMax)",
      .integer(commit))
  }

  /// An answer to `news`, which always has a row.
  static func checked(_ news: PostgresRows?) throws(PostgresFailure) -> PostgresRows {
    guard let news, news.count > 0 else {
      throw PostgresFailure(state: "XX001", message: "docstore.clock lacks rows")
    }
    return news
  }

  static func announcement(in news: PostgresRows) -> PostgresReadLease.Announcement {
    PostgresReadLease.Announcement(number: news.integer(0, 5))
  }

  /// Says that commits come.
  static let announce = PostgresStatement(
    "update docstore.clock set epoch = epoch + 1 where id = 3 and epoch % 2 = 0")

  /// Takes that back, unless anybody has the clock's row or has committed.
  static func takeBack(_ announcement: PostgresReadLease.Announcement, after commit: Int64)
    -> PostgresStatement
  {
    PostgresStatement(
      "with quiet as (select 1 from docstore.clock where id = 1 and commit = $2 for update skip locked) "
        + "update docstore.clock set epoch = epoch + 1 from quiet where id = 3 and epoch = $1",
      .integer(announcement.number), .integer(commit))
  }

  static func log(_ commit: Int64, token: [UInt8], _ batch: [UInt8]) -> PostgresStatement {
    PostgresStatement(
      "insert into docstore.log (n, token, batch) values ($1, $2, $3)", .integer(commit), .bytes(token),
      .bytes(batch))
  }

  /// LIMIT: commits that are read at once for a copy; each may be some megabytes.
  static let copiedMax = 16

  /// Commits in the log, at most `copiedMax`.
  static func logged(after commit: Int64, upTo last: Int64) -> PostgresStatement {
    PostgresStatement(
      "select n, batch from docstore.log where n > $1 and n <= $2 order by n limit \(copiedMax)",
      .integer(commit), .integer(last))
  }

  static func logged(_ commit: Int64, token: [UInt8]) -> PostgresStatement {
    PostgresStatement(
      "select n from docstore.log where n = $1 and token = $2", .integer(commit), .bytes(token))
  }

  /// LIMIT: how long a server may have heard nothing and still find out what it has missed.
  static let keptMinutes = 10
  static let cutLog = PostgresStatement(
    "delete from docstore.log where at < clock_timestamp() - interval '\(keptMinutes) minutes'")

  static let channel = "docstore"
  static let listen = PostgresStatement("listen \(channel)")

  static func tell(_ text: String) -> PostgresStatement {
    PostgresStatement("select pg_notify('\(channel)', $1)", .text(text))
  }

  // MARK: the journal

  static let journal = PostgresStatement("select bytes from docstore.journal order by place")

  /// An append that was made twice has been made once.
  static func append(_ bytes: [UInt8], at offset: Int, of row: ClockRow, epoch: Int64) -> PostgresStatement {
    PostgresStatement(
      "insert into docstore.journal (place, bytes) select $1, $2 from docstore.clock "
        + "where id = \(row.rawValue) and epoch = $3 for share "
        + "on conflict (place) do update set bytes = excluded.bytes returning place",
      .integer(Int64(offset)), .bytes(bytes), .integer(epoch))
  }

  static func cutJournal(to count: Int, of row: ClockRow, epoch: Int64) -> PostgresStatement {
    PostgresStatement(
      "with owner as (select id from docstore.clock where id = \(row.rawValue) and epoch = $2 for share), "
        + "gone as (delete from docstore.journal where place >= $1 and exists (select 1 from owner)) "
        + "select id from owner",
      .integer(Int64(count)), .integer(epoch))
  }
}

/// A row of `clock`, and whose it is.
enum ClockRow: Int64, Sendable {
  /// Of who commits.
  case store = 1
  /// Of the one among several servers that does what is to be done once.
  case leader = 2
}

/// The row that orders commits.
struct PostgresClock: Hashable, Sendable {
  let layout: Int64
  /// Counts owners.
  let epoch: Int64
  /// Counts commits.
  let commit: Int64
  /// Changes while the owner lives.
  let beat: Int64
  /// Nil when the last one has ended in order.
  let owner: String?

  init(_ rows: PostgresRows) throws(PostgresFailure) {
    guard rows.count == 1 else {
      throw PostgresFailure(state: "XX001", message: "docstore.clock has \(rows.count) rows in place of one")
    }
    layout = rows.integer(0, 0)
    epoch = rows.integer(0, 1)
    commit = rows.integer(0, 2)
    beat = rows.integer(0, 3)
    owner = rows.text(0, 4)
  }
}
