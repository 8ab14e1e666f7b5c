/// Methods of strings. Source: docs/spec/rules-language.md 3.1 and the official emulator.

internal import DocModel

enum StringMethods {
  static let all: [MethodRow] = [
    .init(.size, [""], { _, receiver, _ in bytes(receiver).map { .integer(Int64(UTF16Text.size($0))) } }),
    .init(
      .lower, [""],
      { e, receiver, _ in
        mapASCII(e, receiver) { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
      }
    ),
    .init(
      .upper, [""],
      { e, receiver, _ in
        mapASCII(e, receiver) { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
      }
    ),
    .init(.trim, [""], { _, receiver, _ in bytes(receiver).map { .string(trimmed($0)) } }),
    .init(
      .toUtf8, [""],
      { e, receiver, _ in bytes(receiver).map { .bytes(UTF16Text.encoded($0, in: e.arena)) } }
    ),
    .init(
      .matches, ["string"],
      { e, receiver, arguments in
        pattern(e, receiver, arguments) { text, pattern in
          pattern.matchesWhole(text, e).map { .boolean($0) } ?? e.overworked(arguments.node)
        }
      }
    ),
    .init(
      .replace, ["string, string"],
      { e, receiver, arguments in
        guard let replacement = bytes(arguments[1]) else { return nil }
        return pattern(e, receiver, arguments) { text, pattern in
          pattern.replaceAll(text, with: replacement, e, arguments.node)
        }
      }
    ),
    .init(
      .split, ["string"],
      { e, receiver, arguments in
        pattern(e, receiver, arguments) { text, pattern in
          guard let pieces = pattern.split(text, e) else { return e.overworked(arguments.node) }
          return e.boundedTree(e.list(pieces.map { .string($0) }), arguments.node)
        }
      }
    ),
  ]

  static func bytes(_ operand: Operand) -> ByteView? {
    if case .string(let text) = operand { text } else { nil }
  }

  /// Letters beyond ASCII keep their case.
  private static func mapASCII(
    _ e: Evaluation, _ receiver: Operand, _ change: (UInt8) -> UInt8
  ) -> Operand? {
    guard let text = bytes(receiver) else { return nil }
    let start = e.arena.allocate(UInt8.self, count: text.count)
    for (index, byte) in text.buffer.enumerated() { start[index] = change(byte) }
    return .string(ByteView(start: UnsafeRawPointer(start), count: text.count))
  }

  /// Cuts blanks and control characters up to U+0020 from both ends.
  private static func trimmed(_ text: ByteView) -> ByteView {
    var lower = 0
    var upper = text.count
    while lower < upper, text.buffer[lower] <= 0x20 { lower += 1 }
    while upper > lower, text.buffer[upper - 1] <= 0x20 { upper -= 1 }
    return ByteView(start: text.start + lower, count: upper - lower)
  }

  private static func pattern(
    _ e: Evaluation, _ receiver: Operand, _ arguments: CallArguments,
    _ body: (ByteView, RegularPattern) -> Operand
  ) -> Operand? {
    guard let text = bytes(receiver), let source = bytes(arguments[0]) else { return nil }
    guard let pattern = e.patternTable?.takeUnretainedValue().pattern(source, e) else {
      return e.badPattern(source, arguments.node)
    }
    return body(text, pattern)
  }
}
