/// From a request to the state that plans see.

internal import DocModel

extension Evaluation {
  /// Starts the judgement of an operation.
  @inline(__always)
  func open(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess, _ ruleset: Ruleset, isRepeat: Bool
  ) {
    arena.reset()
    self.documents = documents
    // Judged again, an operation has read what it read; that is not free, and not counted twice.
    if !isRepeat { documents.log.beginOperation() }
    judgedPath = request.path.text
    patterns = ruleset.patterns
    method = request.method
    time = request.time
    spent = 0
    query = nil
    isIDKnown = true
    isPathKnown = true
    isResourceReadable = true
    accessMax = request.method == .list ? AccessLog.requestMax : AccessLog.operationMax
    if let auth = request.auth {
      isSignedIn = true
      uid = auth.uid.map { .string($0) } ?? .null
      claims = ByteView(auth.claims)
    } else {
      isSignedIn = false
    }
    setPath(request.database, request.path)
  }

  /// Whether this operation is the one that was judged last in this request.
  func isRepeat(_ request: borrowing RuleRequest, _ documents: DocumentAccess) -> Bool {
    documents.log.hasOperation && method == request.method && judgedPath.hasSameBytes(as: request.path.text)
  }

  @inline(__always)
  private func setPath(_ database: String, _ path: ResourcePath) {
    segments[0] = constant("databases")
    segments[1] = arena.copy(database)
    segments[2] = constant("documents")
    segmentCount = 3
    appendSegments(of: arena.copy(path.text))
    requestSegmentCount = segmentCount
  }

  /// Splits at slashes. What is longer than a name can be is cut off, and then nothing matches it.
  func appendSegments(of text: ByteView) {
    var start = 0
    var index = 0
    while index <= text.count {
      if index == text.count || text.buffer[index] == UInt8(ascii: "/") {
        if index > start, segmentCount < Self.segmentsMax {
          segments[segmentCount] = ByteView(start: text.start + start, count: index - start)
          segmentCount += 1
        }
        start = index + 1
      }
      index += 1
    }
  }

  /// The state before and after a read or a write of one document.
  @inline(__always)
  func openDocument(_ request: borrowing RuleRequest) {
    resourceData = request.resource.map { .document(ByteView($0.bytes)) } ?? .null
    newResourceData = .null
    switch request.method {
    case .create, .update:
      newResourceData = request.newResource.map { .document(ByteView($0.bytes)) } ?? .null
    case .get, .list, .delete: break
    }
  }
}
