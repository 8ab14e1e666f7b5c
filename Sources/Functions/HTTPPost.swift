/// How events reach their functions.

internal import Client
internal import TLS

/// Why an event did not reach its function, or was not taken.
public enum EndpointFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case unreachable(EndpointAddress, reason: String)
  /// Its certificate does not say that it is who was meant.
  case untrusted(EndpointAddress, reason: String)
  case timeout(EndpointAddress, seconds: Int)
  case hungUp(EndpointAddress)
  /// An answer beside 200 to 299, with the beginning of its body.
  case refused(EndpointAddress, status: Int, text: String)

  public var description: String {
    switch self {
    case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
    case .untrusted(let address, let reason):
      "\(address) is not trusted: \(reason) (`ca_file` in a triggers.yaml names other authorities)"
    case .timeout(let address, let seconds): "\(address) did not answer within \(seconds) s"
    case .hungUp(let address): "\(address) hung up before it answered"
    case .refused(let address, let status, let text):
      "\(address) answered \(status)" + (text.isEmpty ? "" : ": \(text)")
    }
  }
}

/// Requests to functions: one connection each, because a function's process may end between two of them.
enum HTTPPost {
  /// LIMIT: bytes of an answer that are read; the rest is passed over.
  private static let answerBytesMax = 2_048

  /// Sends one request; returns for an answer from 200 to 299, which means that the event is done with.
  static func send(
    _ request: EventRequest, to address: EndpointAddress, trust: TLSTrust, seconds: Int
  ) async throws(EndpointFailure) {
    var client = HTTPClient(
      HTTPOrigin(host: address.host, port: address.port, isSecure: address.isSecure))
    client.trust = trust
    client.seconds = seconds
    client.bytesMax = answerBytesMax
    client.passesOver = true
    let answer: HTTPAnswer
    do throws(HTTPFailure) {
      answer = try await client.send(
        HTTPRequest("POST", address.target, headers: request.headers, body: request.body))
    } catch {
      throw EndpointFailure(error, address)
    }
    if (200...299).contains(answer.status) { return }
    // Enough to tell what went wrong.
    let line = answer.body.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(200)
    throw .refused(address, status: answer.status, text: String(decoding: line, as: UTF8.self))
  }
}

extension EndpointFailure {
  fileprivate init(_ failure: HTTPFailure, _ address: EndpointAddress) {
    switch failure {
    case .unreachable(let reason): self = .unreachable(address, reason: reason)
    case .untrusted(let reason): self = .untrusted(address, reason: reason)
    case .timeout(let seconds): self = .timeout(address, seconds: seconds)
    case .notHTTP: self = .unreachable(address, reason: "what it answers is no HTTP")
    case .speaksTLS: self = .unreachable(address, reason: "it speaks TLS: write https://")
    case .hungUp, .cancelled, .tooLarge: self = .hungUp(address)
    }
  }
}
