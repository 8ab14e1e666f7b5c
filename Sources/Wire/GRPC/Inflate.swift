/// gzip bodies of requests, unpacked.
///
/// A client may compress what it sends (`grpc-encoding: gzip`). This is a plain decoder of RFC 1951 in
/// the RFC 1952 wrapper: a table of canonical codes per block, one bit at a time. It is linear, checks
/// every length, and stops at a limit, so a small body cannot unpack to a large one.

package enum InflateError: Error {
  case corrupt
  /// The unpacked bytes would be more than the limit.
  case tooLarge
}

package enum Gzip {
  /// Unpacks one gzip member; bytes after it are refused.
  package static func inflate(_ packed: ArraySlice<UInt8>, limit: Int) throws(InflateError)
    -> [UInt8]
  {
    var input = BitReader(packed)
    try skipHeader(&input)
    var output = DeflateOutput(limit: limit)
    try Inflater.run(&input, &output)
    input.alignToByte()
    let checksum = try input.littleEndian32()
    let length = try input.littleEndian32()
    guard input.isAtEnd, length == UInt32(truncatingIfNeeded: output.bytes.count),
      checksum == CRC32.checksum(output.bytes)
    else { throw .corrupt }
    return output.bytes
  }

  private static func skipHeader(_ input: inout BitReader) throws(InflateError) {
    guard try input.byte() == 0x1F, try input.byte() == 0x8B, try input.byte() == 8 else {
      throw .corrupt
    }
    let flags = try input.byte()
    guard flags & 0xE0 == 0 else { throw .corrupt }
    for _ in 0..<6 { _ = try input.byte() }
    if flags & 4 != 0 {
      let count = Int(try input.byte()) | Int(try input.byte()) << 8
      for _ in 0..<count { _ = try input.byte() }
    }
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      while try input.byte() != 0 {}
    }
    if flags & 2 != 0 {
      _ = try input.byte()
      _ = try input.byte()
    }
  }
}

/// Bits of a byte string, lowest first.
struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var held: UInt32 = 0
  private var heldBits: UInt32 = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  var isAtEnd: Bool { index == bytes.endIndex }

  mutating func byte() throws(InflateError) -> UInt8 {
    guard index < bytes.endIndex else { throw .corrupt }
    defer { index += 1 }
    return bytes[index]
  }

  /// At most 16 bits at once.
  mutating func bits(_ count: UInt32) throws(InflateError) -> Int {
    while heldBits < count {
      held |= UInt32(try byte()) << heldBits
      heldBits += 8
    }
    defer {
      held >>= count
      heldBits -= count
    }
    return Int(held & ((1 << count) - 1))
  }

  /// Drops the rest of a partly used byte. Never more than seven bits are held then.
  mutating func alignToByte() {
    held = 0
    heldBits = 0
  }

  mutating func littleEndian32() throws(InflateError) -> UInt32 {
    var value: UInt32 = 0
    for shift in [0, 8, 16, 24] as [UInt32] { value |= UInt32(try byte()) << shift }
    return value
  }
}

/// What was unpacked, which is also the window that copies refer to.
struct DeflateOutput {
  let limit: Int
  private(set) var bytes: [UInt8] = []

  init(limit: Int) { self.limit = limit }

  mutating func append(_ byte: UInt8) throws(InflateError) {
    guard bytes.count < limit else { throw .tooLarge }
    bytes.append(byte)
  }

  mutating func copy(distance: Int, length: Int) throws(InflateError) {
    guard distance <= bytes.count else { throw .corrupt }
    guard bytes.count + length <= limit else { throw .tooLarge }
    for _ in 0..<length { bytes.append(bytes[bytes.count - distance]) }
  }
}

/// Canonical Huffman codes: how many codes each length has, and their symbols in code order.
struct HuffmanCode {
  private var counts = [Int](repeating: 0, count: 16)
  private var symbols: [UInt16] = []

  /// Fails when the lengths claim more codes than exist.
  init(lengths: some Collection<UInt8>) throws(InflateError) {
    for length in lengths { counts[Int(length)] += 1 }
    counts[0] = 0
    var free = 1
    for length in 1...15 {
      free = free * 2 - counts[length]
      if free < 0 { throw .corrupt }
    }
    var offsets = [Int](repeating: 0, count: 16)
    for length in 1..<15 { offsets[length + 1] = offsets[length] + counts[length] }
    symbols = [UInt16](repeating: 0, count: counts.reduce(0, +))
    for (symbol, length) in lengths.enumerated() where length != 0 {
      symbols[offsets[Int(length)]] = UInt16(symbol)
      offsets[Int(length)] += 1
    }
  }

  func symbol(_ input: inout BitReader) throws(InflateError) -> Int {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      code |= try input.bits(1)
      let count = counts[length]
      if code - first < count { return Int(symbols[index + code - first]) }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw .corrupt
  }
}

/// The blocks of a deflate stream.
enum Inflater {
  static func run(_ input: inout BitReader, _ output: inout DeflateOutput) throws(InflateError) {
    while true {
      let isLast = try input.bits(1) == 1
      switch try input.bits(2) {
      case 0: try stored(&input, &output)
      case 1: try compressed(&input, &output, try fixedCodes())
      case 2: try compressed(&input, &output, try dynamicCodes(&input))
      default: throw .corrupt
      }
      if isLast { return }
    }
  }

  private static func stored(_ input: inout BitReader, _ output: inout DeflateOutput)
    throws(InflateError)
  {
    input.alignToByte()
    let length = Int(try input.byte()) | Int(try input.byte()) << 8
    let complement = Int(try input.byte()) | Int(try input.byte()) << 8
    guard length == ~complement & 0xFFFF else { throw .corrupt }
    for _ in 0..<length { try output.append(try input.byte()) }
  }

  private struct Codes {
    let literals: HuffmanCode
    let distances: HuffmanCode
  }

  private static func fixedCodes() throws(InflateError) -> Codes {
    var lengths = [UInt8](repeating: 8, count: 288)
    for symbol in 144..<256 { lengths[symbol] = 9 }
    for symbol in 256..<280 { lengths[symbol] = 7 }
    return Codes(
      literals: try HuffmanCode(lengths: lengths),
      distances: try HuffmanCode(lengths: [UInt8](repeating: 5, count: 30)))
  }

  private static let lengthOrder = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
  ]

  private static func dynamicCodes(_ input: inout BitReader) throws(InflateError) -> Codes {
    let literalCount = try input.bits(5) + 257
    let distanceCount = try input.bits(5) + 1
    let lengthCount = try input.bits(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw .corrupt }
    var lengthLengths = [UInt8](repeating: 0, count: 19)
    for index in 0..<lengthCount { lengthLengths[lengthOrder[index]] = UInt8(try input.bits(3)) }
    let lengthCode = try HuffmanCode(lengths: lengthLengths)

    var lengths: [UInt8] = []
    while lengths.count < literalCount + distanceCount {
      switch try lengthCode.symbol(&input) {
      case let length where length < 16: lengths.append(UInt8(length))
      case 16:
        guard let previous = lengths.last else { throw .corrupt }
        lengths.append(contentsOf: repeatElement(previous, count: try input.bits(2) + 3))
      case 17: lengths.append(contentsOf: repeatElement(0, count: try input.bits(3) + 3))
      default: lengths.append(contentsOf: repeatElement(0, count: try input.bits(7) + 11))
      }
    }
    guard lengths.count == literalCount + distanceCount, lengths[256] != 0 else { throw .corrupt }
    return Codes(
      literals: try HuffmanCode(lengths: lengths[..<literalCount]),
      distances: try HuffmanCode(lengths: lengths[literalCount...]))
  }

  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthExtra: [UInt32] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
    3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  private static let distanceExtra: [UInt32] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13,
    13,
  ]

  private static func compressed(
    _ input: inout BitReader, _ output: inout DeflateOutput, _ codes: Codes
  ) throws(InflateError) {
    while true {
      let symbol = try codes.literals.symbol(&input)
      if symbol < 256 {
        try output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      let lengthIndex = symbol - 257
      guard lengthIndex < lengthBase.count else { throw .corrupt }
      let length = lengthBase[lengthIndex] + (try input.bits(lengthExtra[lengthIndex]))
      let distanceIndex = try codes.distances.symbol(&input)
      guard distanceIndex < distanceBase.count else { throw .corrupt }
      let distance = distanceBase[distanceIndex] + (try input.bits(distanceExtra[distanceIndex]))
      try output.copy(distance: distance, length: length)
    }
  }
}

/// The checksum at the end of a gzip member.
package enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { start in
    (0..<8).reduce(UInt32(start)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  package static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) {
      table[Int(truncatingIfNeeded: ($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8
    }
  }
}
