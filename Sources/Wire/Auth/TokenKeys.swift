/// Whose signatures of tokens are believed.
///
/// Keys change while a server runs: who issues tokens publishes the next key before it signs with it, and takes a key back that
/// somebody else may have. So a token of a key that is not known has the keys asked for again, now and then; and tokens that
/// were read with keys of before are read again.
///
/// State and its guard: `state` behind its mutex; `generation` counts the times that keys were set.

package import DocModel
internal import JSON
internal import Platform
internal import Synchronization
internal import TLS

/// A set of public keys, as `{"keys": […]}`. Source: RFC 7517.
package struct KeySet: Sendable {
  fileprivate let keys: [String: SignatureKey]

  /// LIMIT: bytes of a set, and keys in it.
  package static let bytesMax = 1 << 20
  private static let keysMax = 256

  /// Reads a set. Keys of kinds that no token of ours is signed with are passed over; without any other it is of no use.
  package init(_ bytes: [UInt8]) throws(InvalidArgument) {
    guard bytes.count <= Self.bytesMax else {
      throw InvalidArgument("it has more than \(Self.bytesMax) bytes")
    }
    guard let value = try? JSONReader.read(bytes), case .array(let members)? = value["keys"]?.kind else {
      throw InvalidArgument("it is no set of keys: expected {\"keys\": [{\"kty\": \"RSA\", \"kid\": …}, …]}")
    }
    guard members.count <= Self.keysMax else {
      throw InvalidArgument("it has more than \(Self.keysMax) keys")
    }
    var keys: [String: SignatureKey] = [:]
    for member in members {
      guard let name = member["kid"]?.text, let key = Self.key(member) else { continue }
      guard keys.updateValue(key, forKey: name) == nil else {
        throw InvalidArgument("it has two keys `\(name)`")
      }
    }
    guard !keys.isEmpty else {
      throw InvalidArgument("it has no key with a `kid` for RS256 (2048 bits or more) or ES256")
    }
    self.keys = keys
  }

  private static func key(_ member: JSONValue) -> SignatureKey? {
    func number(_ name: StaticString) -> [UInt8]? {
      member[name]?.text.flatMap { Base64.decodeURLSafe($0.utf8) }
    }
    if let use = member["use"]?.text, use != "sig" { return nil }
    let key: SignatureKey?
    switch (member["kty"]?.text, member["crv"]?.text) {
    case ("RSA", _):
      guard let modulus = number("n"), let exponent = number("e") else { return nil }
      key = SignatureKey(modulus: modulus, exponent: exponent)
    case ("EC", "P-256"):
      guard let x = number("x"), let y = number("y") else { return nil }
      key = SignatureKey(x: x, y: y)
    case (_, _): return nil
    }
    if let algorithm = member["alg"]?.text, algorithm != key?.algorithm.rawValue { return nil }
    return key
  }
}

package final class TokenKeys: Sendable {
  /// What came of a token's signature.
  enum Verdict: Equatable {
    case user
    case serviceAccount
    /// Nobody whose keys are known signed it; why.
    case refused(String)
    /// The keys are not there yet, or are asked for again.
    case pending
  }

  private struct State {
    var users: KeySet?
    /// By the address of the account.
    var accounts: [String: KeySet?]
    var ask: (@Sendable () -> Void)?
    /// When keys were asked for because of a token, by the clock that only goes forward.
    var askedAt: Int64?
    /// Whether the answer to that is on its way.
    var isAsking = false
  }

  /// Instead of `https://securetoken.google.com/` and the project.
  package let issuer: String?
  /// Instead of the project.
  package let audience: String?

  private let state: Mutex<State>
  private let counter = Atomic(0)

  /// LIMIT: seconds between two times that a strange token has the keys asked for, and how long the answer may take.
  private static let askSeconds: Int64 = 30
  private static let answerSeconds: Int64 = 5

  /// - Parameter accounts: addresses of the service accounts that are administrators.
  package init(issuer: String? = nil, audience: String? = nil, accounts: [String] = []) {
    self.issuer = issuer
    self.audience = audience
    state = Mutex(State(accounts: Dictionary(accounts.map { ($0, nil) }) { first, _ in first }))
  }

  /// Changes whenever keys do: what was found out with those of before has to be found out again.
  var generation: Int { counter.load(ordering: .acquiring) }

  /// - Parameter account: whose they are; nil for those of users' tokens.
  package func set(_ keys: KeySet, ofAccount account: String? = nil) {
    state.withLock { state in
      if let account { state.accounts[account] = .some(keys) } else { state.users = keys }
    }
    counter.add(1, ordering: .acquiringAndReleasing)
  }

  /// `ask` has the keys fetched again, and returns at once.
  package func whenUnknown(_ ask: @escaping @Sendable () -> Void) { state.withLock { $0.ask = ask } }

  /// All that was asked for has been looked at.
  package func endAsking() { state.withLock { $0.isAsking = false } }

  /// Whether an issuer is a service account that is an administrator.
  func isAccount(_ issuer: String) -> Bool { state.withLock { $0.accounts[issuer] != nil } }

  /// Checks a signature.
  ///
  /// - Parameters:
  ///   - issuer: the claim; of a service account it names whose keys are asked.
  ///   - message: what was signed: the token up to the last point.
  func verdict(
    algorithm: String?, key name: String?, issuer: String?, message: UnsafeBufferPointer<UInt8>,
    signature: [UInt8]
  ) -> Verdict {
    guard let algorithm, algorithm != "none" else { return .refused("it is not signed") }
    guard SignatureKey.Algorithm(rawValue: algorithm) != nil else {
      return .refused("it is signed with \(algorithm.prefix(16)); RS256 and ES256 are taken")
    }
    guard let name else { return .refused("its header has no `kid`, which names the key") }
    let account = issuer.flatMap { isAccount($0) ? $0 : nil }
    let set = state.withLock { state in
      if let account { state.accounts[account] ?? nil } else { state.users }
    }
    guard let set else { return .pending }
    guard let key = set.keys[name] else {
      return isAsking()
        ? .pending : .refused("its key `\(name.prefix(64))` is not among those that are believed")
    }
    guard key.algorithm.rawValue == algorithm, key.verifies(signature, of: message) else {
      return .refused("its signature is not that of its key")
    }
    return account == nil ? .user : .serviceAccount
  }

  /// Whether the keys may be about to change.
  private func isAsking() -> Bool {
    let now = SystemClock.monotonic / 1_000_000_000
    let (ask, isRecent) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
      guard let ask = state.ask else { return (nil, false) }
      if let asked = state.askedAt, now - asked < Self.askSeconds {
        return (nil, state.isAsking && now - asked < Self.answerSeconds)
      }
      state.askedAt = now
      state.isAsking = true
      return (ask, true)
    }
    ask?()
    return isRecent
  }
}
