/// Names that clients send, read with the service's own complaints.
///
/// Source: docs/spec/protocol.md 2.2 (grammar, texts, byte offsets) and 2.3 (lengths); texts and precedence that
/// it leaves open: observed on the official emulator.

/// Reads `projects/P/databases/D[/documents[/collection/id]*]`.
///
/// Messages quote the whole name and the byte offset where reading stopped.
public struct ResourceNameParser {
  /// What the message calls the name. Source: docs/spec/protocol.md 2.2.
  public enum Subject: String, Sendable {
    case database = "Database name"
    case document = "Document name"
    case parent = "Document parent name"
    /// A reference value. Source: docs/spec/production-differences.md W15.
    case reference = "Resource name"
  }

  private let text: String
  private let bytes: [UInt8]
  private let subject: Subject
  private var index = 0
  /// The first id that is too long; a fault of form anywhere in the name is told before it.
  private var tooLong: InvalidArgument?

  private init(_ text: String, subject: Subject) {
    self.text = text
    self.bytes = Array(text.utf8)
    self.subject = subject
  }

  /// A document's full name.
  public static func document(
    _ text: String, as subject: Subject = .document
  ) throws(InvalidArgument) -> DocumentName {
    var parser = ResourceNameParser(text, subject: subject)
    let database = try parser.databasePart()
    if subject == .reference, parser.isAtEnd {
      throw InvalidArgument("Non-document resource reference value not supported.")
    }
    try parser.documentsPart()
    let path = try parser.pathPart()
    guard !path.isRoot else {
      throw parser.invalid(
        "Omit \"/documents\" when referencing a database (except as the parent of a document).")
    }
    return DocumentName(database: database, path: path)
  }

  /// The parent of collections: the documents root or a document.
  public static func parent(_ text: String) throws(InvalidArgument) -> (
    database: DatabaseID, path: ResourcePath
  ) {
    var parser = ResourceNameParser(text, subject: .parent)
    let database = try parser.databasePart()
    try parser.documentsPart()
    return (database, try parser.pathPart())
  }

  /// `projects/P/databases/D`, nothing more.
  public static func database(_ text: String) throws(InvalidArgument) -> DatabaseID {
    var parser = ResourceNameParser(text, subject: .database)
    let database = try parser.databasePart()
    guard !parser.isAtEnd else { return database }
    let extra = parser.index
    try parser.slash()
    throw parser.error("has extra characters at index \(extra).")
  }

  /// A relative path as it stands in a URL or in the shell: a document, a collection or the root.
  public static func relativePath(_ text: String) throws(InvalidArgument) -> ResourcePath {
    if text.isEmpty { return .root }
    let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (number, segment) in segments.enumerated() {
      let name = String(Substring(segment))
      if name.isEmpty { throw InvalidArgument("path \"\(text)\" has an empty segment") }
      if number % 2 == 0 { try checkCollectionID(name) } else { try checkDocumentID(name) }
    }
    return ResourcePath(unchecked: text)
  }

  // MARK: ids given alone

  /// A collection id as queries, lists and creations name it.
  public static func checkCollectionID(_ id: String) throws(InvalidArgument) {
    let bytes = Array(id.utf8)
    if bytes.contains(UInt8(ascii: "/")) {
      throw InvalidArgument("Collection id \"\(id)\" is invalid because it contains \"/\".")
    }
    if isReserved(bytes) || id == "." || id == ".." {
      throw InvalidArgument("Collection id \"\(id)\" is invalid because it is reserved.")
    }
    if bytes.count > Limits.idBytesMax { throw collectionIDTooLong }
  }

  /// A document id as CreateDocument names it.
  public static func checkDocumentID(_ id: String) throws(InvalidArgument) {
    let bytes = Array(id.utf8)
    if bytes.contains(UInt8(ascii: "/")) {
      throw InvalidArgument("Resource id \"\(id)\" is invalid because it contains \"/\".")
    }
    if id == "." || id == ".." {
      throw InvalidArgument("Resource id \"\(id)\" is invalid because it is reserved.")
    }
    try checkReservedDocumentID(id, bytes)
  }

  private static func checkReservedDocumentID(_ id: String, _ bytes: [UInt8]) throws(InvalidArgument) {
    try checkNumericForm(id, bytes)
    if bytes.count > Limits.idBytesMax { throw documentIDTooLong }
  }

  private static func checkNumericForm(_ id: String, _ bytes: [UInt8]) throws(InvalidArgument) {
    guard isReserved(bytes) else { return }
    guard bytes.starts(with: "__id".utf8) else {
      throw InvalidArgument("Resource id \"\(id)\" is invalid because it is reserved.")
    }
    guard bytes.withUnsafeBytes({ NameOrder.numericID($0) }) != nil else {
      throw InvalidArgument(
        "A long document ID string must be formatted like '__id{LONG}__', where LONG is a 64-bit integer. "
          + "Found: '\(id)'.")
    }
  }

  private static let collectionIDTooLong =
    InvalidArgument("The key path element kind is longer than \(Limits.idBytesMax) bytes.")
  private static let documentIDTooLong =
    InvalidArgument("The key path element name is longer than \(Limits.idBytesMax) bytes.")

  /// `__...__`, at least four bytes.
  ///
  /// Asked of every name, so it is made anew for each kind of bytes, in whichever module.
  @inlinable
  package static func isReserved(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
    guard bytes.count >= 4, bytes.first == 0x5F, bytes.last == 0x5F else { return false }
    return bytes[bytes.index(after: bytes.startIndex)] == 0x5F
      && bytes[bytes.index(bytes.endIndex, offsetBy: -2)] == 0x5F
  }

  package static func isReserved(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { isReserved($0) }
  }

  // MARK: reading

  private var isAtEnd: Bool { index == bytes.count }

  private func error(_ what: String) -> InvalidArgument {
    InvalidArgument("\(subject.rawValue) \"\(text)\" \(what)")
  }

  private func invalid(_ advice: String) -> InvalidArgument { error("is invalid: \(advice)") }

  private mutating func literal(_ literal: StaticString) throws(InvalidArgument) {
    let matches = literal.withUTF8Buffer { bytes[index...].starts(with: $0) }
    guard matches else { throw error("lacks \"\(literal)\" at index \(index).") }
    index += literal.utf8CodeUnitCount
  }

  /// A slash with something behind it.
  private mutating func slash() throws(InvalidArgument) {
    try literal("/")
    if isAtEnd { throw error("has invalid trailing \"/\".") }
  }

  /// Bytes up to the next slash or the end.
  private mutating func segment() -> String {
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "/") { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func databasePart() throws(InvalidArgument) -> DatabaseID {
    try literal("projects")
    try slash()
    let project = segment()
    if project.isEmpty { throw error("lacks a project id at index \(index).") }
    try slash()
    try literal("databases")
    try slash()
    let database = segment()
    if database.isEmpty { throw error("lacks a database id at index \(index).") }
    return DatabaseID(project: project, database: database)
  }

  private mutating func documentsPart() throws(InvalidArgument) {
    try slash()
    try literal("documents")
    if bytes[index...].elementsEqual("/".utf8) { throw invalid("Omit trailing \"/\".") }
  }

  /// `{/collection/id}*` up to the end of the name. Lengths are looked at once all of it is well formed.
  private mutating func pathPart() throws(InvalidArgument) -> ResourcePath {
    guard !isAtEnd else { return .root }
    let start = index + 1
    var pairs = 0
    while !isAtEnd {
      try slash()
      try collectionID()
      try slash()
      try documentID()
      pairs += 1
    }
    if let tooLong { throw tooLong }
    guard pairs <= Limits.namePairsMax else {
      throw InvalidArgument("Key path is too long. Cannot exceed \(Limits.namePairsMax) elements.")
    }
    return ResourcePath(unchecked: String(decoding: bytes[start...], as: UTF8.self))
  }

  private mutating func collectionID() throws(InvalidArgument) {
    let start = index
    let id = segment()
    if id.isEmpty { throw error("lacks a collection id at index \(index).") }
    if id == "." || id == ".." { throw error("contains a collection id \"\(id)\" at index \(start).") }
    if Self.isReserved(bytes[start..<index]) {
      throw InvalidArgument("Collection id \"\(id)\" is invalid because it is reserved.")
    }
    if index - start > Limits.idBytesMax, tooLong == nil { tooLong = Self.collectionIDTooLong }
  }

  private mutating func documentID() throws(InvalidArgument) {
    let start = index
    let id = segment()
    if id.isEmpty { throw error("lacks a resource id at index \(index).") }
    if id == "." || id == ".." { throw error("contains a resource id \"\(id)\" at index \(start).") }
    try Self.checkNumericForm(id, Array(bytes[start..<index]))
    if index - start > Limits.idBytesMax, tooLong == nil { tooLong = Self.documentIDTooLong }
  }
}
