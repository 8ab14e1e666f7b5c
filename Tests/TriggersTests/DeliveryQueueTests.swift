/// The queue of one trigger's events under random changes, looked at whole behind each.

import DocModel
import DocStore
import TestSupport
import Testing

@testable import Triggers

@Suite("queues of events")
struct DeliveryQueueTests {
  private static func document(_ number: Int) -> DocumentName {
    DocumentName(database: DatabaseID(project: "p"), path: ResourcePath(unchecked: "c/d\(number)"))
  }

  @Test("each document's events come one at a time, in order, whatever fails, rests or is dropped")
  func random() {
    let seed = testSeed()
    print("SEED=\(seed)")
    var random = SeededRandom(seed: seed)
    var queue = DeliveryQueue()
    var underWay: [Delivery] = []
    var last: [DocumentName: Int64] = [:]
    var version: Int64 = 0
    for _ in 0..<5_000 {
      switch random.next() % 8 {
      case 0, 1, 2:
        version += 1
        let event = PendingEvent(
          version: version, cause: .none, author: .system, deadLetter: random.next() % 5 == 0 ? "x" : nil)
        queue.append(event, to: Self.document(Int.random(in: 0..<12, using: &random)))
      case 3, 4:
        guard let delivery = queue.takeReady(1, bound: 4) else { break }
        #expect(!underWay.contains { $0.document == delivery.document })
        #expect(delivery.event.version >= last[delivery.document] ?? 0)
        last[delivery.document] = delivery.event.version
        underWay.append(delivery)
      case 5 where !underWay.isEmpty:
        let delivery = underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random))
        switch random.next() % 3 {
        case 0: queue.finish(delivery.document)
        case 1: queue.slow(delivery.document)
        default:
          if queue.fail(delivery.document, attemptsMax: 3) == nil { queue.finish(delivery.document) }
        }
      case 6:
        if random.next() % 2 == 0 {
          queue.wakeAll()
        } else {
          queue.wake(Self.document(Int(random.next() % 12)))
        }
      default:
        if random.next() % 10 == 0 { _ = queue.remove { _, event in event.version % 3 == 0 } }
      }
      queue.checkInvariants()
      #expect(queue.underWay == underWay.count)
    }
    for delivery in underWay { queue.finish(delivery.document) }
    queue.wakeAll()
    while let delivery = queue.takeReady(1, bound: 1) { queue.finish(delivery.document) }
    #expect(queue.pendingCount == 0 && !queue.hasReady)
  }
}
