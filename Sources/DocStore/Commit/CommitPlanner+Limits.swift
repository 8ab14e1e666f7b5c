/// How large documents and commits may become.

internal import DocModel

extension CommitPlanner {
  func checkSize(_ fields: [UInt8], _ path: ResourcePath, in database: DatabaseID) throws(StoreError) {
    // No value takes more than four times its encoded bytes by the storage formula (an empty geo point in
    // an array: 4 encoded, 16 counted), so small documents need no walk.
    let pathBytes = path.text.utf8.count
    if fields.count >= (Limits.documentBytesMax - 16_384) / 4 || pathBytes >= 8_192 {
      let size = fields.withUnsafeBytes { StorageSize.document(path, FieldsView(document: $0)) }
      guard size <= Limits.documentBytesMax else {
        let name = DocumentName(database: database, path: path)
        throw .invalid(
          limits.saysDocument ? WriteErrors.tooLarge(name, bytes: size) : WriteErrors.entityTooLarge)
      }
    }
    guard let indexes = chargedIndexes else { return }
    guard
      IndexCharge.mayBreakLimits(
        pathBytes: pathBytes, fieldBytes: fields.count, composites: indexes.composites.count)
    else { return }
    let charge = fields.withUnsafeBytes { IndexCharge(path, FieldsView(document: $0), indexes) }
    if charge.entries > IndexLimits.entriesMax {
      throw .invalid(IndexChargeErrors.tooManyEntries(path))
    }
    if charge.hasTooLarge || pathBytes > IndexLimits.nameBytesMax {
      throw .invalid(IndexChargeErrors.entryTooLarge)
    }
  }

  /// What the commit at hand stores and deletes, with its index entries, must not be too much.
  /// Source: docs/spec/production-differences.md L10.
  func checkCharge() throws(StoreError) {
    guard let indexes = chargedIndexes else { return }
    var bytes = 0
    var pathBytesMax = 0
    for document in touched where document.isChanged {
      bytes += (document.now ?? document.before)?.fields.bytes.count ?? 0
      pathBytesMax = max(pathBytesMax, document.path.text.utf8.count)
    }
    guard
      IndexCharge.mayBeCharged(
        pathBytesMax: pathBytesMax, fieldBytes: bytes, composites: indexes.composites.count)
    else { return }
    // The exact charge walks each document with all that is known of its indexes; most commits are far below
    // the limit even by a quick sum that can only be too high.
    if indexes.isAutomatic, charge(IndexCharge.automaticAtMost) <= WriteLimits.chargedBytesMax { return }
    let charged = charge { path, fields in
      IndexCharge(path, fields, indexes).bytes + StorageSize.document(path, fields)
    }
    guard charged <= WriteLimits.chargedBytesMax else { throw .invalid(IndexChargeErrors.commitTooLarge) }
  }

  /// The charges of all changed documents; those of deleted ones have a surcharge.
  private func charge(_ own: (ResourcePath, FieldsView) -> Int) -> Int {
    var charged = 0
    for document in touched where document.isChanged {
      guard let fields = (document.now ?? document.before)?.fields else { continue }
      let own = own(document.path, fields)
      charged += document.now == nil ? own * WriteLimits.deleteChargePercent / 100 : own
    }
    return charged
  }
}
