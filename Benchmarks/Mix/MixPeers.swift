/// The servers that real traffic is measured on, and what each came to.

import DocModel

/// The pieces of work.
enum MixWork: String, CaseIterable {
  case plainGet = "plain get"
  case guardedGet = "guarded get"
  case change = "guarded commit of one document"
  case like = "like in one commit"
  case transactionalLike = "like in an interactive transaction"

  static let reads: [MixWork] = [.plainGet, .guardedGet]

  /// By the name of its case.
  init?(word: String) {
    guard let work = Self.allCases.first(where: { "\($0)" == word }) else { return nil }
    self = work
  }

  static let writes: [MixWork] = [.change, .like, .transactionalLike]
}

/// One Firestore server.
final class MixPeer {
  let name: String
  let server: ServerProcess
  private let requests: MixRequests
  private(set) var measured: [MixWork: Measured] = [:]

  init(_ peer: WirePeer, rules: String, profiles: Int) throws {
    name = peer.name
    requests = MixRequests(profiles: profiles)
    server = try loadedServer(peer, rules: rules, documents: profiles, MixPopulation.profile)
    try fill(server, "posts", MixRequests.postCount, post)
  }

  /// - Parameter isMeasured: a virtual machine compiles what is used often, and is measured warm.
  /// - Returns: microseconds of the server's processor time for a call, where the system says so.
  @discardableResult
  func run(
    _ work: MixWork, connections: Int, seconds: Double, isMeasured: Bool = true
  ) throws -> Double? {
    requests.forgetTransactions()
    var plan = LoadPlan(port: server.port) { [requests] connection, answer in
      switch work {
      case .plainGet: requests.plainRead()
      case .guardedGet: requests.read()
      case .change: requests.change()
      case .like: requests.like()
      case .transactionalLike: requests.transactionalLike(after: answer, on: connection)
      }
    }
    plan.connections = connections
    plan.seconds = seconds
    plan.keepsAnswers = work == .transactionalLike
    let result = try runLoad(plan) { server.processorNanoseconds }
    if isMeasured { try measured[work, default: Measured()].add(result, of: "\(name), \(work.rawValue)") }
    return result.serverNanoseconds.map { $0 / 1e3 }
  }

  /// Begins the line of another number of connections.
  func forget() { measured = [:] }

  func report() {
    for work in MixWork.allCases { measured[work]?.report(work.rawValue) }
  }
}

/// PostgreSQL with row-level security, asked for the same profiles by the same readers.
final class MixPostgres {
  private let server: PostgresServer
  private let requests: MixReadsOfRows
  private(set) var guardedGet = Measured()

  init?(profiles: Int) {
    let population = MixPopulation(count: profiles)
    guard let server = PostgresServer(schema: Self.schema(population.count)) else { return nil }
    self.server = server
    requests = MixReadsOfRows(population)
  }

  func stop() { server.stop() }
  func forget() { guardedGet = Measured() }

  func run(connections: Int, seconds: Double) throws {
    let plan = PostgresPlan(
      port: server.port, user: "reader",
      statements: [
        ("set_uid", "select set_config('app.uid', $1, true)"),
        ("get_profile", "select body from profiles where id = $1"),
      ], connections: connections, seconds: seconds
    ) { [requests] in requests.next() }
    let result = try runPostgresLoad(plan) { server.processorNanoseconds }
    try guardedGet.add(result, of: "PostgreSQL")
  }

  /// The readers' role may select what the policy lets it: its own profile, public ones, and those of people with whom
  /// it shares a community. Memberships are a table of their own, indexed by reader.
  private static func schema(_ count: Int) -> String {
    """
    create table profiles (id text primary key, is_public boolean not null, communities text[] not null,
      body jsonb not null);
    create table memberships (uid text primary key, communities text[] not null);
    alter table profiles enable row level security;
    create role reader login;
    grant select on profiles, memberships to reader;
    create policy overlap on profiles for select to reader using (
      id = current_setting('app.uid') or is_public or communities &&
      (select m.communities from memberships m where m.uid = current_setting('app.uid')));
    insert into profiles select 'u' || n, n % 2 = 0, array['studio_' || n, 'area_' || (n / 2 % 100)],
      jsonb_build_object('id', 'u' || n, 'displayName', 'User ' || n, 'username', 'user#' || n,
        'bio', repeat('slow flows and coffee ', 11), 'privacySettings', jsonb_build_object(
          'isProfilePublic', n % 2 = 0, 'avatarPrivacy', case n % 2 when 0 then 'public' else 'groups-only' end,
          'showJoinedGroups', 'groups-only'),
        'joinedCommunities', jsonb_build_array('studio_' || n, 'area_' || (n / 2 % 100)),
        'createdAt', '2026-01-05T09:00:00Z') || case n / 200 % 20 when 3 then jsonb_build_object(
          'profilePictureUrl', 'https://storage.example.com/' || repeat('signature', 222),
          'thumbnailUrl', 'https://storage.example.com/' || repeat('signature', 222)) else '{}'::jsonb end
      from generate_series(0, \(count - 1)) n;
    insert into memberships select id, communities from profiles;
    vacuum analyze;
    """
  }
}

/// The reads of the mix as round trips to PostgreSQL. A row that a reader may not see is none.
private final class MixReadsOfRows {
  private var reads: MixReads

  init(_ population: MixPopulation) { reads = MixReads(population, seed: 11) }

  func next() -> PostgresCall {
    let read = reads.next()
    return PostgresCall(
      statements: [("set_uid", "u\(read.reader)"), ("get_profile", "u\(read.owner)")],
      rows: read.isAllowed ? 2 : 1)
  }
}
