/// Sections of a suite that other suites can import, and the imports themselves.

internal import Access
internal import DocModel
internal import Fixtures
internal import Platform
internal import Rules
internal import YAML

extension SuiteReader {
  // MARK: imports

  mutating func readImports(_ root: YAMLMap) {
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

  mutating func readSections(_ root: YAMLMap, from source: YAMLSource, only keys: [String]) {
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
      var evaluator = FormEvaluator(database: database, templates: templates, now: clock)
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
}
