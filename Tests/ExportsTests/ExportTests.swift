/// Exports: the bytes of the format, there and back, and what is said of broken ones.

import DocModel
import DocStore
import Glibc
import TestSupport
import Testing

@testable import Exports

@Suite("exports")
struct ExportTests {
  static let database = DatabaseID(project: "exp1")

  static func hex(_ text: String) -> [UInt8] {
    text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }

  static func log(_ records: [[UInt8]], in folder: TemporaryFolder) throws -> [UInt8] {
    let file = try OutputFile(folder.path + "/log")
    var log = LevelLogWriter(file)
    for record in records { try log.append(record) }
    try file.flush()
    return try #require(InputFile(folder.path + "/log")).readAll(atMost: 1 << 20)
  }

  static func records(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> [[UInt8]] {
    let file = try OutputFile(folder.path + "/read")
    try file.write(bytes)
    try file.flush()
    var log = LevelLogReader(try #require(InputFile(folder.path + "/read")))
    var records: [[UInt8]] = []
    while let record = try log.next() { records.append(record) }
    return records
  }

  // MARK: framing

  // Source: docs/spec/streams.md 6.3.
  @Test("the version's record is the known bytes")
  func version() throws {
    let folder = TemporaryFolder()
    #expect(try Self.log([[0x33]], in: folder) == Self.hex("b8 6d 44 4e 01 00 01 33"))
  }

  @Test("a long record is cut at the blocks, and comes back whole")
  func fragments() throws {
    let folder = TemporaryFolder()
    let record = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let bytes = try Self.log([record], in: folder)
    func header(_ offset: Int) -> (length: Int, kind: UInt8) {
      (Int(bytes[offset + 4]) | Int(bytes[offset + 5]) << 8, bytes[offset + 6])
    }
    #expect(header(0) == (32_761, 1 + 1))
    #expect(header(32_768) == (32_761, 3))
    #expect(header(65_536) == (70_000 - 2 * 32_761, 4))
    #expect(try Self.records(bytes, in: folder) == [record])
  }

  @Test("records that end near a block's end are read back", arguments: 32_745...32_765)
  func edges(length: Int) throws {
    let folder = TemporaryFolder()
    let records = [[UInt8](repeating: 7, count: length), [1, 2, 3], [], [9]]
    #expect(try Self.records(try Self.log(records, in: folder), in: folder) == records)
  }

  @Test("a wrong byte is told by its checksum, a cut file by its last record")
  func damage() throws {
    let folder = TemporaryFolder()
    let bytes = try Self.log([[1, 2, 3, 4, 5, 6, 7, 8]], in: folder)
    var wrong = bytes
    wrong[10] ^= 1
    #expect(throws: ExportError(.invalid, "Checksum doesn't validate.")) {
      try Self.records(wrong, in: folder)
    }
    for count in 1..<bytes.count {
      #expect(throws: ExportError(.invalid, "Invalid record")) {
        try Self.records(Array(bytes.prefix(count)), in: folder)
      }
    }
  }

  // MARK: entities

  // Source: docs/spec/streams.md 6.5.
  @Test("the worked entity is the known bytes")
  func entity() {
    let bytes = EntityWriter.entity(
      ResourcePath(unchecked: "c/__id7__"), ["n": .integer(2)], of: Self.database)
    let expected =
      Self.hex("6a 13 6a 08") + Array("dev~exp1".utf8) + Self.hex("72 07 0b 12 01 63 18 07 0c")
      + Self.hex("7a 09 1a 01 6e 20 00 2a 02 08 02 82 01 07 0b 12 01 63 18 07 0c")
    #expect(bytes == expected)
  }

  static let everything: Fields = [
    "null": .null, "true": .boolean(true), "false": .boolean(false), "int": .integer(-5),
    "max": .integer(.max),
    "double": .double(1.5), "time": .timestamp(Timestamp(seconds: -1, nanoseconds: 123_000)),
    "text": .string("Grüße"), "empty": .string(""), "bytes": .bytes([0, 255]),
    "reference": .reference("projects/exp1/databases/(default)/documents/a/b/c/__id9__"),
    "other": .reference("projects/q/databases/db2/documents/a/b"),
    "point": .geoPoint(GeoPoint(latitude: 1.25, longitude: -2)), "vector": .vector([1, 2.5]),
    "none": .array([]),
    "list": .array([.integer(1), .string("x"), .map(["in": .array([.null])]), .null]),
    "map": .map(["a": .map([:]), "b": .array([]), "c": .map(["d": .bytes([1])]), "v": .vector([3])]),
  ]

  @Test(
    "every kind of value comes back as it was", arguments: ["a/b", "a/b/c/d", "ä/__id-7__", "x/a:b c"],
    ["(default)", "db2"])
  func roundTrip(path: String, database: String) throws {
    let path = ResourcePath(unchecked: path)
    let record = EntityWriter.entity(
      path, Self.everything, of: DatabaseID(project: "exp1", database: database))
    let read = try EntityReader(project: "exp1").document(record)
    #expect(read.path == path)
    #expect(read.database == database)
    #expect(read.fields == Self.everything)
  }

  @Test("a reference of an indexed property belongs to whoever imports it; elsewhere it keeps its project")
  func references() throws {
    let name = "projects/exp1/databases/(default)/documents/a/b"
    var record = EntityWriter.entity(
      ResourcePath(unchecked: "a/b"), ["r": .reference(name)], of: Self.database)
    let reader = EntityReader(project: "mine")
    #expect(try reader.document(record).fields["r"] == .reference(name))
    let place = try #require(record.firstIndex(of: 0x7A))
    record[place] = 0x72
    #expect(
      try reader.document(record).fields["r"] == .reference("projects/mine/databases/(default)/documents/a/b")
    )
  }

  @Test("any change of a record is a document or an error, never an end")
  func noise() throws {
    let good = EntityWriter.entity(ResourcePath(unchecked: "a/b"), Self.everything, of: Self.database)
    var generator = SystemRandomNumberGenerator()
    var refused = 0
    for _ in 0..<5_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random() { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
      do { _ = try EntityReader(project: "p").document(bytes) } catch { refused += 1 }
    }
    #expect(refused > 100)
  }

  // MARK: a store

  static func store(_ documents: [String: Fields] = [:]) throws -> DocumentStore<NaiveEngine> {
    let store = try DocumentStore(engine: NaiveEngine(), environment: .system)
    for (path, fields) in documents {
      try store.commitAndWait(
        database, [Write(ResourcePath(unchecked: path), .update(fields: fields.encoded, mask: nil))])
    }
    return store
  }

  static func fields(_ store: DocumentStore<NaiveEngine>, _ path: String) throws -> Fields? {
    try store.read(database) { view throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)).map { Fields($0.fields) }
    }
  }

  @Test("a database comes back from its export; what is there besides stays")
  func store() throws {
    let folder = TemporaryFolder()
    let documents = Dictionary(
      uniqueKeysWithValues: (0..<1_200).map { ("c/\($0)/s/x", ["n": .integer(Int64($0))] as Fields) })
    let source = try Self.store(["a/b": Self.everything])
    try source.commitAndWait(
      Self.database,
      documents.map { Write(ResourcePath(unchecked: $0.key), .update(fields: $0.value.encoded, mask: nil)) })
    #expect(try StoreExport.write(source, Self.database, folder: folder.path, name: "e").count == 1_201)
    let target = try Self.store(["kept/one": ["x": .null]])
    let file = try #require(StoreImport.overallFile(of: folder.path + "/e"))
    #expect(try StoreImport.read(file, into: target, Self.database) == 1_201)
    #expect(try Self.fields(target, "a/b") == Self.everything)
    #expect(try Self.fields(target, "kept/one") == ["x": .null])
    for (path, fields) in documents { #expect(try Self.fields(target, path) == fields) }
  }

  @Test("an empty database has an export, too")
  func empty() throws {
    let folder = TemporaryFolder()
    #expect(try StoreExport.write(try Self.store(), Self.database, folder: folder.path, name: "e").count == 0)
    let file = folder.path + "/e/e.overall_export_metadata"
    #expect(try StoreImport.read(file, into: try Self.store(), Self.database) == 0)
  }

  @Test("documents of another database of the export are left out")
  func otherDatabase() throws {
    let folder = TemporaryFolder()
    try StoreExport.write(try Self.store(["a/b": [:]]), Self.database, folder: folder.path, name: "e")
    let file = folder.path + "/e/e.overall_export_metadata"
    let other = DatabaseID(project: "exp1", database: "db2")
    #expect(try StoreImport.read(file, into: try Self.store(), other) == 0)
  }

  @Test("a broken export says what is broken, and changes nothing")
  func broken() throws {
    let folder = TemporaryFolder()
    let output = folder.path + "/e/all_namespaces/all_kinds/output-0"
    let file = folder.path + "/e/e.overall_export_metadata"
    try StoreExport.write(
      try Self.store(["a/b": ["n": .integer(1)], "a/c": [:]]), Self.database, folder: folder.path, name: "e")
    let target = try Self.store()
    func expect(_ message: String) {
      #expect(throws: ExportError(.invalid, message)) {
        try StoreImport.read(file, into: target, Self.database)
      }
    }
    let good = try #require(InputFile(output)).readAll(atMost: 1 << 20)
    func replace(_ bytes: [UInt8], _ path: String) throws {
      let file = try OutputFile(path)
      try file.write(bytes)
      try file.flush()
    }
    var wrong = good
    wrong[good.count - 3] ^= 1
    try replace(wrong, output)
    expect("Checksum doesn't validate.")
    try replace(Array(good.dropLast()), output)
    expect("Invalid record")
    unlink(output)
    expect("Failed parse entity file:\(output)")
    let kinds = folder.path + "/e/" + StoreExport.kindFile
    unlink(kinds)
    expect("\(kinds) (No such file or directory)")
    try replace([1, 2, 3], file)
    expect("Overall export metadata file version not supported")
    unlink(file)
    expect("Failed to parse overall export metadata file")
    #expect(try target.databases().isEmpty)
  }

  @Test("an export is written into a folder that is there, under a name that is one")
  func refusals() throws {
    let folder = TemporaryFolder()
    let store = try Self.store()
    #expect(throws: ExportError(.precondition, "export_directory must be a directory")) {
      try StoreExport.write(store, Self.database, folder: folder.path + "/none", name: "e")
    }
    for name in ["", "a/b", ".", ".."] {
      #expect(throws: ExportError(.unwritable, "failed to write export")) {
        try StoreExport.write(store, Self.database, folder: folder.path, name: name)
      }
    }
  }
}
