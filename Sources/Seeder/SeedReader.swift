/// The first pass over a seed file: what it declares, and whether it is well formed.

internal import DocModel
internal import Fixtures
internal import YAML

/// Reads the sections in the order of the file.
///
/// An error in one entry does not hide those in others; an error of YAML itself ends the reading.
struct SeedReader {
  /// LIMIT: bytes of hand-written documents that are kept between passes; more are read again.
  private static let keptBytesMax = 24 << 20
  /// LIMIT: values and keys of one entry: a document, a template, a generator.
  static let entryNodesMax = 1_000_000

  private static let topKeys = [
    "version", "name", "seed", "triggers", "let", "templates", "documents", "generate",
  ]

  private let source: YAMLSource
  private let database: DatabaseID
  private var compiler: FormCompiler
  private var errors = SeedErrors()
  private var header = SeedFile.Header()
  private var hasVersion = false
  private var names: [NamedForm] = []
  private var templates = TemplateTable()
  private var documents: [HandWrittenDocument]? = []
  private var keptBytes = 0
  private var generators: [Generator] = []

  init(_ source: YAMLSource, database: DatabaseID) {
    self.source = source
    self.database = database
    compiler = FormCompiler(database: database, vocabulary: .seeds)
  }

  mutating func read() throws(SeedFailure) -> SeedFile {
    let fingerprint = source.fingerprint
    do {
      try readSections()
    } catch {
      errors.add(error)
    }
    guard errors.isEmpty else { throw errors.failure(in: source) }
    return SeedFile(
      source: source, database: database, header: header, names: names, templates: templates,
      documents: documents.map { .kept($0) } ?? .inFile, generators: generators,
      collectionsRead: compiler.collectionsRead, fingerprint: fingerprint)
  }

  private mutating func readSections() throws(YAMLError) {
    let events = try YAMLEventReader(source, dialect: .seeds)
    var trees = YAMLTreeReader(events, nodesMax: Self.entryNodesMax)
    let first = try events.next()
    guard case .mappingStart = first.kind else {
      throw YAMLError(
        "a seed file is a map with the keys \(Self.topKeys.joined(separator: ", "))", at: first.start)
    }
    var seen = KeyRegister()
    while true {
      let event = try events.next()
      if case .mappingEnd = event.kind { break }
      let key = try YAMLKey(event)
      try seen.insert(key)
      switch key.text {
      case "documents": try readDocuments(events, &trees)
      case "generate": try readGenerators(events, &trees)
      default: readSmallSection(key, try trees.readTree())
      }
    }
    // Asking for the end finds a second document.
    _ = try events.next()
    if !hasVersion { errors.add(YAMLError("a seed file begins with 'version: 1'", at: first.start)) }
  }

  private mutating func readSmallSection(_ key: YAMLKey, _ node: YAMLNode) {
    do throws(YAMLError) {
      switch key.text {
      case "version":
        hasVersion = true
        let version = try node.integer()
        guard version == 1 else {
          throw node.error("version \(version) is not known; this program reads version 1")
        }
      case "name": header.name = try node.literal()
      case "seed": header.seed = try node.integer()
      case "triggers": header.startsTriggers = try node.boolean()
      case "let": names = try readNames(node)
      case "templates": try readTemplates(node)
      default: throw YAMLMap.unknown(key, in: "a seed file", known: Self.topKeys)
      }
    } catch {
      errors.add(error)
    }
  }

  // MARK: names and templates

  private mutating func readNames(_ node: YAMLNode) throws(YAMLError) -> [NamedForm] {
    if node.isNull { return [] }
    var names: [NamedForm] = []
    for entry in try node.entries() {
      do {
        try Self.checkName(entry.key)
        names.append(NamedForm(name: entry.key.text, form: try compiler.compile(entry.value)))
      } catch {
        errors.add(error)
      }
    }
    return names
  }

  private static func checkName(_ key: YAMLKey) throws(YAMLError) {
    guard Identifier.isValid(key.text) else {
      throw YAMLError("'\(key.text)' cannot name a value; names are letters, digits and _", at: key.mark)
    }
    guard key.text != "i", key.text != "it" else {
      throw YAMLError("'\(key.text)' belongs to generators; take another name", at: key.mark)
    }
  }

  private mutating func readTemplates(_ node: YAMLNode) throws(YAMLError) {
    if node.isNull { return }
    for entry in try node.entries() {
      do {
        templates.define(entry.key.text, try compiler.compile(entry.value))
      } catch {
        errors.add(error)
      }
    }
  }

  // MARK: documents

  private mutating func readDocuments(
    _ events: YAMLEventReader, _ trees: inout YAMLTreeReader
  ) throws(YAMLError) {
    let entries = DocumentEntries(events)
    guard try entries.begin() else { return }
    while let (key, node) = try entries.next(&trees) {
      do {
        keep(try HandWrittenDocument(key, node, &compiler), byteCount: node.byteCount)
      } catch {
        errors.add(error)
      }
    }
  }

  private mutating func keep(_ document: HandWrittenDocument, byteCount: Int) {
    keptBytes += byteCount
    if keptBytes > Self.keptBytesMax { documents = nil }
    documents?.append(document)
  }

  // MARK: generators

  private mutating func readGenerators(
    _ events: YAMLEventReader, _ trees: inout YAMLTreeReader
  ) throws(YAMLError) {
    let first = try events.next()
    if case .scalar(let text, .plain) = first.kind, text.isEmpty || text == "~" || text == "null" { return }
    guard case .sequenceStart = first.kind else {
      throw YAMLError("'generate' is a list of generators", at: first.start)
    }
    var seen: [String] = []
    while true {
      let event = try events.next()
      if case .sequenceEnd = event.kind { return }
      let node = try trees.readTree(beginningWith: event)
      do {
        generators.append(try generator(node, among: &seen))
      } catch {
        errors.add(error)
      }
    }
  }

  private static let generatorKeys = ["path", "repeat", "each", "let", "fields", "children"]

  private mutating func generator(_ node: YAMLNode, among seen: inout [String]) throws(YAMLError) -> Generator
  {
    let map = try node.map("a generator")
    try map.refuseKeys(except: Self.generatorKeys)
    let pathNode = try map.required("path")
    let pathText = try pathNode.literal()
    guard !seen.contains(where: { $0.hasSameBytes(as: pathText) }) else {
      throw pathNode.error(
        "another generator here has the path '\(pathText)'; they would draw the same values")
    }
    seen.append(pathText)
    let segmentCount = pathText.utf8.count { $0 == UInt8(ascii: "/") } + 1
    guard segmentCount % 2 == 0 else {
      throw pathNode.error(
        "'\(pathText)' is a collection, not a document: a path has an even number of segments")
    }
    var children: [Generator] = []
    if let list = map["children"], !list.isNull {
      var childPaths: [String] = []
      for child in try list.elements() { children.append(try generator(child, among: &childPaths)) }
    }
    return Generator(
      pathText: pathText, path: try compiler.compile(pathNode), repetition: try repetition(map),
      names: try map["let"].map { node throws(YAMLError) in try readNames(node) } ?? [],
      fields: try compiler.compile(try map.required("fields")), children: children)
  }

  private mutating func repetition(_ map: YAMLMap) throws(YAMLError) -> Generator.Repetition {
    switch (map.entry("repeat"), map.entry("each")) {
    case (.some, .some(let each)):
      throw YAMLError("'repeat' and 'each' cannot stand together", at: each.key.mark)
    case (.some(let times), .none): return .times(try compiler.compile(times.value))
    case (.none, .some(let each)): return .elements(try compiler.compile(each.value))
    case (.none, .none): return .once
    }
  }
}
