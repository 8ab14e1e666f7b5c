/// `--log-level` and `--log-format`: what the server tells about itself, on standard error.

import Access
public import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Logging
public import Telemetry
import Triggers

extension LogFormat: ExpressibleByArgument {}
/// `--log-level`. A type of our own, because the logger's is not ours to extend.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
  case trace, debug, info, notice, warning, error, critical

  /// Both have the same names.
  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .notice }
}

struct LogOptions: CommandOptions {
  @CommandOption("log-level", help: "How much is logged; `info` has a line for each request.")
  var logLevel = LogLevel.notice

  @CommandOption("log-format", help: "The format of log lines.")
  var logFormat = LogFormat.text

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_logLevel)
    try visitor.visit(&_logFormat)
  }
}

/// The log of a server: a logger, and the queue behind it.
struct ServerLog {
  let logger: Logger
  let queue: LogQueue

  init(_ options: LogOptions) {
    let queue = LogQueue(descriptor: 2, format: options.logFormat)
    self.queue = queue
    logger = Logger(label: "docsh") { _ in
      QueuedLogHandler(queue, format: options.logFormat, level: options.logLevel.level)
    }
  }

  /// A query that the service allows although it can return what the rules refuse.
  func tell(_ leak: ListLeak) {
    logger.warning(
      "a query leaks: \(leak.message)",
      metadata: [
        "database": "\(leak.database.project)/\(leak.database.database)",
        "collection": .string(leak.collection),
      ])
  }

  /// What keeps the store from taking commits, and what in it is damaged.
  func tell(_ report: EngineHealth.Report) {
    switch report {
    case .outage(let text), .damage(let text): logger.error("\(text)")
    case .isOver(let text): logger.notice("\(text)")
    }
  }

  /// An index that commits no longer keep.
  func tell(_ retired: RetiredIndex) {
    let reason = retired.isForRoom ? "another one needs its room" : "no query has read it for long"
    logger.notice(
      "index retired: \(reason)",
      metadata: [
        "database": "\(retired.database.project)/\(retired.database.database)",
        "index": "\(retired.definition)",
      ])
  }

  /// A definition that a query lacks, or the summary of them.
  func tell(index line: String) { logger.warning("index: \(line)") }

  func writeMetrics(to text: inout PrometheusText) {
    let metrics = queue.metrics
    text.single("docstore_log_lines_total", .counter, "Log lines written.", metrics.written)
    text.single(
      "docstore_log_lines_dropped_total", .counter, "Log lines dropped because nobody read the log.",
      metrics.dropped)
    text.single("docstore_log_queue", .gauge, "Log lines that wait to be written.", metrics.waiting)
  }
}

extension TriggerRunner {
  func writeMetrics(to text: inout PrometheusText) {
    let metrics = metrics
    text.single(
      "docstore_trigger_pending", .gauge, "Events for triggers that wait or are under way.", metrics.pending)
    text.single(
      "docstore_trigger_dead_letters_total", .counter, "Events for triggers that were given up.",
      metrics.deadLetters)
    text.family("docstore_trigger_lag_seconds", .gauge, "Age of the oldest event that is not delivered.")
    text.sample(Double(metrics.lagMicroseconds) / 1e6)
  }
}
