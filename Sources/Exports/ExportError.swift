/// Why an export cannot be written or read.

/// The words are the official emulator's where it has any. Source: docs/spec/streams.md 6.2.
public struct ExportError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    /// The request or the file is at fault.
    case invalid
    /// The folder is not there, or is none.
    case precondition
    /// The system refuses to write.
    case unwritable
    /// The store failed.
    case store
  }

  public let kind: Kind
  public let message: String

  init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}
