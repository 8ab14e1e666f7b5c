/// From a file to a suite: every section checked, every case written out, before anything runs.
///
/// An error in one entry does not hide those in others.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Rules
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
  static let importedKeys = ["personas", "templates", "fixtures", "states", "operations"]

  let source: YAMLSource
  let options: SuiteOptions
  private(set) var errors = SuiteErrors()

  private var name = ""
  private var database = DatabaseID(project: "demo-suite")
  private var clock: Int64 = 1_767_225_600_000_000
  private var limits = CaseLimits()
  private var personas: [Persona] = []
  private var templates = TemplateTable()
  private var templateNames: [String] = []
  private var fixtures: [SuiteFile.Fixture] = []
  private var states: [(name: String, overlay: Overlay)] = []
  private var operations: [NamedNode] = []
  private var cases: [TestCase] = []
  private var unchecked: [String] = []
  private var requirement: Requirement?
  private var imported: [String: (source: YAMLSource, root: YAMLMap)] = [:]

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
      throw .invalid([source.diagnostic(for: error).description])
    }
    readHeader(root)
    let rules = try readRules(root)
    readImports(root)
    readSections(root, from: source, only: Self.importedKeys)
    readMatrices(root, rules)
    readCases(root, rules)
    readRequirement(root, rules)
    unchecked += Self.uncheckedKeys.filter { root[$0] != nil }
    guard errors.isEmpty else { throw .invalid(errors.texts) }
    return SuiteFile(
      source: source, name: name, database: database, clock: clock, rules: rules, templates: templates,
      fixtures: fixtures, cases: cases, unchecked: unchecked, requirement: requirement)
  }

  private mutating func readRequirement(_ root: YAMLMap, _ rules: Ruleset) {
    guard let node = root["require"] else { return }
    attempt(source) { reader throws(YAMLError) in
      let requirement = try RequirementReader.read(node, rules: rules)
      reader.requirement = requirement
      reader.unchecked = requirement.unchecked
    }
  }

  private static func checkVersion(_ root: YAMLMap) throws(YAMLError) {
    guard let node = root["version"] else {
      throw YAMLError("a suite begins with 'version: 1'", at: root.mark)
    }
    let version = try node.integer()
    guard version == 1 else {
      throw node.error("version \(version) is not known; this program reads version 1")
    }
  }

  /// Runs one reading and keeps its error.
  private mutating func attempt(_ source: YAMLSource, _ body: (inout SuiteReader) throws(YAMLError) -> Void) {
    do throws(YAMLError) { try body(&self) } catch { errors.add(error, in: source) }
  }

  // MARK: head

  private mutating func readHeader(_ root: YAMLMap) {
    name = source.name
    attempt(source) { reader throws(YAMLError) in
      if let node = root["name"] { reader.name = try node.literal() }
      if let node = root["database"] { reader.database = try Self.database(node) }
      if let node = root["clock"] { reader.clock = try InstantReader.microseconds(node) }
      if let node = root["limits"] { reader.limits = try CaseLimits(node) }
    }
  }

  /// An id, or `projects/P/databases/D`.
  private static func database(_ node: YAMLNode) throws(YAMLError) -> DatabaseID {
    let text = try node.literal()
    guard text.contains("/") else { return DatabaseID(project: "demo-suite", database: text) }
    do {
      return try ResourceNameParser.database(text)
    } catch {
      throw node.error("'\(text)' is no database: \(error.message)")
    }
  }

  private func readRules(_ root: YAMLMap) throws(SuiteFailure) -> Ruleset {
    let compilation: Compilation
    do throws(YAMLError) {
      let node = try root.required("rules")
      let text = try node.text()
      if text.contains("\n") || text.contains("{") {
        compilation = compileInline(text, node)
      } else {
        let path = Folders.resolve(text, beside: source.name)
        compilation = Ruleset.compile(
          source: try Self.contents(path, node), name: path, limitsSource: options.limitsRulesSource)
      }
    } catch {
      throw .invalid(errors.texts + [source.diagnostic(for: error).description])
    }
    if let ruleset = compilation.ruleset { return ruleset }
    throw .invalid(
      errors.texts + [DiagnosticRenderer(source: compilation.source).render(compilation.diagnostics)])
  }

  /// Rules in the suite itself. Those of a block have the suite's lines, thanks to the line breaks in front.
  private func compileInline(_ text: String, _ node: YAMLNode) -> Compilation {
    guard case .scalar(let scalar) = node.content, case .literal = scalar.style else {
      return Ruleset.compile(
        source: text, name: "\(source.name) (rules)", limitsSource: options.limitsRulesSource)
    }
    let above = String(repeating: "\n", count: Int(node.start.line))
    return Ruleset.compile(
      source: above + text, name: source.name, limitsSource: options.limitsRulesSource)
  }

  private static func contents(_ path: String, _ node: YAMLNode) throws(YAMLError) -> [UInt8] {
    do throws(FileFailure) { return try FileContents.read(path) } catch {
      throw node.error("cannot read the rules '\(path)': \(error.reason)")
    }
  }

  // MARK: imports

  private mutating func readImports(_ root: YAMLMap) {
    guard let list = root["import"] else { return }
    for node in list.oneOrMore {
      attempt(source) { reader throws(YAMLError) in try reader.readImport(node) }
    }
  }

  /// One `file#section`.
  private mutating func readImport(_ node: YAMLNode) throws(YAMLError) {
    let text = try node.text()
    let parts = text.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw node.error("an import is written file#section, as in privacy.rules-test.yaml#personas")
    }
    let section = parts[1]
    guard Self.importedKeys.contains(section) else {
      let list = Self.importedKeys.joined(separator: ", ")
      throw node.error(
        "'\(section)' cannot be imported; \(list) can\(Spelling.suggestion(for: section, among: Self.importedKeys))"
      )
    }
    let file = try openImport(parts[0], node)
    guard file.root[section] != nil else { throw node.error("\(parts[0]) has no section '\(section)'") }
    readSections(file.root, from: file.source, only: [section])
  }

  private mutating func openImport(
    _ path: String, _ node: YAMLNode
  ) throws(YAMLError) -> (source: YAMLSource, root: YAMLMap) {
    let path = Folders.resolve(path, beside: source.name)
    if let known = imported[path] { return known }
    let file: YAMLSource
    do { file = try YAMLSource(path: path) } catch { throw node.error(error.description) }
    let project = options.projectFolder ?? Folders.project(of: source.name)
    guard Folders.isInside(path, project) else {
      throw node.error("'\(path)' is outside the project folder \(project)")
    }
    do {
      let root = try YAMLDocument.parse(file).map("a suite")
      imported[path] = (file, root)
      return (file, root)
    } catch {
      errors.add(error, in: file)
      throw node.error("\(path) cannot be imported")
    }
  }

  // MARK: sections that can be imported

  private mutating func readSections(_ root: YAMLMap, from source: YAMLSource, only keys: [String]) {
    for key in keys {
      guard let section = root[key] else { continue }
      let entries: [YAMLEntry]
      do { entries = try section.isNull ? [] : section.entries() } catch {
        errors.add(error, in: source)
        continue
      }
      for entry in entries {
        attempt(source) { reader throws(YAMLError) in
          switch key {
          case "personas": try reader.readPersona(entry)
          case "templates": try reader.readTemplate(entry)
          case "fixtures": try reader.readFixture(entry, source)
          case "states": try reader.readState(entry, source)
          default:
            reader.operations.removeAll { $0.name.hasSameBytes(as: entry.key.text) }
            reader.operations.append(NamedNode(name: entry.key.text, node: entry.value, source: source))
            try reader.checkOperation(entry.value, source)
          }
        }
      }
    }
  }

  /// Who asks, and what comes of it, is for grids to say.
  private func checkOperation(_ node: YAMLNode, _ source: YAMLSource) throws(YAMLError) {
    let map = try node.map("an operation")
    for key in ["as", "expect", "id"] {
      if let entry = map.entry(key) { throw YAMLError("an operation has no '\(key)'", at: entry.key.mark) }
    }
    _ = try requests(source).request(node, persona: Persona.anonymous, expectsVerdict: false)
  }

  private mutating func readPersona(_ entry: YAMLEntry) throws(YAMLError) {
    let persona = try PersonaReader.read(entry, database: database, clock: clock)
    personas.removeAll { $0.name.hasSameBytes(as: persona.name) }
    personas.append(persona)
  }

  private mutating func readTemplate(_ entry: YAMLEntry) throws(YAMLError) {
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    let form = try compiler.compile(entry.value)
    templates.define(entry.key.text, form)
    // Evaluated once here, so that its errors are reported at its own place.
    if compiler.collectionsRead.isEmpty {
      var evaluator = FormEvaluator(database: database, templates: templates)
      _ = try evaluator.evaluate(form, at: DrawPlace(seed: 0))
    }
  }

  private mutating func readFixture(_ entry: YAMLEntry, _ source: YAMLSource) throws(YAMLError) {
    let path = try DocumentPath.parse(entry.key.text, at: entry.key.mark)
    guard case .mapping = entry.value.content else {
      throw entry.value.error("the fields of a document are a map; found \(entry.value.kindName)")
    }
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    let form = try compiler.compile(entry.value)
    fixtures.removeAll { $0.path == path }
    fixtures.append(SuiteFile.Fixture(path: path, form: form, mark: entry.key.mark, source: source))
  }

  private mutating func readState(_ entry: YAMLEntry, _ source: YAMLSource) throws(YAMLError) {
    let overlay = try OverlayReader.read(entry.value, database: database, source: source)
    states.removeAll { $0.name.hasSameBytes(as: entry.key.text) }
    states.append((entry.key.text, overlay))
  }

  // MARK: cases

  private func requests(_ source: YAMLSource, rules: Ruleset? = nil) -> RequestReader {
    RequestReader(
      database: database, clock: clock, personas: personas, ruleIDs: rules?.allowIDs, source: source)
  }

  private mutating func readMatrices(_ root: YAMLMap, _ rules: Ruleset) {
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

  private mutating func readCases(_ root: YAMLMap, _ rules: Ruleset) {
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
