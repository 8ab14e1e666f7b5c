/// The stored bytes of one state of one document.
///
/// ```
/// crc u32 | flags u8 | create time i64 | update time i64 | [path length, path] | fields
/// ```
///
/// Little-endian. The checksum (CRC-32C) covers everything after itself, and then the document's key (flag 2; records
/// of stores of formats 1 and 2 lack it, and their checksum covers the record alone). A state in `documentHistory` keeps
/// the checksum it had: its key is the document's with a version behind, which is not covered. The path stands here
/// only when its key is folded (flag 1). `fields` is the stored form of the document's fields, up to the end.
///
/// INVARIANT: every record read is checked; damage is `StorageError.corrupt`, never a trap.

internal import DocModel

struct DocumentRecord {
  /// The whole record.
  let bytes: UnsafeRawBufferPointer
  let checksum: UInt32
  let createTime: Int64
  let updateTime: Int64
  /// The relative path, when the key is folded.
  let path: UnsafeRawBufferPointer?
  let fields: FieldsView

  private static let hasPath: UInt8 = 1
  private static let coversKey: UInt8 = 2
  private static let fixedBytes = 4 + 1 + 8 + 8

  var document: StoredDocument {
    StoredDocument(createTime: createTime, updateTime: updateTime, fields: fields)
  }

  /// - Parameter key: the document's, without a version.
  init(_ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(StorageError) {
    guard bytes.count >= Self.fixedBytes else { throw .corrupt }
    var cursor = WireCursor(bytes)
    let checksum = cursor.fixed32()
    let flags = UInt8(truncatingIfNeeded: cursor.varint())
    var sum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[4...]))
    if flags & Self.coversKey != 0 { sum = CRC32C.checksum(key, seed: sum) }
    guard sum == checksum else { throw .corrupt }
    self.bytes = bytes
    self.checksum = checksum
    createTime = Int64(bitPattern: cursor.fixed64())
    updateTime = Int64(bitPattern: cursor.fixed64())
    path = flags & Self.hasPath != 0 ? cursor.lengthDelimited() : nil
    guard !cursor.isCorrupt, flags <= Self.hasPath | Self.coversKey else { throw .corrupt }
    fields = FieldsView(document: UnsafeRawBufferPointer(start: cursor.mark, count: cursor.remaining))
  }

  /// The state of a document in `documentHistory`.
  init(_ bytes: UnsafeRawBufferPointer, historyKey: UnsafeRawBufferPointer) throws(StorageError) {
    guard historyKey.count > KeyLayout.versionBytes else { throw .corrupt }
    try self.init(
      bytes, key: UnsafeRawBufferPointer(rebasing: historyKey[..<(historyKey.count - KeyLayout.versionBytes)])
    )
  }

  /// Writes a record into the batch's memory.
  init(
    key: UnsafeRawBufferPointer, createTime: Int64, updateTime: Int64, foldedPath: ResourcePath?,
    fields: UnsafeRawBufferPointer, in batch: MutationBatch
  ) {
    var head = WireWriter()
    if let foldedPath {
      head.varint(UInt64(foldedPath.text.utf8.count))
      head.bytes.append(contentsOf: foldedPath.text.utf8)
    }
    let headEnd = Self.fixedBytes + head.bytes.count
    let record = batch.allocate(headEnd + fields.count)
    record[4] = Self.coversKey | (foldedPath == nil ? 0 : Self.hasPath)
    record.storeBytes(of: createTime.littleEndian, toByteOffset: 5, as: Int64.self)
    record.storeBytes(of: updateTime.littleEndian, toByteOffset: 13, as: Int64.self)
    UnsafeMutableRawBufferPointer(rebasing: record[Self.fixedBytes...]).copyBytes(from: head.bytes)
    UnsafeMutableRawBufferPointer(rebasing: record[headEnd...]).copyMemory(from: fields)
    let checksum = CRC32C.checksum(
      key, seed: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: record[4...])))
    record.storeBytes(of: checksum.littleEndian, as: UInt32.self)

    let written = UnsafeRawBufferPointer(record)
    bytes = written
    self.checksum = checksum
    self.createTime = createTime
    self.updateTime = updateTime
    path = foldedPath.map { path in
      UnsafeRawBufferPointer(rebasing: written[(headEnd - path.text.utf8.count)..<headEnd])
    }
    self.fields = FieldsView(
      document: UnsafeRawBufferPointer(rebasing: written[(written.count - fields.count)...]))
  }
}
