/// Users outside of a session, written as personas are.

internal import Access
package import DocModel
package import Rules

package enum UserFacts {
  /// `request.auth` of `{uid, claims, provider, email_verified}`; nil for null, who is not signed in.
  ///
  /// - Parameter now: microseconds since the epoch, for the times of the token.
  package static func auth(
    _ value: Value, database: DatabaseID, now: Int64
  ) throws(InvalidArgument) -> AuthFacts? {
    do throws(ShellError) {
      guard case .user(let auth) = try Caller(name: nil, value, database: database, now: now).credentials
      else { return nil }
      return auth
    } catch {
      throw InvalidArgument(error.message)
    }
  }
}
