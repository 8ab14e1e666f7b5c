/// Signatures of tokens. The known answers are those of RFC 7515, appendices A.2 and A.3.

import Platform
import TestSupport
import Testing

@testable import TLS

@Suite("signatures of tokens")
struct SignatureKeyTests {
  private static let message =
    ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  private static let modulus =
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_"
    + "YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5Zw"
    + "Kh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"

  private static let rsaSignature =
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKB"
    + "YNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqv"
    + "hJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

  private static let curveSignature =
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var result: [UInt8] = []
    var (buffer, count) = (0, 0)
    for byte in text.utf8 {
      buffer = (buffer << 6 | (digits.firstIndex(of: byte) ?? 0)) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: buffer >> count))
      }
    }
    return result
  }

  private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
  private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"

  private func verifies(_ key: SignatureKey?, _ signature: [UInt8], _ message: String) throws -> Bool {
    let bytes = Array(message.utf8)
    let key = try #require(key)
    return bytes.withUnsafeBufferPointer { key.verifies(signature, of: $0) }
  }

  @Test("known answers: RS256")
  func rsa() throws {
    let key = SignatureKey(modulus: Self.bytes(Self.modulus), exponent: [1, 0, 1])
    let signature = Self.bytes(Self.rsaSignature)
    let signed = "eyJhbGciOiJSUzI1NiJ9" + Self.message
    #expect(key?.algorithm == .rs256)
    #expect(try verifies(key, signature, signed))
    #expect(try !verifies(key, signature, signed + "A"))
    #expect(try !verifies(key, Array(signature.dropLast()), signed))
    #expect(try !verifies(key, [], signed))
    for index in stride(from: 0, to: signature.count, by: 37) {
      var other = signature
      other[index] ^= 1
      #expect(try !verifies(key, other, signed))
    }
  }

  @Test("known answers: ES256")
  func curve() throws {
    let key = SignatureKey(x: Self.bytes(Self.x), y: Self.bytes(Self.y))
    let signature = Self.bytes(Self.curveSignature)
    let signed = "eyJhbGciOiJFUzI1NiJ9" + Self.message
    #expect(key?.algorithm == .es256)
    #expect(try verifies(key, signature, signed))
    #expect(try !verifies(key, signature, signed + "A"))
    #expect(try !verifies(key, Array(repeating: 0, count: 64), signed), "no number is zero")
    #expect(try !verifies(key, signature + [0], signed))
    for index in signature.indices {
      var other = signature
      other[index] ^= 1
      #expect(try !verifies(key, other, signed))
    }
  }

  @Test(
    "what is no key",
    arguments: [
      ("a short modulus", Array(repeating: 0xFF, count: 128), [1, 0, 1]),
      ("a long modulus", Array(repeating: 0xFF, count: 1_025), [1, 0, 1]),
      ("no exponent", Array(repeating: 0xFF, count: 256), []),
      ("an even exponent", Array(repeating: 0xFF, count: 256), [2]),
      ("a long exponent", Array(repeating: 0xFF, count: 256), [1, 0, 0, 0, 1]),
    ] as [(String, [UInt8], [UInt8])])
  func refusesKeys(_ row: (String, [UInt8], [UInt8])) {
    #expect(SignatureKey(modulus: row.1, exponent: row.2) == nil, "\(row.0)")
  }

  @Test("a point that is not on the curve is no key")
  func refusesPoints() {
    var y = Self.bytes(Self.y)
    y[31] ^= 1
    #expect(SignatureKey(x: Self.bytes(Self.x), y: y) == nil)
    #expect(SignatureKey(x: Self.bytes(Self.x), y: Array(y.dropLast())) == nil)
    #expect(SignatureKey(x: Array(repeating: 0, count: 32), y: Array(repeating: 0, count: 32)) == nil)
  }

  @Test("what the system's program signs, with keys of its own, also where numbers begin with zeros")
  func agrees() throws {
    let key = try TestKey(.curve)
    let x = Self.bytes(try #require(key.members.split(separator: "\"").dropFirst(10).first.map(String.init)))
    let y = Self.bytes(try #require(key.members.split(separator: "\"").dropFirst(14).first.map(String.init)))
    // One signature in 128 has a number that is shorter.
    for number in 0..<300 {
      #expect(try verifies(SignatureKey(x: x, y: y), key.signature(of: "m\(number)"), "m\(number)"))
    }
  }
}
