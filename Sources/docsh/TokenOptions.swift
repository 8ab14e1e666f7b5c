/// Whose signatures of tokens a server believes, as options of `docsh serve`.

import Access
import ArgumentParser
import DocModel
import Functions
import Platform
import Wire

struct TokenOptions: CommandOptions {
  @CommandOption(
    "jwks",
    help: ArgumentHelp(
      "Check the signatures of users' tokens with the keys of this file or https address, a JSON Web Key Set; those of"
        + " Firebase Authentication where only --verify-tokens jwks is said. See docs/tokens.md.",
      valueName: "file|url"),
    completion: .file())
  var keys: String?

  @CommandOption(
    "token-issuer",
    help: ArgumentHelp(
      "The `iss` of users' tokens; https://securetoken.google.com/ and the project unless said.",
      valueName: "text"))
  var issuer: String?

  @CommandOption(
    "token-audience",
    help: ArgumentHelp("The `aud` of users' tokens; the project unless said.", valueName: "text"))
  var audience: String?

  @CommandOption(
    "service-account",
    help: ArgumentHelp(
      "A service account whose own tokens pass by the rules, and where its keys are: Google's address for it unless said."
        + " May be repeated.", valueName: "email[=file|url]"))
  var accounts: [String] = []

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_keys)
    try visitor.visit(&_issuer)
    try visitor.visit(&_audience)
    try visitor.visit(&_accounts)
  }

  private static let provider = "https://www.googleapis.com/service_accounts/v1/jwk/"
  private static let usersAccount = "securetoken@system.gserviceaccount.com"

  /// Whether signatures are asked for without `--verify-tokens`.
  private var areNamed: Bool { keys != nil || issuer != nil || audience != nil || !accounts.isEmpty }

  /// - Parameter given: what `--verify-tokens` says.
  func checks(_ given: TokenChecks?) throws -> TokenChecks? {
    guard areNamed, given != .jwks else { return given }
    if let given {
      throw ValidationError(
        "--jwks, --token-issuer, --token-audience and --service-account are for --verify-tokens jwks, found '\(given.rawValue)'"
      )
    }
    return .jwks
  }

  /// The keys, which are read or asked for at once; nil where signatures are not checked. Complains and ends when a file is of
  /// no use.
  func load(_ checks: TokenChecks) throws -> TokenKeys? {
    guard checks == .jwks else { return nil }
    let accounts = try accounts.map { (text) throws -> (account: String, source: KeySource) in
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard let account = parts.first, account.contains("@"), !account.contains("/") else {
        throw ValidationError("--service-account takes an email address, found '\(text)'")
      }
      return (
        account, try KeySource(parts.count == 2 ? parts[1] : Self.provider + account, "--service-account")
      )
    }
    let users = try KeySource(keys ?? Self.provider + Self.usersAccount, "--jwks")
    let keys = TokenKeys(issuer: issuer, audience: audience, accounts: accounts.map(\.account))
    let keeper = KeyKeeper(keys, [(nil, users)] + accounts.map { (.some($0.account), $0.source) })
    do throws(InvalidArgument) { try keeper.begin() } catch {
      throw Terminal.end(ExitStatus.badInput, error.message)
    }
    return keys
  }
}

/// Where a set of keys is.
enum KeySource: Hashable, Sendable {
  case file(String)
  case address(EndpointAddress)

  /// - Parameter option: whose value it is.
  init(_ text: String, _ option: String) throws {
    guard text.contains("://") else {
      self = .file(text)
      return
    }
    let address: EndpointAddress
    do throws(InvalidArgument) { address = try EndpointAddress(text) } catch {
      throw ValidationError("\(option): \(error.message)")
    }
    guard address.isSecure || FirestoreServerOptions.isLoopback(address.host) else {
      throw ValidationError(
        "\(option): keys that come in plain text can be anybody's; expected an https address, found '\(text)'"
      )
    }
    self = .address(address)
  }

  var text: String {
    switch self {
    case .file(let path): path
    case .address(let address): address.description
    }
  }
}
