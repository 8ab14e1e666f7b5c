/// How production refuses credentials.

internal import DocModel

enum AuthStatus {
  /// A token that was one: expired, or of somebody else. Source: docs/spec/production-differences.md C4, C5.
  static let notAuthenticated = GRPCStatus(.unauthenticated, "Missing or invalid authentication.")

  /// A bearer that is no token at all. Source: docs/spec/production-differences.md C6; the words are those of all
  /// services of the provider.
  static let invalidCredentials = GRPCStatus(
    .unauthenticated,
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
      + "authentication credential. See "
      + "https://developers.google.com/identity/sign-in/web/devconsole-project.")
}
