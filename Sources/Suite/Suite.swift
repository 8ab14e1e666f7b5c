/// Rules tests: one YAML file of personas, documents and requests, run against a ruleset in process.
///
/// ```
/// let report = try Suite.load(path: "rules/app.rules-test.yaml").run()
/// print(PrettyReport.text([report]))
/// ```
/// The format is described in docs/rules-tests.md.

public import Rules
internal import YAML

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
