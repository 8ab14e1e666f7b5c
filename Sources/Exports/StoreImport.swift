/// Reading an export into a database: of ours, of the official emulator, of the service.
///
/// INVARIANT: everything is read and checked before the first document is written, so a broken export changes nothing.
/// Source: docs/spec/streams.md 6.2 to 6.5.

public import DocModel
public import DocStore
internal import Platform

public enum StoreImport {
  /// LIMIT: documents and bytes of one commit.
  private static let commitWritesMax = 500
  private static let commitBytesMax = 4 << 20
  /// LIMIT: bytes of a file of metadata.
  private static let metadataBytesMax = 64 << 20

  /// Writes the documents of an export over those of the database; others stay. Blocks.
  ///
  /// - Parameter file: the `.overall_export_metadata` file.
  /// - Returns: how many documents the export has for this database.
  @discardableResult
  public static func read<Engine: StorageEngine>(
    _ file: String, into store: DocumentStore<Engine>, _ database: DatabaseID
  ) throws(ExportError) -> Int {
    let outputs = try outputFiles(file)
    let reader = EntityReader(project: database.project)
    for output in outputs {
      try visit(output) { (record) throws(ExportError) in _ = try write(record, reader) }
    }
    var batch: [Write] = []
    var byteCount = 0
    var count = 0
    for output in outputs {
      try visit(output) { (record) throws(ExportError) in
        let (write, owner) = try write(record, reader)
        guard owner.utf8.elementsEqual(database.database.utf8) else { return }
        count += 1
        if batch.count == commitWritesMax || byteCount + record.count > commitBytesMax {
          try commit(&batch, to: store, database)
          byteCount = 0
        }
        batch.append(write)
        byteCount += record.count
      }
    }
    try commit(&batch, to: store, database)
    return count
  }

  /// The export's file in what people and tools name: the file itself; a folder that holds it; a folder that a tool
  /// wrote, in which `firestore_export` is.
  public static func overallFile(of path: String) -> String? {
    guard Folders.exists(path) else { return path }
    return Folders.file(in: path, endingWith: StoreExport.overallSuffix)
      ?? Folders.file(in: path + "/firestore_export", endingWith: StoreExport.overallSuffix)
  }

  private static func commit<Engine: StorageEngine>(
    _ batch: inout [Write], to store: DocumentStore<Engine>, _ database: DatabaseID
  ) throws(ExportError) {
    guard !batch.isEmpty else { return }
    do throws(StoreError) { try store.commitAndWait(database, batch) } catch {
      throw ExportError(.store, error.message)
    }
    batch.removeAll(keepingCapacity: true)
  }

  /// The write of a record, and the id of the database it belongs to.
  private static func write(
    _ record: [UInt8], _ reader: EntityReader
  ) throws(ExportError) -> (write: Write, database: String) {
    let document = try reader.document(record)
    let name = DocumentName(
      database: DatabaseID(project: "p", database: document.database), path: document.path
    ).resourceName
    do throws(InvalidArgument) {
      _ = try ResourceNameParser.document(name)
      let fields = try Canonicalizer.fields(document.fields)
      return (Write(document.path, .update(fields: fields, mask: nil)), document.database)
    } catch {
      throw ExportError(.invalid, error.message)
    }
  }

  private static func visit(
    _ path: String, _ body: ([UInt8]) throws(ExportError) -> Void
  ) throws(ExportError) {
    guard let file = InputFile(path) else {
      throw ExportError(.invalid, "Failed parse entity file:\(path)")
    }
    var log = LevelLogReader(file)
    while let record = try log.next() { try body(record) }
  }

  // MARK: metadata

  private static func outputFiles(_ path: String) throws(ExportError) -> [String] {
    guard let file = InputFile(path) else {
      throw ExportError(.invalid, "Failed to parse overall export metadata file")
    }
    let unknown = ExportError(.invalid, "Overall export metadata file version not supported")
    var log = LevelLogReader(file)
    var version: [UInt8]?
    do throws(ExportError) { version = try log.next() } catch { throw unknown }
    guard version == [UInt8(ascii: "3")] else { throw unknown }
    let folder = Folders.folder(of: path)
    var outputs: [String] = []
    for kind in try texts(of: try log.next() ?? [], in: 1, 2) {
      outputs += try kindOutputs(folder + "/" + kind)
    }
    return outputs
  }

  private static func kindOutputs(_ path: String) throws(ExportError) -> [String] {
    guard let file = InputFile(path) else {
      throw ExportError(.invalid, "\(path) (No such file or directory)")
    }
    let folder = Folders.folder(of: path)
    return try texts(of: try file.readAll(atMost: metadataBytesMax), in: 2, 2).map { folder + "/" + $0 }
  }

  /// The text in field `inner` of each message in field `outer`.
  private static func texts(
    of message: [UInt8], in outer: UInt32, _ inner: UInt32
  ) throws(ExportError) -> [String] {
    var texts: [String] = []
    var areWhole = true
    message.withUnsafeBytes { bytes in
      let isWhole = PlainFields.forEach(bytes) { number, part in
        guard number == outer else { return }
        let isWhole = PlainFields.forEach(part) { number, text in
          if number == inner { texts.append(PlainFields.text(text)) }
        }
        areWhole = areWhole && isWhole
      }
      areWhole = areWhole && isWhole
    }
    guard areWhole, texts.allSatisfy({ !$0.split(separator: "/").contains("..") }) else {
      throw ExportError(.invalid, "Invalid record")
    }
    return texts
  }
}
