/// Seeds in tests: a sink in memory, and short ways to read what a seed makes.

import DocModel
import Seeder
import Testing
import YAML

let testDatabase = DatabaseID(project: "demo")

/// Keeps documents in memory and counts commits.
struct MemorySink: SeedSink {
  struct Stored {
    let fields: [UInt8]
    let version: Int
  }

  var documents: [ResourcePath: Stored] = [:]
  var order: [ResourcePath] = []
  var commits: [Int] = []
  /// Refuses the commit with this number.
  var failingCommit: Int?

  mutating func write(_ batch: [SeedWrite]) async throws(SeedSinkError) -> SeedOutcome {
    if commits.count == failingCommit { throw SeedSinkError("the disk is full") }
    var outcome = SeedOutcome()
    for write in batch {
      let before = documents[write.path]
      let isSame = before.map { $0.fields.withUnsafeBytes { write.isSame(as: FieldsView(document: $0)) } }
      if isSame == true {
        outcome.unchanged += 1
        continue
      }
      if before == nil { outcome.created += 1 } else { outcome.updated += 1 }
      var fields = Value.map(Fields(encoded: write.fields))
      for path in write.serverTimes {
        fields = fields.setting(
          path.segments[...], .timestamp(Timestamp(seconds: Int64(1_000 + commits.count), nanoseconds: 0)))
      }
      guard case .map(let all) = fields else { continue }
      documents[write.path] = Stored(fields: all.encoded, version: commits.count)
      order.append(write.path)
    }
    commits.append(batch.count)
    return outcome
  }

  mutating func finish() -> SeedOutcome { SeedOutcome() }

  subscript(path: String) -> Fields? {
    documents[ResourcePath(unchecked: path)].map { Fields(encoded: $0.fields) }
  }

  func value(_ path: String, _ field: String) -> Value? { self[path]?[field] }
}

extension Value {
  func setting(_ path: ArraySlice<String>, _ value: Value) -> Value {
    guard let head = path.first else { return value }
    var fields = Fields()
    if case .map(let own) = self { fields = own }
    fields[head] = (fields[head] ?? .map(Fields())).setting(path.dropFirst(), value)
    return .map(fields)
  }
}

func seeder(_ text: String) throws(SeedFailure) -> Seeder {
  try Seeder(checking: YAMLSource(name: "seed.yaml", text: text), database: testDatabase)
}

/// Everything that a seed makes.
func seeded(_ text: String) async throws -> MemorySink {
  var sink = MemorySink()
  _ = try await seeder(text).write(to: &sink)
  return sink
}

/// The errors of a seed as `line:column message`, in order.
func seedErrors(_ text: String) -> [String] {
  do {
    _ = try seeder(text)
    return []
  } catch {
    guard case .invalid(let diagnostics, _) = error else { return ["\(error)"] }
    return diagnostics.map { "\($0.mark.line):\($0.mark.column) \($0.message)" }
  }
}

/// The one value that `field` has in a document made with it.
func made(_ field: String) async throws -> Value? {
  try await seeded("version: 1\ndocuments:\n  a/b: {v: \(field)}\n").value("a/b", "v")
}
