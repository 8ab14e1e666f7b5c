/// Commits to a durable store until it is killed; first checks that nothing acknowledged was lost.
///
/// ```
/// storage-crasher PLACE ACKNOWLEDGED          check, then commit from three threads for ever
/// storage-crasher PLACE ACKNOWLEDGED --check  check and end
/// ```
///
/// PLACE is a folder, or postgres://…; where PostgreSQL is killed, commits are made again when it is back.
///
/// Every commit n writes `log/n` and its twin `twin/n`, replaces `state/last`, and increments
/// `state/count`. Only when a commit has returned is a line `n version` appended to ACKNOWLEDGED. After a
/// kill, whenever it was: every line's documents are there at that version, every `log/n` has its twin, and
/// the count is the number of logs. `Scripts/kill-test` does the killing.

import DocModel
import DocStore
import EngineLMDB
import EnginePostgres
import Platform

struct Failure: Error {
  let text: String
}

@main
struct StorageCrasher {
  static let database = DatabaseID(project: "demo-crash")

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: storage-crasher PLACE ACKNOWLEDGED [--check]")
      exit(64)
    }
    do {
      let isCheck = arguments.contains("--check")
      if PostgresAddress.isOne(arguments[1]) {
        try runPatiently(try PostgresAddress(arguments[1]), arguments[2], isCheck: isCheck)
      } else {
        try run(LMDBEngine.durable(folder: arguments[1]), arguments[2], isCheck: isCheck)
      }
    } catch let failure as Failure {
      print("LOST: \(failure.text)")
      exit(1)
    } catch let error as StoreError {
      print("LOST: \(error.message)")
      exit(1)
    } catch {
      print("LOST: \(error)")
      exit(1)
    }
  }

  /// Begins anew while the server is away, which says nothing of what is stored.
  static func runPatiently(_ address: PostgresAddress, _ acknowledgements: String, isCheck: Bool) throws {
    while true {
      do {
        return try run(PostgresEngine.open(address), acknowledgements, isCheck: isCheck)
      } catch let error as StoreError where error.isOfAbsence {
        usleep(100_000)
      } catch PostgresOpenError.unreachable {
        usleep(100_000)
      }
    }
  }

  static func run(_ engine: some StorageEngine, _ acknowledgements: String, isCheck: Bool) throws {
    let store = try DocumentStore(engine: engine)
    let next = try check(store, acknowledged: try readLines(acknowledgements))
    if isCheck {
      print("\(next.acknowledged) acknowledged commits, \(next.stored) stored, all whole")
      store.close()
    } else {
      try commitForEver(store, from: next.number, acknowledgements)
    }
  }

  // MARK: checking

  static func check(
    _ store: DocumentStore<some StorageEngine>, acknowledged lines: [(number: Int64, version: Int64)]
  ) throws -> (number: Int64, acknowledged: Int, stored: Int64) {
    var logs: [Int64: Int64] = [:]
    var twins: Set<Int64> = []
    let count = try store.read(database) { (view) throws(StoreError) in
      try view.scanCollection(ResourcePath(unchecked: "log"), .forward) { _, document in
        logs[number(document)] = document.updateTime
        return .more
      }
      try view.scanCollection(ResourcePath(unchecked: "twin"), .forward) { _, document in
        twins.insert(number(document))
        return .more
      }
      return try view.document(ResourcePath(unchecked: "state/count")).map(number) ?? 0
    }
    for line in lines where logs[line.number] != line.version {
      throw Failure(
        text: "commit \(line.number) at \(line.version); stored: \(String(describing: logs[line.number]))")
    }
    guard Set(logs.keys) == twins else { throw Failure(text: "half of a commit is stored") }
    guard count == Int64(logs.count) else { throw Failure(text: "\(count) counted, \(logs.count) stored") }
    return ((logs.keys.max() ?? 0) + 1, lines.count, count)
  }

  static func number(_ document: StoredDocument) -> Int64 {
    document.fields.value(named: "n" as StaticString)?.integer ?? -1
  }

  static func readLines(_ path: String) throws -> [(number: Int64, version: Int64)] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var lines: [(Int64, Int64)] = []
    while let line = readLine(from: file) {
      let parts = line.split(separator: " ")
      if parts.count == 2, let number = Int64(parts[0]), let version = Int64(parts[1]) {
        lines.append((number, version))
      }
    }
    return lines
  }

  /// A whole line; a line that the kill cut short is nobody's acknowledgement.
  private static func readLine(from file: UnsafeMutablePointer<FILE>) -> String? {
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.last == UInt8(ascii: "\n") ? String(decoding: bytes.dropLast(), as: UTF8.self) : nil
  }

  // MARK: committing

  static func commitForEver(
    _ store: DocumentStore<some StorageEngine>, from first: Int64, _ path: String
  ) throws {
    let acknowledgements = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard acknowledgements >= 0 else { throw Failure(text: "cannot write \(path)") }
    let threads: Int64 = 3
    let failure = Monitor<String?>(nil)
    for thread in 0..<threads {
      try PlatformThread.start {
        var number = first + thread
        while true {
          do throws(StoreError) {
            let result = try store.commitAndWait(database, writes(number))
            let line = Array("\(number) \(result.commitTime)\n".utf8)
            _ = write(acknowledgements, line, line.count)
          } catch {
            // Its server is away, and nothing was committed.
            if error.isOfAbsence {
              usleep(20_000)
              continue
            }
            return failure.change { $0 = error.message }
          }
          number += threads
        }
      }
    }
    throw Failure(text: failure.wait { $0 })
  }

  static func writes(_ number: Int64) -> [Write] {
    let text = String(repeating: "x", count: Int(number % 7) * 700)
    let fields = Fields([("n", .integer(number)), ("text", .string(text))]).encoded
    func set(_ path: String) -> Write {
      Write(ResourcePath(unchecked: path), .update(fields: fields, mask: nil))
    }
    var writes = [set("log/\(number)"), set("twin/\(number)"), set("state/last")]
    if let path = FieldPath.field("n") {
      writes.append(.transform(ResourcePath(unchecked: "state/count"), [.increment(path, by: .integer(1))]))
    }
    return writes
  }
}

extension StoreError {
  /// Nothing was done, because who keeps the store is not there.
  fileprivate var isOfAbsence: Bool {
    switch self {
    case .engine(.unavailable, _), .storage(.unavailable): true
    default: false
    }
  }
}
