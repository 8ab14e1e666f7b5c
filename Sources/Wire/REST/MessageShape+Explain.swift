/// Explanations in protobuf's JSON form.

internal import DocModel
internal import JSON

extension MessageShape {
  /// `ExplainMetrics`
  static let explainMetrics = MessageShape(
    .init(1, "planSummary", .message(MessageShape(.init(1, "indexesUsed", .structure, isRepeated: true)))),
    .init(
      2, "executionStats",
      .message(
        MessageShape(
          .init(1, "resultsReturned", .longNumber), .init(3, "executionDuration", .duration),
          .init(4, "readOperations", .longNumber), .init(5, "debugStats", .structure)))))
}

extension JSONWriter {
  /// Seconds, with nine digits behind the point.
  mutating func duration(_ bytes: UnsafeRawBufferPointer) {
    let found = FoundFields(bytes)
    let nanoseconds = String(found.last(2)?.number ?? 0)
    let zeros = String(repeating: "0", count: max(0, 9 - nanoseconds.utf8.count))
    string("\(found.last(1)?.number ?? 0).\(zeros)\(nanoseconds)s")
  }

  /// A `google.protobuf.Struct`; ours hold texts and structs.
  mutating func structure(_ bytes: UnsafeRawBufferPointer) {
    object { object in
      for entry in FoundFields(bytes).all(1) {
        let found = FoundFields(entry.bytes)
        guard let name = found.last(1), let value = found.last(2) else { continue }
        let content = FoundFields(value.bytes)
        object.member(name.bytes) { writer in
          if let inner = content.last(5) {
            writer.structure(inner.bytes)
          } else {
            writer.string(content.last(3)?.bytes ?? WireCursor.empty)
          }
        }
      }
    }
  }
}
