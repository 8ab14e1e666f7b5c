/// The content of a zone's file. Source: RFC 9636, sections 3.1 to 3.3.

/// What is wrong with a zone's file.
struct ZoneFault: Error { let reason: String }

struct ZoneTable: Sendable, Hashable {
  static let magic = Array("TZif".utf8)

  /// When the offset changed, ascending, in seconds since the epoch, and to what.
  private var times: [Int64] = []
  private var offsets: [Int] = []
  /// Before the first of them.
  private let firstOffset: Int
  /// How it goes on after the last of them.
  private var footer: ZoneFooter?

  init(firstOffset: Int, footer: ZoneFooter? = nil) {
    self.firstOffset = firstOffset
    self.footer = footer
  }

  /// Reads a file: of its second part where it has one, which counts in 64 bits and has the rule at its end.
  init(_ bytes: [UInt8]) throws(ZoneFault) {
    var reader = ZoneReader(bytes: bytes)
    var head = try reader.head()
    let hasSecondPart = head.version >= UInt8(ascii: "2")
    if hasSecondPart {
      try reader.skip(head.byteCount(timeBytes: 4))
      head = try reader.head()
    }
    if head.leapCount > 0 {
      throw ZoneFault(reason: "it counts leap seconds; use the zone of this name without `right/`")
    }
    if head.typeCount == 0 { throw ZoneFault(reason: "it has no offset") }
    let width = hasSecondPart ? 8 : 4
    for _ in 0..<head.timeCount { times.append(try reader.integer(width)) }
    let kinds = try reader.take(head.timeCount)
    var kindOffsets: [Int] = []
    for _ in 0..<head.typeCount {
      kindOffsets.append(Int(try reader.integer(4)))
      try reader.skip(2)
    }
    for kind in kinds {
      guard Int(kind) < kindOffsets.count else {
        throw ZoneFault(reason: "it names an offset that it has not")
      }
      offsets.append(kindOffsets[Int(kind)])
    }
    firstOffset = kindOffsets[0]
    guard kindOffsets.allSatisfy({ abs($0) <= 93_600 }), zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
    else { throw ZoneFault(reason: "its times are in disorder") }
    guard hasSecondPart else { return }
    try reader.skip(head.nameBytes + head.standardCount + head.universalCount)
    let text = try reader.line()
    if text.isEmpty { return }
    guard let footer = ZoneFooter(text) else { throw ZoneFault(reason: "its last line '\(text)' is no rule") }
    self.footer = footer
  }

  func offset(at time: Int64) -> Int {
    let index = countOfTimes(notAfter: time)
    if index == times.count, let footer { return footer.offset(at: time) }
    return index == 0 ? firstOffset : offsets[index - 1]
  }

  func nextChange(after time: Int64) -> Int64? {
    let index = countOfTimes(notAfter: time)
    return index < times.count ? times[index] : footer?.nextChange(after: time)
  }

  private func countOfTimes(notAfter time: Int64) -> Int {
    var low = 0
    var high = times.count
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The head of one part of a file.
private struct ZoneHead {
  let version: UInt8
  let universalCount: Int
  let standardCount: Int
  let leapCount: Int
  let timeCount: Int
  let typeCount: Int
  let nameBytes: Int

  func byteCount(timeBytes: Int) -> Int {
    timeCount * (timeBytes + 1) + typeCount * 6 + nameBytes + leapCount * (timeBytes + 4) + standardCount
      + universalCount
  }
}

private struct ZoneReader {
  let bytes: [UInt8]
  var index = 0

  mutating func take(_ count: Int) throws(ZoneFault) -> ArraySlice<UInt8> {
    guard count <= bytes.count - index else { throw ZoneFault(reason: "it ends too early") }
    defer { index += count }
    return bytes[index..<index + count]
  }

  mutating func skip(_ count: Int) throws(ZoneFault) { _ = try take(count) }

  /// Big endian, with a sign.
  mutating func integer(_ width: Int) throws(ZoneFault) -> Int64 {
    var value: UInt64 = 0
    for byte in try take(width) { value = value << 8 | UInt64(byte) }
    return width == 8 ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: value))
  }

  mutating func head() throws(ZoneFault) -> ZoneHead {
    guard try take(4).elementsEqual(ZoneTable.magic) else { throw ZoneFault(reason: "it is no zone's file") }
    let version = try take(16).first ?? 0
    var counts: [Int] = []
    for _ in 0..<6 {
      let count = Int(try integer(4))
      guard (0...bytes.count).contains(count) else { throw ZoneFault(reason: "it ends too early") }
      counts.append(count)
    }
    return ZoneHead(
      version: version, universalCount: counts[0], standardCount: counts[1], leapCount: counts[2],
      timeCount: counts[3], typeCount: counts[4], nameBytes: counts[5])
  }

  /// What stands between two ends of line.
  mutating func line() throws(ZoneFault) -> String {
    guard try take(1).first == 0x0A, let end = bytes[index...].firstIndex(of: 0x0A) else {
      throw ZoneFault(reason: "its last line is missing")
    }
    return String(decoding: bytes[index..<end], as: UTF8.self)
  }
}
