/// Huffman's code, read as the library reads it.

import CNGHTTP2
import TestSupport
import Testing

@testable import Wire

@Suite("Huffman's code of headers")
struct HuffmanTextTests {
  /// What the library makes of a text; nil where the text itself is shorter.
  private static func code(of text: [UInt8]) throws -> [UInt8]? {
    var deflater: OpaquePointer?
    try #require(nghttp2_hd_deflate_new(&deflater, 0) == 0)
    defer { nghttp2_hd_deflate_del(deflater) }
    var (name, value) = (Array("authorization".utf8), text + [0])
    var block = [UInt8](repeating: 0, count: 2 * text.count + 100)
    let count = name.withUnsafeMutableBufferPointer { name in
      value.withUnsafeMutableBufferPointer { value in
        var field = nghttp2_nv(
          name: name.baseAddress, value: value.baseAddress, namelen: name.count, valuelen: text.count,
          flags: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        return nghttp2_hd_deflate_hd(deflater, &block, block.count, &field, 1)
      }
    }
    // The size of the table, which is none, the name's place, and the length of the value in one byte, or in more.
    var offset = block.prefix { $0 & 0xE0 == 0x20 }.count + 2
    guard block[offset] & 0x80 != 0 else { return nil }
    if block[offset] & 0x7F == 0x7F { while block[offset + 1] & 0x80 != 0 { offset += 1 } }
    offset += block[offset] & 0x7F == 0x7F || offset > 3 ? 2 : 1
    return Array(block[offset..<count])
  }

  private static func text(_ code: [UInt8]) -> [UInt8]? { code.withUnsafeBytes { HuffmanText.text($0) } }

  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.= ".utf8)

  @Test("what tokens are written in is read as the library has written it", arguments: 1...60)
  func tokens(count: Int) throws {
    var numbers = SeededRandom(seed: UInt64(count))
    for _ in 0..<20 {
      let middle = (0..<count * 11 % 900).map { _ in Self.letters.randomElement(using: &numbers) ?? 0 }
      let text = Array("Bearer e".utf8) + middle + Array("e".utf8)
      let code = try #require(try Self.code(of: text))
      #expect(Self.text(code) == text)
    }
  }

  @Test("each letter is read, or left to who knows all letters", arguments: 0x20...0x7E)
  func each(letter: Int) throws {
    let text = Array("aaaaaaaaaaaaaaaaaaaaaaaaa".utf8) + [UInt8(letter)] + Array("aaaaa".utf8)
    let code = try #require(try Self.code(of: text))
    let isShort = Self.letters.contains(UInt8(letter)) || "%/:&*,;".utf8.contains(UInt8(letter))
    #expect(Self.text(code) == (isShort ? text : nil))
  }

  @Test("a code with a wrong end, or a blank at an end, is left to the library")
  func ends() throws {
    let code = try #require(try Self.code(of: Array("Bearer token".utf8)))
    for more in [[0xFF], [0xFE]] as [[UInt8]] { #expect(Self.text(code + more) == nil) }
    for text in [" Bearer tokens", "Bearer tokens "] {
      #expect(Self.text(try #require(try Self.code(of: Array(text.utf8)))) == nil)
    }
    // Five bits of a letter, and a zero among those that fill up.
    #expect(Self.text([0b00011_110]) == nil)
    #expect(Self.text([0b00011_111]) == Array("a".utf8))
  }
}
