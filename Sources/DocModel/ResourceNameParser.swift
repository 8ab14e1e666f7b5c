/// Names that clients send, read with the service's own complaints.
///
/// Source: spec/protocol.md 2.2 (grammar, texts, byte offsets) and 2.3 (lengths).

/// Reads `projects/P/databases/D[/documents[/collection/id]*]`.
///
/// Messages quote the whole name and the byte offset where reading stopped.
public struct ResourceNameParser {
  /// What the complaint calls the name. Source: spec/protocol.md 2.2.
  public enum Subject: String, Sendable {
    case database = "Database name"
    case document = "Document name"
    case parent = "Document parent name"
    /// A reference value. Source: spec/production-differences.md W15.
    case reference = "Resource name"
  }

  private let text: String
  private let bytes: [UInt8]
  private let subject: Subject
  private var index = 0

  private init(_ text: String, subject: Subject) {
    self.text = text
    self.bytes = Array(text.utf8)
    self.subject = subject
  }

  /// A document's full name.
  public static func document(
    _ text: String, as subject: Subject = .document
  ) throws(Complaint) -> DocumentName {
    var parser = ResourceNameParser(text, subject: subject)
    let database = try parser.databasePart()
    try parser.literal("/")
    try parser.literal("documents")
    let path = try parser.pathPart()
    guard !path.isRoot else { throw parser.lacks("/") }
    return DocumentName(database: database, path: path)
  }

  /// The parent of collections: the documents root or a document.
  public static func parent(_ text: String) throws(Complaint) -> (database: DatabaseID, path: ResourcePath) {
    var parser = ResourceNameParser(text, subject: .parent)
    let database = try parser.databasePart()
    try parser.literal("/")
    try parser.literal("documents")
    return (database, try parser.pathPart())
  }

  /// `projects/P/databases/D`, nothing more.
  public static func database(_ text: String) throws(Complaint) -> DatabaseID {
    var parser = ResourceNameParser(text, subject: .database)
    let database = try parser.databasePart()
    guard parser.index == parser.bytes.count else {
      throw Complaint("\(Subject.database.rawValue) \"\(text)\" has invalid trailing \"/\".")
    }
    return database
  }

  /// A relative path as it stands in a URL or in the shell: a document, a collection or the root.
  public static func relativePath(_ text: String) throws(Complaint) -> ResourcePath {
    if text.isEmpty { return .root }
    let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (number, segment) in segments.enumerated() {
      let name = String(Substring(segment))
      if name.isEmpty { throw Complaint("path \"\(text)\" has an empty segment") }
      if number % 2 == 0 { try checkCollectionID(name) } else { try checkDocumentID(name) }
    }
    return ResourcePath(unchecked: text)
  }

  // MARK: ids given alone

  /// A collection id as queries, lists and creations name it.
  public static func checkCollectionID(_ id: String) throws(Complaint) {
    let bytes = Array(id.utf8)
    if bytes.contains(UInt8(ascii: "/")) {
      throw Complaint("Collection id \"\(id)\" is invalid because it contains \"/\".")
    }
    if isReserved(bytes) || id == "." || id == ".." {
      throw Complaint("Collection id \"\(id)\" is invalid because it is reserved.")
    }
    if bytes.count > Limits.idBytesMax {
      throw Complaint("The key path element kind is longer than \(Limits.idBytesMax) bytes.")
    }
  }

  /// A document id as CreateDocument names it.
  public static func checkDocumentID(_ id: String) throws(Complaint) {
    let bytes = Array(id.utf8)
    if bytes.contains(UInt8(ascii: "/")) {
      throw Complaint("Resource id \"\(id)\" is invalid because it contains \"/\".")
    }
    if id == "." || id == ".." {
      throw Complaint("Resource id \"\(id)\" is invalid because it is reserved.")
    }
    try checkReservedDocumentID(id, bytes)
  }

  private static func checkReservedDocumentID(_ id: String, _ bytes: [UInt8]) throws(Complaint) {
    if isReserved(bytes) {
      guard bytes.starts(with: "__id".utf8) else {
        throw Complaint("Resource id \"\(id)\" is invalid because it is reserved.")
      }
      guard bytes.withUnsafeBytes({ NameOrder.numericID($0) }) != nil else {
        throw Complaint(
          "A long document ID string must be formatted like '__id{LONG}__', where LONG is a 64-bit integer. "
            + "Found: '\(id)'.")
      }
    }
    if bytes.count > Limits.idBytesMax {
      throw Complaint("The key path element name is longer than \(Limits.idBytesMax) bytes.")
    }
  }

  /// `__...__`, at least four bytes.
  package static func isReserved(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
    bytes.count >= 4 && bytes.starts(with: "__".utf8) && bytes.suffix(2).elementsEqual("__".utf8)
  }

  // MARK: reading

  private func lacks(_ literal: String) -> Complaint {
    Complaint("\(subject.rawValue) \"\(text)\" lacks \"\(literal)\" at index \(index).")
  }

  private mutating func literal(_ literal: StaticString) throws(Complaint) {
    let matches = literal.withUTF8Buffer { bytes[index...].starts(with: $0) }
    guard matches else { throw lacks("\(literal)") }
    index += literal.utf8CodeUnitCount
  }

  /// Bytes up to the next slash or the end.
  private mutating func segment() -> String {
    let start = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "/") { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func databasePart() throws(Complaint) -> DatabaseID {
    try literal("projects")
    try literal("/")
    let project = segment()
    guard !project.isEmpty else {
      throw Complaint("\(subject.rawValue) \"\(text)\" lacks a project id at index \(index).")
    }
    try literal("/")
    try literal("databases")
    try literal("/")
    let database = segment()
    guard !database.isEmpty else {
      throw Complaint("\(subject.rawValue) \"\(text)\" lacks a database id at index \(index).")
    }
    return DatabaseID(project: project, database: database)
  }

  /// `{/collection/id}*` up to the end of the name.
  private mutating func pathPart() throws(Complaint) -> ResourcePath {
    guard index < bytes.count else { return .root }
    let start = index + 1
    var pairs = 0
    while index < bytes.count {
      try literal("/")
      let collectionStart = index
      let collection = segment()
      if collection.isEmpty {
        guard collectionStart < bytes.count || pairs == 0 else {
          throw Complaint("\(subject.rawValue) \"\(text)\" has invalid trailing \"/\".")
        }
        throw Complaint("\(subject.rawValue) \"\(text)\" lacks a collection id at index \(index).")
      }
      guard index < bytes.count else { throw lacks("/") }
      try literal("/")
      guard index < bytes.count else {
        throw Complaint("\(subject.rawValue) \"\(text)\" has invalid trailing \"/\".")
      }
      let idStart = index
      let id = segment()
      if id.isEmpty {
        throw Complaint("\(subject.rawValue) \"\(text)\" lacks a resource id at index \(index).")
      }
      try Self.checkPair(collection, id, subject: subject, text: text, idStart: idStart)
      pairs += 1
      guard pairs <= Limits.namePairsMax else {
        throw Complaint("Key path is too long. Cannot exceed \(Limits.namePairsMax) elements.")
      }
    }
    return ResourcePath(unchecked: String(decoding: bytes[start...], as: UTF8.self))
  }

  private static func checkPair(
    _ collection: String, _ id: String, subject: Subject, text: String, idStart: Int
  ) throws(Complaint) {
    let collectionBytes = Array(collection.utf8)
    if isReserved(collectionBytes) {
      throw Complaint("Collection id \"\(collection)\" is invalid because it is reserved.")
    }
    if id == "." || id == ".." {
      throw Complaint("\(subject.rawValue) \"\(text)\" contains a resource id \"\(id)\" at index \(idStart).")
    }
    if collectionBytes.count > Limits.idBytesMax {
      throw Complaint("The key path element kind is longer than \(Limits.idBytesMax) bytes.")
    }
    try checkReservedDocumentID(id, Array(id.utf8))
  }
}
