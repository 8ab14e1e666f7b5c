/// What the system says about this process.

internal import Platform

public enum ProcessMetrics {
  /// Adds memory, file descriptors and processor time, under the names that every exporter uses.
  public static func write(to text: inout PrometheusText) {
    if let memory = memory {
      text.single(
        "process_virtual_memory_bytes", .gauge, "Address space.", memory.virtual)
      text.single(
        "process_resident_memory_bytes", .gauge, "Memory in use, pages of mapped files counted.",
        memory.resident)
      text.single(
        "process_private_memory_bytes", .gauge, "Memory in use without pages of mapped files.",
        memory.resident - memory.shared)
    }
    if let count = openFiles {
      text.single("process_open_fds", .gauge, "Open file descriptors.", count)
    }
    text.single("process_max_fds", .gauge, "File descriptors that may be open.", openFilesMax)
    text.family("process_cpu_seconds_total", .counter, "Processor time used.")
    text.sample(Double(SystemClock.processor) / 1e9)
  }

  /// Open file descriptors of this process; nil where the system does not tell.
  public static var openFiles: Int? {
    // Without the folder itself.
    Folders.entries(of: "/proc/self/fd").map { $0.count - 1 }
  }

  public static var openFilesMax: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Lets this process open as many files as the system permits; a connection is one.
  public static func raiseOpenFilesMax() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < limit.rlim_max
    else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Memory in use without pages of mapped files; nil where the system does not tell.
  public static var privateMemory: Int? { memory.map { $0.resident - $0.shared } }

  private static var memory: (virtual: Int, resident: Int, shared: Int)? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = fread(&buffer, 1, buffer.count, file)
    let numbers = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ").compactMap {
      Int($0)
    }
    guard numbers.count >= 3 else { return nil }
    let page = sysconf(Int32(_SC_PAGESIZE))
    return (numbers[0] * page, numbers[1] * page, numbers[2] * page)
  }
}
