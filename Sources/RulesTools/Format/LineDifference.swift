/// What changed between two texts, line by line, in the unified form that `patch` reads.
///
/// Finds a shortest edit script (Myers' greedy algorithm) over the lines between the common start and
/// the common end.
///
/// LIMIT: at `editsMax` edits the search ends and all that differs is shown as replaced, so memory is
/// bounded by the square of it.
public struct LineDifference {
  static let editsMax = 1_000
  private static let contextLines = 3

  private enum Edit {
    case keep, delete, insert
  }

  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]
  private var edits: [Edit] = []

  public init(from old: [UInt8], to new: [UInt8]) {
    self.old = Self.lines(old)
    self.new = Self.lines(new)
    edits = script()
  }

  public var isEmpty: Bool { !edits.contains { $0 != .keep } }

  /// The hunks, with the names of both texts above them.
  public func unified(oldName: String, newName: String) -> [UInt8] {
    guard !isEmpty else { return [] }
    var text = Array("--- \(oldName)\n+++ \(newName)\n".utf8)
    for hunk in hunks() { write(hunk, to: &text) }
    return text
  }

  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      lines.append(bytes[start...index])
      start = index + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  // MARK: The shortest script

  private func script() -> [Edit] {
    let shorter = min(old.count, new.count)
    var head = 0
    while head < shorter, old[head] == new[head] { head += 1 }
    var tail = 0
    while tail < shorter - head, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
    let keepsHead = [Edit](repeating: .keep, count: head)
    let keepsTail = [Edit](repeating: .keep, count: tail)
    return keepsHead + middle(old[head..<(old.count - tail)], new[head..<(new.count - tail)]) + keepsTail
  }

  private func middle(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> [Edit] {
    var furthest = [1: 0]
    var trace: [[Int: Int]] = []
    for edits in 0...min(Self.editsMax, old.count + new.count) {
      trace.append(furthest)
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let below = furthest[diagonal - 1] ?? -1
        let above = furthest[diagonal + 1] ?? -1
        var x = diagonal == -edits || (diagonal != edits && below < above) ? above : below + 1
        while x < old.count, x - diagonal < new.count,
          old[old.startIndex + x] == new[new.startIndex + x - diagonal]
        {
          x += 1
        }
        furthest[diagonal] = x
        if x >= old.count, x - diagonal >= new.count { return walkBack(trace, old.count, new.count) }
      }
    }
    return [Edit](repeating: .delete, count: old.count) + [Edit](repeating: .insert, count: new.count)
  }

  private func walkBack(_ trace: [[Int: Int]], _ oldCount: Int, _ newCount: Int) -> [Edit] {
    var edits: [Edit] = []
    var x = oldCount
    var y = newCount
    for (count, furthest) in trace.enumerated().reversed() {
      let diagonal = x - y
      let below = furthest[diagonal - 1] ?? -1
      let above = furthest[diagonal + 1] ?? -1
      let isInsertion = diagonal == -count || (diagonal != count && below < above)
      let previousX = count == 0 ? 0 : isInsertion ? above : below
      let previousY = count == 0 ? 0 : previousX - (isInsertion ? diagonal + 1 : diagonal - 1)
      while x > previousX, y > previousY {
        edits.append(.keep)
        x -= 1
        y -= 1
      }
      if count > 0 { edits.append(isInsertion ? .insert : .delete) }
      x = previousX
      y = previousY
    }
    return edits.reversed()
  }

  // MARK: Hunks

  /// Ranges of edits: changes with the lines around them.
  private func hunks() -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for (index, edit) in edits.enumerated() where edit != .keep {
      let start = max(0, index - Self.contextLines)
      let end = min(edits.count, index + 1 + Self.contextLines)
      if let last = hunks.last, last.upperBound >= start {
        hunks[hunks.count - 1] = last.lowerBound..<end
      } else {
        hunks.append(start..<end)
      }
    }
    return hunks
  }

  private func write(_ hunk: Range<Int>, to text: inout [UInt8]) {
    var oldLine = edits[..<hunk.lowerBound].count { $0 != .insert }
    var newLine = edits[..<hunk.lowerBound].count { $0 != .delete }
    let oldCount = edits[hunk].count { $0 != .insert }
    let newCount = edits[hunk].count { $0 != .delete }
    let oldStart = oldCount == 0 ? oldLine : oldLine + 1
    let newStart = newCount == 0 ? newLine : newLine + 1
    text += Array("@@ -\(oldStart),\(oldCount) +\(newStart),\(newCount) @@\n".utf8)
    for edit in edits[hunk] {
      switch edit {
      case .keep:
        write(old[oldLine], mark: " ", to: &text)
        oldLine += 1
        newLine += 1
      case .delete:
        write(old[oldLine], mark: "-", to: &text)
        oldLine += 1
      case .insert:
        write(new[newLine], mark: "+", to: &text)
        newLine += 1
      }
    }
  }

  private func write(_ line: ArraySlice<UInt8>, mark: Unicode.Scalar, to text: inout [UInt8]) {
    text.append(UInt8(ascii: mark))
    text += line
    if line.last != UInt8(ascii: "\n") { text += Array("\n\\ No newline at end of file\n".utf8) }
  }
}
