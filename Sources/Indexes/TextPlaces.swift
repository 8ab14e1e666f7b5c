/// Places of very many bytes of one text, without going through the text for each.

internal import DocModel

/// INVARIANT: `lines` are the offsets at which lines begin, ascending; `characters` has for each block of the text how many
/// letters begin before it.
struct TextPlaces {
  private static let blockBytes = 1_024

  private let bytes: [UInt8]
  private var lines = [0]
  private var characters: [Int] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.blockBytes == 0 { characters.append(count) }
      if byte == 0x0A { lines.append(offset + 1) }
      if byte & 0xC0 != 0x80 { count += 1 }
    }
    if bytes.count % Self.blockBytes == 0 { characters.append(count) }
    if Invariants.areDue(at: lines.count) { checkInvariants() }
  }

  func checkInvariants() {
    assert(
      zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 } && lines.first == 0, "beginnings of lines ascend")
    assert(lines.dropFirst().allSatisfy { bytes[$0 - 1] == 0x0A }, "a line begins behind the end of one")
    assert(characters.count == bytes.count / Self.blockBytes + 1, "each block has its count of letters")
  }

  /// The place of a byte, as `TextPlace(offset:in:)` gives it.
  func place(_ offset: Int) -> TextPlace {
    let offset = min(offset, bytes.count)
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if lines[middle] <= offset { low = middle } else { high = middle }
    }
    return TextPlace(
      line: low + 1, column: 1 + lettersBegun(before: offset) - lettersBegun(before: lines[low]))
  }

  private func lettersBegun(before offset: Int) -> Int {
    let block = offset / Self.blockBytes
    return bytes[block * Self.blockBytes..<offset].reduce(characters[block]) {
      $0 + ($1 & 0xC0 != 0x80 ? 1 : 0)
    }
  }
}
