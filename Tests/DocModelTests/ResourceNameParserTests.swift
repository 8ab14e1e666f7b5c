import DocModel
import Testing

@Suite("names that clients send")
struct ResourceNameParserTests {
  private static let root = "projects/p/databases/d/documents"
  private static let long = String(repeating: "x", count: 1_501)

  private static func complaint<R>(_ body: () throws(InvalidArgument) -> R) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return error.message
    }
  }

  private static let documentNameRows: [(String, String)] = [
    ("", "lacks \"projects\" at index 0."), ("x", "lacks \"projects\" at index 0."),
    ("project", "lacks \"projects\" at index 0."), ("projects", "lacks \"/\" at index 8."),
    ("projects/", "has invalid trailing \"/\"."), ("projects//", "lacks a project id at index 9."),
    ("projects/p", "lacks \"/\" at index 10."), ("projects/p/", "has invalid trailing \"/\"."),
    ("projects/p/database", "lacks \"databases\" at index 11."),
    ("projects/p/databases", "lacks \"/\" at index 20."),
    ("projects/p/databases/", "has invalid trailing \"/\"."),
    ("projects/p/databases/d", "lacks \"/\" at index 22."),
    ("projects//databases/d/documents/c/x", "lacks a project id at index 9."),
    ("projects/p/databases//documents/c/x", "lacks a database id at index 21."),
    ("projects/p/databases/d/", "has invalid trailing \"/\"."),
    ("projects/p/databases/d/doc", "lacks \"documents\" at index 23."),
    (
      root,
      "is invalid: Omit \"/documents\" when referencing a database (except as the parent of a document)."
    ),
    (root + "x", "lacks \"/\" at index 32."), (root + "/", "is invalid: Omit trailing \"/\"."),
    (root + "/c", "lacks \"/\" at index 34."), (root + "/c/", "has invalid trailing \"/\"."),
    (root + "//x", "lacks a collection id at index 33."), (root + "//", "lacks a collection id at index 33."),
    (root + "/c//", "lacks a resource id at index 35."), (root + "/c//y", "lacks a resource id at index 35."),
    (root + "/c/x/", "has invalid trailing \"/\"."), (root + "/c/x/e", "lacks \"/\" at index 38."),
    (root + "/c/x/e/", "has invalid trailing \"/\"."),
    (root + "/c/x//", "lacks a collection id at index 37."),
    (root + "/c/x//z", "lacks a collection id at index 37."),
    (root + "/c/.", "contains a resource id \".\" at index 35."),
    (root + "/c/..", "contains a resource id \"..\" at index 35."),
    (root + "/../x", "contains a collection id \"..\" at index 33."),
    (root + "/./x", "contains a collection id \".\" at index 33."),
    (root + "/\u{E9}/..", "contains a resource id \"..\" at index 36."),
    (root + "/\u{E9}/x/e", "lacks \"/\" at index 39."),
    (root + "/\(long)/..", "contains a resource id \"..\" at index 1535."),
  ]

  /// What follows `Document name "<name>" `. Each row was asked of the official emulator.
  @Test(
    "a document name is refused at the byte where reading stopped",
    arguments: documentNameRows)
  func documentNames(name: String, expected: String) {
    let message = Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.document(name) }
    #expect(message == "Document name \"\(name)\" \(expected)")
  }

  private static let idRows: [(String, String)] = [
    ("/__c__/x", "Collection id \"__c__\" is invalid because it is reserved."),
    ("/____/x", "Collection id \"____\" is invalid because it is reserved."),
    ("/__id7__/x", "Collection id \"__id7__\" is invalid because it is reserved."),
    ("/__c__", "Collection id \"__c__\" is invalid because it is reserved."),
    ("/__c__/..", "Collection id \"__c__\" is invalid because it is reserved."),
    ("/c/__x__", "Resource id \"__x__\" is invalid because it is reserved."),
    ("/c/____", "Resource id \"____\" is invalid because it is reserved."),
    ("/c/__x__//", "Resource id \"__x__\" is invalid because it is reserved."),
    ("/c/__i__", "Resource id \"__i__\" is invalid because it is reserved."),
    ("/c/__id__", numeric("__id__")), ("/c/__idx__", numeric("__idx__")),
    ("/c/__id07__", numeric("__id07__")),
    ("/c/__id+7__", numeric("__id+7__")), ("/c/__id-0__", numeric("__id-0__")),
    ("/c/__id9223372036854775808__", numeric("__id9223372036854775808__")),
    ("/c/" + long, "The key path element name is longer than 1500 bytes."),
    ("/\(long)/x", "The key path element kind is longer than 1500 bytes."),
    ("/\(long)/__x__", "Resource id \"__x__\" is invalid because it is reserved."),
    ("/c/\(long)/__c__/x", "Collection id \"__c__\" is invalid because it is reserved."),
    (String(repeating: "/c/x", count: 101), "Key path is too long. Cannot exceed 100 elements."),
    (
      String(repeating: "/c/x", count: 101) + "/__c__/x",
      "Collection id \"__c__\" is invalid because it is reserved."
    ),
  ]

  @Test(
    "ids are refused with texts of their own, form before length",
    arguments: idRows)
  func ids(path: String, expected: String) {
    let message = Self.complaint { () throws(InvalidArgument) in
      try ResourceNameParser.document(Self.root + path)
    }
    #expect(message == expected)
  }

  private static func numeric(_ id: String) -> String {
    "A long document ID string must be formatted like '__id{LONG}__', where LONG is a 64-bit integer. Found: '\(id)'."
  }

  private static let acceptedRows: [String] = [
    "c/x", "c/___", "___/x", "c/__", "c/__id7__", "c/__id-9223372036854775808__", "c/...", ".../x",
    "\u{E9}/\u{0} .:",
    "c/" + String(repeating: "\u{E9}", count: 750), String(repeating: "c", count: 1_500) + "/x", "c/__x",
    "c/x__", "c/_",
    (0..<100).map { _ in "c/x" }.joined(separator: "/"), "c/e\u{301}",
  ]

  @Test(
    "everything else is a name, taken byte for byte",
    arguments: acceptedRows)
  func accepted(path: String) throws {
    let name = try ResourceNameParser.document(Self.root + "/" + path)
    #expect(name.path.text.hasSameBytes(as: path))
    #expect(name.resourceName.hasSameBytes(as: Self.root + "/" + path))
    #expect(name.database == DatabaseID(project: "p", database: "d"))
  }

  @Test("a database's names are its parts, joined", arguments: ["p", "é", "a-project-of-many-letters", ""])
  func databaseNames(project: String) {
    let database = DatabaseID(project: project, database: "(default)")
    #expect(database.resourceName == "projects/\(project)/databases/(default)")
    #expect(database.documentsRoot == "projects/\(project)/databases/(default)/documents")
  }

  @Test(
    "a parent is the root or a document",
    arguments: [
      ("projects/p/databases/d", "lacks \"/\" at index 22."),
      (root + "/", "is invalid: Omit trailing \"/\"."),
      (root + "/c", "lacks \"/\" at index 34."), (root + "/c/", "has invalid trailing \"/\"."),
      (root + "/c/x/", "has invalid trailing \"/\"."), (root + "/c/x/e", "lacks \"/\" at index 38."),
      ("", "lacks \"projects\" at index 0."), (root + "//", "lacks a collection id at index 33."),
      (root + "/c/..", "contains a resource id \"..\" at index 35."), (root, nil), (root + "/c/x", nil),
    ] as [(String, String?)])
  func parents(name: String, expected: String?) {
    let message = Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.parent(name) }
    #expect(message == expected.map { "Document parent name \"\(name)\" \($0)" })
  }

  @Test(
    "a database name has nothing behind it",
    arguments: [
      ("", "lacks \"projects\" at index 0."), ("projects", "lacks \"/\" at index 8."),
      ("projects/p/databases", "lacks \"/\" at index 20."),
      ("projects/p/databases/", "has invalid trailing \"/\"."),
      ("projects//databases/d", "lacks a project id at index 9."),
      ("projects/p/databases/d/", "has invalid trailing \"/\"."),
      (root, "has extra characters at index 22."), (root + "/", "has extra characters at index 22."),
      ("projects/p/databases/d/x", "has extra characters at index 22."),
      ("projects/p/databases/(default)", nil),
      ("projects/example.com:p/databases/d", nil),
    ] as [(String, String?)])
  func databases(name: String, expected: String?) {
    let message = Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.database(name) }
    #expect(message == expected.map { "Database name \"\(name)\" \($0)" })
  }

  @Test(
    "a collection id given alone",
    arguments: [
      ("a/b", "contains \"/\"."), ("__x__", "is reserved."), (".", "is reserved."), ("..", "is reserved."),
      ("__id7__", "is reserved."), ("c", nil), ("...", nil), ("___", nil),
    ] as [(String, String?)])
  func collectionIDs(id: String, expected: String?) {
    let message = Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.checkCollectionID(id)
    }
    #expect(message == expected.map { "Collection id \"\(id)\" is invalid because it \($0)" })
  }

  @Test(
    "a document id given alone",
    arguments: [
      ("a/b", "Resource id \"a/b\" is invalid because it contains \"/\"."),
      (".", "Resource id \".\" is invalid because it is reserved."),
      ("..", "Resource id \"..\" is invalid because it is reserved."),
      ("__x__", "Resource id \"__x__\" is invalid because it is reserved."),
      ("__id07__", numeric("__id07__")),
      (long, "The key path element name is longer than 1500 bytes."), ("__id7__", nil), ("x", nil),
      ("___", nil),
    ] as [(String, String?)])
  func documentIDs(id: String, expected: String?) {
    #expect(
      Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.checkDocumentID(id) } == expected)
  }

  @Test("a long collection id given alone is refused")
  func longCollectionID() {
    let message = Self.complaint { () throws(InvalidArgument) in
      try ResourceNameParser.checkCollectionID(Self.long)
    }
    #expect(message == "The key path element kind is longer than 1500 bytes.")
  }

  @Test("relative paths name the root, collections and documents")
  func relativePaths() throws {
    #expect(try ResourceNameParser.relativePath("").isRoot)
    #expect(try ResourceNameParser.relativePath("c").isCollection)
    #expect(try ResourceNameParser.relativePath("c/x").isDocument)
    #expect(try ResourceNameParser.relativePath("c/x/e").parent.text == "c/x")
    #expect(try ResourceNameParser.relativePath("c/x/e").lastSegment == "e")
    for faulty in ["/", "c/", "/c", "c//x", "c/..", "__c__", "c/__x__"] {
      #expect(
        Self.complaint { () throws(InvalidArgument) in try ResourceNameParser.relativePath(faulty) } != nil,
        "\(faulty)")
    }
  }

  @Test("a path lies below its ancestors and below nothing that only begins alike")
  func below() {
    let path = ResourcePath(unchecked: "c/x/e/y")
    for ancestor in ["", "c", "c/x", "c/x/e"] { #expect(path.isBelow(ResourcePath(unchecked: ancestor))) }
    for other in ["c/x/e/y", "c/x/e/y/z", "c/", "c/xx", "d", "x"] {
      #expect(!path.isBelow(ResourcePath(unchecked: other)))
    }
    #expect(!ResourcePath.root.isBelow(.root))
  }
}
