/// Logs of the process, as lines in a bounded queue.

public import Logging
internal import Platform

/// A handler for `Logger` that formats a line and queues it; it never blocks who logs.
public struct QueuedLogHandler: LogHandler {
  public var logLevel: Logger.Level
  public var metadata: Logger.Metadata = [:]
  private let format: LogFormat
  private let queue: LogQueue

  public init(_ queue: LogQueue, format: LogFormat, level: Logger.Level) {
    self.queue = queue
    self.format = format
    logLevel = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var all = metadata
    if let own = event.metadata { all.merge(own) { _, new in new } }
    queue.append(
      format.line(level: event.level, "\(event.message)", all, atMilliseconds: SystemClock.wall / 1_000_000))
  }
}

extension LogQueue {
  /// A queue whose notice of dropped lines is in the log's own format.
  public convenience init(descriptor: Int32, format: LogFormat) {
    self.init(descriptor: descriptor) { count in
      format.line(
        level: .warning, "log lines dropped: the reader of the log is too slow", ["count": "\(count)"],
        atMilliseconds: SystemClock.wall / 1_000_000)
    }
  }
}
