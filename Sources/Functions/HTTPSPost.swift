/// Requests to functions over HTTPS, each by a process of `curl`.
///
/// Processes are waited for on threads of their own, which are there from the first request on.

internal import Curl
internal import NIOPosix

enum HTTPSPost {
  /// LIMIT: requests under way, over all functions; more wait, and their time begins with their turn.
  private static let requestsMax = 32

  private static let threads: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: requestsMax)
    threads.start()
    return threads
  }()

  /// Sends one request; returns for an answer from 200 to 299.
  static func send(_ request: EventRequest, to endpoint: FunctionEndpoint) async throws {
    let address = endpoint.address
    let post = CurlPost(
      url: address.description, headers: request.headers, body: request.body, seconds: endpoint.timeout,
      connectSeconds: Int(HTTPPost.connectSeconds), trust: endpoint.trust, isDirect: address.isLocal)
    let cancellation = CurlCancellation()
    let answer: CurlAnswer
    do {
      answer = try await withTaskCancellationHandler {
        try await threads.runIfActive { try post.send(cancellation) }
      } onCancel: {
        cancellation.cancel()
      }
    } catch let failure as CurlFailure {
      throw EndpointFailure(failure, address, seconds: endpoint.timeout)
    }
    try HTTPPost.check(answer.status, answer.body, from: address)
  }
}

extension EndpointFailure {
  fileprivate init(_ failure: CurlFailure, _ address: EndpointAddress, seconds: Int) {
    switch failure {
    case .untrusted(let reason): self = .untrusted(address, reason: reason)
    case .unreachable(let reason), .cannotRun(let reason): self = .unreachable(address, reason: reason)
    case .timeout: self = .timeout(address, seconds: seconds)
    case .hungUp: self = .hungUp(address)
    }
  }
}
