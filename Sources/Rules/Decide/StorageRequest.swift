/// What is asked of the rules of files: one operation on an object of a bucket.
///
/// Source: the documentation of security rules for files. There is no store of files here; who has one, or
/// tests its rules, makes these requests.

public import DocModel

/// A file as `resource` and `request.resource` describe it. Members that are nil are null to rules.
public struct StorageObject: Sendable, Hashable {
  /// The whole name in its bucket: `images/cat.png`.
  public var name: String
  public var bucket: String
  /// Rises with every new content.
  public var generation: Int64
  /// Rises with every change of the metadata of one content.
  public var metageneration: Int64
  /// Bytes of the content.
  public var size: Int64
  public var timeCreated: Timestamp?
  public var updated: Timestamp?
  public var md5Hash: String?
  public var crc32c: String?
  public var etag: String?
  public var contentDisposition: String?
  public var contentEncoding: String?
  public var contentLanguage: String?
  public var contentType: String?
  /// What the developer attached.
  public var metadata: [String: String]

  public init(
    name: String, bucket: String, size: Int64 = 0, contentType: String? = nil,
    metadata: [String: String] = [:], generation: Int64 = 1, metageneration: Int64 = 1,
    timeCreated: Timestamp? = nil, updated: Timestamp? = nil
  ) {
    self.name = name
    self.bucket = bucket
    self.size = size
    self.contentType = contentType
    self.metadata = metadata
    self.generation = generation
    self.metageneration = metageneration
    self.timeCreated = timeCreated
    self.updated = updated
  }
}

/// One operation to be judged by the `service firebase.storage` of a ruleset.
///
/// `read` rules are asked for `get` (a download, or metadata) and `list`, `write` rules for `create` (an
/// upload to a new name, or over an existing one when the caller judges so), `update` (a new content or
/// metadata) and `delete`.
public struct StorageRequest: Sendable {
  public var method: RuleMethod
  public var bucket: String
  /// The name of the file; of a list the folder, empty for the whole bucket. Empty segments do not count.
  public var path: String
  /// Nil when nobody is signed in.
  public var auth: AuthFacts?
  public var time: Timestamp
  /// The file as it is before the request; nil when there is none. Nil for lists.
  public var resource: StorageObject?
  /// The file as it will be; for create and update only.
  public var newResource: StorageObject?
  /// `request.params`: what the request's address carried behind its question mark.
  public var parameters: [String: String]

  public init(
    method: RuleMethod, bucket: String, path: String, auth: AuthFacts?, time: Timestamp,
    resource: StorageObject? = nil, newResource: StorageObject? = nil, parameters: [String: String] = [:]
  ) {
    self.method = method
    self.bucket = bucket
    self.path = path
    self.auth = auth
    self.time = time
    self.resource = resource
    self.newResource = newResource
    self.parameters = parameters
  }
}
