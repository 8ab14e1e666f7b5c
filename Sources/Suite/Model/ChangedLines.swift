/// Which lines of two texts differ.

enum ChangedLines {
  /// LIMIT: lines between the first and the last difference that are compared one with the other; of more all are
  /// said to have changed.
  private static let comparedMax = 2_000

  /// Line numbers of the new text, from 1, that are new or other than before. Where lines were only removed, the
  /// line that took their place.
  static func numbers(from old: [UInt8], to new: [UInt8]) -> [Int] {
    let old = old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let new = new.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let shorter = min(old.count, new.count)
    let head = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
    let tail =
      (0..<shorter - head).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? shorter - head
    let oldPart = head..<old.count - tail
    let newPart = head..<new.count - tail
    var removed = Set(oldPart)
    var inserted = Set(newPart)
    if max(oldPart.count, newPart.count) <= comparedMax {
      (removed, inserted) = differences(old[oldPart], new[newPart])
    }
    return numbers(removed, inserted, oldPart, newPart, lineCount: new.count)
  }

  private static func differences(
    _ old: ArraySlice<ArraySlice<UInt8>>, _ new: ArraySlice<ArraySlice<UInt8>>
  ) -> (removed: Set<Int>, inserted: Set<Int>) {
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in Array(new).difference(from: Array(old)) {
      switch change {
      case .insert(let offset, _, _): inserted.insert(new.startIndex + offset)
      case .remove(let offset, _, _): removed.insert(old.startIndex + offset)
      }
    }
    return (removed, inserted)
  }

  private static func numbers(
    _ removed: Set<Int>, _ inserted: Set<Int>, _ old: Range<Int>, _ new: Range<Int>, lineCount: Int
  ) -> [Int] {
    var numbers: [Int] = []
    var (line, oldLine) = (new.lowerBound, old.lowerBound)
    while line < new.upperBound || oldLine < old.upperBound {
      let first = line
      let oldFirst = oldLine
      while removed.contains(oldLine) { oldLine += 1 }
      while inserted.contains(line) {
        numbers.append(line + 1)
        line += 1
      }
      if line == first, oldLine > oldFirst { numbers.append(max(1, min(lineCount, line + 1))) }
      line += 1
      oldLine += 1
    }
    return numbers
  }
}
