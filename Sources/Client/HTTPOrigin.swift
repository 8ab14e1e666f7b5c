/// Where a server is.

internal import DocModel

/// Host and port, with or without TLS.
package struct HTTPOrigin: Hashable, Sendable {
  package let isSecure: Bool
  /// A name or an address; IPv6 without brackets.
  package let host: String
  package let port: Int

  package init(host: String, port: Int, isSecure: Bool = false) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, an IPv6 host in brackets; what is spoken there is plain text.
  package init(_ text: String) throws(Malformed) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), colon != text.startIndex else {
      throw Malformed(text: text)
    }
    // The system takes a port modulo 65536, and the names of services.
    let digits = text[text.utf8.index(after: colon)...]
    guard digits.utf8.allSatisfy(\.isDigit), let port = Int(digits),
      (1...65_535).contains(port), !text.contains("://")
    else { throw Malformed(text: text) }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.init(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: port)
  }

  /// A text that says no address.
  package struct Malformed: Error, CustomStringConvertible {
    fileprivate let text: String

    package var description: String {
      let isURL = text.hasPrefix("https://") || text.hasPrefix("http://")
      return "`\(text)` is no HOST:PORT"
        + (isURL ? ": docsh asks servers in plain text, without a scheme" : "")
    }
  }

  /// `host:port`, as headers have it.
  package var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  /// Whether it is this machine, which no proxy is asked for.
  package var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
