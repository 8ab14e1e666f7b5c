/// Two programs of ours under the same traffic, in turns: what a change is worth.
///
/// On a machine whose speed swings by a tenth from second to second, medians of two runs say nothing about three percent.
/// Here a short round of one program follows a short round of the other, and what counts is the median of the pairs'
/// ratios, with the quarter below and above it.

/// `docstore-bench PROGRAM --mix=PROFILES --beside=OTHER [--pairs=20] [--work=like] [--connections=8]`
func mixPairsBenchmark(
  _ own: WirePeer, beside other: WirePeer, pairs: Int, rules: String, _ settings: MixSettings
) throws {
  let ours = try MixPeer(own, rules: rules, profiles: settings.profiles)
  defer { ours.server.stop() }
  let theirs = try MixPeer(other, rules: rules, profiles: settings.profiles)
  defer { theirs.server.stop() }
  say("\(own.name) beside \(other.name): the server's processor time, medians of \(pairs) pairs of rounds")
  for connections in settings.connections {
    for work in settings.work.map({ [$0] }) ?? MixWork.allCases {
      var (mine, its): ([Double], [Double]) = ([], [])
      for pair in -1..<pairs {
        // Whoever goes second finds caches that the first has left: they change places.
        let both = pair % 2 == 0 ? [ours, theirs] : [theirs, ours]
        for peer in both {
          let time = try peer.run(work, connections: connections, seconds: settings.seconds)
          // The first pair warms up.
          if pair >= 0, let time { if peer === ours { mine.append(time) } else { its.append(time) } }
        }
      }
      let ratios = zip(mine, its).map { $0 / $1 }.sorted()
      guard !ratios.isEmpty else {
        throw BenchmarkFailure(description: "this system does not say how long a process has computed")
      }
      row(
        "\(work.rawValue), \(connections)",
        "\(rounded(median(mine), 1)) to \(rounded(median(its), 1)) us, \(rounded(median(ratios), 3)) x",
        "quarters \(rounded(ratios[ratios.count / 4], 3)), \(rounded(ratios[ratios.count * 3 / 4], 3))")
    }
  }
}
