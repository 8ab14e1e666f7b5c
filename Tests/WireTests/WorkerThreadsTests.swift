import Platform
import Testing

@testable import Wire

@Suite("worker threads")
struct WorkerThreadsTests {
  @Test("start with the first work, and end with what runs")
  func startLate() async {
    let threads = WorkerThreads(count: 2)
    let done = Monitor(0)
    for _ in 0..<100 { threads.submit { done.change { $0 += 1 } } }
    done.wait { $0 == 100 ? () : nil }
    await threads.end()
    threads.submit { done.change { $0 += 1 } }
    #expect(done.withLock { $0 } == 100)
  }

  @Test("many that come first at the same time share them")
  func together() async {
    let threads = WorkerThreads(count: 2)
    let done = Monitor(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 { group.addTask { threads.submit { done.change { $0 += 1 } } } }
    }
    done.wait { $0 == 16 ? () : nil }
    await threads.end()
  }

  @Test("that nobody needed end at once")
  func unused() async {
    let threads = WorkerThreads(count: 2)
    await threads.end()
    await threads.end()
    threads.submit { Issue.record("runs") }
  }
}
