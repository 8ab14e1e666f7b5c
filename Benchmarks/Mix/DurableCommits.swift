/// Commits of one document that are on disk before they are answered: ours beside PostgreSQL, on the same disk.

import Glibc

/// `docstore-bench [PROGRAM] --durable [--no-peers] [--beside=OTHER] [--connections=8]`
struct DurableSettings {
  var rounds = 5
  var seconds = 2.0
  var withPeers = true
  var connections = [8, 64]
  /// Another docsh, in turns with the first.
  var other: String?
}

/// One docsh with a data folder of its own.
private final class DurableServer {
  let name: String
  private let port: Int
  private let folder: String
  private let server: ServerProcess
  private let requests = MixRequests(profiles: 1)

  init(_ program: String, rules: String) throws {
    guard let folder = shellOutput("mktemp -d")?.split(separator: "\n").first.map(String.init) else {
      throw BenchmarkFailure(description: "cannot make a folder")
    }
    name = program
    self.folder = folder
    port = freePort()
    server = try ServerProcess(
      "docsh", port: port,
      [
        program, "serve", "--port", "\(port)", "--rules", rules, "--project", "bench", "--data-dir",
        folder + "/data",
      ])
  }

  func measure(connections: Int, seconds: Double) throws -> LoadResult {
    var plan = LoadPlan(port: port) { [requests] _, _ in requests.items() }
    plan.connections = connections
    plan.seconds = seconds
    return try runLoad(plan) { [server] in server.processorNanoseconds }
  }

  func stop() {
    server.stop()
    _ = shellOutput("rm -rf \(folder)")
  }
}

func durableBenchmark(docsh: String, rules: String, _ settings: DurableSettings) throws {
  var servers: [DurableServer] = []
  defer { for server in servers { server.stop() } }
  for program in [docsh, settings.other].compactMap({ $0 }) {
    try servers.append(DurableServer(program, rules: rules))
  }
  let postgres = settings.withPeers ? PostgresServer(schema: durableSchema, isDurable: true) : nil
  defer { postgres?.stop() }
  say("durable commits of one document")
  for connections in settings.connections {
    var ours = servers.map { _ in Measured() }
    var theirs = Measured()
    for _ in 0..<settings.rounds {
      for (index, server) in servers.enumerated() {
        let figures = try server.measure(connections: connections, seconds: settings.seconds)
        try ours[index].add(figures, of: "docsh, durable commits")
      }
      guard let postgres else { continue }
      var number = 0
      let rows = PostgresPlan(
        port: postgres.port, user: "bench", statements: [("set_item", durableStatement)],
        connections: connections, seconds: settings.seconds
      ) {
        number += 1
        return PostgresCall(statements: [("set_item", "\(number % 100_000)")], rows: 0)
      }
      try theirs.add(
        runPostgresLoad(rows) { postgres.processorNanoseconds }, of: "PostgreSQL, durable commits")
    }
    ours[0].report("\(connections) connections")
    for (server, figures) in zip(servers, ours).dropFirst() {
      figures.report(server.name)
      row("the first to this one", "\(rounded(ours[0].rate / figures.rate, 2)) x")
    }
    guard postgres != nil else { continue }
    theirs.report("PostgreSQL, synchronous_commit=on")
    row("ours to PostgreSQL", "\(rounded(ours[0].rate / theirs.rate, 2)) x")
  }
  if settings.withPeers, postgres == nil { say("PostgreSQL: not installed, not measured") }
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
