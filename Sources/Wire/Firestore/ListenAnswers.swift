/// `ListenResponse` messages, written as bytes.
///
/// Source: docs/spec/streams.md 1.1 (field numbers), 1.5 (token).

internal import DocModel
internal import DocStore

/// Writes the events of one stream.
struct ListenAnswers {
  /// `projects/P/databases/D/documents`, as the client named them.
  let root: String

  /// `TargetChange.TargetChangeType`
  private enum TargetChangeType: UInt64 {
    case noChange, add, remove, current, reset
  }

  func message(_ event: ListenEvent) -> [UInt8] {
    switch event {
    case .added(let id): Self.targetChange(.add, id)
    case .removed(let id, let cause): Self.targetChange(.remove, id, cause: cause)
    case .reset(let id): Self.targetChange(.reset, id)
    case .current(let id, let token): Self.targetChange(.current, id, token: token)
    case .consistent(let token): Self.targetChange(.noChange, nil, token: token)
    case .changed(let document, let targets, let removed): change(document, targets, removed)
    case .deleted(let path, let removed, let time): departure(4, path, time, removed, targetsField: 6)
    case .left(let path, let removed, let time): departure(6, path, time, removed, targetsField: 2)
    case .filter(let id, let count, let names): Self.filter(id, count, names)
    }
  }

  // MARK: targets

  private static func targetChange(
    _ type: TargetChangeType, _ id: Int32?, cause: StoreError? = nil, token: ResumeToken? = nil
  ) -> [UInt8] {
    var writer = WireWriter(reserving: 64)
    writer.message(2) { change in
      if type != .noChange { change.field(1, varint: type.rawValue) }
      if let id { packed(2, [id], in: &change) }
      if let cause {
        let status = GRPCStatus(cause)
        change.message(3) { message in
          message.field(1, varint: UInt64(status.code.rawValue))
          message.field(2, text: status.message)
        }
      }
      if let token {
        change.field(4, bytes: token.bytes)
        change.timestamp(6, Timestamp(microseconds: token.readTime))
      }
    }
    return writer.bytes
  }

  private static func packed(_ number: Int, _ ids: [Int32], in writer: inout WireWriter) {
    if ids.isEmpty { return }
    writer.message(number) { list in
      for id in ids { list.varint(UInt64(bitPattern: Int64(id))) }
    }
  }

  private static func filter(_ id: Int32, _ count: Int, _ names: BloomFilter?) -> [UInt8] {
    var writer = WireWriter(reserving: 64)
    writer.message(5) { filter in
      filter.field(1, varint: UInt64(bitPattern: Int64(id)))
      if count != 0 { filter.field(2, varint: UInt64(count)) }
      guard let names else { return }
      filter.message(3) { bloom in
        bloom.message(1) { bits in
          bits.field(1, bytes: names.bitmap)
          if names.padding != 0 { bits.field(2, varint: UInt64(names.padding)) }
        }
        if names.hashCount != 0 { bloom.field(2, varint: UInt64(names.hashCount)) }
      }
    }
    return writer.bytes
  }

  // MARK: documents

  private func change(_ document: ListenedDocument, _ targets: [Int32], _ removed: [Int32]) -> [UInt8] {
    var path = document.path.text
    return path.withUTF8 { path in
      document.image.withDocument { stored in
        let projected = document.mask.map { $0.project(stored.fields) }
        guard let projected else {
          return change(stored, UnsafeRawBufferPointer(path), stored.fields.bytes, targets, removed)
        }
        return projected.withUnsafeBytes {
          change(stored, UnsafeRawBufferPointer(path), $0, targets, removed)
        }
      }
    }
  }

  private func change(
    _ document: StoredDocument, _ path: UnsafeRawBufferPointer, _ fields: UnsafeRawBufferPointer,
    _ targets: [Int32], _ removed: [Int32]
  ) -> [UInt8] {
    let answer = DocumentAnswer(root: root, path: path, document, fields: fields)
    var writer = WireWriter(reserving: answer.byteCount + 32)
    writer.message(3) { change in
      answer.append(to: &change, number: 1)
      Self.packed(5, targets, in: &change)
      Self.packed(6, removed, in: &change)
    }
    return writer.bytes
  }

  /// `DocumentDelete` and `DocumentRemove`, which differ in the field of their targets.
  private func departure(
    _ number: Int, _ path: ResourcePath, _ time: Int64, _ removed: [Int32], targetsField: Int
  ) -> [UInt8] {
    var writer = WireWriter(reserving: root.utf8.count + path.text.utf8.count + 48)
    writer.message(number) { message in
      message.field(1, text: root + "/" + path.text)
      if targetsField < 4 { Self.packed(targetsField, removed, in: &message) }
      message.timestamp(4, Timestamp(microseconds: time))
      if targetsField > 4 { Self.packed(targetsField, removed, in: &message) }
    }
    return writer.bytes
  }
}
