import Platform
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct DescriptorTests {
  /// More than any pipe holds.
  private static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  private static func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  /// Everything up to the end, in small pieces.
  private static func drained(_ descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1_000)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count <= 0 { return all }
      all += piece[..<count]
    }
  }

  @Test(
    "a pipe that takes a little at a time gets all bytes, whether its writer may wait or not",
    arguments: [false, true])
  func shortWrites(isNonblocking: Bool) throws {
    let ends = try Self.pipeEnds()
    if isNonblocking { try #require(fcntl(ends.write, F_SETFL, O_NONBLOCK) == 0) }
    let isWritten = Monitor<Bool?>(nil)
    try PlatformThread.start {
      let hasNoError = (try? Descriptor.writeAll(Self.bytes, to: ends.write)) != nil
      close(ends.write)
      isWritten.change { $0 = hasNoError }
    }
    #expect(Self.drained(ends.read) == Self.bytes)
    close(ends.read)
    #expect(isWritten.wait { $0 })
  }

  /// Signals that came. Used by a handler: made before it is installed.
  private static let signalCount = Atomic(0)

  @Test("signals while it waits end nothing")
  func signals() throws {
    // Without SA_RESTART, so that calls end with EINTR.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in _ = DescriptorTests.signalCount.add(1, ordering: .relaxed)
    }
    _ = Self.signalCount.load(ordering: .relaxed)
    var before = sigaction()
    try #require(sigaction(SIGUSR2, &action, &before) == 0)
    defer { sigaction(SIGUSR2, &before, nil) }
    let ends = try Self.pipeEnds()
    let writer = Monitor<pthread_t?>(nil)
    let isWritten = Monitor<Bool?>(nil)
    try PlatformThread.start {
      // Threads of pools let no signal through, and hand that on.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      writer.change { $0 = pthread_self() }
      let hasNoError = (try? Descriptor.writeAll(Self.bytes, to: ends.write)) != nil
      close(ends.write)
      isWritten.change { $0 = hasNoError }
    }
    let thread = writer.wait { $0 }
    // The pipe is full, and nobody reads: the writer waits in the middle of a write.
    try eventually("signals interrupt it") {
      pthread_kill(thread, SIGUSR2)
      return Self.signalCount.load(ordering: .relaxed) >= 20
    }
    #expect(isWritten.withLock { $0 } == nil)
    #expect(Self.drained(ends.read) == Self.bytes)
    close(ends.read)
    #expect(isWritten.wait { $0 })
  }

  @Test("a full disk and a reader that is gone are told by their codes")
  func failures() throws {
    let full = open("/dev/full", O_WRONLY)
    try #require(full >= 0)
    defer { close(full) }
    #expect(throws: SystemError(code: ENOSPC)) { try Descriptor.writeAll([1, 2, 3], to: full) }
    let ends = try Self.pipeEnds()
    close(ends.read)
    defer { close(ends.write) }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_IGN
    var before = sigaction()
    try #require(sigaction(SIGPIPE, &action, &before) == 0)
    defer { sigaction(SIGPIPE, &before, nil) }
    #expect(throws: SystemError(code: EPIPE)) { try Descriptor.writeAll([1], to: ends.write) }
    #expect(throws: SystemError(code: EBADF)) { try Descriptor.writeAll([1], to: -1) }
    try Descriptor.writeAll([], to: -1)
  }

  @Test("bytes go to where in a file they are to go, and a file is copied from where it stands")
  func places() throws {
    let folder = TemporaryFolder()
    let file = open(folder.path + "/file", O_RDWR | O_CREAT, 0o600)
    let copy = open(folder.path + "/copy", O_RDWR | O_CREAT, 0o600)
    defer {
      close(file)
      close(copy)
    }
    try Descriptor.writeAll(Self.bytes, to: file)
    try Descriptor.writeAll([9, 9], to: file, at: 1)
    try #require(lseek(file, 0, SEEK_SET) == 0)
    try Descriptor.copyAll(from: file, to: copy)
    try #require(lseek(copy, 0, SEEK_SET) == 0)
    let copied = Self.drained(copy)
    #expect(copied == [Self.bytes[0], 9, 9] + Self.bytes[3...])
    let closed = open(folder.path + "/copy", O_RDONLY)
    defer { close(closed) }
    try #require(lseek(file, 0, SEEK_SET) == 0)
    #expect(throws: SystemError(code: EBADF)) { try Descriptor.copyAll(from: file, to: closed) }
  }

  @Test(
    "what is left is read whole, up to a limit",
    arguments: [(0, 10, 0), (10, 10, 10), (11, 10, nil), (200_000, 1 << 20, 200_000), (200_000, 65_536, nil)]
      as [(Int, Int, Int?)])
  func readsAll(count: Int, most: Int, read: Int?) throws {
    let ends = try Self.pipeEnds()
    // Read to its end, or the writer would be ended by SIGPIPE.
    defer {
      _ = Self.drained(ends.read)
      close(ends.read)
    }
    try PlatformThread.start {
      _ = try? Descriptor.writeAll([UInt8](repeating: 7, count: count), to: ends.write)
      close(ends.write)
    }
    #expect(try Descriptor.readAll(from: ends.read, atMost: most)?.count == read)
  }
}
