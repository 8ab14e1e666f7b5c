/// One call as those who count and log see it.

package import Access
internal import DocModel
internal import DocStore
package import Logging
internal import NIOCore
internal import Rules

/// What counts calls and, if asked to, logs them. Shared by all connections of a server.
package struct CallObserver: Sendable {
  package let metrics: ServerMetrics
  /// Gets a line for each call; nil when nobody wants them, which then cost nothing.
  package let requestLog: Logger?

  /// Keeps the calls of administrators once somebody watches; nil for nobody.
  package let feed: RequestFeed?

  package init(metrics: ServerMetrics, requestLog: Logger? = nil, feed: RequestFeed? = nil) {
    self.metrics = metrics
    self.feed = feed
    self.requestLog = requestLog.flatMap { $0.logLevel <= .info ? $0 : nil }
  }

  func begin(_ method: Int, _ transport: ServerMetrics.Transport) -> CallObservation {
    metrics.began()
    return CallObservation(
      observer: self, method: method, transport: transport, start: NIODeadline.now().uptimeNanoseconds)
  }
}

/// State and its owner: the call's event loop.
struct CallObservation {
  let observer: CallObserver
  var method: Int
  var transport: ServerMetrics.Transport
  /// Nanoseconds of a clock that never goes back.
  let start: UInt64
  /// Filled only for the log.
  private var database: DatabaseID?
  private var user: String?
  /// Of an administrator's call that is to be kept: its database, and what it is about.
  private var kept: (database: DatabaseID, target: String)?

  init(observer: CallObserver, method: Int, transport: ServerMetrics.Transport, start: UInt64) {
    self.observer = observer
    self.method = method
    self.transport = transport
    self.start = start
  }

  /// The service has found out who asks for what.
  mutating func note(
    _ database: DatabaseID, _ credentials: Credentials, target: @autoclosure () -> String
  ) {
    if let feed = observer.feed, feed.isFull, credentials.isAdmin { kept = (database, target()) }
    guard observer.requestLog != nil else { return }
    self.database = database
    user =
      switch credentials {
      case .admin: "admin"
      case .user(let auth): auth.map { $0.uidText ?? "without-uid" } ?? "anonymous"
      }
  }

  func end(_ status: GRPCStatus) {
    let nanoseconds = NIODeadline.now().uptimeNanoseconds &- start
    observer.metrics.ended(method, transport, status.code, nanoseconds: nanoseconds)
    if let kept, let feed = observer.feed {
      feed.add(
        kept.database, Environment.system.now(),
        .passed(
          AdministratorCall(
            method: observer.metrics.methods[method], target: kept.target, status: status.code.name,
            microseconds: Int(nanoseconds / 1_000))))
    }
    guard let log = observer.requestLog else { return }
    var metadata: Logger.Metadata = [
      "method": .string(observer.metrics.methods[method]), "transport": .string(transport.label),
      "status": .string(status.code.name), "ms": .string(Self.milliseconds(nanoseconds)),
    ]
    if let database { metadata["database"] = "\(database.project)/\(database.database)" }
    if let user { metadata["user"] = .string(user) }
    if status.code != .ok, !status.message.isEmpty {
      metadata["error"] = .string(String(status.message.prefix { $0 != "\n" }))
    }
    log.info("request", metadata: metadata)
  }

  /// Ends a request that was answered with a status of HTTP.
  func end(httpStatus: Int) { end(GRPCStatus(Self.code(httpStatus))) }

  private static func code(_ httpStatus: Int) -> StatusCode {
    switch httpStatus {
    case ..<400: .ok
    case 401: .unauthenticated
    case 403: .permissionDenied
    case 404: .notFound
    case 409: .aborted
    case 400..<500: .invalidArgument
    case 503: .unavailable
    default: .internal
    }
  }

  /// With three digits behind the point.
  static func milliseconds(_ nanoseconds: UInt64) -> String {
    let microseconds = nanoseconds / 1_000
    let rest = String(microseconds % 1_000)
    return "\(microseconds / 1_000)." + String(repeating: "0", count: 3 - rest.utf8.count) + rest
  }
}
