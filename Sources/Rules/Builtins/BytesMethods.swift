/// Methods of bytes, and `hashing`. Source: docs/spec/rules-language.md 3.2.

internal import DocModel

enum BytesMethods {
  private static let base64 = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  static let all: [MethodRow] = [
    .init(
      .size, [""],
      { _, receiver, _ in
        guard case .bytes(let bytes) = receiver else { return nil }
        return .integer(Int64(bytes.count))
      }
    ),
    .init(
      .toBase64, [""],
      { e, receiver, arguments in
        guard case .bytes(let bytes) = receiver else { return nil }
        if e.isTextTooLarge(bytes.count / 3 * 4) { return e.overgrown(arguments.node) }
        return .string(e.arena.copy(base64(bytes.buffer)))
      }
    ),
    .init(
      .toHexString, [""],
      { e, receiver, arguments in
        guard case .bytes(let bytes) = receiver else { return nil }
        if e.isTextTooLarge(bytes.count * 2) { return e.overgrown(arguments.node) }
        return .string(
          e.arena.copy(bytes.buffer.flatMap { [hexadecimal[Int($0 >> 4)], hexadecimal[Int($0 & 15)]] }))
      }
    ),
  ]

  /// The URL-safe alphabet, with padding.
  private static func base64(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let b0 = bytes[index]
      let b1 = rest > 1 ? bytes[index + 1] : 0
      let b2 = rest > 2 ? bytes[index + 2] : 0
      result.append(base64[Int(b0 >> 2)])
      result.append(base64[Int((b0 & 3) << 4 | b1 >> 4)])
      result.append(rest > 1 ? base64[Int((b1 & 15) << 2 | b2 >> 6)] : UInt8(ascii: "="))
      result.append(rest > 2 ? base64[Int(b2 & 63)] : UInt8(ascii: "="))
      index += 3
    }
    return result
  }
}

enum Hashing {
  /// Little-endian, unlike everywhere else. `polynomial` is bit-reversed.
  private static func crc(_ bytes: UnsafeRawBufferPointer, polynomial: UInt32) -> [UInt8] {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ polynomial : crc >> 1 }
    }
    let value = ~crc
    return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  static func crc32(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { crc(bytes, polynomial: 0xEDB8_8320) }
  static func crc32c(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { crc(bytes, polynomial: 0x82F6_3B78) }
}
