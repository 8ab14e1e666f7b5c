/// Regular expressions: RE2, with the replacement syntax of the official engine.

internal import CRE2
internal import DocModel
internal import Platform
internal import Synchronization

/// A compiled pattern.
///
/// INVARIANT: `handle` compiled without error.
final class RegularPattern: @unchecked Sendable {  // RE2 objects are immutable and thread-safe.
  /// LIMIT: memory of one compiled pattern.
  private static let memoryMax: Int64 = 8 << 20

  private let handle: OpaquePointer
  private let groupCount: Int
  /// LIMIT: instructions of a small pattern, which the library turns into states: a byte is one of them, or a new one
  /// has to be made. Of a larger one all instructions may have to be followed.
  private static let smallMax = 256
  /// Steps that compiling takes: for each pattern, and for each of its instructions.
  private static let compilingSteps = (all: 1 << 14, instruction: 64)

  let size: Int
  /// Steps that a byte of text may cost.
  private let stepsPerByte: Int
  /// How far behind the end of a match the library may look before it settles for it; nil when that is as far as
  /// the text goes.
  private let reach: Int?

  /// What compiling it takes.
  var compilingSteps: Int { Self.compilingSteps.all + size * Self.compilingSteps.instruction }

  /// Nil when the pattern does not compile.
  init?(_ source: ByteView) {
    let bytes = Array(source.buffer)
    guard !PatternDialect.isTooLong(bytes), let text = try? PatternDialect.translated(bytes) else {
      return nil
    }
    handle = text.withUnsafeBytes { bytes in
      let bytes = ByteView(bytes)
      return cre2_compile(bytes.start.assumingMemoryBound(to: CChar.self), bytes.count, Self.memoryMax)
    }
    guard cre2_ok(handle) else {
      cre2_free(handle)
      return nil
    }
    groupCount = Int(cre2_group_count(handle))
    size = Int(cre2_program_size(handle))
    stepsPerByte = size > Self.smallMax ? size : 1 + size / 64
    reach = PlainPattern.reach(of: bytes)
  }

  deinit { cre2_free(handle) }

  /// Nil when the operation has no steps left for it.
  func matchesWhole(_ text: ByteView, _ e: Evaluation) -> Bool? {
    guard e.takes(stepsPerByte &* text.count) else { return nil }
    return cre2_full_match(handle, text.start.assumingMemoryBound(to: CChar.self), text.count)
  }

  /// The groups of the match at hand, 0 is the whole.
  private struct Groups {
    /// Two for each.
    fileprivate let spans: UnsafeMutablePointer<Int>
    fileprivate let count: Int

    /// Start and end; nil for a group that took no part.
    subscript(group: Int) -> Range<Int>? {
      precondition(group >= 0 && group < count, "a group of the pattern")
      return spans[2 * group] < 0 ? nil : spans[2 * group]..<spans[2 * group + 1]
    }
  }

  /// All matches from left to right, until `body` says false. An empty match at the end of the one before is a
  /// match, too. False when the operation has no steps left for it.
  ///
  /// After an empty match the search goes on one UTF-16 unit further, which may be between the halves of a
  /// character: places are as in `UTF16Text.cut`.
  private func forEachMatch(_ text: ByteView, _ e: Evaluation, _ body: (Groups) -> Bool) -> Bool {
    var position = 0
    var halves: UnsafeMutableRawPointer?
    let groups = Groups(spans: .allocate(capacity: 2 * (groupCount + 1)), count: groupCount + 1)
    defer { groups.spans.deallocate() }
    while position <= text.count {
      // A search that goes to the end of the text may be all that is left; one behind it is none too many.
      if e.isOverworked || (size > Self.smallMax && !takes(text.count - position, e)) { return false }
      let isInside = UTF16Text.isInsidePair(position, text)
      if isInside {
        halves = halves ?? UnsafeMutableRawPointer(mutating: e.arena.copy(text.buffer).start)
        halves?.split(text, at: position)
      }
      let subject = isInside ? halves.map { UnsafeRawPointer($0) } ?? text.start : text.start
      let isFound = cre2_find_groups(
        handle, subject.assumingMemoryBound(to: CChar.self), text.count, position,
        groups.spans, Int32(groups.count))
      if isInside { halves?.join(text, at: position) }
      guard isFound else { return size > Self.smallMax || takes(text.count - position, e) }
      guard let whole = groups[0] else { return true }
      if size <= Self.smallMax {
        let seen = min(text.count, reach.map { whole.upperBound + $0 } ?? text.count)
        guard takes(seen - position, e) else { return false }
      }
      // The library finds places that are no word's boundary (`\B`) inside of characters, too.
      if whole.lowerBound > position, isContinuation(text, whole.lowerBound) {
        position = nextCharacter(text, whole.lowerBound)
        continue
      }
      guard body(groups) else { return true }
      position = whole.isEmpty ? next(text, whole.upperBound) : whole.upperBound
    }
    return true
  }

  /// Whether there are steps left for a walk through bytes of a text, which are gone then. A match takes some more.
  private func takes(_ byteCount: Int, _ e: Evaluation) -> Bool {
    e.takes(stepsPerByte &* byteCount &+ Self.stepsPerMatch)
  }

  /// What a search takes beside the walk through the text.
  private static let stepsPerMatch = 64

  private func isContinuation(_ text: ByteView, _ position: Int) -> Bool {
    position < text.count && text.buffer[position] & 0xC0 == 0x80
  }

  private func nextCharacter(_ text: ByteView, _ position: Int) -> Int {
    var next = position + 1
    while isContinuation(text, next) { next += 1 }
    return next
  }

  /// One unit further.
  private func next(_ text: ByteView, _ position: Int) -> Int {
    UTF16Text.isInsidePair(position + 1, text) ? position + 1 : nextCharacter(text, position)
  }

  /// The pieces between matches; empty pieces at the end are dropped, except that one piece stays. Nil when the
  /// operation has no steps left for it.
  func split(_ text: ByteView, _ e: Evaluation) -> [ByteView]? {
    var pieces: [ByteView] = []
    var last = 0
    let isDone = forEachMatch(text, e) { groups in
      guard let whole = groups[0] else { return false }
      pieces.append(UTF16Text.cut(text, last..<whole.lowerBound, in: e.arena))
      last = whole.upperBound
      return true
    }
    guard isDone else { return nil }
    pieces.append(UTF16Text.cut(text, last..<text.count, in: e.arena))
    while pieces.count > 1, pieces[pieces.count - 1].count == 0 { pieces.removeLast() }
    return pieces
  }

  /// Replaces every match. `$1` and `${name}` stand for groups, a backslash takes the next character as
  /// it is. A group that is none is a fault as soon as there is a match.
  func replaceAll(_ text: ByteView, with replacement: ByteView, _ e: Evaluation, _ node: Int32) -> Operand {
    let parts = parse(replacement)
    var result: [UInt8] = []
    var last = 0
    var isWrong = false
    let isDone = forEachMatch(text, e) { groups in
      guard let whole = groups[0] else { return false }
      guard let parts else {
        isWrong = true
        return false
      }
      result += UTF16Text.cut(text, last..<whole.lowerBound, in: e.arena).buffer
      for part in parts {
        switch part {
        case .text(let bytes): result += bytes
        case .group(let number):
          if let range = groups[number] { result += UTF16Text.cut(text, range, in: e.arena).buffer }
        }
      }
      last = whole.upperBound
      return !e.isTextTooLarge(result.count)
    }
    guard isDone else { return e.overworked(node) }
    if isWrong { return e.brokenReplacement(node) }
    result += UTF16Text.cut(text, last..<text.count, in: e.arena).buffer
    return e.isTextTooLarge(result.count)
      ? e.overgrown(node) : .string(e.arena.copy(UTF16Text.joiningHalves(result)))
  }

  private enum ReplacementPart {
    case text([UInt8])
    case group(Int)
  }

  private func parse(_ replacement: ByteView) -> [ReplacementPart]? {
    let bytes = Array(replacement.buffer)
    var parts: [ReplacementPart] = []
    // Bytes that stand for themselves are one part, however many: they are written at every match.
    var text: [UInt8] = []
    func endText() {
      if !text.isEmpty { parts.append(.text(text)) }
      text.removeAll()
    }
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
        text.append(bytes[index + 1])
        index += 2
      } else if bytes[index] == UInt8(ascii: "$"), index + 1 < bytes.count,
        let digit = digit(bytes[index + 1])
      {
        guard digit <= groupCount else { return nil }
        endText()
        var number = digit
        index += 2
        while index < bytes.count, let more = self.digit(bytes[index]), number * 10 + more <= groupCount {
          number = number * 10 + more
          index += 1
        }
        parts.append(.group(number))
      } else if bytes[index...].starts(with: "${".utf8) {
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
        let name = bytes[(index + 2)..<end].map { CChar(bitPattern: $0) }
        let number = name.withUnsafeBufferPointer { cre2_group_number(handle, $0.baseAddress, $0.count) }
        guard number >= 0 else { return nil }
        endText()
        parts.append(.group(Int(number)))
        index = end + 1
      } else {
        text.append(bytes[index])
        index += 1
      }
    }
    endText()
    return parts
  }

  private func digit(_ byte: UInt8) -> Int? {
    byte >= 0x30 && byte <= 0x39 ? Int(byte - 0x30) : nil
  }
}

extension UnsafeMutableRawPointer {
  /// Makes the four bytes of a character, the second of which is at an offset, a blank and its second half.
  fileprivate func split(_ text: ByteView, at offset: Int) {
    storeBytes(of: 0x20, toByteOffset: offset - 1, as: UInt8.self)
    for (index, byte) in UTF16Text.half(text, at: offset - 1, isHigh: false).enumerated() {
      storeBytes(of: byte, toByteOffset: offset + index, as: UInt8.self)
    }
  }

  /// Makes them the character again.
  fileprivate func join(_ text: ByteView, at offset: Int) {
    (self + offset - 1).copyMemory(from: text.start + offset - 1, byteCount: 4)
  }
}

/// A pattern written in the ruleset, compiled when a condition first asks for it.
final class LiteralPattern: Sendable {
  let source: [UInt8]
  private let compiled = LazyReference<RegularPattern>()

  /// Nil when the pattern does not compile.
  init?(_ source: [UInt8]) {
    self.source = source
    if PatternDialect.isTooLong(source) || (!PlainPattern.isPlain(source) && pattern == nil) { return nil }
  }

  /// Nil when the pattern does not compile. Threads that ask first at the same time all get one of theirs.
  var pattern: RegularPattern? {
    if let known = compiled.load() { return known }
    if let shared = CompiledPatterns.known(source) { return compiled.storeIfNil(shared) }
    guard let new = source.withUnsafeBytes({ RegularPattern(ByteView($0)) }) else { return nil }
    let pattern = compiled.storeIfNil(new)
    CompiledPatterns.keep(pattern, source)
    return pattern
  }
}

/// The patterns of a ruleset: the literal ones for good, those made by expressions in a table of limited
/// size.
///
/// INVARIANT: `literals` is filled by the planner, before the ruleset is handed out.
final class PatternTable: @unchecked Sendable {  // Immutable once planned but for the locked table.
  /// LIMIT: patterns kept that were not literals. When full, all of them go.
  private static let dynamicMax = 128

  /// What it takes to find out that a pattern is none, or that it takes too much memory.
  private static let failedSteps = 1 << 18

  private var literals: [[UInt8]: LiteralPattern] = [:]
  private let dynamic = Mutex<[[UInt8]: RegularPattern]>([:])

  /// The pattern written in the ruleset; nil when it does not compile. For the planner.
  func literal(_ source: [UInt8]) -> LiteralPattern? {
    if let known = literals[source] { return known }
    let new = LiteralPattern(source)
    literals[source] = new
    return new
  }

  /// Nil when the pattern does not compile. One that is new takes steps.
  func pattern(_ source: ByteView, _ e: Evaluation) -> RegularPattern? {
    let key = Array(source.buffer)
    if let literal = literals[key] { return literal.pattern }
    if let kept = dynamic.withLock({ $0[key] }) { return kept }
    guard let compiled = RegularPattern(source) else {
      e.takes(Self.failedSteps)
      return nil
    }
    e.takes(compiled.compilingSteps)
    dynamic.withLock { table in
      if table.count >= Self.dynamicMax { table.removeAll() }
      table[key] = compiled
    }
    return compiled
  }
}
