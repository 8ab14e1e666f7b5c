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

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_keyFile)
    try visitor.visit(&_allowOwner)
  }

  /// Complains and ends with `ExitStatus.badInput` when the file is of no use.
  func load(host: String) throws -> AdministratorAccess {
    let takesOwner = allowOwner || FirestoreServerOptions.isLoopback(host)
    guard let keyFile else { return AdministratorAccess(takesOwner: takesOwner) }
    do throws(AdministratorKey.Failure) {
      return AdministratorAccess(key: try AdministratorKey.load(keyFile), takesOwner: takesOwner)
    } catch {
      throw Terminal.end(ExitStatus.badInput, "--admin-key-file: \(error)")
    }
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
