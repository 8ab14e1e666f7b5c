/// Requests and answers of HTTP/1.1 as a client sees them, and what may come instead of an answer.

package struct HTTPRequest: Sendable {
  package var method: String
  /// Path and query, escaped.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]

  package init(
    _ method: String = "GET", _ target: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }
}

package struct HTTPAnswer: Sendable {
  package var status = 0
  package var body: [UInt8] = []
  /// Names in lower case.
  package var headers: [(name: String, value: String)] = []

  /// The first value of a header, by its name in lower case; nil when it is not there.
  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

package enum HTTPFailure: Error, Hashable, Sendable {
  /// Nobody is there, or the name leads nowhere.
  case unreachable(String)
  /// The other side cannot prove who it is, or what would tell cannot be read.
  case untrusted(String)
  case timeout(seconds: Int)
  /// The connection ended before the answer did.
  case hungUp
  /// There is more than is taken.
  case tooLarge(bytes: Int)
  case notHTTP
  /// Somebody is there who speaks TLS, and was asked in plain text.
  case speaksTLS
  /// Whoever waited gave it up.
  case cancelled

  /// What ports of ours say in plain text that speak TLS only. Source: docs/tls.md.
  static let tlsWords = "This port speaks TLS only"

  /// Whether the same request may get through later.
  package var mayPass: Bool {
    switch self {
    case .unreachable, .timeout, .hungUp, .cancelled: true
    case .untrusted, .tooLarge, .notHTTP, .speaksTLS: false
    }
  }

  /// What went wrong, for people.
  ///
  /// - Parameter server: who was asked: `127.0.0.1:8080`.
  package func text(of server: String) -> String {
    switch self {
    case .unreachable(let reason): "no server answers at `\(server)`: \(reason)"
    case .untrusted(let reason): "`\(server)` is not trusted: \(reason)"
    case .timeout(let seconds): "`\(server)` did not answer within \(seconds) s"
    case .hungUp: "`\(server)` hung up in the middle of its answer"
    case .tooLarge(let bytes): "`\(server)` answers more than \(bytes >> 20) MiB"
    case .notHTTP: "what `\(server)` answers is no HTTP"
    case .speaksTLS:
      "`\(server)` speaks TLS, and docsh asks servers in plain text: start one without --tls-cert"
    case .cancelled: "the request to `\(server)` was given up"
    }
  }
}
