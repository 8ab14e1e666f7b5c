/// `--tls-cert` and `--tls-key`: the port speaks TLS, which browsers need to speak HTTP/2.

import ArgumentParser
import DocModel
import DocStore
import Wire

struct TLSOptions: CommandOptions {
  @CommandOption(
    "tls-cert",
    help: ArgumentHelp(
      "Serve TLS with this certificate, and those that lead to it (PEM). Nothing else is served then.",
      valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var certificate: String?

  @CommandOption(
    "tls-key", help: ArgumentHelp("The certificate's private key (PEM, not encrypted).", valueName: "file"),
    completion: .file(extensions: ["pem", "key"]))
  var key: String?

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_certificate)
    try visitor.visit(&_key)
  }

  func validate() throws {
    if certificate != nil, key == nil {
      throw ValidationError("--tls-cert needs the certificate's private key: say --tls-key FILE, too")
    }
    if key != nil, certificate == nil {
      throw ValidationError("--tls-key needs the key's certificate: say --tls-cert FILE, too")
    }
  }

  /// Nil for plain text. Complains and ends with `ExitStatus.badInput` when the files are of no use.
  func load() throws -> ServerTLS? {
    guard let certificate, let key else { return nil }
    do {
      let tls = try ServerTLS(
        certificates: FileAccess.contents(of: certificate), key: FileAccess.contents(of: key))
      if !tls.isValid(atSeconds: DocStore.Environment.system.now() / 1_000_000) {
        Terminal.complain("the certificate in `\(certificate)` is not valid today: clients will refuse it")
      }
      return tls
    } catch let error as ServerTLSError {
      Terminal.complain(Self.text(of: error, certificate: certificate, key: key))
    } catch let error as FileError {
      Terminal.complain("\(error); docs/tls.md tells how to make certificate and key")
    }
    throw ExitCode(ExitStatus.badInput)
  }

  private static func text(of error: ServerTLSError, certificate: String, key: String) -> String {
    switch error {
    case .noCertificate(holdsKey: true):
      "`\(certificate)` of --tls-cert holds a private key and no certificate; are the two files swapped?"
    case .noCertificate(holdsKey: false):
      "`\(certificate)` of --tls-cert holds no certificate: it must be PEM, with `-----BEGIN CERTIFICATE-----`; "
        + "`openssl x509 -inform der -in FILE -out FILE.pem` turns DER into it"
    case .brokenCertificate:
      "a certificate in `\(certificate)` of --tls-cert is damaged; `openssl x509 -in FILE -text` tells more"
    case .noKey(holdsCertificate: true):
      "`\(key)` of --tls-key holds a certificate and no private key; are the two files swapped?"
    case .noKey(holdsCertificate: false):
      "`\(key)` of --tls-key holds no private key: it must be PEM, with `-----BEGIN PRIVATE KEY-----`; "
        + "`openssl pkey -inform der -in FILE -out FILE.pem` turns DER into it"
    case .encryptedKey:
      "the key in `\(key)` of --tls-key is encrypted, and a server asks nobody for a password; "
        + "`openssl pkey -in FILE -out FILE.pem` decrypts it"
    case .brokenKey:
      "the private key in `\(key)` of --tls-key is damaged; `openssl pkey -in FILE -text` tells more"
    case .keyOfAnother:
      "the key in `\(key)` of --tls-key is not that of the first certificate in `\(certificate)` of --tls-cert; "
        + "give the key that the certificate was made with, and put the server's own certificate first"
    case .refused(let reason):
      "certificate and key in `\(certificate)` and `\(key)` cannot be used: \(reason)"
    }
  }
}
