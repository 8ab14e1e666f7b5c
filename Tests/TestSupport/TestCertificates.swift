/// Certificates that the program `openssl` makes for the run.

internal import Platform

/// A folder with two certificates for `localhost` and their keys: `a.pem`, `a.key`, `b.pem`, `b.key`; the first key once more, encrypted
/// and as DER; `r.pem` of RSA without a `subjectAltName`; `n.pem` for the address 127.0.0.1 and `*.wild.test`; and `old.pem`, of `b` and for
/// the first key, which has ended.
public final class TestCertificates: Sendable {
  private let folder = TemporaryFolder()

  public struct NoOpenSSL: Error, CustomStringConvertible {
    public let description = "the tests of TLS need the program `openssl`: apt-get install openssl"
  }

  /// Made once.
  public static let shared = Result { try TestCertificates() }

  private init() throws {
    for (name, names) in [
      ("a", "DNS:localhost"), ("b", "DNS:localhost"), ("n", "IP:127.0.0.1,DNS:*.wild.test"),
    ] {
      try run(
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=common.test "
          + "-addext subjectAltName=\(names) -keyout \(name).key -out \(name).pem")
    }
    try run("pkcs8 -topk8 -in a.key -passout pass:secret -out encrypted.key")
    try run("ec -in a.key -aes128 -passout pass:secret -out legacy.key")
    try run("x509 -in a.pem -outform der -out a.der")
    try run("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=r -keyout r.key -out r.pem")
    // `req` takes no times, but an authority may sign for less than no days.
    try run("req -new -key a.key -subj /CN=old -out old.csr")
    try run("x509 -req -in old.csr -CA b.pem -CAkey b.key -CAcreateserial -days -1 -out old.pem")
  }

  private func run(_ words: String) throws {
    guard system("cd \(folder.path) && openssl \(words) 2>/dev/null") == 0 else { throw NoOpenSSL() }
  }

  /// A file that has in it what others have, one behind the other.
  public func file(of names: [String]) -> String {
    let path = "\(folder.path)/\(names.joined(separator: "+"))"
    if names.count > 1 { _ = system("cd \(folder.path) && cat \(names.joined(separator: " ")) >\(path)") }
    return path
  }

  /// What the files have in them, one behind the other.
  public func bytes(_ names: String...) -> [UInt8] {
    names.flatMap { name in
      guard let file = fopen("\(folder.path)/\(name)", "r") else { preconditionFailure("no file `\(name)`") }
      defer { fclose(file) }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = fread(&buffer, 1, buffer.count, file)
      return Array(buffer[..<count])
    }
  }
}
