/// Keys that sign tokens, made by the program `openssl` for the run.

internal import Platform

/// One key pair: what is published of it, and what it signs.
public final class TestKey: Sendable {
  public enum Kind: String, Sendable { case rsa, curve }

  public let kind: Kind
  /// As a set of keys has it, without `kid`.
  public let members: String
  private let folder = TemporaryFolder()

  public init(_ kind: Kind, bits: Int = 2_048) throws {
    self.kind = kind
    switch kind {
    case .rsa:
      try Self.run("genrsa -out key.pem \(bits)", in: folder)
      try Self.run("rsa -in key.pem -noout -modulus >modulus", in: folder)
      let text = String(
        decoding: try FileContents.read(folder.path + "/modulus", bytesMax: 1 << 16), as: UTF8.self)
      let digits = Array(text.filter { !$0.isNewline }.dropFirst("Modulus=".count).utf8)
      let modulus = stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
      }
      members = #""kty":"RSA","e":"AQAB","n":"\#(Self.urlSafe(modulus))""#
    case .curve:
      try Self.run("ecparam -name prime256v1 -genkey -noout -out key.pem", in: folder)
      try Self.run("ec -in key.pem -pubout -outform DER -out public", in: folder)
      let point = try FileContents.read(folder.path + "/public", bytesMax: 1 << 16).suffix(64)
      members =
        #""kty":"EC","crv":"P-256","x":"\#(Self.urlSafe(point.prefix(32)))","y":"\#(Self.urlSafe(point.suffix(32)))""#
    }
  }

  /// A signature as tokens have it.
  public func signature(of text: String) throws -> [UInt8] {
    // Cases that run at the same time share a key.
    let name = String(UInt64.random(in: 0...UInt64.max))
    try writeFile(folder.path + "/" + name, text)
    try Self.run("dgst -sha256 -sign key.pem -out \(name).signature \(name)", in: folder)
    let bytes = try FileContents.read(folder.path + "/\(name).signature", bytesMax: 1 << 16)
    guard kind == .curve else { return bytes }
    // Two integers in a sequence, each of which may have a zero in front, or lack one.
    let first = Array(bytes[4..<4 + Int(bytes[3])])
    let second = Array(bytes[(6 + first.count)...])
    return [first, second].flatMap { number in
      let digits = number.drop { $0 == 0 }
      return Array(repeating: 0, count: 32 - digits.count) + digits
    }
  }

  /// A token of these two texts.
  public func token(header: String, claims: String) throws -> String {
    let signed = Self.urlSafe(Array(header.utf8)) + "." + Self.urlSafe(Array(claims.utf8))
    return signed + "." + Self.urlSafe(try signature(of: signed))
  }

  private static func run(_ words: String, in folder: TemporaryFolder) throws {
    guard system("cd \(folder.path) && openssl \(words) 2>/dev/null") == 0 else {
      throw TestCertificates.NoOpenSSL()
    }
  }

  public static func urlSafe(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    var (buffer, count) = (0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xFFFF
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[buffer >> count & 63])
      }
    }
    if count > 0 { text.append(digits[buffer << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }
}
