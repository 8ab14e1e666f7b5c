/// Who may administrate a server and pass by its rules, as options of `docsh serve`.

import Access
import ArgumentParser
import Wire

struct AdministratorOptions: CommandOptions {
  @CommandOption(
    "admin-key-file",
    help: ArgumentHelp(
      "Only who sends `Authorization: Bearer KEY`, with the key in this file, may administrate: clear, rules, export,"
        + " triggers, shutdown. docsh's own clients find it through DOCSH_ADMIN_KEY_FILE.",
      valueName: "file"),
    completion: .file())
  var keyFile: String?

  @CommandOption(
    flag: "allow-owner",
    help:
      "Take `Bearer owner` and open the administrative endpoints although --host is no address of this machine alone."
  )
  var allowOwner = false

  @CommandOption(
    flag: "allow-public",
    help:
      "Listen on a public address also without TLS, checked signatures of tokens and a key of administrators."
  )
  var allowPublic = false

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_keyFile)
    try visitor.visit(&_allowOwner)
    try visitor.visit(&_allowPublic)
  }

  /// Complains and ends with `ExitStatus.badInput` when the file is of no use.
  ///
  /// Where signatures are checked, `Bearer owner` is no way past them unless somebody says so.
  func load(host: String, _ checks: TokenChecks) throws -> AdministratorAccess {
    let takesOwner = allowOwner || FirestoreServerOptions.isLoopback(host) && checks != .jwks
    guard let keyFile else { return AdministratorAccess(takesOwner: takesOwner) }
    do throws(AdministratorKey.Failure) {
      return AdministratorAccess(key: try AdministratorKey.load(keyFile), takesOwner: takesOwner)
    } catch {
      throw Terminal.end(ExitStatus.badInput, "--admin-key-file: \(error)")
    }
  }

  /// Complains and ends where the whole internet could reach what was meant for one machine.
  func checkPublic(host: String, hasTLS: Bool, _ checks: TokenChecks) throws {
    guard !allowOwner, !allowPublic, !FirestoreServerOptions.isLoopback(host) else { return }
    var missing: [String] = []
    if !hasTLS { missing.append("TLS (--tls-cert FILE --tls-key FILE)") }
    if checks != .jwks { missing.append("checked signatures of tokens (--verify-tokens jwks)") }
    if keyFile == nil { missing.append("a key of administrators (--admin-key-file FILE)") }
    guard !missing.isEmpty, let address = PublicAddress.reached(at: host) else { return }
    throw Terminal.end(
      ExitStatus.usage,
      "--host \(host) is reached at the public address \(address), and this server lacks \(missing.joined(separator: ", "))."
        + " Name them, or say --allow-public")
  }

  /// Says what is off, and what is open.
  func warn(host: String) {
    guard !FirestoreServerOptions.isLoopback(host) else { return }
    if allowOwner {
      Terminal.complain("--allow-owner: whoever reaches \(host) may pass by the rules with `Bearer owner`")
    } else if keyFile == nil {
      Terminal.complain(
        "--host \(host) is open to other machines: `Bearer owner` and administration are off;"
          + " --allow-owner or --admin-key-file FILE turns them on")
    }
  }
}
