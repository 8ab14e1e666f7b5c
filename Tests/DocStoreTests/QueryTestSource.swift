/// A snapshot over a sorted array: the store that query tests run on.

import DocModel
import DocStore

/// Documents in memory, in the order of paths.
struct QueryTestSource: QuerySource, Sendable {
  /// Encoded fields at a place of their own, so that views on them outlive the calls that make them.
  /// `@unchecked Sendable`: the bytes never change after `init`.
  final class Document: @unchecked Sendable {
    let path: ResourcePath
    private let bytes: UnsafeRawBufferPointer

    init(_ path: ResourcePath, _ fields: Fields) {
      self.path = path
      let encoded = fields.encoded
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: encoded.count, alignment: 8)
      copy.copyBytes(from: encoded)
      bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }

    var stored: StoredDocument {
      StoredDocument(
        createTime: 1_000, updateTime: 1_001, fields: FieldsView(document: bytes))
    }

    func with<R>(_ body: (UnsafeRawBufferPointer, StoredDocument) -> R) -> R {
      var text = path.text
      return text.withUTF8 { body(UnsafeRawBufferPointer($0), stored) }
    }
  }

  static let database = DatabaseID(project: "p")

  private(set) var documents: [Document] = []

  init(_ documents: KeyValuePairs<String, Fields> = [:]) {
    for (path, fields) in documents { set(path, fields) }
  }

  mutating func set(_ path: String, _ fields: Fields) {
    let path = ResourcePath(unchecked: path)
    remove(path)
    let place = documents.firstIndex { path < $0.path } ?? documents.endIndex
    documents.insert(Document(path, fields), at: place)
  }

  mutating func remove(_ path: ResourcePath) { documents.removeAll { $0.path == path } }

  // MARK: QuerySource

  func document(_ path: ResourcePath) throws(StoreError) -> StoredDocument? {
    documents.first { $0.path == path }?.stored
  }

  func scan(
    _ range: NameRange, _ visit: (UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    var found = documents.filter { $0.path.parent == range.collection && range.contains($0.path) }
    if range.direction == .descending { found.reverse() }
    for document in found where document.with(visit) == .stop { return }
  }

  /// Backwards, so that nothing can rely on an order that is not promised.
  func scan(
    _ scope: QueryScope, _ visit: (UnsafeRawBufferPointer, StoredDocument) -> ScanStep
  ) throws(StoreError) {
    for document in documents.reversed() where scope.contains(document.path) {
      if document.with(visit) == .stop { return }
    }
  }

  func scanWithMissing(
    _ range: NameRange, _ visit: (UnsafeRawBufferPointer, StoredDocument?) -> ScanStep
  ) throws(StoreError) {
    let level = range.collection.segmentCount + 1
    let below = documents.filter { $0.path.isBelow(range.collection) }
    let paths = below.map { range.collection.appending(String(Substring($0.path.segments[level - 1]))) }
    var last: ResourcePath?
    for path in paths.filter(range.contains) {
      if path == last { continue }
      last = path
      var step = ScanStep.more
      if let document = documents.first(where: { $0.path == path }) {
        step = document.with { visit($0, $1) }
      } else {
        var text = path.text
        step = text.withUTF8 { visit(UnsafeRawBufferPointer($0), nil) }
      }
      if step == .stop { return }
    }
  }

  // MARK: running

  /// The paths of a query's result.
  func paths(_ query: StructuredQuery) throws -> [String] {
    let query = try QueryValidator.validate(query)
    var paths: [String] = []
    _ = try QueryExecutor.run(query, on: self) { row in
      paths.append(String(decoding: row.path, as: UTF8.self))
      return .more
    }
    return paths
  }
}
