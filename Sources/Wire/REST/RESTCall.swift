/// One call in JSON.
///
/// A unary method answers one object, a streaming one an array whose elements go out as they are made. For the
/// official emulator's dialect the last element of a query is marked, so each waits until the next is there.
/// Source: docs/spec/protocol.md 6.3, 6.4; errors of streams and marks: docs/spec/production-differences.md F1, Q1.

internal import DocModel
internal import DocStore
internal import JSON
internal import NIOCore

/// State and its owner: the connection's event loop, as for every call.
final class RESTCall: ServerCall {
  private let exchange: HTTPExchange
  private let answer: RESTAnswer
  private let isStream: Bool
  private let name: String
  /// Whether a stream that fails before its first message answers an array all the same.
  private let wrapsErrors: Bool
  private var isFirst = true
  /// Whether the last element says that it is the last.
  private let marksLast: Bool
  /// Ends the call when its time is over.
  private var timer: Scheduled<Void>?
  /// The element that may be the last.
  private var waiting: [UInt8]?
  /// The mark, encoded as the field that the answer's shape calls `done`.
  private static let doneMark: [UInt8] = [UInt8(MessageShape.doneNumber) << 3, 1]

  init(_ exchange: HTTPExchange, _ method: RESTMethod, _ dialect: JSONDialect) {
    self.exchange = exchange
    answer = method.answer
    isStream = method.isStream
    name = method.rawValue
    wrapsErrors = dialect == .production
    marksLast = dialect == .emulator && (method == .runQuery || method == .runAggregationQuery)
    super.init(
      authorization: exchange.request.header("authorization").map { Authorization(Array($0.utf8)) },
      cause: exchange.request.header("docstore-cause").map { Array($0.utf8) }, perform: exchange.perform)
    exchange.onCancel = { [self] in cancel() }
    exchange.onWritable = { [self] in onWritable?() }
  }

  /// A call that lasts is given an end. A client over HTTP does not say how long it waits.
  func limitTime(_ deadlines: DefaultDeadlines) {
    guard !isFinished, let eventLoop,
      let patience = deadlines.nanoseconds(isStream ? .serverStreaming : .unary)
    else { return }
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    timer = eventLoop.scheduleTask(in: .nanoseconds(Int64(patience))) { bound.value.expire() }
  }

  override func ended() {
    timer?.cancel()
    timer = nil
  }

  override var eventLoop: (any EventLoop)? { exchange.eventLoop }

  override var memory: MemoryAccount? { exchange.memory }

  override var methodName: String { "google.firestore.v1.Firestore/" + name }

  override var answerForm: (@Sendable ([UInt8]) -> [UInt8])? { { [answer] in Self.json($0, answer) } }

  override func transmit(only message: [UInt8]) { transmit(formed: Self.json(message, answer)) }

  override func transmit(formed answer: [UInt8]) {
    exchange.respond(json: answer)
    forget()
  }

  /// The last element is not known on the way, where it is marked.
  override var elementForm: (@Sendable ([UInt8]) -> [UInt8])? { marksLast ? nil : answerForm }

  override func transmitHead() {
    exchange.begin(status: 200, headers: [("content-type", "application/json; charset=utf-8")])
  }

  override func transmit(next message: [UInt8]) -> Bool {
    guard marksLast else { return transmit(element: message) }
    defer { waiting = message }
    return waiting.map(transmit(element:)) ?? true
  }

  private func transmit(element message: [UInt8]) -> Bool { transmit(formed: [Self.json(message, answer)]) }

  /// All of them in one piece: each would cost its own way through the connection.
  override func transmit(formed elements: [[UInt8]]) -> Bool {
    var piece: [UInt8] = []
    piece.reserveCapacity(elements.reduce(0) { $0 + $1.count + 2 })
    for element in elements {
      let separator: StaticString = isFirst ? "[" : ",\n"
      isFirst = false
      separator.withUTF8Buffer { piece.append(contentsOf: $0) }
      piece.append(contentsOf: element)
    }
    return exchange.send(piece)
  }

  override func transmitEnd(_ status: GRPCStatus, afterMessages: Bool) {
    defer { forget() }
    guard isStream, afterMessages || wrapsErrors || status == .ok else { return exchange.respond(status) }
    if afterMessages {
      if let waiting {
        _ = transmit(element: waiting + (status == .ok ? Self.doneMark : []))
        self.waiting = nil
      }
      let end = status == .ok ? [] : Array(",\n".utf8) + status.json
      _ = exchange.send(end + [UInt8(ascii: "]")])
      return exchange.end()
    }
    let elements = status == .ok ? [] : status.json
    exchange.respond(
      json: [UInt8(ascii: "[")] + elements + [UInt8(ascii: "]")], status: status.code.httpStatus)
  }

  private static func json(_ message: [UInt8], _ answer: RESTAnswer) -> [UInt8] {
    var writer = JSONWriter()
    message.withUnsafeBytes { bytes in
      switch answer {
      case .document: writer.document(bytes)
      case .message(let shape): writer.message(bytes, shape)
      }
    }
    return writer.bytes
  }
}
