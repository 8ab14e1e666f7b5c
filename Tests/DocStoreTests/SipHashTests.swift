/// SipHash beside its published vectors: the key is 00 01 … 0f, a message of n bytes is 00 01 … n-1.

import Platform
import Testing

@testable import DocStore

@Suite("SipHash")
struct SipHashTests {
  // Source: `vectors_sip128` of the authors' `vectors.h`; OpenSSL's `openssl mac SIPHASH` says the same.
  static let vectors: [(length: Int, code: String)] = [
    (0, "a3817f04ba25a8e66df67214c7550293"),
    (1, "da87c1d86b99af44347659119b22fc45"),
    (2, "8177228da4a45dc7fca38bdef60affe4"),
    (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
    (8, "3b62a9ba6258f5610f83e264f31497b4"),
    (9, "264499060ad9baabc47f8b02bb6d71ed"),
    (63, "5150d1772f50834a503e069a973fbd7c"),
  ]

  @Test("codes", arguments: vectors)
  func codes(_ length: Int, _ code: String) {
    let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
    #expect(hash.code(of: (0..<length).map { UInt8($0) }).hexadecimal == code)
  }

  @Test("each has a key of its own")
  func keys() {
    #expect(SipHash().code(of: [1]) != SipHash().code(of: [1]))
  }
}
