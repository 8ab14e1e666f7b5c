/// Millions of rules texts, one after another, in one process: `Scripts/fuzz rules-bulk`.
///
///     rules-crasher --seed 1 --from 0 --count 1000000 [--files FOLDER]
///     rules-crasher --seed 1 --show INDEX [--files FOLDER]
///     rules-crasher --shapes SIZE
///
/// With `--short 1` the texts are single rules, and each judges four of the operations: ten million of them fit into
/// an hour or two.
///
/// The index of the text being worked on is written to standard error when the process dies of it. What takes
/// longer than `secondsMax`, or memory beyond the limit of the address space, ends the run as a crash does.

import Glibc
import RulesExercise

/// The text being worked on, for the signal's answer.
nonisolated(unsafe) private var current: UInt64 = 0

/// Says which text it was. Only calls that are safe in a signal.
private func sayIndex(_ signalNumber: CInt) {
  var digits: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) =
    (48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 10)
  withUnsafeMutableBytes(of: &digits) { buffer in
    var rest = current
    for place in stride(from: 10, through: 0, by: -1) {
      buffer[place] = 48 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    _ = write(2, "died at index ", 14)
    _ = write(2, buffer.baseAddress, 12)
  }
  signal(signalNumber, SIG_DFL)
  raise(signalNumber)
}

@main
private enum RulesCrasher {
  /// LIMIT: processor time of one text, so that other work on the machine does not count. A slower one is a finding.
  static let secondsMax = 30
  /// One text in so many is worked on thoroughly, which costs as much as all the others.
  static let thoroughEvery: UInt64 = 16
  /// LIMIT: address space of the process.
  static let bytesMax: UInt = 2 << 30

  static func main() {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      print(
        "usage: rules-crasher [--seed N] [--from N] [--count N] [--short 1] [--files FOLDER] [--show N] [--shapes BYTES]"
      )
      exit(64)
    }
    let texts = RulesTexts(
      seed: options.seed, files: options.folder.map(Folder.texts) ?? [],
      isShort: options.isShort)
    if let index = options.shown {
      let text = texts.text(index)
      _ = text.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
      return
    }
    limitResources()
    if let size = options.shapeSize { return measureShapes(size) }
    run(texts, options)
  }

  private static func limitResources() {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGPROF] { signal(number, sayIndex) }
    var limit = rlimit(rlim_cur: bytesMax, rlim_max: bytesMax)
    setrlimit(__rlimit_resource_t(9), &limit)  // RLIMIT_AS
  }

  /// From now on so much processor time, then SIGPROF.
  private static func limitTime(_ seconds: Int) {
    var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
  }

  private static func run(_ texts: RulesTexts, _ options: Options) {
    let exercise = RulesExercise(requestsPerText: options.isShort ? 4 : nil)
    let thoroughEvery = options.isShort ? 4 * thoroughEvery : thoroughEvery
    let begun = seconds()
    var compiled = 0
    var bytes = 0
    var slowest = (time: 0.0, index: UInt64(0))
    for index in options.first..<(options.first + options.count) {
      current = index
      limitTime(secondsMax)
      let text = texts.text(index)
      let start = seconds()
      do {
        if try exercise.run(text, isThorough: index % thoroughEvery == 0) == .compiled { compiled += 1 }
      } catch {
        print("index \(index): \(error)")
        exit(1)
      }
      let time = seconds() - start
      if time > slowest.time { slowest = (time, index) }
      bytes += text.count
      let done = index - options.first + 1
      if done % 100_000 == 0 || done == options.count {
        let rate = Int(Double(done) / (seconds() - begun))
        print(
          "\(done) texts, \(bytes >> 20) MiB, \(compiled) compiled, \(rate)/s, slowest \(Int(slowest.time * 1000)) ms"
            + " (\(slowest.index)), \(residentMaxMiB()) MiB at most")
        fflush(nil)
      }
    }
  }

  /// Every hostile shape in one size and twice that: the processor's time, which other programs take no part of, must grow in
  /// proportion.
  private static func measureShapes(_ size: Int) {
    let exercise = RulesExercise()
    var isBad = false
    for shape in HostileTexts.shapes {
      let times = [size, 2 * size].map { size in
        let text = shape.build(size)
        limitTime(60)
        let start = seconds(of: CLOCK_PROCESS_CPUTIME_ID)
        do {
          try exercise.run(text)
        } catch {
          print("\(shape.name): \(error)")
          isBad = true
        }
        return (seconds(of: CLOCK_PROCESS_CPUTIME_ID) - start) * 1000
      }
      let isSlow = times[1] > 100 && times[1] > 3 * times[0]
      isBad = isBad || isSlow || times[1] > 2_000
      print(
        "\(isSlow ? "GROWS" : times[1] > 2_000 ? "SLOW " : "ok   ") \(shape.name): \(Int(times[0])) ms,"
          + " twice the size \(Int(times[1])) ms, \(residentMaxMiB()) MiB at most")
      fflush(nil)
    }
    exit(isBad ? 1 : 0)
  }

  private static func seconds(of clock: clockid_t = CLOCK_MONOTONIC) -> Double {
    var now = timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  private static func residentMaxMiB() -> Int {
    var usage = rusage()
    getrusage(0, &usage)  // RUSAGE_SELF
    return usage.ru_maxrss >> 10
  }
}

/// The command line.
private struct Options {
  var seed: UInt64 = 1
  var first: UInt64 = 0
  var count: UInt64 = 100_000
  var folder: String?
  var shown: UInt64?
  var shapeSize: Int?
  var isShort = false

  init?(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch name {
      case "--seed":
        guard let number = UInt64(value) else { return nil }
        seed = number
      case "--from":
        guard let number = UInt64(value) else { return nil }
        first = number
      case "--count":
        guard let number = UInt64(value), number > 0 else { return nil }
        count = number
      case "--show":
        guard let number = UInt64(value) else { return nil }
        shown = number
      case "--shapes":
        guard let number = Int(value), number > 0 else { return nil }
        shapeSize = number
      case "--short":
        guard value == "0" || value == "1" else { return nil }
        isShort = value == "1"
      case "--files": folder = value
      default: return nil
      }
    }
  }
}
