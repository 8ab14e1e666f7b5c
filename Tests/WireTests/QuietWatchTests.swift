/// When a server lets go of what nobody uses: once in each time of quiet.

import DocModel
import Synchronization
import Telemetry
import Testing

@testable import Wire

@Suite("a server that nobody asks")
struct QuietWatchTests {
  /// What happens between two looks.
  enum Between: String, Sendable { case nothing, bytes, callBegins, callEnds }

  @Test(
    "lets go at the first look, and again when requests have come and stopped",
    arguments: [
      ([.nothing], 1), ([.nothing, .nothing, .nothing], 1), ([.bytes], 1), ([.nothing, .bytes], 1),
      ([.nothing, .bytes, .nothing], 2), ([.nothing, .bytes, .bytes, .bytes], 1),
      ([.nothing, .bytes, .nothing, .nothing, .bytes, .nothing], 3),
      ([.callBegins], 0), ([.callBegins, .nothing, .nothing], 0), ([.callBegins, .nothing, .callEnds], 1),
      ([.nothing, .bytes, .callBegins, .nothing, .callEnds], 2),
    ] as [([Between], Int)])
  func looks(between: [Between], count: Int) {
    let metrics = ServerMetrics(methods: ["GetDocument"])
    let times = Counter()
    let watch = QuietWatch(metrics) { times.count.add(1, ordering: .relaxed) }
    for happens in between {
      switch happens {
      case .nothing: break
      case .bytes: metrics.bytesReceived.add(100)
      case .callBegins: metrics.began()
      case .callEnds: metrics.ended(0, .grpc, .ok, nanoseconds: 1)
      }
      watch.look()
    }
    #expect(times.count.load(ordering: .relaxed) == count)
  }

  private final class Counter: Sendable {
    let count = Atomic(0)
  }
}
