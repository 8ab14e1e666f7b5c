/// The system's clocks.

package enum SystemClock {
  /// Nanoseconds of a clock that only goes forward, also while the machine is suspended: what others may do after a time they
  /// do meanwhile.
  package static var monotonic: Int64 {
    #if os(Linux)
      nanoseconds(CLOCK_BOOTTIME)
    #else
      nanoseconds(CLOCK_MONOTONIC)
    #endif
  }

  /// The same in milliseconds.
  package static var milliseconds: Double { Double(monotonic) / 1_000_000 }

  /// Nanoseconds since 1970.
  package static var wall: Int64 { nanoseconds(CLOCK_REALTIME) }

  /// Nanoseconds of processor time that this process has used.
  package static var processor: Int64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
