import DocModel
import Testing

@testable import Wire

@Suite("memory budget")
struct MemoryBudgetTests {
  private static let mebibyte = 1 << 20

  /// Accounts of a budget of 100 MiB, which nobody watches.
  private final class Bench: @unchecked Sendable {  // one test, one thread
    let budget = MemoryBudget(bytes: 100 << 20, watch: nil)
    var shed: [Int] = []
    var resumed: [Int] = []

    func accounts(holding mebibytes: [Int]) -> [MemoryAccount] {
      mebibytes.enumerated().map { index, size in
        let account = MemoryAccount(budget) { [unowned self] in shed.append(index) }
        account.add(size * MemoryBudgetTests.mebibyte)
        return account
      }
    }
  }

  @Test(
    "a connection may hold as much as is free: something is left for the next",
    arguments: [
      ([0], 0, true), ([50], 0, true), ([51], 0, false), ([0, 90], 0, true), ([33, 33], 0, true),
      ([34, 34], 0, false), ([30, 40], 0, true), ([0, 100], 0, false), ([0, 40], 59, true),
      ([0, 40], 60, false),
    ] as [([Int], Int, Bool)])
  func shares(held: [Int], more: Int, may: Bool) {
    let accounts = Bench().accounts(holding: held)
    #expect(accounts[0].mayTake(more * Self.mebibyte) == may)
  }

  @Test("who holds little is told small things even where the room is full, and reads on")
  func modest() {
    let accounts = Bench().accounts(holding: [0, 100])
    #expect(accounts[0].mayTell(1_000))
    #expect(!accounts[0].mayTell(1 << 20))
    #expect(!accounts[0].mustNotRead)
    #expect(accounts[1].mustNotRead)
    #expect(!accounts[1].mayTell(1_000))
  }

  @Test(
    "where the room is full, those lose who hold most, until an eighth is free",
    arguments: [
      ([10, 60, 29], []), ([10, 60, 30], [1]), ([45, 5, 50], [2]), ([90, 5, 5], [0]),
      ([1, 2, 6, 5, 92], [4]),
      ([8, 7, 6, 5, 50, 20, 4], [4]), ([10, 11, 12, 13, 14, 15, 16, 17], [7, 6]),
    ] as [([Int], [Int])])
  func greediest(held: [Int], shed: [Int]) {
    let bench = Bench()
    let accounts = bench.accounts(holding: held)
    _ = bench.budget.relieve(now: .max / 2)
    #expect(bench.shed == shed)
    #expect(bench.budget.sheds == shed.count)
    _ = bench.budget.relieve(now: .max / 2 + 50_000_000)
    #expect(bench.shed == shed, "who was asked has not given back yet; the others lose nothing for that")
    _ = bench.budget.relieve(now: .max / 2 + 150_000_000)
    #expect(bench.shed == shed + shed, "who gives nothing back is asked again")
    withExtendedLifetime(accounts) {}
  }

  @Test("what a closed connection still holds comes back: nobody else loses anything for it meanwhile")
  func leaving() {
    let bench = Bench()
    let accounts = bench.accounts(holding: [10, 60, 30])
    let last = accounts[1].hold(20 << 20)
    accounts[1].close()
    accounts[1].close()
    _ = bench.budget.relieve(now: .max / 2)
    #expect(bench.shed.isEmpty)
    accounts[1].add(-60 << 20)
    accounts[2].add(45 << 20)
    _ = bench.budget.relieve(now: .max / 2)
    #expect(bench.shed.isEmpty, "10, 75 and 20 that leave: an eighth will be free")
    accounts[0].add(20 << 20)
    _ = bench.budget.relieve(now: .max / 2)
    #expect(bench.shed == [2])
    withExtendedLifetime(last) {}
  }

  @Test("what waits goes on when there is room, the longest wait first, and is dropped with its connection")
  func waiting() {
    let bench = Bench()
    let accounts = bench.accounts(holding: [100, 0, 0, 0])
    for index in 1...3 {
      accounts[index].wait(for: 10 << 20) { bench.resumed.append(index) }
    }
    accounts[3].close()
    _ = bench.budget.relieve(now: 1)
    #expect(bench.resumed.isEmpty)
    accounts[0].add(-85 << 20)
    _ = bench.budget.relieve(now: 1)
    #expect(bench.resumed == [1, 2])
    #expect(bench.budget.waits == 3)
    accounts[0].add(-15 << 20)
    #expect(bench.budget.relieve(now: 1), "nothing is left to do")
  }

  @Test("who holds little does not wait for long for those who hold much and give nothing back")
  func patience() {
    let bench = Bench()
    let accounts = bench.accounts(holding: [33, 33, 33, 0])
    accounts[3].wait(for: 5 << 20) { bench.resumed.append(3) }
    let began = accounts[3].waitingSince
    _ = bench.budget.relieve(now: began + 100_000_000)
    #expect(bench.shed.isEmpty)
    _ = bench.budget.relieve(now: began + 300_000_000)
    #expect(bench.shed.count == 1)
    accounts[0].add(-33 << 20)
    _ = bench.budget.relieve(now: began + 300_000_000)
    #expect(bench.resumed == [3])
  }

  @Test(
    "what the process takes beside what is held is no room; a quarter of the budget always is",
    arguments: [(30, 100), (40, 90), (80, 50), (105, 25), (500, 25)] as [(Int, Int)])
  func room(privateMebibytes: Int, room: Int) {
    let bench = Bench()
    let accounts = bench.accounts(holding: [30])
    bench.budget.measured(privateBytes: privateMebibytes << 20)
    #expect(bench.budget.room == room << 20)
    withExtendedLifetime(accounts) {}
  }

  @Test("bytes on their way are counted until the last who has them lets go; few are not")
  func held() {
    let bench = Bench()
    let account = bench.accounts(holding: [0])[0]
    var held = account.hold(1 << 20)
    #expect(bench.budget.held == 1 << 20)
    held = account.hold(100)
    #expect(held == nil)
    #expect(bench.budget.held == 0)
    var tally = MemoryTally()
    for (bytes, counted) in [(16_000, 0), (17_000, 17_000), (30_000, 17_000), (40_000, 40_000), (0, 0)] {
      tally.set(bytes, in: account)
      #expect(account.used == counted)
    }
  }
}

@Suite("memory of connections")
struct ConnectionMemoryTests {
  /// A connection of a server with 10 MiB, whose client gives no window, so that nothing is read.
  private static func harness(window: Int32 = 0) -> (GRPCHarness, MemoryBudget) {
    let budget = MemoryBudget(bytes: 10 << 20, watch: nil)
    var options = GRPCOptions()
    options.memory = budget
    return (GRPCHarness(options: options, clientWindowBytes: window), budget)
  }

  @Test("requests wait while their connection's answers are not read, and are answered when they are")
  func parked() {
    let (harness, budget) = Self.harness()
    harness.exchange()
    let message = [UInt8](repeating: 7, count: 400_000)
    let ids = (0..<20).map { _ in
      defer { harness.exchange() }
      return harness.client.request(path: "/test.Echo/Unary", body: framed(message))
    }
    let begun = harness.recorder.callCount
    #expect((10...15).contains(begun), "half of the memory")
    #expect(harness.connection.parked.count == 20 - begun)
    for id in ids { harness.client.open(stream: id, bytes: 1 << 20) }
    harness.exchange()
    for id in ids { #expect(harness.client.streams[id]?.messages == [message]) }
    #expect(budget.held == 0)
    #expect(harness.connection.parked.isEmpty)
  }

  @Test(
    "the greediest connection loses what it holds: RESOURCE_EXHAUSTED, or ENHANCE_YOUR_CALM behind messages")
  func shed() {
    let (harness, budget) = Self.harness()
    harness.exchange()
    let half = [0, 0, 0x10, 0, 0] + [UInt8](repeating: 1, count: 600_000)
    let unfinished = harness.client.request(path: "/test.Echo/Keep", body: half, ends: false)
    let unread = harness.client.request(
      path: "/test.Echo/Unary", body: framed([UInt8](repeating: 2, count: 600_000)))
    let quiet = harness.client.request(path: "/test.Echo/Talk", body: [], ends: false)
    harness.exchange()
    #expect(budget.held > 1_200_000)
    budget.measured(privateBytes: 100 << 20)
    let others = [MemoryAccount(budget) {}, MemoryAccount(budget) {}]
    for other in others { other.add(800_000) }
    _ = budget.relieve(now: .max / 2)
    harness.exchange()
    #expect(harness.client.streams[unfinished]?.status == "8")
    #expect(harness.client.streams[unread]?.resetCode == 11)
    #expect(harness.client.streams[quiet]?.isClosed ?? false == false)
    #expect(budget.held == 1_600_000)
    #expect(harness.connection.bufferedBytes == 0)
    harness.connection.loseConnection()
    #expect(budget.held == 1_600_000)
  }

  @Test("a lost connection holds nothing", arguments: [0, 1 << 20] as [Int32])
  func lost(window: Int32) {
    let (harness, budget) = Self.harness(window: window)
    harness.exchange()
    for _ in 0..<20 {
      _ = harness.client.request(
        path: "/test.Echo/Unary", body: framed([UInt8](repeating: 7, count: 500_000)))
    }
    _ = harness.client.request(path: "/test.Echo/Keep", body: framed([UInt8](repeating: 7, count: 500_000)))
    harness.exchange()
    harness.connection.loseConnection()
    #expect(budget.held == 0)
  }
}
