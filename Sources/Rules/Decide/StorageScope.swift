/// From a request on a file to the state that plans see.

internal import DocModel

extension Evaluation {
  /// LIMIT: distinct documents that the rules of files may read for one operation. Source: the
  /// documentation, and the official emulator of files.
  static let storageAccessMax = 2

  /// Starts the judgement of an operation on a file. False for a name with more segments than can be matched.
  func open(
    _ request: StorageRequest, _ documents: DocumentAccess, _ ruleset: Ruleset, isRepeat: Bool
  ) -> Bool {
    beginOperation(request.method, at: request.time, documents, ruleset, isRepeat: isRepeat)
    accessMax = Self.storageAccessMax
    signIn(request.auth.map { .passUnretained($0) })
    resourceData = request.resource.map { object($0) } ?? .null
    newResourceData = request.newResource.map { object($0) } ?? .null
    parameters = texts(request.parameters)
    return setObjectPath(request)
  }

  /// Whether this operation is the one that was judged last in this request.
  func isRepeat(_ request: StorageRequest, _ documents: DocumentAccess) -> Bool {
    log.hasOperation && method == request.method
      && Self.fullPath(request).utf8.elementsEqual(judgedPath.buffer)
  }

  private static func fullPath(_ request: StorageRequest) -> String {
    "b/\(request.bucket)/o/\(request.path)"
  }

  private func setObjectPath(_ request: StorageRequest) -> Bool {
    forgetDatabase()
    hasDocumentsRoot = false
    judgedPath = arena.copy(Self.fullPath(request))
    segmentCount = 0
    appendSegments(of: judgedPath)
    requestSegmentCount = segmentCount
    return segmentCount < Self.segmentsMax
  }

  // MARK: values

  private func object(_ object: StorageObject) -> Operand {
    let entries = [
      entry("name", text(object.name)), entry("bucket", text(object.bucket)),
      entry("generation", .integer(object.generation)),
      entry("metageneration", .integer(object.metageneration)), entry("size", .integer(object.size)),
      entry("timeCreated", object.timeCreated.map { .timestamp($0) } ?? .null),
      entry("updated", object.updated.map { .timestamp($0) } ?? .null),
      entry("md5Hash", text(object.md5Hash)), entry("crc32c", text(object.crc32c)),
      entry("etag", text(object.etag)), entry("contentDisposition", text(object.contentDisposition)),
      entry("contentEncoding", text(object.contentEncoding)),
      entry("contentLanguage", text(object.contentLanguage)), entry("contentType", text(object.contentType)),
      entry("metadata", texts(object.metadata)),
    ]
    return .map(arena.copy(entries), entries.count)
  }

  private func text(_ text: String?) -> Operand { text.map { .string(arena.copy($0)) } ?? .null }

  private func texts(_ texts: [String: String]) -> Operand {
    let entries = texts.sorted { $0.key < $1.key }.map { pair in
      MapEntry(key: arena.copy(pair.key), value: text(pair.value))
    }
    return .map(arena.copy(entries), entries.count)
  }

  /// `request` of an operation on a file. What there is no new file for has a null `resource`.
  func storageRequestObject() -> Operand {
    let name = ByteView(start: UnsafeRawPointer(method.name.utf8Start), count: method.name.utf8CodeUnitCount)
    let entries = [
      entry("auth", authObject()), entry("method", .string(name)), entry("params", parameters),
      entry("path", requestPath()), entry("resource", newResourceData), entry("time", .timestamp(time)),
    ]
    return .map(arena.copy(entries), entries.count)
  }
}
