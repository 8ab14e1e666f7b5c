/// Rules tests: one YAML file of personas, documents and requests, run against a ruleset in process.
///
/// ```
/// let report = try Suite.load(path: "rules/app.rules-test.yaml").run()
/// print(PrettyReport.text([report]))
/// ```
/// The format is described in docs/rules-tests.md.

public import Rules
internal import YAML

/// How suites are read and run.
public struct SuiteOptions: Sendable {
  /// Only cases whose name, with the names around it, holds this text.
  public var filter: String?
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
  /// Run only one part of the cases.
  public var shard: Shard?
  /// What the last run that passed had seen, so that failures can say what has changed since.
  public var lastGreen: GreenRun?
  /// Asked before each case: whether nobody waits for the outcome any more.
  package var isInterrupted: (@Sendable () -> Bool)?
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
  /// Diagnostics of the suite or of its rules, each with its place.
  case invalid([String])
  /// The store that holds the fixtures failed.
  case store(String)
  /// The emulator that should run it cannot be asked.
  case engine(String)
  /// Nobody waits for the outcome any more.
  case interrupted

  public var description: String {
    switch self {
    case .unreadable(let text), .store(let text), .engine(let text): text
    case .invalid(let texts): texts.joined(separator: "\n")
    case .interrupted: "interrupted"
    }
  }
}

/// A suite, read and checked.
public struct Suite: Sendable {
  let file: SuiteFile
  let options: SuiteOptions

  public static func load(path: String, options: SuiteOptions = SuiteOptions()) throws(SuiteFailure) -> Suite
  {
    var dependencies: [String] = []
    return try load(path: path, options: options, dependencies: &dependencies)
  }

  /// - Parameter dependencies: gets the paths of the other files that the suite names, also when it cannot be
  ///   read for what stands in them.
  public static func load(
    path: String, options: SuiteOptions, dependencies: inout [String]
  ) throws(SuiteFailure) -> Suite {
    let source: YAMLSource
    do { source = try YAMLSource(path: path) } catch { throw .unreadable(error.description) }
    var reader = SuiteReader(source, options: options)
    defer { dependencies = reader.dependencies }
    return Suite(file: try reader.read(), options: options)
  }

  /// A suite out of memory; `name` is what messages call it, and what relative paths start from.
  public static func load(
    text: String, name: String, options: SuiteOptions = SuiteOptions()
  ) throws(SuiteFailure) -> Suite {
    var reader = SuiteReader(YAMLSource(name: name, text: text), options: options)
    return Suite(file: try reader.read(), options: options)
  }

  /// Paths of the other files that it was read from: its rules, unless they stand in it, and what it imports.
  public var dependencies: [String] { file.dependencies }

  /// The rules under test.
  public var rules: Ruleset { file.rules }

  /// How many cells and cases there are.
  public var caseCount: Int { file.cases.count }

  /// Runs all cases that the options choose.
  public func run() throws(SuiteFailure) -> SuiteReport {
    var runner = try SuiteRunner(file, options: options)
    defer { runner.close() }
    return try runner.run()
  }
}
