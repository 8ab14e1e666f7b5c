/// What a commit costs beside listeners that it does not concern: 10,000 on disjoint ranges of one collection, and one.

/// Two servers take turns of a write each, so that both feel alike what else the machine does. Each write concerns one
/// listener; both servers have as many connections.
func listenerRangesBenchmark(own: WirePeer, rules: String) throws {
  let count = 10_000
  say("\(count) listeners on disjoint ranges of one collection, beside a server with one")
  let many = try RangeListeners(own, rules: rules, listeners: count)
  defer { many.stop() }
  let one = try RangeListeners(own, rules: rules, listeners: 1)
  defer { one.stop() }
  var times: (many: [Double], one: [Double]) = ([], [])
  var numbers = NumberSequence(seed: 9)
  for write in 0..<2_200 {
    let listener = numbers.next(below: count)
    let (slow, fast) = (try many.write(listener), try one.write(0))
    // The first ones find cold servers.
    guard write >= 200 else { continue }
    times.many.append(slow)
    times.one.append(fast)
  }
  let (slow, fast) = (median(times.many), median(times.one))
  row("one write to its one of \(count) ranges", "median \(rounded(slow)) us")
  row("one write to the only one", "median \(rounded(fast)) us")
  row("\(count) ranges to one", "\(rounded(slow / fast, 2)) x")
}

/// A server with listeners on ranges of `number`, ten numbers each.
private final class RangeListeners {
  private static let width = 10
  private static let connections = 100

  private let server: ServerProcess
  private let listeners: Listeners
  /// How often each listener's document was written.
  private var written: [Int]

  init(_ peer: WirePeer, rules: String, listeners count: Int) throws {
    let port = freePort()
    written = Array(repeating: 0, count: count)
    server = try ServerProcess(peer.name, port: port, peer.command(port, rules))
    let requests = (0..<count).map { listener in
      let first = listener * Self.width
      return listenRequest(collection: "ranges", numbers: first..<first + Self.width)
    }
    do {
      listeners = try Listeners(port: port, requests: requests, connections: Self.connections)
    } catch {
      server.stop()
      throw error
    }
  }

  /// Writes the document of a listener's range; microseconds until the listener has it.
  func write(_ listener: Int) throws -> Double {
    // Another number each time: a write that changes nothing reaches nobody.
    let number = listener * Self.width + written[listener] % Self.width
    written[listener] += 1
    return try listeners.write("ranges/d\(listener)", number, listeners: 1)
  }

  func stop() {
    listeners.close()
    server.stop()
  }
}
