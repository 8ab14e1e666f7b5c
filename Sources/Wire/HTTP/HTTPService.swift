/// What the port answers to requests that are no gRPC calls: health, administration, the methods in their REST form.
///
/// Source: docs/spec/protocol.md 6.1, 6.6, 7.1; the REST form: `RESTRoute`.

internal import Access
internal import DocModel
package import DocStore

package final class HTTPService<Engine: StorageEngine>: Sendable {
  let firestore: FirestoreService<Engine>
  let hooks: ServerHooks
  /// Who may ask, of all that a browser can send here.
  package let gate: RequestGate
  /// Streams of browsers.
  package let webChannel: WebChannelService
  /// By raw value: a type of dictionary of its own costs a start as much as a hundred look-ups.
  private let methods: [String: GRPCMethod]
  /// What requests that are no method of the service are counted as.
  private let emulatorMetric: Int
  private let pageMetric: Int
  private let deadlines: DefaultDeadlines
  /// LIMIT: bytes of a body that is read on the event loop; about as long as one commit is decoded.
  static var onEventLoopBytesMax: Int { 64 << 10 }

  package init(
    _ firestore: FirestoreService<Engine>, hooks: ServerHooks = ServerHooks(),
    gate: RequestGate = RequestGate(), webChannel limits: WebChannelLimits = WebChannelLimits(),
    deadlines: DefaultDeadlines = DefaultDeadlines()
  ) {
    self.deadlines = deadlines
    self.firestore = firestore
    self.hooks = hooks
    self.gate = gate
    let all = firestore.methods.map { $0.counted(as: hooks.observer?.metrics.index(of: $0.name) ?? -1) }
    webChannel = WebChannelService(
      all, Self.dialect(firestore), gate: gate, observer: hooks.observer,
      threads: firestore.threads,
      limits: limits, memory: hooks.memory)
    emulatorMetric = hooks.observer?.metrics.index(of: "Emulator") ?? -1
    pageMetric = hooks.observer?.metrics.index(of: "Page") ?? -1
    var methods: [String: GRPCMethod] = [:]
    for method in all where method.name.hasPrefix("google.firestore.v1.") {
      guard let rest = RESTMethod(rawValue: ServerMetrics.shortName(method.name)) else { continue }
      methods[rest.rawValue] = method
    }
    self.methods = methods
  }

  package func respond(_ exchange: HTTPExchange) {
    exchange.commonHeaders = CORS.headers(exchange.request)
    // Also of what will be refused: a page can read a refusal, but not that of its preflight.
    guard exchange.request.method != "OPTIONS" else {
      return exchange.respond(status: 200, headers: CORS.preflightHeaders(exchange.request))
    }
    let target = HTTPTarget(exchange.request.target)
    let refusal = gate.refusal(host: exchange.request.host)
    if refusal == nil, let target, let stream = WebChannelService.stream(target.segments) {
      return webChannel.respond(exchange, stream, target)
    }
    exchange.observation = hooks.observer?.begin(pageMetric, .http)
    if let refusal { return exchange.respond(refusal) }
    guard let target else { return exchange.respondNotFound() }
    do throws(GRPCStatus) { try route(exchange, target) } catch { exchange.respond(error) }
  }

  private func route(_ exchange: HTTPExchange, _ target: HTTPTarget) throws(GRPCStatus) {
    let segments = target.segments
    if Self.isAdministrative(segments[0]) {
      let header = exchange.request.header("authorization").map { Array($0.utf8) }
      if let refusal = gate.refusal(administration: exchange.request.source, authorization: header) {
        throw refusal
      }
    } else if segments[0].holds("metrics"), let refusal = gate.refusal(page: exchange.request.source) {
      throw refusal
    }
    switch (exchange.request.method, segments.count) {
    case ("GET", 1) where segments[0].isEmpty, ("HEAD", 1) where segments[0].isEmpty:
      exchange.respond(text: "Ok\n")
    case ("GET", 1) where segments[0].holds("healthz"): reportHealth(exchange)
    case ("GET", 1) where segments[0].holds("readyz"): reportReadiness(exchange)
    case ("GET", 1) where segments[0].holds("metrics"): reportMetrics(exchange)
    case ("POST", 1) where segments[0].holds("reset"): reset(exchange)
    case ("POST", 1) where segments[0].holds("shutdown"):
      exchange.respond(text: "Shutting down...\n")
      hooks.shutDown()
    case (let method, 3...) where segments[0].holds("emulator") && segments[1].holds("v1"):
      exchange.observation?.method = emulatorMetric
      try administrate(exchange, method, Array(segments[2...]), target)
    case (_, 6...) where segments[0].holds("v1") || segments[0].holds("v1beta1"):
      callMethod(exchange, target)
    default: exchange.respondNotFound()
    }
  }

  /// Whether it is for administrators. Not `/`, `/healthz` and `/readyz`: they say one word, which an app may wait for. Nor
  /// `/metrics`, which holds no documents and is for programs, but for no page of another origin.
  private static func isAdministrative(_ first: [UInt8]) -> Bool {
    first.holds("emulator") || first.holds("reset") || first.holds("shutdown")
  }

  /// Source: docs/spec/production-differences.md F1, Q16, Q18.
  private static func dialect(_ firestore: FirestoreService<Engine>) -> JSONDialect {
    firestore.options.profile.isRESTStrict ? .production : .emulator
  }

  /// A method of the service in its REST form. Large bodies are read on a thread of their own.
  private func callMethod(_ exchange: HTTPExchange, _ target: HTTPTarget) {
    guard let route = RESTRoute(httpMethod: exchange.request.method, segments: target.segments[1...]),
      let method = methods[route.method.rawValue]
    else { return exchange.respondNotFound() }
    let dialect = Self.dialect(firestore)
    let call = RESTCall(exchange, route.method, dialect)
    if let observer = hooks.observer {
      call.observe(observer, method: method.metric, .rest, since: exchange.observation)
      exchange.observation = nil
    }
    let authorization = exchange.request.header("authorization").map { Array($0.utf8) }
    if let refusal = gate.refusal(authorization: authorization, origin: exchange.request.origin) {
      return call.finish(refusal)
    }
    let body = exchange.request.body
    let begin: @Sendable (ServerCall, Result<[UInt8], GRPCStatus>) -> Void = { call, message in
      switch message {
      case .success(let bytes):
        call.take(RequestMessage(buffer: bytes))
        method.begin(call)
      case .failure(let status): call.finish(status)
      }
    }
    guard body.count > Self.onEventLoopBytesMax else {
      begin(call, Self.message(route, target, body, dialect))
      return call.limitTime(deadlines)
    }
    call.limitTime(deadlines)
    firestore.onThread(for: call) {
      Self.message(route, target, body, dialect)
    } then: {
      begin($0, $1)
    }
  }

  private static func message(
    _ route: RESTRoute, _ target: HTTPTarget, _ body: [UInt8], _ dialect: JSONDialect
  ) -> Result<[UInt8], GRPCStatus> {
    do throws(GRPCStatus) {
      return .success(try RESTBinding.message(route, target, body: body, dialect))
    } catch {
      return .failure(error)
    }
  }

  func credentials(_ exchange: HTTPExchange, in database: DatabaseID) throws(GRPCStatus) -> Credentials {
    let header = exchange.request.header("authorization").map { Authorization(Array($0.utf8)) }
    return try firestore.tokens.credentials(
      header, for: database.project, nowSeconds: firestore.nowSeconds)
  }
}

extension HTTPExchange {
  func respond(text: StaticString) {
    respond(
      status: 200, headers: [("content-type", "text/plain; charset=utf-8")],
      body: text.withUTF8Buffer { Array($0) })
  }

  func respond(json: [UInt8], status: Int = 200) {
    respond(status: status, headers: [("content-type", "application/json; charset=utf-8")], body: json)
  }

  func respond(_ status: GRPCStatus) { respond(json: status.json, status: status.code.httpStatus) }

  /// Source: docs/spec/protocol.md 6.1, last row: no content type.
  func respondNotFound() { respond(status: 404, body: Array("Not Found\n".utf8)) }
}
