/// What can go wrong with a statement, and the exit code that tells it to scripts.

import DocModel
import DocStore
internal import Platform

/// How docsh ends a shell. Scripts read these.
package enum ShellStatus {
  package static let success: Int32 = 0
  /// A statement failed.
  package static let failed: Int32 = 1
  /// Wrong usage or syntax; the statement was not run.
  package static let syntax: Int32 = 2
  package static let denied: Int32 = 3
  /// A document is missing or a result is empty, and that was asked to be a failure.
  package static let missing: Int32 = 4
  package static let connection: Int32 = 5
  /// `:assert` or `:expect` failed.
  package static let assertion: Int32 = 6
  package static let interrupted: Int32 = 130
}

struct ShellError: Error {
  enum Kind: Equatable {
    /// A code of the service: `INVALID_ARGUMENT`, `ABORTED`, ...
    case failed(code: String)
    /// What was typed cannot be read.
    case syntax
    /// It can be read, and does not fit: a command without its argument.
    case usage
    /// It names what there is not: a command, a persona, a file.
    case unknown
    case denied
    case missing
    case connection
    case assertion
    case interrupted
  }

  let kind: Kind
  let message: String
  /// Lines that explain it.
  var details: [String] = []
  /// What the denial is about, for machines.
  var denial: DenialFacts?
  /// Where in scripts it happened, `smoke.docsh:3`, the innermost first.
  var places: [String] = []

  init(_ kind: Kind, _ message: String, details: [String] = []) {
    self.kind = kind
    self.message = message
    self.details = details
  }

  static func usage(_ message: String) -> ShellError { ShellError(.usage, message) }

  static func unknown(_ message: String) -> ShellError { ShellError(.unknown, message) }

  /// Says which name is near, where one is.
  static func unknown(_ message: String, _ name: String, among known: [String], else advice: String)
    -> ShellError
  {
    let near = Spelling.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
    return .unknown("\(message); \(near ?? advice)")
  }

  /// Whether a statement was run and went wrong, which a transaction does not survive.
  var isOfStatement: Bool { ![.syntax, .usage, .unknown].contains(kind) }

  static func failed(_ message: String) -> ShellError {
    ShellError(.failed(code: "FAILED_PRECONDITION"), message)
  }

  var status: Int32 {
    switch kind {
    case .failed: ShellStatus.failed
    case .syntax, .usage: ShellStatus.syntax
    case .unknown: ShellStatus.failed
    case .denied: ShellStatus.denied
    case .missing: ShellStatus.missing
    case .connection: ShellStatus.connection
    case .assertion: ShellStatus.assertion
    case .interrupted: ShellStatus.interrupted
    }
  }

  /// The code that machines are told.
  var code: String {
    switch kind {
    case .failed(let code): code
    case .syntax: "SYNTAX"
    case .usage: "USAGE"
    case .unknown: "NOT_FOUND"
    case .denied: "PERMISSION_DENIED"
    case .missing: "NOT_FOUND"
    case .connection: "UNAVAILABLE"
    case .assertion: "ASSERTION_FAILED"
    case .interrupted: "CANCELLED"
    }
  }
}

/// A denial for machines.
struct DenialFacts {
  /// The rule's id and where it stands; nil when no rule was about the request.
  var rule: String?
  var file: String?
  var line: Int?
  /// What decided.
  var reason: String
}

extension ShellError {
  init(_ error: StoreError) {
    switch error {
    case .permissionDenied(let message): self.init(.denied, message)
    case .notFound: self.init(.failed(code: "NOT_FOUND"), error.message)
    case .alreadyExists, .targetExists: self.init(.failed(code: "ALREADY_EXISTS"), error.message)
    case .failedPrecondition: self.init(.failed(code: "FAILED_PRECONDITION"), error.message)
    case .invalid: self.init(.failed(code: "INVALID_ARGUMENT"), error.message)
    case .aborted: self.init(.failed(code: "ABORTED"), error.message)
    case .resourceExhausted: self.init(.failed(code: "RESOURCE_EXHAUSTED"), error.message)
    case .storage, .engine: self.init(.failed(code: "INTERNAL"), error.message)
    }
  }

  init(_ error: InvalidArgument) { self.init(.failed(code: "INVALID_ARGUMENT"), error.message) }
}

/// Runs what the store does, with its errors as the shell's.
func storing<R>(_ body: () throws(StoreError) -> R) throws(ShellError) -> R {
  do throws(StoreError) { return try body() } catch { throw ShellError(error) }
}

/// Runs what checks input, with its complaints as the shell's.
func checking<R>(_ body: () throws(InvalidArgument) -> R) throws(ShellError) -> R {
  do throws(InvalidArgument) { return try body() } catch { throw ShellError(error) }
}
