/// The documents of a seed as rules read them, while one of them is being created.

import DocModel
import Fixtures
import Rules
import Seeder

/// Keeps what a seed would write.
struct SeedCollector: SeedSink {
  private(set) var writes: [SeedWrite] = []

  mutating func write(_ batch: [SeedWrite]) -> SeedOutcome {
    writes += batch
    return SeedOutcome(created: batch.count)
  }

  mutating func finish() -> SeedOutcome { SeedOutcome() }
}

/// `get()` and `exists()` see the database as the seed leaves it, without the document that is created;
/// `getAfter()` and `existsAfter()` see that one, too.
///
/// State and its owner: whoever judges one document after the other.
final class SeedDocuments: DocumentAccess {
  /// The stored forms, one after the other. Views of them stay valid as long as this object.
  private let bytes: UnsafeMutableRawBufferPointer
  private var places: [ResourcePath: Range<Int>] = [:]
  private var created = ResourcePath.root

  /// - Parameter time: what stands where a commit would put its time.
  init(_ writes: [SeedWrite], time: Timestamp) {
    let documents = writes.map { (path: $0.path, fields: $0.fields(at: time)) }
    bytes = .allocate(byteCount: documents.reduce(0) { $0 + $1.fields.count }, alignment: 16)
    places.reserveCapacity(documents.count)
    var end = 0
    for document in documents {
      let start = end
      end += document.fields.count
      UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]).copyBytes(from: document.fields)
      places[document.path] = start..<end
    }
    super.init()
  }

  deinit { bytes.deallocate() }

  /// Begins the commit that creates a document.
  func begin(creating path: ResourcePath) {
    beginCommit()
    created = path
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    let path = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
    if path == created, !afterCommit { return nil }
    return fields(path)
  }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    created.text.utf8.elementsEqual(path)
  }

  func fields(_ path: ResourcePath) -> FieldsView? {
    places[path].map { FieldsView(document: UnsafeRawBufferPointer(rebasing: bytes[$0])) }
  }
}

extension SeedWrite {
  /// The stored form of all fields, with a time where the commit would put its own.
  func fields(at time: Timestamp) -> [UInt8] {
    guard !serverTimes.isEmpty else { return fields }
    let value = serverTimes.reduce(TypedValue.plain(.map(Fields(encoded: fields)))) { value, path in
      value.replacing(path.segments[...], with: .plain(.timestamp(time)))
    }
    guard case .plain(.map(let all)) = value else { return fields }
    return all.encoded
  }
}
