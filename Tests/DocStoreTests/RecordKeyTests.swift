/// A record belongs to its key: under another one it is damage. Records of older stores know no keys and are read.

import DocModel
import EngineLMDB
import TestSupport
import Testing

@testable import DocStore

@Suite("records and their keys")
struct RecordKeyTests {
  private let test: TestStore

  init() throws { test = try TestStore() }

  /// The first entry of a keyspace.
  private func entry(_ keyspace: Keyspace) throws -> (key: [UInt8], value: [UInt8]) {
    try test.store.engine.read { (view) throws(StorageError) in
      var found: (key: [UInt8], value: [UInt8]) = ([], [])
      try view.scan(keyspace, .all, .forward) { key, value in
        found = (Array(key), Array(value))
        return .stop
      }
      return found
    }
  }

  private func move(_ keyspace: Keyspace, _ key: [UInt8], to other: [UInt8], _ value: [UInt8]) throws {
    try test.store.engine.write(MutationBatch()) { (_, batch) throws(StorageError) in
      batch.remove(keyspace, key)
      batch.put(keyspace, other, value)
    }
  }

  @Test("a document whose key has another byte is not another document")
  func movedDocument() throws {
    try test.set("c/abc", ["x": .integer(1)])
    let (key, value) = try entry(.documents)
    // The bytes of the id; those of the collection and the generation put the record where no scan of `c` comes.
    for index in (key.count - 4)..<(key.count - 1) {
      var other = key
      other[index] ^= 1
      try move(.documents, key, to: other, value)
      #expect(storeError { _ = try test.collection("c") } == .storage(.corrupt), "byte \(index)")
      try move(.documents, other, to: key, value)
    }
    #expect(try test.fields("c/abc") == ["x": .integer(1)])
  }

  @Test("an earlier state keeps the checksum of its document's key")
  func movedHistory() throws {
    try test.set("c/abc", ["x": .integer(1)])
    let first = ReadTime.at(try test.store.read(test.database) { (view) throws(StoreError) in view.readTime })
    try test.set("c/abc", ["x": .integer(2)])
    #expect(try test.fields("c/abc", at: first) == ["x": .integer(1)])
    let (key, value) = try entry(.documentHistory)
    var other = key
    other[key.count - KeyLayout.versionBytes - 2] ^= 1
    try move(.documentHistory, key, to: other, value)
    #expect(storeError { _ = try test.collection("c", at: first) } == .storage(.corrupt))
  }

  @Test("a record of format 2, whose checksum knows no key, is read, and its next state has one")
  func oldRecord() throws {
    try test.set("c/abc", ["x": .integer(1)])
    let (key, value) = try entry(.documents)
    #expect(value[4] == 2)
    var old = value
    old[4] = 0
    let sum = old[4...].withUnsafeBytes { CRC32C.checksum($0) }
    old.replaceSubrange(..<4, with: withUnsafeBytes(of: sum.littleEndian) { Array($0) })
    try move(.documents, key, to: key, old)
    #expect(try test.fields("c/abc") == ["x": .integer(1)])
    try test.set("c/abc", ["x": .integer(2)])
    #expect(try entry(.documents).value[4] == 2)
    #expect(try test.fields("c/abc") == ["x": .integer(2)])
  }
}
