/// The entries of `documents`, one at a time.

internal import DocModel
internal import Fixtures
internal import YAML

/// Reads the map that follows the key `documents`, holding one entry in memory.
struct DocumentEntries {
  private let events: YAMLEventReader

  init(_ events: YAMLEventReader) { self.events = events }

  /// Enters the map; false when there is nothing in it.
  func begin() throws(YAMLError) -> Bool {
    let first = try events.next()
    switch first.kind {
    case .mappingStart: return true
    case .scalar(let text, .plain) where text.isEmpty || text == "~" || text == "null": return false
    case .scalar, .alias, .sequenceStart, .sequenceEnd, .mappingEnd, .documentEnd:
      throw YAMLError("'documents' is a map from paths to fields", at: first.start)
    }
  }

  /// The next entry; nil behind the last.
  func next(_ trees: inout YAMLTreeReader) throws(YAMLError) -> (key: YAMLKey, fields: YAMLNode)? {
    let event = try events.next()
    if case .mappingEnd = event.kind { return nil }
    return (try YAMLKey(event), try trees.readTree())
  }
}

extension HandWrittenDocument {
  init(_ key: YAMLKey, _ node: YAMLNode, _ compiler: inout FormCompiler) throws(YAMLError) {
    path = try DocumentPath.parse(key.text, at: key.mark)
    mark = key.mark
    guard case .mapping = node.content else {
      throw node.error("the fields of a document are a map; found \(node.kindName)")
    }
    fields = try compiler.compile(node)
  }
}

/// The hand-written documents of a seed file, from memory or from the file.
struct HandWrittenDocuments {
  private enum Origin {
    case kept([HandWrittenDocument])
    case file(DocumentEntries, YAMLTreeReader)
  }

  private let origin: Origin
  private var compiler: FormCompiler
  /// How many kept documents were handed out.
  private var count = 0
  private var isFinished = false

  init(_ file: SeedFile) throws(YAMLError) {
    compiler = FormCompiler(database: file.database, vocabulary: .seeds)
    switch file.documents {
    case .kept(let documents): origin = .kept(documents)
    case .inFile: origin = try Self.opened(file.source)
    }
  }

  /// A reader that stands at the first entry of `documents`.
  private static func opened(_ source: YAMLSource) throws(YAMLError) -> Origin {
    let events = try YAMLEventReader(source, dialect: .seeds)
    _ = try events.next()
    while true {
      let event = try events.next()
      guard case .scalar(let key, _) = event.kind else { return .kept([]) }
      if key == "documents" { break }
      try skipValue(events)
    }
    let entries = DocumentEntries(events)
    guard try entries.begin() else { return .kept([]) }
    return .file(entries, YAMLTreeReader(events, nodesMax: SeedReader.entryNodesMax))
  }

  private static func skipValue(_ events: YAMLEventReader) throws(YAMLError) {
    var depth = 0
    repeat {
      switch try events.next().kind {
      case .sequenceStart, .mappingStart: depth += 1
      case .sequenceEnd, .mappingEnd: depth -= 1
      case .scalar, .alias: break
      case .documentEnd: return
      }
    } while depth > 0
  }

  /// The next document; nil behind the last, and after an error of YAML.
  mutating func next() throws(YAMLError) -> HandWrittenDocument? {
    guard !isFinished else { return nil }
    // Cleared again once a document is found: the file cannot be read on after an error in it.
    isFinished = true
    switch origin {
    case .kept(let documents):
      guard count < documents.count else { return nil }
      count += 1
      isFinished = false
      return documents[count - 1]
    case .file(let entries, var trees):
      guard let (key, fields) = try entries.next(&trees) else { return nil }
      isFinished = false
      return try HandWrittenDocument(key, fields, &compiler)
    }
  }
}
