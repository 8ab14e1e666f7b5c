/// `docstore-bench --listeners [--part=load|fan|ranges|idle] [--no-peers] [--peer-seconds=N]`

/// Which measurements of listeners are asked for.
enum ListenersPart: String, CaseIterable {
  case load, fan, ranges, idle
}

/// - Parameter peerSeconds: how long the official emulator is given for each half of the load.
func reportListeners(
  own: WirePeer, rules: String, parts: [ListenersPart], withPeers: Bool, peerSeconds: Double
) throws {
  for part in parts {
    switch part {
    case .load:
      try listenerLoadBenchmark(own: own, rules: rules, withPeers: withPeers, peerSeconds: peerSeconds)
    case .fan: try listenerFanBenchmark(own: own, rules: rules)
    case .ranges: try listenerRangesBenchmark(own: own, rules: rules)
    case .idle: try listenerIdleBenchmark(own: own, rules: rules)
    }
  }
}

/// The parts that the arguments name; all of them when they name none, nil for a word that is no part.
func listenersParts(_ arguments: some Sequence<String>) -> [ListenersPart]? {
  let words = arguments.compactMap { $0.hasPrefix("--part=") ? String($0.dropFirst(7)) : nil }
  if words.isEmpty { return ListenersPart.allCases }
  let parts = words.compactMap(ListenersPart.init)
  return parts.count == words.count ? parts : nil
}
