/// Requests to a running server in plain text, as its administrator.

import Access
import Client

enum ServerRequest {
  /// LIMIT: seconds of a request that does not say otherwise.
  static let secondsMax = 30

  /// Why there is no answer, in words for people.
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// Whether somebody is there who speaks TLS.
    var isTLS = false
  }

  /// Sends a request and waits for the answer.
  ///
  /// - Parameter address: `HOST:PORT`, as somebody wrote it.
  static func send(
    _ target: String, method: String = "GET", to address: String, body: [UInt8] = [],
    seconds: Int = secondsMax
  ) throws(Failure) -> HTTPAnswer {
    do {
      var client = HTTPClient(try HTTPOrigin(address))
      client.seconds = seconds
      let headers = [(name: "Authorization", value: AdministratorKey.clientAuthorization)]
      return try client.wait(HTTPRequest(method, target, headers: headers, body: body))
    } catch let error as HTTPFailure {
      throw Failure(description: error.text(of: address), isTLS: error == .speaksTLS)
    } catch {
      throw Failure(description: "\(error)")
    }
  }
}
