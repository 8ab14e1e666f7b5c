/// WebChannel over HTTP: which requests there are, and the sessions they belong to.
///
/// A session lives on the event loop of its handshake; browsers ask over several connections, so each request is handed
/// to the session's loop and its answer comes back to the connection's.
///
/// Source: docs/spec/streams.md 3.1 to 3.3.

internal import DocModel
internal import JSON
internal import NIOCore
internal import Synchronization

package final class WebChannelService: Sendable {
  private let methods: [String: GRPCMethod]
  private let dialect: JSONDialect
  private let gate: RequestGate
  private let observer: CallObserver?
  private let threads: WorkerThreads
  private let limits: WebChannelLimits
  /// What all sessions may hold, together with all connections; nil for as much as they like.
  private let memory: MemoryBudget?
  private let sessions = Mutex(Sessions())
  private let isStopping = Flag()

  /// LIMIT: bytes of a form that is read on the event loop.
  private static let onEventLoopBytesMax = 64 << 10

  init(
    _ methods: [GRPCMethod], _ dialect: JSONDialect, gate: RequestGate, observer: CallObserver?,
    threads: WorkerThreads,
    limits: WebChannelLimits, memory: MemoryBudget? = nil
  ) {
    var streams: [String: GRPCMethod] = [:]
    for stream in WebChannelStream.allCases {
      let name = "google.firestore.v1.Firestore/" + stream.rawValue
      guard let method = methods.first(where: { $0.name == name }) else { continue }
      streams[stream.rawValue] = method
    }
    self.methods = streams
    self.dialect = dialect
    self.gate = gate
    self.observer = observer
    self.threads = threads
    self.limits = limits
    self.memory = memory
  }

  private struct Sessions {
    var open: [String: WebChannelCall] = [:]
    /// Those whose client said goodbye, while their streams carry out what it had sent.
    var ending: [String: WebChannelCall] = [:]
  }

  /// How many sessions there are.
  package var sessionCount: Int { sessions.withLock { $0.open.count } }

  /// Ends all sessions, and takes no new ones.
  func stop() {
    isStopping.set()
    let calls = sessions.withLock { Array($0.open.values) + Array($0.ending.values) }
    for call in calls { call.onLoop { $0.abandon() } }
  }

  /// Which stream a path means: `/google.firestore.v1.Firestore/Listen/channel`.
  static func stream(_ segments: [[UInt8]]) -> WebChannelStream? {
    guard segments.count == 3, segments[0].holds("google.firestore.v1.Firestore"),
      segments[2].holds("channel")
    else { return nil }
    return WebChannelStream(rawValue: String(decoding: segments[1], as: UTF8.self))
  }

  func respond(_ exchange: HTTPExchange, _ stream: WebChannelStream, _ target: HTTPTarget) {
    exchange.commonHeaders += WebChannelHeaders.all
    let parameters = WebChannelParameters(target.query)
    switch (exchange.request.method, parameters.sid) {
    case ("POST", nil): shakeHands(exchange, stream, parameters)
    case ("POST", let sid?), ("GET", let sid?):
      guard let call = session(sid, stream) else { return exchange.respondUnknownSession() }
      if parameters.isTermination {
        terminate(call, exchange)
      } else if exchange.request.method == "POST" {
        takeForm(call, exchange, parameters)
      } else {
        openBackChannel(call, exchange, parameters)
      }
    default: exchange.respondUnknownSession()
    }
  }

  private func session(_ sid: [UInt8], _ stream: WebChannelStream) -> WebChannelCall? {
    let key = String(decoding: sid, as: UTF8.self)
    guard let call = sessions.withLock({ $0.open[key] }), call.stream == stream else { return nil }
    return call
  }
}

// MARK: - Forms

extension WebChannelService {
  private typealias Messages = [(number: Int, bytes: [UInt8])]

  /// A form, read; what cannot be read of its messages is told to the stream.
  private struct ReadForm: Sendable {
    var headers: [UInt8] = []
    var messages: [(number: Int, bytes: [UInt8])] = []
    var refusal: GRPCStatus?
  }

  /// Reads the form of a request, a large one on a thread of its own, and goes on on the exchange's event loop. A body
  /// that is no form is answered 400.
  private func readForm(
    _ exchange: HTTPExchange, _ stream: WebChannelStream,
    _ then: @escaping @Sendable (HTTPExchange, ReadForm) -> Void
  ) {
    let body = exchange.request.body
    let dialect = dialect
    let read: @Sendable () -> ReadForm? = {
      do throws(WebChannelForm.Malformed) {
        return Self.messages(of: try WebChannelForm(body), stream, dialect)
      } catch {
        return nil
      }
    }
    let goOn: @Sendable (HTTPExchange, ReadForm?) -> Void = { exchange, form in
      guard let form else { return exchange.respond(status: 400, body: Array("Malformed form".utf8)) }
      then(exchange, form)
    }
    guard body.count > Self.onEventLoopBytesMax else { return goOn(exchange, read()) }
    let reference = exchange.reference
    threads.submit {
      let form = read()
      reference { goOn($0, form) }
    }
  }

  private static func messages(
    of form: WebChannelForm, _ stream: WebChannelStream, _ dialect: JSONDialect
  ) -> ReadForm {
    var read = ReadForm(headers: form.headers)
    for message in form.messages {
      do throws(GRPCStatus) {
        read.messages.append((message.number, try stream.request(message.json, dialect)))
      } catch {
        read.refusal = error
        break
      }
    }
    return read
  }

  /// The first request of a session. Whatever is wrong with its messages or its token is told by the stream.
  private func shakeHands(
    _ exchange: HTTPExchange, _ stream: WebChannelStream, _ parameters: WebChannelParameters
  ) {
    guard let method = methods[stream.rawValue], let eventLoop = exchange.eventLoop, !isStopping.isSet else {
      return exchange.respond(status: 503)
    }
    readForm(exchange, stream) { [self] exchange, form in
      guard makeRoom() else { return exchange.respond(status: 503, body: Array("Too many sessions".utf8)) }
      let headers = form.headers.isEmpty ? parameters.headers : form.headers
      let authorization =
        WebChannelForm.header("authorization", in: headers)
        ?? exchange.request.header("authorization").map { Array($0.utf8) }
      let sid = Self.newSID()
      let call = WebChannelCall(
        sid: sid, stream, authorization: authorization,
        cause: WebChannelForm.header("docstore-cause", in: headers), limits: limits, memory: memory,
        eventLoop: eventLoop)
      call.onOver = { [weak self, unowned call] in
        self?.sessions.withLock {
          $0.open[sid] = nil
          $0.ending[sid] = call
        }
      }
      call.onReleased = { [weak self] in self?.sessions.withLock { $0.ending[sid] = nil } }
      sessions.withLock { $0.open[sid] = call }
      if let observer { call.observe(observer, method: method.metric, .webChannel) }
      method.begin(call)
      if let refusal = gate.refusal(authorization: authorization, origin: exchange.request.origin) {
        call.fail(refusal)
      }
      deliver(form, to: call, acknowledged: nil)
      // The server may have begun to stop behind the question at the top.
      if isStopping.isSet { call.abandon() }
      exchange.respond(
        status: 200, body: WebChannelSession.frame([[0, ["c", .text(sid), "", 8, 12, 30_000]]]))
    }
  }

  /// 16 bytes that nobody guesses: whoever knows them speaks for the session's user.
  private static func newSID() -> String {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    return Base64.urlSafeText(bytes) + "=="
  }

  private func takeForm(_ call: WebChannelCall, _ exchange: HTTPExchange, _ parameters: WebChannelParameters)
  {
    readForm(exchange, call.stream) { [self] exchange, form in
      guard form.refusal == nil else {
        return exchange.respond(status: 400, body: Array((form.refusal?.message ?? "").utf8))
      }
      let reference = exchange.reference
      call.onLoop { call in
        let answer = self.deliver(form, to: call, acknowledged: parameters.acknowledged)
        reference { exchange in
          guard let answer else {
            return exchange.respond(status: 400, body: Array("Too many messages wait".utf8))
          }
          exchange.respond(status: 200, body: answer)
        }
      }
    }
  }

  /// On the session's event loop. Nil when the session cannot bear what waits.
  @discardableResult
  private func deliver(_ form: ReadForm, to call: WebChannelCall, acknowledged: Int?) -> [UInt8]? {
    call.assertOnLoop()
    do throws(WebChannelSession.Fault) {
      let answer = try call.take(form.messages, acknowledged: acknowledged)
      if let refusal = form.refusal { call.fail(refusal) }
      return answer
    } catch { return nil }
  }

  /// Whether one more session may begin. A flood of handshakes pushes out sessions without a back channel, the
  /// quietest first, and no others.
  private func makeRoom() -> Bool {
    let quietest = sessions.withLock { sessions -> WebChannelCall?? in
      if sessions.open.count < limits.sessionsMax { return .some(nil) }
      let quietest = sessions.open.values.min {
        $0.lastSeen.load(ordering: .relaxed) < $1.lastSeen.load(ordering: .relaxed)
      }
      guard let quietest, quietest.lastSeen.load(ordering: .relaxed) < .max else { return nil }
      sessions.open[quietest.sid] = nil
      return .some(quietest)
    }
    guard let quietest else { return false }
    quietest?.onLoop { $0.abandon() }
    return true
  }
}

// MARK: - Back channels and goodbyes

extension WebChannelService {
  private func openBackChannel(
    _ call: WebChannelCall, _ exchange: HTTPExchange, _ parameters: WebChannelParameters
  ) {
    let sink = ExchangeSink(exchange, call)
    call.onLoop { call in
      call.open(
        sink, acknowledged: parameters.acknowledged, isPolling: parameters.isPolling,
        holdMilliseconds: parameters.holdMilliseconds)
    }
  }

  private func terminate(_ call: WebChannelCall, _ exchange: HTTPExchange) {
    call.onLoop { $0.terminate() }
    exchange.respond(status: 200)
  }
}

/// The answer to a GET as the session's sink.
///
/// State and its owner: the exchange belongs to its connection's event loop, `unreported` too; the rest never changes.
/// `@unchecked Sendable`: both sides are reached through closures that run on their own loops.
private final class ExchangeSink: WebChannelSink, @unchecked Sendable {
  private let exchange: ExchangeReference
  /// Weak: an exchange that its connection forgets late holds no session.
  private weak var call: WebChannelCall?
  /// Bytes that were sent while the connection was full.
  private var unreported = 0
  private var hasBegun = false

  init(_ exchange: HTTPExchange, _ call: WebChannelCall) {
    self.exchange = exchange.reference
    self.call = call
    exchange.onCancel = { [weak self] in
      guard let self else { return }
      self.call?.onLoop { $0.lost(self) }
    }
    exchange.onWritable = { [weak self] in self?.report() }
  }

  func write(_ bytes: [UInt8]) {
    exchange { [self] exchange in
      if !hasBegun {
        hasBegun = true
        exchange.giveUp(afterSilence: WebChannelHeaders.silenceSecondsMax)
        exchange.begin(status: 200, headers: WebChannelHeaders.backChannel)
      }
      unreported += bytes.count
      if exchange.send(bytes) { report() }
    }
  }

  func end() { exchange { $0.end() } }

  /// Tells the session what has gone out.
  private func report() {
    exchange.assertOnLoop()
    guard unreported > 0 else { return }
    let count = unreported
    unreported = 0
    call?.onLoop { $0.flushed(count, of: self) }
  }
}

enum WebChannelHeaders {
  static let all = [
    ("access-control-expose-headers", "x-client-wire-protocol, x-http-session-id, x-http-initial-response"),
    ("content-type", "text/plain; charset=utf-8"),
  ]
  /// LIMIT: seconds that a sign of life may stay without the peer's acknowledgement. With one every half minute, a
  /// browser that vanished holds its connection for less than a minute.
  static let silenceSecondsMax = 25

  static let backChannel = [
    ("x-content-type-options", "nosniff"), ("cache-control", "private, max-age=0"),
  ]
}

extension HTTPExchange {
  /// The words are those that clients look for; then they begin a new session without a fuss.
  fileprivate func respondUnknownSession() {
    let page = "<HTML><HEAD><TITLE>Unknown SID</TITLE></HEAD><BODY>Unknown SID</BODY></HTML>"
    respond(status: 400, body: Array(page.utf8))
  }
}
