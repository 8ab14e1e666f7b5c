/// What the port answers over HTTP/1.1: health, administration, reading a document.
///
/// Source: spec/protocol.md 6.1, 6.6, 7.1.

internal import Access
internal import DocModel
package import DocStore

package final class HTTPService<Engine: StorageEngine>: Sendable {
  let firestore: FirestoreService<Engine>
  /// Asked for by `POST /shutdown`, after it is answered.
  let shutDown: @Sendable () -> Void

  package init(_ firestore: FirestoreService<Engine>, shutDown: @escaping @Sendable () -> Void) {
    self.firestore = firestore
    self.shutDown = shutDown
  }

  package func respond(_ exchange: HTTPExchange) {
    exchange.commonHeaders = CORS.headers(exchange.request)
    guard exchange.request.method != "OPTIONS" else { return exchange.respond(status: 200) }
    guard let target = HTTPTarget(exchange.request.target) else { return exchange.respondNotFound() }
    do throws(GRPCStatus) { try route(exchange, target) } catch { exchange.respond(error) }
  }

  private func route(_ exchange: HTTPExchange, _ target: HTTPTarget) throws(GRPCStatus) {
    let segments = target.segments
    switch (exchange.request.method, segments.count) {
    case ("GET", 1) where segments[0].isEmpty, ("HEAD", 1) where segments[0].isEmpty:
      exchange.respond(text: "Ok\n")
    case ("POST", 1) where segments[0].holds("reset"): reset(exchange)
    case ("POST", 1) where segments[0].holds("shutdown"):
      exchange.respond(text: "Shutting down...\n")
      shutDown()
    case (let method, 4...) where segments[0].holds("emulator") && segments[1].holds("v1"):
      try administrate(exchange, method, Array(segments[2...]))
    case ("GET", 7...) where segments[0].holds("v1") || segments[0].holds("v1beta1"):
      try getDocument(exchange, target)
    default: exchange.respondNotFound()
    }
  }

  /// `GET /v1/projects/P/databases/D/documents/c/d`
  private func getDocument(_ exchange: HTTPExchange, _ target: HTTPTarget) throws(GRPCStatus) {
    let path = target.segments.dropFirst()
    // Names of an even number of segments below `documents` are documents; collections are lists.
    guard path.count >= 7, path.count % 2 == 1 else { return exchange.respondNotFound() }
    let text = String(decoding: Array(path.joined(separator: "/".utf8)), as: UTF8.self)
    let name = try FirestoreService<Engine>.checked { () throws(Complaint) in
      try ResourceNameParser.document(text)
    }
    let credentials = try credentials(exchange)
    let paths = target.values("mask.fieldPaths", "mask.field_paths").map {
      String(decoding: $0, as: UTF8.self)
    }
    let choice = try ConsistencyChoice(target)
    let document = try firestore.document(name, mask: paths.isEmpty ? nil : paths, choice, as: credentials)
    var writer = JSONWriter()
    document.withUnsafeBytes { writer.document($0) }
    exchange.respond(json: writer.bytes)
  }

  func credentials(_ exchange: HTTPExchange) throws(GRPCStatus) -> Credentials {
    let header = exchange.request.header("authorization").map { Array($0.utf8) }
    return try firestore.tokens.read(header, nowSeconds: firestore.nowSeconds).credentials
  }
}

extension ConsistencyChoice {
  /// Of query parameters.
  init(_ target: HTTPTarget) throws(GRPCStatus) {
    self = .latest
    if let text = target.values("readTime", "read_time").last {
      guard let time = Timestamp(rfc3339: String(decoding: text, as: UTF8.self)) else {
        throw GRPCStatus(
          .invalidArgument, "Invalid value at 'read_time' (type.googleapis.com/google.protobuf.Timestamp)")
      }
      self = .readTime(time)
    }
    if let text = target.values("transaction", "transaction").last {
      guard let token = Base64.decodeAny(text) else {
        throw GRPCStatus(.invalidArgument, "Invalid value at 'transaction' (TYPE_BYTES)")
      }
      self = .transaction(token)
    }
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

  /// Source: spec/protocol.md 6.1, last row: no content type.
  func respondNotFound() { respond(status: 404, body: Array("Not Found\n".utf8)) }
}

/// Source: spec/protocol.md 6.6.
enum CORS {
  static func headers(_ request: HTTPRequest) -> [(String, String)] {
    guard let origin = request.header("origin") else { return [] }
    var headers = [
      ("access-control-allow-origin", origin), ("access-control-allow-credentials", "true"),
      ("vary", "origin"),
    ]
    if request.method == "OPTIONS" {
      headers.append(("access-control-allow-methods", "DELETE,GET,HEAD,PATCH,POST,PUT"))
      if let wanted = request.header("access-control-request-headers") {
        headers.append(("access-control-allow-headers", wanted))
      }
    }
    if request.header("access-control-request-private-network") != nil {
      headers.append(("access-control-allow-private-network", "true"))
    }
    return headers
  }
}
