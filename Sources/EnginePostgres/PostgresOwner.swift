/// Who has a store, in the words that stand in the row of its clock.

internal import Platform

/// A name for people, and on a second line what tells on the same machine whether that process still lives.
enum PostgresOwner {
  static var own: String { "process \(getpid()) on \(host)\n\(getpid()) \(place)" }

  /// Of all that have a store together, and announce their commits: those that do not must not be among them.
  static let several = severalName + "\nannounced"
  static let severalName = "several servers, which were started with --shared"
  static let othersName = "several servers of another version"

  /// The line for people.
  static func name(_ owner: String) -> String {
    let line = String(owner.prefix { $0 != "\n" })
    return line == severalName && owner != several ? othersName : line
  }

  /// Whether it was a process of this machine, which has ended. False where that is not known.
  static func hasEnded(_ owner: String) -> Bool {
    let lines = owner.split(separator: "\n")
    guard lines.count == 2, !place.isEmpty else { return false }
    let words = lines[1].split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[1] == place, let process = Int32(words[0]) else { return false }
    return kill(process, 0) != 0 && errno == ESRCH
  }

  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// This start of this machine, and the space of numbers that its processes have. Empty where the system tells neither.
  private static let place: String = {
    guard let boot = try? FileContents.read("/proc/sys/kernel/random/boot_id", bytesMax: 100) else {
      return ""
    }
    var target = [CChar](repeating: 0, count: 64)
    guard readlink("/proc/self/ns/pid", &target, target.count - 1) > 0 else { return "" }
    let space = target.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return String(decoding: boot, as: UTF8.self).filter { !$0.isNewline } + " " + space
  }()
}
