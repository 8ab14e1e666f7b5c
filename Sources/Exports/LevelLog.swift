/// The framing of export files: records in blocks with checksums, as LevelDB's log has them.
///
/// A record is one fragment or several; a fragment never crosses a block of 32 KiB and begins with a header of seven
/// bytes: checksum, length, kind. Source: docs/spec/streams.md 6.3.

internal import DocModel

enum LevelLog {
  static let blockBytes = 32_768
  static let headerBytes = 7
  /// LIMIT: bytes of one record; a document with its name is far below.
  static let recordBytesMax = 64 << 20

  enum Kind: UInt8 {
    case full = 1
    case first = 2
    case middle = 3
    case last = 4
  }

  /// The checksum of a fragment as it is stored.
  static func checksum(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let seed = withUnsafeBytes(of: kind) { CRC32C.checksum($0) }
    let sum = CRC32C.checksum(bytes, seed: seed)
    return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
  }
}

/// Frames records; what it has framed is handed to `write` in pieces.
struct LevelLogWriter: ~Copyable {
  private var blockOffset = 0
  private let file: OutputFile

  init(_ file: OutputFile) { self.file = file }

  mutating func append(_ record: [UInt8]) throws(ExportError) {
    var taken = 0
    var isFirst = true
    repeat {
      let room = LevelLog.blockBytes - blockOffset
      if room < LevelLog.headerBytes {
        try file.write([UInt8](repeating: 0, count: room))
        blockOffset = 0
        continue
      }
      let count = min(record.count - taken, room - LevelLog.headerBytes)
      let isLast = taken + count == record.count
      let kind: LevelLog.Kind = isFirst ? (isLast ? .full : .first) : (isLast ? .last : .middle)
      try file.write(Self.fragment(kind, record[taken..<taken + count]))
      taken += count
      blockOffset += LevelLog.headerBytes + count
      isFirst = false
      if isLast { return }
    } while true
  }

  private static func fragment(_ kind: LevelLog.Kind, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let sum = bytes.withUnsafeBytes { LevelLog.checksum(kind.rawValue, $0) }
    var fragment: [UInt8] = []
    fragment.reserveCapacity(LevelLog.headerBytes + bytes.count)
    for shift in [0, 8, 16, 24] { fragment.append(UInt8(truncatingIfNeeded: sum >> shift)) }
    fragment.append(UInt8(truncatingIfNeeded: bytes.count))
    fragment.append(UInt8(truncatingIfNeeded: bytes.count >> 8))
    fragment.append(kind.rawValue)
    fragment += bytes
    return fragment
  }
}

/// Gives the records of a file, one after the other, in constant memory.
struct LevelLogReader: ~Copyable {
  private let file: InputFile
  private var block: [UInt8] = []
  private var offset = 0

  init(_ file: InputFile) { self.file = file }

  /// The next record; nil at the end of the file.
  mutating func next() throws(ExportError) -> [UInt8]? {
    var record: [UInt8] = []
    var isInside = false
    while true {
      guard let (kind, bytes) = try fragment() else {
        if isInside { throw Self.invalid }
        return nil
      }
      switch kind {
      case .full where !isInside: return Array(bytes)
      case .first where !isInside: isInside = true
      case .middle where isInside: break
      case .last where isInside: return record + bytes
      case .full, .first, .middle, .last: throw Self.invalid
      }
      record += bytes
      guard record.count <= LevelLog.recordBytesMax else { throw Self.invalid }
    }
  }

  private mutating func fragment() throws(ExportError) -> (LevelLog.Kind, ArraySlice<UInt8>)? {
    while true {
      if block.count - offset < LevelLog.headerBytes {
        // What is left of a block is padding; what is left of a file that ends in a header is no record.
        let rest = block[offset...]
        if block.count < LevelLog.blockBytes, rest.contains(where: { $0 != 0 }) { throw Self.invalid }
        block = try file.read(LevelLog.blockBytes)
        offset = 0
        if block.isEmpty { return nil }
        if block.count < LevelLog.headerBytes { throw Self.invalid }
      }
      let header = block[offset..<offset + LevelLog.headerBytes]
      let start = header.startIndex
      let count = Int(header[start + 4]) | Int(header[start + 5]) << 8
      if header[start + 6] == 0, count == 0 {
        // Space that was set aside and not used.
        offset = block.count
        continue
      }
      guard let kind = LevelLog.Kind(rawValue: header[start + 6]) else { throw Self.invalid }
      let from = offset + LevelLog.headerBytes
      guard from + count <= block.count else { throw Self.invalid }
      let sum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(header[start + $1]) << (8 * UInt32($1)) }
      let bytes = block[from..<from + count]
      guard bytes.withUnsafeBytes({ LevelLog.checksum(kind.rawValue, $0) }) == sum else {
        throw ExportError(.invalid, "Checksum doesn't validate.")
      }
      offset = from + count
      return (kind, bytes)
    }
  }

  private static var invalid: ExportError { ExportError(.invalid, "Invalid record") }
}
