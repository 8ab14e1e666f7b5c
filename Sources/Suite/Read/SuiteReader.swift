/// From a file to a suite: every section checked, every case written out, before anything runs.
///
/// An error in one entry does not hide those in others.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Platform
internal import Rules
internal import RulesTools
internal import YAML

/// A state or an operation with the file it came from.
struct NamedNode {
  let name: String
  let node: YAMLNode
  let source: YAMLSource
}

struct SuiteReader {
  static let topKeys = [
    "version", "name", "rules", "database", "import", "clock", "limits", "personas", "templates", "fixtures",
    "states", "operations", "matrices", "cases", "require", "prove",
  ]
  /// Read, and left to a later version.
  static let uncheckedKeys = ["prove"]
  static let mutationUnchecked = "require: mutation (checked with --mutate)"
  static let importedKeys = ["personas", "templates", "fixtures", "states", "operations"]

  let source: YAMLSource
  let options: SuiteOptions
  var errors = SuiteErrors()

  var name = ""
  var database = DatabaseID(project: "demo-suite")
  var clock: Int64 = 1_767_225_600_000_000
  var limits = CaseLimits()
  var personas: [Persona] = []
  var templates = TemplateTable()
  var templateNames: [String] = []
  var fixtures: [SuiteFile.Fixture] = []
  var states: [(name: String, overlay: Overlay)] = []
  var operations: [NamedNode] = []
  var cases: [TestCase] = []
  var unchecked: [String] = []
  var requirement: Requirement?
  /// Nil for rules that stand in the suite.
  var rulesPath: String?
  var imported: [String: (source: YAMLSource, root: YAMLMap)] = [:]

  init(_ source: YAMLSource, options: SuiteOptions) {
    self.source = source
    self.options = options
  }

  // MARK: the whole file

  mutating func read() throws(SuiteFailure) -> SuiteFile {
    let root: YAMLMap
    do throws(YAMLError) {
      root = try YAMLDocument.parse(source).map("a suite")
      try root.refuseKeys(except: Self.topKeys)
      try Self.checkVersion(root)
    } catch {
      throw .invalid([SuiteFault(error, in: source)])
    }
    readHeader(root)
    // Before the rules, so that it is known what the suite reads when those are at fault.
    readImports(root)
    let rules = try readRules(root)
    readSections(root, from: source, only: Self.importedKeys)
    readMatrices(root, rules)
    readCases(root, rules)
    readRequirement(root, rules)
    unchecked += Self.uncheckedKeys.filter { root[$0] != nil }.map { "\($0) (not by this version)" }
    guard errors.isEmpty else { throw .invalid(errors.faults) }
    return SuiteFile(
      source: source, name: name, database: database, clock: clock, rules: rules, templates: templates,
      fixtures: fixtures, cases: cases, unchecked: unchecked, requirement: requirement,
      dependencies: dependencies)
  }

  /// The paths of the files that were named so far.
  var dependencies: [String] { [rulesPath].compactMap { $0 } + imported.keys.sorted() }

  mutating func readRequirement(_ root: YAMLMap, _ rules: Ruleset) {
    guard let node = root["require"] else { return }
    attempt(source) { reader throws(YAMLError) in
      reader.requirement = try RequirementReader.read(node, rules: rules)
      if reader.requirement?.mutation != nil { reader.unchecked.append(Self.mutationUnchecked) }
    }
  }

  static func checkVersion(_ root: YAMLMap) throws(YAMLError) {
    guard let node = root["version"] else {
      throw YAMLError("a suite begins with 'version: 1'", at: root.mark)
    }
    let version = try node.integer()
    guard version == 1 else {
      throw node.error("version \(version) is not known; this program reads version 1")
    }
  }

  /// Runs one reading and keeps its error.
  mutating func attempt(_ source: YAMLSource, _ body: (inout SuiteReader) throws(YAMLError) -> Void) {
    do throws(YAMLError) { try body(&self) } catch { errors.add(error, in: source) }
  }

  // MARK: head

  mutating func readHeader(_ root: YAMLMap) {
    name = source.name
    attempt(source) { reader throws(YAMLError) in
      if let node = root["name"] { reader.name = try node.literal() }
      if let node = root["database"] { reader.database = try Self.database(node) }
      if let node = root["clock"] { reader.clock = try InstantReader.microseconds(node) }
      reader.clock = reader.options.clock ?? reader.clock
      if let node = root["limits"] { reader.limits = try CaseLimits(node) }
    }
  }

  /// An id, or `projects/P/databases/D`.
  static func database(_ node: YAMLNode) throws(YAMLError) -> DatabaseID {
    let text = try node.literal()
    guard text.contains("/") else { return DatabaseID(project: "demo-suite", database: text) }
    do {
      return try ResourceNameParser.database(text)
    } catch {
      throw node.error("'\(text)' is no database: \(error.message)")
    }
  }

  mutating func readRules(_ root: YAMLMap) throws(SuiteFailure) -> Ruleset {
    let compilation: Compilation
    do throws(YAMLError) {
      let node = try root.required("rules")
      let text = try node.text()
      if text.contains("\n") || text.contains("{") {
        compilation = compileInline(text, node)
      } else {
        let path = Folders.resolve(text, beside: source.name)
        rulesPath = path
        compilation = RulesCompiler.compile(
          source: try Self.contents(path, node), name: path, limitsSource: options.limitsRulesSource)
      }
    } catch {
      throw .invalid(errors.faults + [SuiteFault(error, in: source)])
    }
    if let ruleset = compilation.ruleset { return ruleset }
    throw .invalid(
      errors.faults + [SuiteFault(compilation.diagnostics, in: compilation.source)])
  }

  /// Rules in the suite itself. Those of a block have the suite's lines, thanks to the line breaks in front.
  func compileInline(_ text: String, _ node: YAMLNode) -> Compilation {
    guard case .scalar(let scalar) = node.content, case .literal = scalar.style else {
      return RulesCompiler.compile(
        source: text, name: "\(source.name) (rules)", limitsSource: options.limitsRulesSource)
    }
    let above = String(repeating: "\n", count: Int(node.start.line))
    return RulesCompiler.compile(
      source: above + text, name: source.name, limitsSource: options.limitsRulesSource)
  }

  /// LIMIT: larger files are no rules; the platform takes 256 KiB.
  static let fileBytesMax = 16 << 20

  static func contents(_ path: String, _ node: YAMLNode) throws(YAMLError) -> [UInt8] {
    do throws(FileFailure) { return try FileContents.read(path, bytesMax: fileBytesMax) } catch {
      throw node.error("cannot read the rules '\(path)': \(error.reason)")
    }
  }

  // MARK: cases

  func requests(_ source: YAMLSource, rules: Ruleset? = nil) -> RequestReader {
    RequestReader(
      database: database, clock: clock, personas: personas, ruleIDs: rules?.allowIDs, source: source)
  }

  mutating func readMatrices(_ root: YAMLMap, _ rules: Ruleset) {
    guard let list = root["matrices"] else { return }
    attempt(source) { reader throws(YAMLError) in
      for node in try list.elements() {
        let matrix = MatrixReader(
          requests: reader.requests(reader.source, rules: rules), states: reader.states,
          operations: reader.operations, limits: reader.limits, source: reader.source)
        let (cases, errors) = matrix.read(node)
        reader.cases += cases
        for error in errors { reader.errors.add(error, in: reader.source) }
      }
    }
  }

  mutating func readCases(_ root: YAMLMap, _ rules: Ruleset) {
    guard let list = root["cases"] else { return }
    attempt(source) { reader throws(YAMLError) in
      for node in try list.elements() {
        let table = CaseReader(
          requests: reader.requests(reader.source, rules: rules), limits: reader.limits,
          source: reader.source)
        let (cases, errors) = table.read(node)
        reader.cases += cases
        for error in errors { reader.errors.add(error, in: reader.source) }
      }
    }
  }
}
