/// What browsers want to be told before pages of other origins may read an answer.
///
/// Every origin is let in: who may ask for what is `RequestGate`'s business, and its refusals are to be read, too.
/// Source: docs/spec/protocol.md 6.6; asked of the official emulator 1.19: the same on every path, also of errors.

enum CORS {
  /// The headers of every answer to a request.
  static func headers(_ request: HTTPRequest) -> [(String, String)] { headers { request.header($0) } }

  /// - Parameter header: the first header of a name in small letters.
  static func headers(_ header: (String) -> String?) -> [(String, String)] {
    guard let origin = header("origin") else { return [] }
    var headers = [
      ("access-control-allow-origin", origin), ("access-control-allow-credentials", "true"),
      ("vary", "origin"),
    ]
    // Not on preflight requests alone: as the official emulator.
    headers.append(("access-control-allow-methods", "DELETE,GET,HEAD,PATCH,POST,PUT"))
    if let wanted = header("access-control-request-headers") {
      headers.append(("access-control-allow-headers", wanted))
    }
    // Private Network Access. What replaced it in Chromium, Local Network Access, asks the user and not the server.
    if header("access-control-request-private-network") != nil {
      headers.append(("access-control-allow-private-network", "true"))
    }
    return headers
  }

  /// For how long browsers need not ask again; the answer does not change while a server runs.
  private static let preflightSecondsMax = 600

  /// Headers of the answer to a preflight, beside those of every answer.
  static func preflightHeaders(_ request: HTTPRequest) -> [(String, String)] {
    guard request.header("origin") != nil else { return [] }
    return [("access-control-max-age", String(preflightSecondsMax))]
  }
}
