import Platform
import Testing

@Suite(.timeLimit(.minutes(1))) struct ThreadTests {
  @Test("a thread that cannot be had is told, and its work is let go of")
  func exhaustion() {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let before = held
    let ran = Monitor(false)
    // A stack that no machine has memory for.
    #expect(throws: PlatformThread.Exhausted.self) {
      try PlatformThread.start(stackBytes: 1 << 46) { [held] in
        _ = held
        ran.change { $0 = true }
      }
    }
    held = nil
    #expect(before == nil)
    #expect(!ran.withLock { $0 })
  }

  @Test("who waits for the end of a thread finds nothing that it held")
  func end() throws {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let inside = held
    let hasEnded = Monitor(false)
    try PlatformThread.start { [held] in
      _ = held
    } ended: {
      hasEnded.change { $0 = true }
    }
    held = nil
    hasEnded.wait { $0 ? () : nil }
    #expect(inside == nil)
  }

  @Test("a wait ends when the value changes, and else when its time is over")
  func waits() throws {
    let value = Monitor(0)
    #expect(value.wait(atMost: 20) { $0 == 1 ? $0 : nil } == nil)
    try PlatformThread.start { value.change { $0 = 1 } }
    #expect(value.wait(atMost: 30_000) { $0 == 1 ? $0 : nil } == 1)
  }
}
