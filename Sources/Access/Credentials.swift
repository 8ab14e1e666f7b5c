/// Who asks, as far as access is concerned.

public import Rules

/// The bearer of a request.
public enum Credentials: Sendable {
  /// A server with full rights: rules are not asked.
  case admin
  /// An app's user; nil when nobody is signed in.
  case user(AuthFacts?)

  /// Nobody is signed in.
  public static var anonymous: Credentials { .user(nil) }

  public var isAdmin: Bool {
    switch self {
    case .admin: true
    case .user: false
    }
  }
}
