/// What a stream has still to send, against the same bytes in one array.

import Testing

@testable import Wire

@Suite("what a stream has still to send")
struct OutboundQueueTests {
  @Test("all bytes go out once, in order, in pieces of any size", arguments: 0..<20)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = OutboundQueue()
    queue.hasPrefixes = seed % 2 == 0
    var expected: [UInt8] = []
    var sent: [UInt8] = []
    for number in 0..<500 {
      if random.next() % 2 == 0 {
        let message = [UInt8](repeating: UInt8(number % 251), count: Int(random.next() % 40))
        queue.append(message)
        expected += (queue.hasPrefixes ? framed(message) : message)
      } else {
        var buffer = [UInt8](repeating: 0, count: Int(random.next() % 60))
        let count = buffer.withUnsafeMutableBytes { queue.move(into: $0) }
        sent += buffer[..<count]
      }
      queue.checkInvariants()
      #expect(queue.unsentBytes == expected.count - sent.count)
    }
    var rest = [UInt8](repeating: 0, count: queue.unsentBytes)
    _ = rest.withUnsafeMutableBytes { queue.move(into: $0) }
    #expect(sent + rest == expected)
    #expect(queue.unsentBytes == 0)
    queue.clear()
    queue.checkInvariants()
  }
}
