/// Logs never grow without bound, never stop who logs, and are one line each.

import Glibc
import Logging
import TestSupport
import Testing

@testable import Telemetry

@Suite("logs")
struct LogTests {
  /// A pipe; its reading end does not block.
  struct Pipe {
    let read: Int32
    let write: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      _ = pipe(&ends)
      (read, write) = (ends[0], ends[1])
      _ = fcntl(read, F_SETFL, O_NONBLOCK)
    }

    func contents() -> String {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = Glibc.read(read, &buffer, buffer.count)
        guard count > 0 else { return String(decoding: all, as: UTF8.self) }
        all += buffer[..<count]
      }
    }
  }

  @Test("lines come out in order, all of them, before the queue has closed")
  func order() {
    let pipe = Pipe()
    let queue = LogQueue(descriptor: pipe.write) { _ in [] }
    for number in 0..<100 { queue.append(Array("\(number)\n".utf8)) }
    queue.close()
    #expect(pipe.contents() == (0..<100).map { "\($0)\n" }.joined())
    #expect(queue.metrics == LogQueue.Metrics(written: 100, dropped: 0, waiting: 0))
  }

  @Test("when nobody reads, lines are dropped and counted, and the next reader is told how many")
  func bound() {
    let pipe = Pipe()
    let queue = LogQueue(descriptor: pipe.write) { Array("dropped \($0)\n".utf8) }
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_023) + [UInt8(ascii: "\n")]
    let sent = LogQueue.bytesMax / line.count * 3
    for _ in 0..<sent { queue.append(line) }
    let dropped = queue.metrics.dropped
    #expect(dropped > 0)
    #expect(queue.metrics.waiting <= LogQueue.linesMax)
    var read = ""
    while queue.metrics.waiting > 0 {
      read += pipe.contents()
      usleep(1_000)
    }
    queue.close()
    read += pipe.contents()
    // On a busy machine the first lines are dropped before the queue has filled the pipe: then it is told in two parts.
    let told = read.split(separator: "\n").filter { $0.hasPrefix("dropped ") }
      .compactMap { Int($0.dropFirst("dropped ".count)) }
    #expect(told.reduce(0, +) == dropped && !told.isEmpty)
    #expect(queue.metrics.written == sent - dropped)
  }

  @Test("lines that come after the end are counted as dropped")
  func closed() {
    let pipe = Pipe()
    let queue = LogQueue(descriptor: pipe.write) { _ in [] }
    queue.close()
    queue.append(Array("late\n".utf8))
    #expect(queue.metrics.dropped == 1)
    #expect(pipe.contents().isEmpty)
  }

  static let metadata: Logger.Metadata = ["user": "a b", "method": "Get", "error": "line one\nline \"two\""]

  @Test(
    "a line is one line, whatever it holds",
    arguments: [
      (
        LogFormat.text,
        "2001-09-09T01:46:40.007Z info request error=\"line one\\nline \\\"two\\\"\" method=Get user=\"a b\"\n"
      ),
      (
        LogFormat.json,
        #"{"time":"2001-09-09T01:46:40.007Z","level":"info","message":"request","error":"line one\nline \"two\"","#
          + #""method":"Get","user":"a b"}"# + "\n"
      ),
    ])
  func format(format: LogFormat, expected: String) {
    let line = format.line(level: .info, "request", Self.metadata, atMilliseconds: 1_000_000_000_007)
    #expect(String(decoding: line, as: UTF8.self) == expected)
  }

  @Test("a value is cut at its limit", arguments: LogFormat.allCases)
  func cut(format: LogFormat) {
    let metadata: Logger.Metadata = ["long": .string(String(repeating: "é", count: 100_000))]
    let line = format.line(level: .error, "m", metadata, atMilliseconds: 0)
    #expect(line.count < LogFormat.valueBytesMax + 200)
  }

  @Test("the logger keeps its level and adds its own metadata")
  func handler() {
    let pipe = Pipe()
    let queue = LogQueue(descriptor: pipe.write, format: .text)
    var logger = Logger(label: "test") { _ in QueuedLogHandler(queue, format: .text, level: .notice) }
    logger[metadataKey: "server"] = "one"
    logger.info("not this")
    logger.warning("this", metadata: ["n": "1"])
    queue.close()
    let text = pipe.contents()
    #expect(text.hasSuffix(" warning this n=1 server=one\n"))
    #expect(!text.contains("not this"))
  }
}
