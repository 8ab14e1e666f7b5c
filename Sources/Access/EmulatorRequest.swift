/// Requests to the emulator's own interface that other parts of the program answer.

/// A request below `/emulator/v1/`.
public struct EmulatorRequest: Sendable {
  /// In capitals: `PUT`.
  public let method: String
  /// Behind `/emulator/v1/`, percent-decoded: `projects`, `demo`, `triggers`.
  public let path: [String]
  public let query: [(name: String, value: String)]
  public let body: [UInt8]

  public init(method: String, path: [String], query: [(name: String, value: String)], body: [UInt8]) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }
}

/// An answer in JSON.
public struct EmulatorAnswer: Sendable {
  public let status: Int
  public let body: [UInt8]

  public init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}

/// Answers requests: false for those that are not its own, otherwise the second argument is called once, at once
/// or later, on any thread.
public typealias EmulatorAdministration =
  @Sendable (EmulatorRequest, @escaping @Sendable (EmulatorAnswer) -> Void) -> Bool
