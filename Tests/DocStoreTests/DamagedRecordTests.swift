/// What can be done about a document that cannot be read.

import DocModel
import EngineLMDB
import TestSupport
import Testing

@testable import DocStore

@Suite("a damaged document")
struct DamagedRecordTests {
  private let test: TestStore

  init() throws {
    test = try TestStore()
    for number in 0..<5 { try test.set("c/d\(number)", ["n": .integer(Int64(number))]) }
    let key = KeyLayout.documentKey(1, ResourcePath(unchecked: "c/d2")).bytes
    try test.store.engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
      batch.put(.documents, key, [UInt8](repeating: 7, count: 60))
    }
  }

  @Test("cannot be read, and is told by those who go past it")
  func reads() throws {
    #expect(storeError { _ = try test.fields("c/d2") } == .storage(.corrupt))
    var damaged: [String] = []
    let found = try test.collect { (view, visit) throws(StoreError) in
      var names: [String] = []
      try view.scanReadableDescendants(of: .root, damaged: { names.append($0) }, visit)
      damaged = names
    }
    #expect(found == ["c/d0", "c/d1", "c/d3", "c/d4"] && damaged == ["c/d2"])
  }

  @Test("can be overwritten")
  func overwritten() throws {
    try test.set("c/d2", ["n": .integer(9)])
    #expect(try test.fields("c/d2") == ["n": .integer(9)])
    #expect(try test.collection("c").count == 5)
  }

  @Test("can be deleted, alone and with others")
  func deleted() throws {
    try test.commit(.delete("c/d2"), .set("c/d3", ["n": .integer(8)]))
    #expect(try test.fields("c/d2") == nil)
    #expect(try test.collection("c").count == 4)
  }

  @Test("is not changed in part, asked for preconditions, or left to rules")
  func refused() throws {
    let judge: CommitJudge = { _ throws(StoreError) in }
    #expect(storeError { try test.commit(.merge("c/d2", ["n": .integer(1)], "n")) } == .storage(.corrupt))
    #expect(
      storeError { try test.commit(.transform("c/d2", .increment(fieldPath("n"), by: .integer(1)))) }
        == .storage(.corrupt))
    #expect(
      storeError { try test.commit(.delete("c/d2", precondition: .exists(true))) } == .storage(.corrupt))
    #expect(
      storeError { try test.store.commitAndWait(test.database, [.set("c/d2", [:])], judge: judge) }
        == .storage(.corrupt))
  }
}
