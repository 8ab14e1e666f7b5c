/// A service's address: `https://places.googleapis.com`, `http://127.0.0.1:9000/prefix`.

import Client

struct ServiceEndpoint: Equatable {
  let isSecure: Bool
  let host: String
  /// Nil for the scheme's own.
  let port: Int?
  /// In front of every path; empty or beginning with a slash, not ending with one.
  let prefix: String

  /// Nil when the text is no such address.
  init?(_ text: String) {
    let scheme: String
    if text.hasPrefix("https://") {
      scheme = "https://"
    } else if text.hasPrefix("http://") {
      scheme = "http://"
    } else {
      return nil
    }
    let isUsable = text.utf8.allSatisfy {
      (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 && $0 != 0x40
    }
    guard isUsable else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    var prefix = String(rest.dropFirst(authority.count))
    while prefix.hasSuffix("/") { prefix.removeLast() }
    var host = String(authority)
    var port: Int?
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number)
      else { return nil }
      port = number
      host = String(authority[..<colon])
    }
    guard !host.isEmpty else { return nil }
    isSecure = scheme == "https://"
    self.host = host
    self.port = port
    self.prefix = prefix
  }

  /// Whether nobody on the way can read along.
  var keepsSecrets: Bool { isSecure || ["127.0.0.1", "[::1]", "localhost"].contains(host) }

  /// `https://host:port`
  var origin: String { (isSecure ? "https://" : "http://") + host + (port.map { ":\($0)" } ?? "") }

  /// Sends a request and waits for the answer.
  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let address = HTTPOrigin(
      host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: port ?? (isSecure ? 443 : 80),
      isSecure: isSecure)
    var request = request
    request.target = prefix + request.target
    return try await HTTPClient(address).send(request)
  }
}
