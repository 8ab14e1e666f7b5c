/// What is asked of a ruleset: one operation of a request, with everything a condition may look at.

public import DocModel
internal import Synchronization

/// The methods as `request.method` names them.
public enum RuleMethod: UInt8, Sendable, CaseIterable {
  case get, list, create, update, delete

  public var name: StaticString {
    switch self {
    case .get: "get"
    case .list: "list"
    case .create: "create"
    case .update: "update"
    case .delete: "delete"
    }
  }

  /// Whether the operation changes a document.
  public var isWrite: Bool {
    switch self {
    case .get, .list: false
    case .create, .update, .delete: true
    }
  }
}

/// One operation to be judged.
///
/// The views are read during the call only. A `verify` write is judged as `get`
/// (Assumed: docs/spec/rules-language.md 7.1 has no evidence).
public struct RuleRequest {
  public var method: RuleMethod
  /// The database's id, `(default)` for the first.
  public var database: String
  /// The document; for a list the collection (for a group of the whole database the root).
  public var path: ResourcePath
  /// Nil when nobody is signed in.
  public var auth: AuthFacts?
  /// `request.time`, which server timestamps of the same commit equal.
  public var time: Timestamp
  /// The stored document as it is before the request; nil when there is none. Not for lists.
  public var resource: FieldsView?
  /// The whole document after the write, transforms applied; for create and update only.
  public var newResource: FieldsView?
  /// What the write names; nil for reads and deletes, and for a write of the whole document.
  public var writtenPaths: WrittenPaths?
  /// The query; for lists only.
  public var query: QueryShape?

  /// In the place where it is called: a request is moved from there, and not copied.
  @inlinable @inline(__always)
  public init(
    method: RuleMethod, database: String = "(default)", path: ResourcePath, auth: AuthFacts?,
    time: Timestamp, resource: FieldsView? = nil, newResource: FieldsView? = nil,
    writtenPaths: WrittenPaths? = nil, query: QueryShape? = nil
  ) {
    self.method = method
    self.database = database
    self.path = path
    self.auth = auth
    self.time = time
    self.resource = resource
    self.newResource = newResource
    self.writtenPaths = writtenPaths
    self.query = query
  }

  /// A query to be judged.
  public init(list query: QueryShape, database: String = "(default)", auth: AuthFacts?, time: Timestamp) {
    self.init(
      method: .list, database: database, path: query.requestPath, auth: auth, time: time, query: query)
  }
}

/// Who is asking: `request.auth`. Made once per token and used for all its requests.
///
/// A kind of its own may make the claims when a rule asks for them: most ask for nothing but the uid.
///
/// State and its guard: the claims, which are made once, behind their mutex.
///
/// INVARIANT: each buffer is written once and lives as long as the object.
open class AuthFacts: @unchecked Sendable {  // Immutable after init, but for what the mutex guards.
  /// Nil for a token without a `sub` that is text.
  final let uid: UnsafeRawBufferPointer?
  private final let kept: Mutex<UnsafeRawBufferPointer?>

  /// For kinds of their own, whose claims `makeClaims` makes; without that there are none.
  /// - Parameter uid: `request.auth.uid`; nil for a token that names nobody, whose `request.auth.uid` is null
  ///   although `request.auth` is not. Source: the official emulator.
  public init(uid: String?) {
    self.uid = uid.map { Self.copy($0.utf8) }
    kept = Mutex(nil)
  }

  /// - Parameter claims: `request.auth.token`: all claims, in the stored form of a document's fields.
  public init(uid: String?, claims: [UInt8]) {
    self.uid = uid.map { Self.copy($0.utf8) }
    kept = Mutex(Self.copy(claims))
  }

  public convenience init(uid: String?, claims: Fields) {
    self.init(uid: uid, claims: claims.encoded)
  }

  /// All claims, in the stored form of a document's fields; none for who was not made with any. Called once, and must
  /// not ask for `claimFields`, which waits for it.
  open func makeClaims() -> [UInt8] { [] }

  /// In the stored form. Legal while this object lives.
  final var claims: UnsafeRawBufferPointer {
    kept.withLock { kept in
      if let kept { return kept }
      let claims = Self.copy(makeClaims())
      kept = claims
      return claims
    }
  }

  /// `request.auth.token`. Legal while this object lives.
  public final var claimFields: FieldsView { FieldsView(document: claims) }

  /// `request.auth.uid`, for people.
  public final var uidText: String? { uid.map { String(decoding: $0, as: UTF8.self) } }

  private static func copy(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    copy.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(rebasing: copy[0..<bytes.count])
  }

  deinit {
    uid?.deallocate()
    kept.withLock { $0?.deallocate() }
  }
}
