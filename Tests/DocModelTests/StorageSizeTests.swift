import DocModel
import Testing

@Suite("sizes by the storage formula")
struct StorageSizeTests {
  private static func size(_ value: Value) -> Int { value.withView(StorageSize.value) }

  private static func size(_ path: String, _ fields: Fields) -> Int {
    fields.encoded.withUnsafeBytes {
      StorageSize.document(ResourcePath(unchecked: path), FieldsView(document: $0))
    }
  }

  @Test("the documentation's own examples")
  func documented() {
    #expect(StorageSize.name(ResourcePath(unchecked: "users/jeff/tasks/my_task_id")) == 44)
    let task: Fields = [
      "type": .string("Personal"), "done": .boolean(false), "priority": .integer(1),
      "description": .string("Learn Cloud Firestore"),
    ]
    #expect(Self.size("users/jeff/tasks/my_task_id", task) == 147)
  }

  @Test(
    "one value of each kind",
    arguments: [
      (.null, 1), (.boolean(true), 1), (.integer(.max), 8), (.double(0.5), 8),
      (.timestamp(Timestamp(seconds: 1, nanoseconds: 0)), 8), (.string(""), 1), (.string("\u{E9}"), 3),
      (.bytes([]), 0),
      (.bytes([1, 2, 3]), 3), (.geoPoint(GeoPoint(latitude: 0, longitude: 0)), 16), (.vector([1, 2, 3]), 24),
      (.array([]), 0), (.array([.null, .string("a")]), 3), (.map([:]), 0), (.map(["k": .integer(1)]), 10),
      (.map(["k": .array([.map(["l": .null])])]), 5),
      (.reference("projects/p/databases/d/documents/users/jeff/tasks/my_task_id"), 44),
      (.reference("projects/project/databases/(default)/documents/c/__id7__"), 2 + 8 + 16),
    ] as [(Value, Int)])
  func values(value: Value, expected: Int) {
    #expect(Self.size(value) == expected)
  }

  @Test("a numeric id counts eight bytes, other ids their text")
  func names() {
    #expect(StorageSize.name(.root) == 16)
    #expect(StorageSize.name(ResourcePath(unchecked: "c/__id-9223372036854775808__")) == 2 + 8 + 16)
    #expect(StorageSize.name(ResourcePath(unchecked: "c/__id7_")) == 2 + (6 + 1) + 16)
    #expect(Self.size("c/d", [:]) == 2 + 2 + 16 + 32)
  }
}
