/// Writing one database as an export that the official emulator and the service read.
///
/// Source: docs/spec/streams.md 6.1 to 6.4.

public import DocModel
public import DocStore
internal import Platform

public enum StoreExport {
  static let overallSuffix = ".overall_export_metadata"
  static let kindFolder = "all_namespaces/all_kinds"
  static let kindFile = "all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata"
  static let outputFile = "output-0"

  /// Writes `folder/name/…` from one state of the database, over what is there. Blocks.
  ///
  /// Documents that cannot be read are left out, and named in what is returned.
  @discardableResult
  public static func write<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>, _ database: DatabaseID, folder: String, name: String
  ) throws(ExportError) -> Outcome {
    guard Folders.exists(folder) else {
      throw ExportError(.precondition, "export_directory must be a directory")
    }
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name != ".", name != ".." else {
      throw OutputFile.failed
    }
    let root = folder + "/" + name
    let started = store.environment.now()
    try OutputFile.makeFolder(root)
    let output = try writeDocuments(store, database, root)
    if output.count > 0 {
      let file = try OutputFile(root + "/" + kindFile)
      try file.write(kindMetadata(name, from: started, to: store.environment.now()))
      try file.flush()
    }
    let file = try OutputFile(root + "/" + name + overallSuffix)
    var log = LevelLogWriter(file)
    try log.append([UInt8(ascii: "3")])
    try log.append(overallMetadata(output))
    try file.flush()
    return Outcome(count: output.count, damaged: output.damaged)
  }

  /// What was written.
  public struct Outcome: Sendable {
    /// Documents.
    public let count: Int
    /// The paths of those that cannot be read.
    public let damaged: [String]
  }

  /// Makes a folder for exports, and those above it.
  public static func makeFolder(_ path: String) throws(ExportError) { try OutputFile.makeFolder(path) }

  private struct Output {
    var count = 0
    var byteCount = 0
    var damaged: [String] = []
  }

  /// The one output file; none for an empty database.
  private static func writeDocuments<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>, _ database: DatabaseID, _ root: String
  ) throws(ExportError) -> Output {
    var output = Output()
    var failure: ExportError?
    var file: OutputFile?
    var log: LevelLogWriter?
    do throws(StoreError) {
      // With what other servers of the store have committed.
      try store.waitUntilCurrent()
      try store.read(database) { (view) throws(StoreError) in
        try view.scanReadableDescendants(of: .root, damaged: { output.damaged.append($0) }) {
          path, document in
          do throws(ExportError) {
            if log == nil {
              try OutputFile.makeFolder(root + "/" + kindFolder)
              let opened = try OutputFile(root + "/" + kindFolder + "/" + outputFile)
              file = opened
              log = LevelLogWriter(opened)
            }
            let name = ResourcePath(unchecked: String(decoding: path, as: UTF8.self))
            try log?.append(EntityWriter.entity(name, Fields(document.fields), of: database))
            output.count += 1
            return .more
          } catch {
            failure = error
            return .stop
          }
        }
      }
    } catch {
      throw ExportError(.store, error.message)
    }
    if let failure { throw failure }
    try file?.flush()
    output.byteCount = file?.count ?? 0
    return output
  }

  private static func kindMetadata(_ name: String, from start: Int64, to end: Int64) -> [UInt8] {
    var writer = WireWriter()
    writer.message(1) { times in
      times.field(1, text: name)
      times.field(2, varint: UInt64(bitPattern: start))
      times.field(3, varint: UInt64(bitPattern: end))
    }
    writer.message(2) { file in
      file.field(1, text: "")
      file.field(2, text: outputFile)
    }
    return writer.bytes
  }

  private static func overallMetadata(_ output: Output) -> [UInt8] {
    guard output.count > 0 else { return [] }
    var writer = WireWriter()
    writer.message(1) { kind in
      kind.message(1) { scope in
        scope.field(1, varint: 2)
        scope.field(3, varint: 3)
      }
      kind.field(2, text: kindFile)
      kind.field(3, varint: UInt64(output.count))
      kind.field(4, varint: UInt64(output.byteCount))
    }
    return writer.bytes
  }
}
