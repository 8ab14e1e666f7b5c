import Foundation
import Testing

@testable import Wire

@Suite("memory of the machine")
struct MachineMemoryTests {
  @Test(
    "the least limit of the control groups around the process counts, of either version",
    arguments: [
      ("0::/a/b\n", ["a/b/memory.max": "300000000\n", "a/memory.max": "200000000\n"], 200_000_000),
      ("0::/a/b\n", ["a/b/memory.max": "100000000\n", "a/memory.max": "max\n"], 100_000_000),
      ("0::/outside/of/it\n", ["memory.max": "400000000\n"], 400_000_000),
      ("0::/\n", [:], nil), ("", [:], nil), ("nonsense", [:], nil),
      ("4:cpu,memory:/d\n1:name=x:/d\n", ["memory/d/memory.limit_in_bytes": "500000000\n"], 500_000_000),
      ("4:memory:/d\n0::/\n", ["memory/memory.limit_in_bytes": "9223372036854771712\n"], nil),
      ("4:cpu:/d\n", ["memory/d/memory.limit_in_bytes": "500000000\n"], nil),
    ] as [(String, [String: String], Int?)])
  func groups(membership: String, files: [String: String], limit: Int?) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ path: String, _ text: String) throws {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: false, encoding: .utf8)
    }
    try write("proc/self/cgroup", membership)
    for (path, text) in files { try write("sys/fs/cgroup/" + path, text) }
    #expect(MachineMemory.groupLimit(root: root.path) == limit)
  }

  @Test(
    "the usual budget is a quarter, at most 1 GiB",
    arguments: [(16_384, 1_024), (2_048, 512), (256, 64), (64, 64)] as [(Int, Int)])
  func usual(machine: Int, budget: Int) {
    #expect(MachineMemory.usualBudget(of: machine << 20) == budget << 20)
  }
}
