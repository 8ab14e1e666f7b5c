/// Commits of one document that are on disk before they are answered: ours beside PostgreSQL, on the same disk.

import Glibc

/// `docstore-bench --durable [--no-peers]`
func durableBenchmark(docsh: String, rules: String, rounds: Int, seconds: Double, withPeers: Bool) throws {
  guard let folder = shellOutput("mktemp -d")?.split(separator: "\n").first.map(String.init) else {
    throw BenchmarkFailure(description: "cannot make a folder")
  }
  defer { _ = shellOutput("rm -rf \(folder)") }
  let port = freePort()
  let server = try ServerProcess(
    "docsh", port: port,
    [
      docsh, "serve", "--port", "\(port)", "--rules", rules, "--project", "bench", "--data-dir",
      folder + "/data",
    ])
  defer { server.stop() }
  let requests = MixRequests(profiles: 1)
  let postgres = withPeers ? PostgresServer(schema: durableSchema, isDurable: true) : nil
  defer { postgres?.stop() }
  say("durable commits of one document")
  for connections in [8, 64] {
    var ours = Measured()
    var theirs = Measured()
    for _ in 0..<rounds {
      var plan = LoadPlan(port: port) { _, _ in requests.items() }
      plan.connections = connections
      plan.seconds = seconds
      try ours.add(runLoad(plan) { server.processorNanoseconds }, of: "docsh, durable commits")
      guard let postgres else { continue }
      var number = 0
      let rows = PostgresPlan(
        port: postgres.port, user: "bench", statements: [("set_item", durableStatement)],
        connections: connections, seconds: seconds
      ) {
        number += 1
        return PostgresCall(statements: [("set_item", "\(number % 100_000)")], rows: 0)
      }
      try theirs.add(
        runPostgresLoad(rows) { postgres.processorNanoseconds }, of: "PostgreSQL, durable commits")
    }
    ours.report("\(connections) connections")
    guard postgres != nil else { continue }
    theirs.report("PostgreSQL, synchronous_commit=on")
    row("ours to PostgreSQL", "\(rounded(ours.rate / theirs.rate, 2)) x")
  }
  if withPeers, postgres == nil { say("PostgreSQL: not installed, not measured") }
}

private let durableSchema = "create table items (id text primary key, body jsonb not null);"

/// The same fields as the documents of ours.
private let durableStatement = """
  insert into items values ('p' || $1, jsonb_build_object('id', 'p' || $1, 'author', jsonb_build_object('id', 'u1',
    'displayName', 'User 1', 'avatarUrl', 'https://images.example.com/avatars/u1.jpg'),
    'content', repeat('morning practice by the sea ', 13), 'source', jsonb_build_object('type', 'community',
    'id', 'area_askew', 'name', 'Askew'), 'stats', jsonb_build_object('likeCount', 1, 'commentCount', 2),
    'createdAt', clock_timestamp()))
  on conflict (id) do update set body = excluded.body
  """
