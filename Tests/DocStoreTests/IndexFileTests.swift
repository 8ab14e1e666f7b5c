/// Reading and writing `firestore.indexes.json`: what is understood, what is named, and where.

import DocModel
import DocStore
import Testing

@testable import Indexes

@Suite struct IndexFileTests {
  static let whole = """
    // as the service's command line writes it
    {
      "indexes": [
        {
          "collectionGroup": "orders", "queryScope": "COLLECTION", /* one */
          "fields": [
            { "fieldPath": "status", "order": "ASCENDING" },
            { "fieldPath": "total", "order": "DESCENDING" },
            { "fieldPath": "__name__", "order": "DESCENDING" }
          ],
          "density": "SPARSE_ALL", "apiScope": "ANY_API", "multiKey": false, "unique": false
        },
        {
          "collectionGroup": "chunks", "queryScope": "COLLECTION_GROUP",
          "fields": [
            { "fieldPath": "tags", "arrayConfig": "CONTAINS" },
            { "fieldPath": "emb", "vectorConfig": { "dimension": 3, "flat": {} } }
          ]
        }
      ],
      "fieldOverrides": [
        { "collectionGroup": "lines", "fieldPath": "`a.b`.c", "ttl": true,
          "indexes": [{ "queryScope": "COLLECTION_GROUP", "arrayConfig": "CONTAINS" }] },
        { "collectionGroup": "lines", "fieldPath": "*", "indexes": [] }
      ]
    }
    """

  @Test(
    "a file of very many definitions is read in the time of its bytes, and each place is right",
    arguments: ["", "\n"])
  func manyDefinitions(lineEnd: String) {
    let entry = #"{"collectionGroup":"c","über":1,"fields":[{"fieldPath":"a","order":"ASCENDING"},"#
    var text = #"{"indexes":["#
    var offsets: [Int] = []
    for number in 0..<3_000 {
      if number > 0 { text += "," + lineEnd }
      offsets.append(text.utf8.count + #"{"collectionGroup":"c","#.utf8.count)
      text += entry + #"{"fieldPath":"f\#(number)","order":"ASCENDING"}]}"#
    }
    let bytes = Array((text + "]}").utf8)
    let clock = ContinuousClock()
    var read = (file: IndexFile(), problems: [IndexFileProblem]())
    let duration = clock.measure { read = IndexFile.read(bytes) }
    #expect(read.problems.count == offsets.count)
    for number in [0, 1, 1_499, 2_999] {
      #expect(read.problems[number].place == TextPlace(offset: offsets[number], in: bytes))
    }
    #expect(read.file.indexes.composites.count == 3_000)
    #expect(duration < .seconds(30))
  }

  @Test("A whole file is understood")
  func understood() throws {
    let (file, problems) = IndexFile.read(Array(Self.whole.utf8))
    #expect(problems.isEmpty)
    let indexes = file.indexes
    #expect(indexes.composites.count == 2)
    #expect(indexes.composites[0].definition.description == "orders (status ASC, total DESC, __name__ DESC)")
    #expect(indexes.composites[0].nameDirection == .descending)
    #expect(indexes.composites[1].definition.scope == .collectionGroup)
    #expect(indexes.composites[1].vector == VectorField(try #require(.field("emb")), dimension: 3))
    #expect(indexes.overrides.map(\.path?.text) == ["`a.b`.c", nil])
    #expect(indexes.overrides.map(\.expires) == [true, false])
    #expect(indexes.expiries.map(\.path.text) == ["`a.b`.c"])
    #expect(indexes.overrides[0].indexes == [FieldOverride.Index(.collectionGroup, .contains)])
    #expect(file.composites[0].place.line == 4)
  }

  @Test("What is written is read back as the same definitions")
  func roundTrip() {
    let indexes = IndexFile.read(Array(Self.whole.utf8)).file.indexes
    let text = IndexFileText.file(indexes)
    let (again, problems) = IndexFile.read(Array(text.utf8))
    #expect(problems.isEmpty)
    #expect(IndexFileText.file(again.indexes) == text)
    #expect(again.indexes.overrides == indexes.overrides)
    #expect(again.indexes.composites.map(\.nameDirection) == indexes.composites.map(\.nameDirection))
  }

  @Test("The older form of the file is read")
  func older() {
    let text =
      #"{"indexes": [{"collectionId": "c", "fields": [{"fieldPath": "t", "mode": "ARRAY_CONTAINS"}, {"fieldPath": "a", "mode": "DESCENDING"}]}]}"#
    let (file, problems) = IndexFile.read(Array(text.utf8))
    #expect(problems.isEmpty)
    #expect(file.indexes.composites.first?.definition.description == "c (t CONTAINS, a DESC)")
  }

  @Test("All that is wrong with an index is told at once")
  func together() {
    let text = """
      {"indexes": [{
        "collectionGroup": "a/b",
        "queryScope": "X",
        "fields": [
          {"fieldPath": "a"},
          {"fieldPath": ""}
        ]
      }]}
      """
    let problems = IndexFile.read(Array(text.utf8)).problems
    #expect(problems.map(\.place.line) == [2, 3, 5, 6])
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let message: String
    var severity = IndexFileProblem.Severity.error

    var testDescription: String { message }
  }

  private static func index(_ fields: String, _ more: String = "") -> String {
    #"{"indexes": [{"collectionGroup": "c", "fields": ["# + fields + "]" + more + "}]}"
  }
  private static let a = #"{"fieldPath": "a", "order": "ASCENDING"}"#

  static let faults: [Fault] = [
    Fault(text: "", line: 1, column: 1, message: "the file ends here; a value is expected"),
    Fault(
      text: "{\n  \"indexes\": [],\n}", line: 2, column: 16,
      message: "no comma may stand before `}`; remove it"),
    Fault(
      text: "{'indexes': []}", line: 1, column: 2,
      message: "found `'`; a name in double quotes is expected, or `}`"),
    Fault(
      text: "{\"indexes\": [] /* x", line: 1, column: 16,
      message: "this comment has no end; close it with `*/`"),
    Fault(text: "{\"a", line: 1, column: 2, message: "this text has no end; close it with `\"`"),
    Fault(
      text: "{} {}", line: 1, column: 4, message: "there is more text after the end of the JSON; remove it"),
    Fault(
      text: "\u{FEFF}{}", line: 1, column: 1,
      message: "the file begins with a byte order mark; save it as UTF-8 without one"),
    Fault(
      text: "{\"a\": 01}", line: 1, column: 7,
      message: "`01` is no number; write it as `12`, `-0.5` or `1e9`"),
    Fault(
      text: "{\"a\": +1}", line: 1, column: 7,
      message: "`+1` is no number; write it as `12`, `-0.5` or `1e9`"),
    Fault(
      text: "{\"a\": .5}", line: 1, column: 7,
      message: "`.5` is no number; write it as `12`, `-0.5` or `1e9`"),
    Fault(
      text: "{\"a\": 1.}", line: 1, column: 7,
      message: "`1.` is no number; write it as `12`, `-0.5` or `1e9`"),
    Fault(
      text: #"{"a": "\u+041"}"#, line: 1, column: 10, message: "`\\u` takes four hexadecimal digits"),
    Fault(text: "[]", line: 1, column: 1, message: "an index file must be an object, found a list"),
    Fault(
      text: #"{"indexes": {}}"#, line: 1, column: 13, message: "`indexes` must be a list, found an object"),
    Fault(
      text: #"{"indexes": [{"fields": []}]}"#, line: 1, column: 14, message: "there is no `collectionGroup`"),
    Fault(
      text: #"{"indexes": [{"collectionGroup": "a/b", "fields": []}]}"#, line: 1, column: 34,
      message: "Collection id \"a/b\" is invalid because it contains \"/\"."),
    Fault(text: index(""), line: 1, column: 49, message: "`fields` must be a list of fields, found a list"),
    Fault(
      text: index(#"{"fieldPath": "a"}"#), line: 1, column: 50,
      message: "the field says neither `order` nor `arrayConfig`"),
    Fault(
      text: index(#"{"fieldPath": "a-b", "order": "ASCENDING"}"#), line: 1, column: 64,
      message: "`a-b` is no field path"),
    Fault(
      text: index(#"{"fieldPath": "a", "order": "UP"}"#), line: 1, column: 78,
      message: "`order` cannot be `UP`"),
    Fault(
      text: index(#"{"fieldPath": "a", "order": "ASCENDING", "arrayConfig": "CONTAINS"}"#), line: 1,
      column: 91, message: "the field says `order` and `arrayConfig`"),
    Fault(text: index("\(a), \(a)"), line: 1, column: 92, message: "`a` stands in the index twice"),
    Fault(
      text: index(#"{"fieldPath": "__name__", "order": "ASCENDING"}, \#(a)"#), line: 1, column: 50,
      message: "`__name__` may only be the last ordered field"),
    Fault(
      text: index(#"{"fieldPath": "v", "vectorConfig": {"dimension": 2, "flat": {}}}, \#(a)"#), line: 1,
      column: 50, message: "a vector field must be the last of its index"),
    Fault(
      text: index(#"{"fieldPath": "v", "vectorConfig": {"dimension": 2049, "flat": {}}}"#), line: 1,
      column: 99, message: "`dimension` must be a whole number from 1 to 2048"),
    Fault(text: index(a, #", "queryScope": "ALL""#), line: 1, column: 107, message: "`ALL` is no scope"),
    Fault(
      text: #"{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a"}]}"#, line: 1, column: 21,
      message: "the override has no `indexes`"),
    Fault(
      text: #"{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "a", "ttl": 1, "indexes": []}]}"#,
      line: 1, column: 71, message: "`ttl` must be true or false, found a number"),
    Fault(
      text: #"{"fieldOverrides": [{"collectionGroup": "c", "fieldPath": "*", "ttl": true, "indexes": []}]}"#,
      line: 1, column: 71, message: "`*` cannot have a TTL policy: documents end at the time in one field"),
    Fault(
      text: #"{"indices": []}"#, line: 1, column: 2,
      message: "`indices` means nothing in an index file and is passed over", severity: .warning),
    Fault(
      text: index(a, #", "querySope": "COLLECTION""#), line: 1, column: 93,
      message: "`querySope` means nothing in an index and is passed over", severity: .warning),
    Fault(
      text: index(a, #", "apiScope": "DATASTORE_MODE_API""#), line: 1, column: 93,
      message: "an index of `DATASTORE_MODE_API` does not serve this API and is passed over",
      severity: .warning),
  ]

  @Test("a second TTL policy of a collection group is refused")
  func twoPolicies() throws {
    let entry = { (id: String, field: String) in
      #"{"collectionGroup": "\#(id)", "fieldPath": "\#(field)", "ttl": true, "indexes": []}"#
    }
    let text = #"{"fieldOverrides": [\#(entry("c", "a")), \#(entry("d", "a")), \#(entry("c", "b"))]}"#
    let (file, problems) = IndexFile.read(Array(text.utf8))
    #expect(problems.isEmpty)
    let found = IndexFileReview.problems(of: file)
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.message.contains("one TTL policy") == true)
  }

  @Test("an index that a refusal asks for leaves the field's TTL policy")
  func keepsPolicy() throws {
    let field = try #require(FieldPath.field("until"))
    let indexes = DefinedIndexes(
      composites: [],
      overrides: [FieldOverride(collectionID: "c", path: field, indexes: [], expires: true)])
    let query = try QueryValidator.validate(
      StructuredQuery(
        database: DatabaseID(project: "p"), from: [.init("c")], orderBy: [.init("until")]))
    let needs = try #require(QueryNeeds(query))
    let missing = try #require(IndexRequirement.missing(for: needs, among: indexes))
    #expect(indexes.adding(missing).overrides.map(\.expires) == [true])
    #expect(IndexFileText.addition(of: missing, to: indexes).entry.contains("\"ttl\": true"))
  }

  @Test("Faults are named with their line and column", arguments: faults)
  func named(_ fault: Fault) {
    let problems = IndexFile.read(Array(fault.text.utf8)).problems
    #expect(problems.first?.message == fault.message)
    #expect(problems.first?.severity == fault.severity)
    #expect([problems.first?.place.line, problems.first?.place.column] == [fault.line, fault.column])
  }

  @Test("No text ends the reader, whatever byte of a file is changed or missing")
  func broken() {
    let bytes = Array(Self.whole.utf8)
    for index in bytes.indices {
      _ = IndexFile.read(Array(bytes[..<index]))
      for other in [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "\\"), 0xFF, 0] {
        var changed = bytes
        changed[index] = other
        _ = IndexFile.read(changed)
      }
    }
    #expect(!IndexFile.read(Array(String(repeating: "[", count: 100_000).utf8)).problems.isEmpty)
  }

  @Test(
    "Useless definitions are named",
    arguments: [
      (
        #"{"collectionGroup": "c", "fields": [{"fieldPath": "a", "order": "ASCENDING"}]}"#,
        "an index of one field is none of this list"
      ),
      (
        #"{"collectionGroup": "d", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}"#,
        "the same index is defined in line 1"
      ),
      (
        #"{"collectionGroup": "g", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}"#,
        "the same index for the collection group"
      ),
      (
        #"{"collectionGroup": "m", "fields": [{"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}, {"fieldPath": "t", "order": "ASCENDING"}]}"#,
        "the same queries are served by merging"
      ),
    ])
  func reviewed(_ entry: String, _ message: String) {
    func pair(_ id: String, _ first: String, _ second: String, _ scope: String = "COLLECTION") -> String {
      #"{"collectionGroup": "\#(id)", "queryScope": "\#(scope)", "fields": [{"fieldPath": "\#(first)", "order": "ASCENDING"}, {"fieldPath": "\#(second)", "order": "ASCENDING"}]}"#
    }
    let known = [
      pair("d", "a", "b"), pair("g", "a", "b", "COLLECTION_GROUP"), pair("m", "a", "t"), pair("m", "b", "t"),
    ]
    let text = "{\"indexes\": [\(known.joined(separator: ",")),\n\(entry)]}"
    let (file, problems) = IndexFile.read(Array(text.utf8))
    #expect(problems.isEmpty)
    let found = IndexFileReview.problems(of: file)
    #expect(found.count == 1)
    #expect(found.first?.message.hasPrefix(message) == true)
    #expect(found.first?.place.line == 2)
  }
}
