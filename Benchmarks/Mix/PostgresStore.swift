/// A store in PostgreSQL: commits of our server on it beside the same rows written by hand, in the same database.

import Glibc

/// `docstore-bench --postgres`
func postgresStoreBenchmark(docsh: String, rules: String, rounds: Int, seconds: Double) throws {
  guard let postgres = PostgresServer(schema: handSchema, isDurable: true) else {
    return say("a store in PostgreSQL: PostgreSQL is not installed, not measured")
  }
  defer { postgres.stop() }
  let port = freePort()
  let server = try ServerProcess(
    "docsh", port: port,
    [
      docsh, "serve", "--port", "\(port)", "--rules", rules, "--project", "bench", "--store",
      postgres.address,
    ])
  defer { server.stop() }
  say("a store in PostgreSQL: durable commits beside the same rows by hand")
  let requests = MixRequests(profiles: 1)
  for (documents, connections) in [(1, 8), (1, 64), (32, 8), (32, 32)] {
    var ours = Measured()
    var theirs = Measured()
    for _ in 0..<rounds {
      var plan = LoadPlan(port: port) { _, _ in requests.items(documents) }
      plan.connections = connections
      plan.seconds = seconds
      try ours.add(runLoad(plan) { server.processorNanoseconds }, of: "docsh on PostgreSQL, commits")
      var number = 0
      let statements = handStatements(documents: documents)
      let rows = PostgresPlan(
        port: postgres.port, user: "bench", statements: statements, connections: connections, seconds: seconds
      ) {
        number += 1
        return PostgresCall(statements: statements.map { ($0.name, "\(number)") }, rows: 0)
      }
      try theirs.add(runPostgresLoad(rows) { postgres.processorNanoseconds }, of: "the same by hand")
    }
    ours.report("\(connections) connections, \(documents == 1 ? "1 document" : "\(documents) documents")")
    theirs.report("the same rows by hand")
    row("ours to by hand", "\(rounded(ours.rate / theirs.rate, 2)) x")
  }
}

/// Tables as those of a store.
private let handSchema = """
  create schema hand;
  create table hand.documents (k bytea primary key, v bytea not null);
  create table hand.changes (k bytea primary key, v bytea not null);
  create table hand.catalog (k bytea primary key, v bytea not null);
  create table hand.sizes (keyspace int primary key, entries bigint not null, bytes bigint not null)
    with (fillfactor = 10);
  create table hand.clock (id int primary key, epoch bigint not null, commit bigint not null) with (fillfactor = 10);
  insert into hand.clock values (1, 1, 0);
  insert into hand.sizes select n, 0, 0 from generate_series(0, 2) as n;
  create sequence hand.versions;
  """

/// One commit: the clock, documents of 600 bytes, what was changed, and the state of the store.
private func handStatements(documents: Int) -> [(name: String, text: String)] {
  func put(_ table: String, _ keyspace: Int, _ key: String, _ bytes: Int, _ count: Int) -> String {
    """
    with new as (select convert_to(\(key), 'UTF8') as k, convert_to(repeat('x', \(bytes)), 'UTF8') as v
      from generate_series(1, \(count)) as n where $1::int >= 0),
    old as (select count(*) as entries, coalesce(sum(octet_length(k) + octet_length(v)), 0) as bytes
      from hand.\(table) where k = any(array(select k from new))),
    put as (insert into hand.\(table) (k, v) select k, v from new on conflict (k) do update set v = excluded.v)
    update hand.sizes as s set entries = s.entries + \(count) - old.entries, bytes = s.bytes + \(count * bytes) - old.bytes
    from old where s.keyspace = \(keyspace)
    """
  }
  return [
    (
      "clock",
      "update hand.clock set commit = commit + 1, epoch = case when $1::int >= 0 then epoch end where id = 1"
    ),
    ("catalog", put("catalog", 0, "'state'", 24, 1)),
    (
      "documents",
      put("documents", 1, "'items of bench/p' || (\(documents) * $1::int + n) % 100000", 640, documents)
    ),
    ("changes", put("changes", 2, "lpad(nextval('hand.versions')::text, 16, '0')", 60, documents)),
  ]
}
