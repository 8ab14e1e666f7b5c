/// Real traffic: many users, each with a token of their own, hot and cold documents, denials; and what they write. Ours
/// beside the official emulator and PostgreSQL, rounds interleaved, medians.

/// How much is measured.
struct MixSettings {
  var profiles = 100_000
  var rounds = 5
  var seconds = 1.0
  var connections = [8, 32]
  var withPeers = true
  /// The only piece of work to be measured; nil for all.
  var work: MixWork?
}

/// `docstore-bench --mix[=PROFILES] [--no-peers] [--work=like] [--connections=8]`
func mixBenchmark(own: WirePeer, rules: String, _ settings: MixSettings) throws {
  say("real traffic: \(settings.profiles) profiles, a token for each user, one read in ten denied")
  let ours = try MixPeer(own, rules: rules, profiles: settings.profiles)
  defer { ours.server.stop() }
  let official =
    try settings.withPeers
    ? officialPeer().map { try MixPeer($0, rules: rules, profiles: settings.profiles) } : nil
  defer { official?.server.stop() }
  let postgres = settings.withPeers ? MixPostgres(profiles: settings.profiles) : nil
  defer { postgres?.stop() }
  for connections in settings.connections {
    let line = MixLine(ours: ours, official: official, postgres: postgres, connections: connections)
    try line.measure(settings)
  }
  if settings.withPeers, official == nil { say("official emulator: not installed, not measured") }
  if settings.withPeers, postgres == nil { say("PostgreSQL: not installed, not measured") }
}

/// One number of connections.
private struct MixLine {
  let ours: MixPeer
  let official: MixPeer?
  let postgres: MixPostgres?
  let connections: Int

  func measure(_ settings: MixSettings) throws {
    ours.forget()
    official?.forget()
    postgres?.forget()
    let all = connections == settings.connections.first ? MixWork.allCases : MixWork.reads
    let works = settings.work.map { [$0] } ?? all
    official?.server.hold()
    for work in works {
      try alone(official) {
        try $0.run(work, connections: connections, seconds: 2 * settings.seconds, isMeasured: false)
      }
    }
    for _ in 0..<settings.rounds {
      for work in works {
        try ours.run(work, connections: connections, seconds: settings.seconds)
        try alone(official) { try $0.run(work, connections: connections, seconds: settings.seconds) }
        if work == .guardedGet { try postgres?.run(connections: connections, seconds: settings.seconds) }
      }
    }
    official?.server.goOn()
    report(works)
  }

  /// What only the official emulator computes for: it is held while others are measured.
  private func alone(_ official: MixPeer?, _ body: (MixPeer) throws -> Void) rethrows {
    guard let official else { return }
    official.server.goOn()
    defer { official.server.hold() }
    try body(official)
  }

  private func report(_ works: [MixWork]) {
    say("\(connections) connections, one piece of work under way on each")
    ours.report()
    if let plain = ours.measured[.plainGet], let guarded = ours.measured[.guardedGet] {
      row("guarded get, of plain gets", "\(rounded(100 * guarded.rate / plain.rate, 1)) %")
    }
    if let postgres, let guarded = ours.measured[.guardedGet] {
      postgres.guardedGet.report("PostgreSQL, row-level security")
      row(
        "guarded get, ours to PostgreSQL", "\(rounded(guarded.rate / postgres.guardedGet.rate, 2)) x",
        "p99 \(rounded(100 * guarded.p99 / postgres.guardedGet.p99, 1)) % of theirs")
    }
    guard let official else { return }
    say("official emulator, same run")
    official.report()
    say("ours to the official emulator")
    for work in works {
      guard let mine = ours.measured[work], let theirs = official.measured[work] else { continue }
      compare(work.rawValue, mine, theirs)
    }
  }
}
