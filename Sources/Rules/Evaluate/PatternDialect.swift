/// Where the patterns of the official engine (RE2 for Java) are not those of the library used here.

internal import DocModel

/// Reads a pattern once, before it is compiled, and writes it as the library takes it.
///
/// Source: the official emulator. What differs: parentheses must balance wherever they stand, also in classes; `\C` is no
/// pattern; a backslash may stand before any character beyond ASCII; names of groups are ASCII and stand once.
struct PatternDialect {
  /// What the official engine refuses although the library would take it.
  struct Refusal: Error {
    let reason: String
  }

  /// LIMIT: UTF-16 units of a pattern. Source: the official emulator.
  static let sizeMax = 4_096

  static func isTooLong(_ source: [UInt8]) -> Bool {
    // A unit takes a byte at least.
    source.count > sizeMax && source.withUnsafeBytes { UTF16Text.size(ByteView($0)) } > sizeMax
  }

  /// Whether each parenthesis without a backslash has its other one, wherever they stand: `[()]` and `[(]a[)]` are patterns
  /// of the official engine, `[)]` and `\Q)\E` are not.
  static func balances(_ source: [UInt8]) -> Bool {
    var depth = 0
    var isEscaped = false
    for byte in source {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth < 0 { return false }
      default: break
      }
    }
    return depth == 0
  }

  private let source: [UInt8]
  private var index = 0
  private var written: [UInt8] = []
  private var names: Set<[UInt8]> = []

  private init(_ source: [UInt8]) { self.source = source }

  /// The pattern for the library. Mistakes that both would find stay in it.
  static func translated(_ source: [UInt8]) throws(Refusal) -> [UInt8] {
    guard balances(source) else {
      throw Refusal(
        reason: "its parentheses do not balance; those in a class count too: write them as \\\\( and \\\\)")
    }
    // Without these two nothing else differs.
    guard source.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "(") }) else {
      return source
    }
    var dialect = PatternDialect(source)
    try dialect.translate()
    return dialect.written
  }

  private mutating func translate() throws(Refusal) {
    while index < source.count {
      switch source[index] {
      case UInt8(ascii: "\\"): try escape(isInClass: false)
      case UInt8(ascii: "["): try characterClass()
      case UInt8(ascii: "("): try group()
      default: take(1)
      }
    }
  }

  private mutating func take(_ count: Int) {
    let end = min(source.count, index + count)
    written += source[index..<end]
    index = end
  }

  private func isNext(_ text: StaticString) -> Bool {
    source[index...].starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// At a backslash.
  private mutating func escape(isInClass: Bool) throws(Refusal) {
    guard index + 1 < source.count else { return take(1) }
    switch source[index + 1] {
    case UInt8(ascii: "C"): throw Refusal(reason: "invalid escape sequence: \\C")
    case UInt8(ascii: "Q") where !isInClass:
      take(2)
      while index < source.count, !isNext("\\E") { take(1) }
      take(2)
    case 0x80...:
      index += 1
      take(1)
    default: take(2)
    }
  }

  /// From `[` to its end.
  private mutating func characterClass() throws(Refusal) {
    take(1)
    if index < source.count, source[index] == UInt8(ascii: "^") { take(1) }
    var isFirst = true
    while index < source.count {
      defer { isFirst = false }
      if source[index] == UInt8(ascii: "\\") {
        try escape(isInClass: true)
      } else if isNext("[:") {
        take(2)
        while index < source.count, source[index] >= 0x61 || source[index] == UInt8(ascii: "^") { take(1) }
        if isNext(":]") { take(2) }
      } else {
        let isEnd = source[index] == UInt8(ascii: "]") && !isFirst
        take(1)
        if isEnd { return }
      }
    }
  }

  /// At an opening parenthesis: looks at the name, if it has one.
  private mutating func group() throws(Refusal) {
    let prefix = isNext("(?P<") ? 4 : isNext("(?<") && !isNext("(?<=") && !isNext("(?<!") ? 3 : 0
    guard prefix > 0, let end = source[index...].firstIndex(of: UInt8(ascii: ">")) else { return take(1) }
    let name = Array(source[index + prefix..<end])
    guard name.allSatisfy(\.isWordByte), names.insert(name).inserted else {
      throw Refusal(
        reason: "invalid named capture group: \(String(decoding: source[index...end], as: UTF8.self))")
    }
    take(end + 1 - index)
  }
}
