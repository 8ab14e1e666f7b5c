/// How much memory there is: of the machine, or of the group of processes that this one belongs to.

internal import DocStore
internal import Platform

public enum MachineMemory {
  /// LIMIT: the smallest budget: what the process takes for itself, and one request of the largest size.
  public static let budgetMin = 64 << 20

  /// The budget where nobody says another: a quarter of the memory that there is, at most 1 GiB.
  public static var usualBudget: Int { usualBudget(of: bytes) }

  static func usualBudget(of bytes: Int) -> Int { min(max(bytes / 4, budgetMin), 1 << 30) }

  /// Bytes that this process may take before the system stops it.
  static var bytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let machine = pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : Int.max
    return min(machine, groupLimit(root: "") ?? machine)
  }

  /// The least limit of the control groups that the process is in; nil without one.
  ///
  /// Version 2 has one tree, version 1 one for memory. A container sees its own group as the root, while
  /// `/proc/self/cgroup` may tell the path from outside: then the root's file says it.
  /// - Parameter root: where `/proc` and `/sys` are.
  static func groupLimit(root: String) -> Int? {
    guard let groups = text(root + "/proc/self/cgroup") else { return nil }
    var least: Int?
    for line in groups.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let tree: (folder: String, file: String)
      if parts[0] == "0", parts[1].isEmpty {
        tree = ("/sys/fs/cgroup", "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        tree = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        continue
      }
      for folder in folders(String(parts[2])) {
        if let limit = number(root + tree.folder + folder + "/" + tree.file) {
          least = min(least ?? limit, limit)
        }
      }
    }
    return least
  }

  /// A group and those around it, up to the root.
  private static func folders(_ path: String) -> [String] {
    var folders = [""]
    for name in path.split(separator: "/") { folders.append(folders[folders.count - 1] + "/" + name) }
    return folders
  }

  /// Nil for `max`, and for the number that version 1 means none by.
  private static func number(_ path: String) -> Int? {
    guard let text = text(path), let number = Int(text.prefix { $0 != "\n" }), number > 0, number < 1 << 60
    else { return nil }
    return number
  }

  private static func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
  }
}
