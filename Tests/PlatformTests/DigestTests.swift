/// Hashes beside the published values.

import Platform
import Testing

@Suite("digests")
struct DigestTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let md5: String
    let sha256: String
    var testDescription: String { "\(text.prefix(20)) (\(text.utf8.count) bytes)" }
  }

  // Lengths on both sides of where the padding takes another block: 55 and 56 bytes.
  // Source: RFC 1321, appendix A.5; FIPS 180-2, appendix B; the others of coreutils.
  static let rows = [
    Row(
      text: "", md5: "d41d8cd98f00b204e9800998ecf8427e",
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Row(
      text: "abc", md5: "900150983cd24fb0d6963f7d28e17f72",
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Row(
      text: String(repeating: "a", count: 55),
      md5: "ef1772b6dff9a122358552954ad0df65",
      sha256: "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    Row(
      text: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      md5: "8215ef0796a20bcaaae116d3876c664a",
      sha256: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Row(
      text: String(repeating: "a", count: 1_000_000), md5: "7707d6ae4e027c70eea2a935c2296f21",
      sha256: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test("MD5 and SHA-256", arguments: rows)
  func hashes(_ row: Row) {
    let bytes = Array(row.text.utf8)
    #expect(bytes.withUnsafeBytes { Digest.md5($0) }.hexadecimal == row.md5)
    #expect(bytes.withUnsafeBytes { Digest.sha256($0) }.hexadecimal == row.sha256)
    #expect(Digest.sha256(bytes).hexadecimal == row.sha256)
  }
}
