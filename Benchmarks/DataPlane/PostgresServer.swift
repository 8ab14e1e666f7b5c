/// PostgreSQL with row-level security as a peer: the same profiles, the same check, one round trip.
///
/// A cluster of its own in a temporary folder, listening on loopback, trusting everybody, gone afterwards.

import Glibc

final class PostgresServer {
  let port = freePort()
  private let folder: String
  private let binaries: String
  /// What goes before a command: PostgreSQL does not run as root.
  private let asUser: String

  /// Nil when PostgreSQL is not installed.
  init?() {
    let found = "ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1"
    guard let path = shellOutput(found)?.split(separator: "\n").first else { return nil }
    binaries = String(path)
    let isRoot = geteuid() == 0
    asUser = isRoot ? "runuser -u postgres -- " : ""
    guard let made = shellOutput("mktemp -d")?.split(separator: "\n").first else { return nil }
    folder = String(made)
    let quiet = ">/dev/null 2>&1"
    if isRoot { _ = shellOutput("chown postgres \(folder)") }
    let start =
      "\(asUser)\(binaries)/initdb -D \(folder)/data -A trust -U bench \(quiet) && "
      + "\(asUser)\(binaries)/pg_ctl -w -D \(folder)/data -l \(folder)/log "
      + "-o '-p \(port) -k \(folder) -c listen_addresses=127.0.0.1 -c fsync=off' start \(quiet) && echo ok"
    guard shellOutput(start)?.contains("ok") == true, load() else {
      stop()
      return nil
    }
  }

  /// The readers' role may select what the policy lets it: its own profile, public ones, and those of
  /// people with whom it shares a community. Memberships are a table of their own, indexed by reader.
  private static let schema = """
    create table profiles (id text primary key, is_public boolean not null, communities text[] not null,
      body jsonb not null);
    create table memberships (uid text primary key, communities text[] not null);
    alter table profiles enable row level security;
    create role reader login;
    grant select on profiles, memberships to reader;
    create policy overlap on profiles for select to reader using (
      id = current_setting('app.uid') or is_public or communities &&
      (select m.communities from memberships m where m.uid = current_setting('app.uid')));
    insert into profiles select 'u' || n, false, array['studio_' || n, 'area_askew'],
      jsonb_build_object('id', 'u' || n, 'displayName', 'User ' || n, 'username', 'user#' || n,
        'bio', repeat('slow flows and coffee ', 11), 'privacySettings', jsonb_build_object(
          'isProfilePublic', false, 'avatarPrivacy', 'groups-only', 'showJoinedGroups', 'groups-only'),
        'joinedCommunities', jsonb_build_array('studio_' || n, 'area_askew'),
        'createdAt', '2026-01-05T09:00:00Z')
      from generate_series(0, 63) n;
    insert into memberships select id, communities from profiles;
    analyze;
    """

  private func load() -> Bool {
    let file = folder + "/schema.sql"
    guard let handle = fopen(file, "w") else { return false }
    fputs(Self.schema, handle)
    fclose(handle)
    let command =
      "psql -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p \(port) -U bench -d postgres -f \(file) >/dev/null 2>&1 && echo ok"
    return shellOutput(command)?.contains("ok") == true
  }

  func stop() {
    _ = shellOutput("\(asUser)\(binaries)/pg_ctl -D \(folder)/data -m immediate stop >/dev/null 2>&1")
    _ = shellOutput("rm -rf \(folder)")
  }
}
