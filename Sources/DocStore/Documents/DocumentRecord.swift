/// The stored bytes of one state of one document.
///
/// ```
/// crc u32 | flags u8 | create time i64 | update time i64 | [path length, path] | fields
/// ```
///
/// Little-endian. The checksum (CRC-32C) covers everything after itself. The path stands here only when
/// its key is folded (flag 1). `fields` is the stored form of the document's fields, up to the end.
///
/// INVARIANT: every record read is checked; damage is `StorageError.corrupt`, never a trap.

internal import DocModel

struct DocumentRecord {
  /// The whole record.
  let bytes: UnsafeRawBufferPointer
  let createTime: Int64
  let updateTime: Int64
  /// The relative path, when the key is folded.
  let path: UnsafeRawBufferPointer?
  let fields: FieldsView

  private static let hasPath: UInt8 = 1
  private static let fixedBytes = 4 + 1 + 8 + 8

  var document: StoredDocument {
    StoredDocument(createTime: createTime, updateTime: updateTime, fields: fields)
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard bytes.count >= Self.fixedBytes else { throw .corrupt }
    var cursor = WireCursor(bytes)
    let checksum = cursor.fixed32()
    let covered = UnsafeRawBufferPointer(rebasing: bytes[4...])
    guard CRC32C.checksum(covered) == checksum else { throw .corrupt }
    let flags = UInt8(truncatingIfNeeded: cursor.varint())
    self.bytes = bytes
    createTime = Int64(bitPattern: cursor.fixed64())
    updateTime = Int64(bitPattern: cursor.fixed64())
    path = flags & Self.hasPath != 0 ? cursor.lengthDelimited() : nil
    guard !cursor.isCorrupt, flags <= Self.hasPath else { throw .corrupt }
    fields = FieldsView(document: UnsafeRawBufferPointer(start: cursor.mark, count: cursor.remaining))
  }

  /// Writes a record into the batch's memory.
  init(
    createTime: Int64, updateTime: Int64, foldedPath: ResourcePath?, fields: UnsafeRawBufferPointer,
    in batch: MutationBatch
  ) {
    var head = WireWriter(reserving: 32)
    head.bytes.append(foldedPath == nil ? 0 : Self.hasPath)
    head.fixed64(UInt64(bitPattern: createTime))
    head.fixed64(UInt64(bitPattern: updateTime))
    if let foldedPath {
      head.varint(UInt64(foldedPath.text.utf8.count))
      head.bytes.append(contentsOf: foldedPath.text.utf8)
    }
    let record = batch.allocate(4 + head.bytes.count + fields.count)
    let content = UnsafeMutableRawBufferPointer(rebasing: record[4...])
    content.copyBytes(from: head.bytes)
    UnsafeMutableRawBufferPointer(rebasing: content[head.bytes.count...]).copyMemory(from: fields)
    let checksum = CRC32C.checksum(UnsafeRawBufferPointer(content))
    withUnsafeBytes(of: checksum.littleEndian) { record.copyBytes(from: $0) }

    let written = UnsafeRawBufferPointer(record)
    bytes = written
    self.createTime = createTime
    self.updateTime = updateTime
    path = foldedPath.map { path in
      let end = 4 + head.bytes.count
      return UnsafeRawBufferPointer(rebasing: written[(end - path.text.utf8.count)..<end])
    }
    self.fields = FieldsView(
      document: UnsafeRawBufferPointer(rebasing: written[(written.count - fields.count)...]))
  }
}
