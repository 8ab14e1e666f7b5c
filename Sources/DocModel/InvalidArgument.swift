/// Why input was refused, in the words the client will read.

/// A request or a file names or holds something that the service refuses as `INVALID_ARGUMENT`.
///
/// `message` is the service's own text where it is known (Source: docs/spec/protocol.md 2.2, 2.3, 4.5, 4.6),
/// because SDKs and tests match on it.
public struct InvalidArgument: Error, Hashable, Sendable, CustomStringConvertible {
  public let message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }
}
