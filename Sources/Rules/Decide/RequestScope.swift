/// From a request to the state that plans see.

internal import DocModel

extension Evaluation {
  /// Starts the judgement of an operation.
  @inline(__always)
  func open(
    _ request: borrowing RuleRequest, _ documents: DocumentAccess, _ ruleset: Ruleset, isRepeat: Bool
  ) {
    beginOperation(request.method, at: request.time, documents, ruleset, isRepeat: isRepeat)
    accessMax = RulesetLimits.lookupsMax(request.method)
    signIn(request.auth.map { .passUnretained($0) })
    setPath(request.database, request.path)
  }

  /// What operations on documents and on files begin with.
  @inline(__always)
  func beginOperation(
    _ method: RuleMethod, at time: Timestamp, _ documents: DocumentAccess, _ ruleset: Ruleset, isRepeat: Bool
  ) {
    arena.reset()
    beginWork(isRepeat: isRepeat)
    self.documents = documents
    // Judged again, an operation has read what it read; that is not free, and not counted twice.
    if !isRepeat { log.beginOperation() }
    reserveMemos(ruleset.memoCount)
    patternTable = .passUnretained(ruleset.patterns)
    self.method = method
    self.time = time
    query = nil
    isIDKnown = true
    isPathKnown = true
    isResourceReadable = true
  }

  /// Whether this operation is the one that was judged last in this request.
  func isRepeat(_ request: borrowing RuleRequest, _ documents: DocumentAccess) -> Bool {
    documents.log.hasOperation && method == request.method
      && request.path.text.utf8.elementsEqual(judgedPath.buffer)
  }

  @inline(__always)
  private func setPath(_ name: String, _ path: ResourcePath) {
    segments[0] = constant("databases")
    setDatabase(name)
    segments[2] = constant("documents")
    segmentCount = 3
    hasDocumentsRoot = true
    judgedPath = arena.copy(path.text)
    appendSegments(of: judgedPath)
    requestSegmentCount = segmentCount
  }

  /// Splits at slashes. What is longer than a name can be is cut off, and then nothing matches it.
  func appendSegments(of text: ByteView) {
    var start = 0
    while start <= text.count {
      let end = text.firstSlash(from: start)
      if end > start, segmentCount < Self.segmentsMax {
        segments[segmentCount] = ByteView(start: text.start + start, count: end &- start)
        segmentCount &+= 1
      }
      start = end &+ 1
    }
  }

  /// The state before and after a read or a write of one document.
  @inline(__always)
  func openDocument(_ request: borrowing RuleRequest) {
    resourceData = request.resource.map { .document(ByteView($0.bytes)) } ?? .null
    newResourceData = .null
    setWrittenPaths(request)
    switch request.method {
    case .create, .update:
      newResourceData = request.newResource.map { .document(ByteView($0.bytes)) } ?? .null
    case .get, .list, .delete: break
    }
  }

  /// Copies them only where there are any: reads and most writes have none.
  @inline(__always)
  private func setWrittenPaths(_ request: borrowing RuleRequest) {
    if hasWrittenPaths || request.writtenPaths != nil { keepWrittenPaths(request) }
  }

  @inline(never)
  private func keepWrittenPaths(_ request: borrowing RuleRequest) { writtenPaths = request.writtenPaths }
}
