/// How suites are read and run.
public struct SuiteOptions: Sendable {
  /// Only cases whose name, with the names around it, holds this text.
  public var filter: String?
  /// Only the cases of these full names.
  public var names: Set<String>?
  /// Only cases with this tag.
  public var tag: String?
  /// Imports must lie below this folder; nil means the project the suite lies in.
  public var projectFolder: String?
  /// Whether `only` is accepted. Continuous integration refuses it: it hides the other cases.
  public var acceptsOnly: Bool
  /// Whether rules that production would refuse for their size are refused.
  public var limitsRulesSource = true
  /// Whether coverage is collected; it is anyway where a suite requires some.
  public var collectsCoverage = false
  /// Whether every request is explained, with the value of every expression.
  public var explains = false
  /// Threads that play cases, where there are enough of them.
  public var workers = 1
  /// Run only one part of the cases.
  public var shard: Shard?
  /// What the last run that passed had seen, so that failures can say what has changed since.
  public var lastGreen: GreenRun?
  /// Asked before each case: whether nobody waits for the outcome any more.
  package var isInterrupted: (@Sendable () -> Bool)?
  /// What `clock` is, whatever the suite says: where an emulator's clock stands, in microseconds.
  var clock: Int64?
  /// Whether what is asked of the rules is kept, for mutants.
  var recordsRequests = false

  public init(
    filter: String? = nil, tag: String? = nil, projectFolder: String? = nil, acceptsOnly: Bool = true
  ) {
    self.filter = filter
    self.tag = tag
    self.projectFolder = projectFolder
    self.acceptsOnly = acceptsOnly
  }
}

/// The texts with which all cases passed last.
public struct GreenRun: Sendable {
  public let rules: [UInt8]
  public let suite: [UInt8]

  public init(rules: [UInt8], suite: [UInt8]) {
    self.rules = rules
    self.suite = suite
  }
}

/// A suite that cannot be run.
public enum SuiteFailure: Error, Sendable, CustomStringConvertible {
  case unreadable(String)
  case invalid([SuiteFault])
  /// The store that holds the fixtures failed.
  case store(String)
  /// The emulator that should run it cannot be asked.
  case engine(String)
  /// Nobody waits for the outcome any more.
  case interrupted

  public var description: String {
    switch self {
    case .unreadable(let text), .store(let text), .engine(let text): text
    case .invalid(let faults): faults.map(\.text).joined(separator: "\n")
    case .interrupted: "interrupted"
    }
  }
}
