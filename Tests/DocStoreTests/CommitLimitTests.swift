/// What commits are refused for, on both sides of each limit, by the service's limits and by the emulator's.
///
/// Source: docs/spec/production-differences.md W4, L2, L7 to L10; the numbers are those that the service was
/// recorded to take and to refuse.

import DocModel
import DocStore
import Testing

@Suite struct CommitLimitTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let path: String
    let fields: @Sendable () -> Fields
    /// What the service answers; nil when it takes the document.
    let refusal: String?
    var indexes = DefinedIndexes.automatic

    init(
      _ label: String, _ path: String = "c/a", _ refusal: String? = nil, indexes: DefinedIndexes = .automatic,
      _ fields: @escaping @Sendable () -> Fields
    ) {
      testDescription = label
      self.path = path
      self.refusal = refusal
      self.fields = fields
      self.indexes = indexes
    }
  }

  private static func numbers(_ count: Int) -> Fields {
    let elements: [Value] = (0..<count).map { Value.integer(Int64($0)) }
    return ["v": .array(elements)]
  }
  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  /// A relative name of so many bytes, in one collection.
  private static func name(_ bytes: Int) -> String { text(bytes - 1_501) + "/" + text(1_500) }
  private static let tooMany = "too many index entries for entity /c/a"
  private static let tooLarge = "Index entry is too large."
  private static let tooBig = "Transaction too big. Decrease transaction size."
  private static let exempt = DefinedIndexes(
    composites: [],
    overrides: [
      FieldOverride(
        collectionID: "c", path: .field("v"), indexes: [FieldOverride.Index(.collection, .ascending)])
    ])
  private static func composite(_ scope: IndexDefinition.Scope) -> DefinedIndexes {
    var fields: [IndexDefinition.Field] = []
    if let path = FieldPath.field("v") { fields.append(IndexDefinition.Field(path, .contains)) }
    if let path = FieldPath.field("w") { fields.append(IndexDefinition.Field(path, .ascending)) }
    return DefinedIndexes(
      composites: [CompositeIndex(IndexDefinition(collectionID: "c", scope: scope, fields: fields))],
      overrides: [])
  }
  private static func deep(_ last: Int) -> String { "c/\(text(1_500))/d/\(text(last))" }
  private static func nested(_ last: Int) -> String {
    "a/\(text(1_500))/b/\(text(1_500))/c/\(text(last))"
  }
  private static func long(_ last: Int) -> String {
    (0..<3).map { _ in "c/" + text(1_500) }.joined(separator: "/") + "/c/" + text(last)
  }

  private static func repeated(_ count: Int, of distinct: Int) -> Fields {
    let elements: [Value] = (0..<count).map { Value.integer(Int64($0 % distinct)) }
    return ["v": .array(elements)]
  }

  /// 0, 0.0, 1, 1.0, …
  private static func bothKinds(_ count: Int) -> Fields {
    var elements: [Value] = []
    for number in 0..<(count / 2) {
      elements.append(Value.integer(Int64(number)))
      elements.append(Value.double(Double(number)))
    }
    return ["v": .array(elements)]
  }

  private static func withComposite(_ count: Int) -> Fields { numbers(count).adding("w", .integer(1)) }
  private static func texts(_ count: Int) -> Fields { ["v": .string(text(count))] }

  static let elements: [Row] = [
    Row("19,999 elements") { numbers(19_999) },
    Row("20,000 elements", "c/a", tooMany) { numbers(20_000) },
    Row("25,000 elements, many of them equal") { repeated(25_000, of: 1_000) },
    Row("equal numbers of both kinds are one element") { bothKinds(25_000) },
    Row("30,000 elements without an index of elements", indexes: exempt) { numbers(30_000) },
    Row("13,000 elements and a composite", indexes: composite(.collection)) { withComposite(13_000) },
    Row("13,400 elements and a composite", "c/a", tooMany, indexes: composite(.collectionGroup)) {
      withComposite(13_400)
    },
    Row("13,400 elements, and no field for the composite", indexes: composite(.collection)) {
      numbers(13_400)
    },
  ]

  static let sizes: [Row] = [
    Row("an entry of 5,529 bytes", deep(954)) { texts(1_600) },
    Row("an entry of 5,530 bytes", deep(955), tooLarge) { texts(1_600) },
    Row("an entry of 5,529 bytes but for the parent's name", long(479)) { texts(487) },
    Row("an entry of 5,530 bytes but for the parent's name", long(479), tooLarge) { texts(488) },
    Row("a name of 4,208 bytes and a number", nested(1_200)) { ["v": .integer(1)] },
    Row("a name of 4,208 bytes and a long text", nested(1_200), tooLarge) { texts(1_500) },
    Row("a name of 4,999 bytes and a number", long(488)) { ["v": .integer(1)] },
    Row("a name of 4,999 bytes", long(488)) { Fields() },
    Row("a name of 5,000 bytes", long(489), tooLarge) { Fields() },
  ]

  private func refusal(_ store: TestStore, _ path: String, _ fields: Fields) -> String? {
    do {
      try store.set(path, fields)
      return nil
    } catch let error as StoreError {
      return error.message
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "Documents are refused for their index entries as the service refuses them", arguments: elements + sizes)
  func documents(_ row: Row) throws {
    let store = try TestStore()
    store.store.setCommitLimits(.production { _ in row.indexes })
    #expect(refusal(store, row.path, row.fields()) == row.refusal)
    store.store.setCommitLimits(.emulator)
    #expect(refusal(store, row.path, row.fields()) == nil)
  }

  /// Recorded with a relative name of 2,000 bytes and the field `v`.
  @Test(
    "A commit is charged what the service charges",
    arguments: [(7_184, nil), (7_185, tooBig)] as [(Int, String?)])
  func charged(_ count: Int, _ refused: String?) throws {
    let store = try TestStore()
    let path = Self.name(2_000)
    #expect(path.utf8.count == 2_000)
    #expect(refusal(store, path, Self.numbers(count)) == refused)
  }

  @Test("Documents of one commit are charged together, deletes more than what they delete")
  func together() throws {
    let store = try TestStore()
    let paths = (0..<2).map { "\(Self.text(499))/\(Self.text(1_499))\($0)" }
    let writes = paths.map { Write.set($0, Self.numbers(3_600)) }
    #expect(throws: StoreError.self) { try store.store.commitAndWait(store.database, writes) }
    for write in writes { try store.commit(write) }
    let deletes = paths.map { Write(ResourcePath(unchecked: $0), .delete) }
    #expect(throws: StoreError.self) { try store.store.commitAndWait(store.database, deletes) }
    for delete in deletes { try store.commit(delete) }
    #expect(refusal(store, paths[0], Self.numbers(7_000)) == nil)
    #expect(throws: StoreError.self) { try store.commit(deletes[0]) }
    store.store.setCommitLimits(.emulator)
    try store.commit(deletes[0])
  }

  @Test("500 transforms of a document are the most, for the service", arguments: [500, 501])
  func transforms(_ count: Int) throws {
    let store = try TestStore()
    let path = try #require(FieldPath.field("n"))
    let write = Write.transform(
      ResourcePath(unchecked: "c/a"), (0..<count).map { _ in .increment(path, by: .integer(1)) })
    if count == 500 {
      try store.commit(write)
    } else {
      #expect(throws: StoreError.self) { try store.commit(write) }
      store.store.setCommitLimits(.emulator)
      try store.commit(write)
    }
    #expect(try store.fields("c/a") == ["n": .integer(Int64(count))])
  }

  @Test("A document of 1,048,576 bytes is the largest; one more is told in the words of whom we follow")
  func size() throws {
    let store = try TestStore()
    // c/a: 2 + 2 + 16 bytes; the document 32; each field its name and 1, its text and 1.
    func fields(_ bytes: Int) -> Fields {
      let rest = bytes - 20 - 32 - 2 * 3
      return ["a": .string(Self.text(rest / 2)), "b": .string(Self.text(rest - rest / 2))]
    }
    #expect(refusal(store, "c/a", fields(1_048_576)) == nil)
    let name = store.database.documentsRoot + "/c/a"
    #expect(
      refusal(store, "c/a", fields(1_048_577))
        == "Document '\(name)' cannot be written because its size (1,048,577 bytes) exceeds the maximum allowed "
        + "size of 1,048,576 bytes.")
    store.store.setCommitLimits(.emulator)
    #expect(refusal(store, "c/a", fields(1_048_577)) == "maximum entity size is 1048576 bytes")
  }

  @Test("Pages of lists are bounded for the service alone", arguments: [(0, 100), (300, 300), (301, 300)])
  func pages(_ asked: Int, _ size: Int) throws {
    let list = DocumentList(
      database: DatabaseID(project: "p"), parent: .root, collectionID: "c", pageSize: asked)
    #expect(try list.validate().pageSize == size)
    #expect(try list.validate(boundsPages: false).pageSize == (asked == 0 ? Int(Int32.max) : asked))
  }
}

extension Fields {
  fileprivate func adding(_ name: String, _ value: Value) -> Fields {
    var fields = self
    fields[name] = value
    return fields
  }
}
