/// Encoded values as operands, and the objects that rules see around them.

package import DocModel

extension Evaluation {
  /// A stored value as an operand.
  ///
  /// A reference becomes the path `/databases/D/documents/...` (the project is dropped); a vector is a
  /// kind of its own. Source: docs/spec/rules-language.md 2.1, and the official emulator for vectors.
  @inline(__always)
  package func operand(_ view: ValueView) -> Operand {
    switch view.tag {
    case ValueView.Tag.boolean: .boolean(view.boolean)
    case ValueView.Tag.integer: .integer(view.integer)
    case ValueView.Tag.double: .float(view.double)
    case ValueView.Tag.string: .string(view.string)
    case ValueView.Tag.map: mapOrVector(view)
    case ValueView.Tag.array: array(view.array)
    case ValueView.Tag.timestamp: .timestamp(view.timestamp)
    case ValueView.Tag.bytes: .bytes(ByteView(view.byteString))
    case ValueView.Tag.reference: path(reference: view.reference)
    case ValueView.Tag.geoPoint: .latlng(view.geoPoint)
    default: .null
    }
  }

  @inline(__always)
  private func array(_ view: ArrayView) -> Operand {
    .array(ByteView(start: view.start, count: view.byteCount))
  }

  @inline(__always)
  private func mapOrVector(_ view: ValueView) -> Operand {
    let fields = view.fields
    guard fields.isVector else { return .fields(ByteView(fields.bytes)) }
    let elements = view.vectorElements
    return .vector(ByteView(UnsafeRawBufferPointer(start: elements.start, count: elements.byteCount)))
  }

  @inline(never)
  func path(reference: UnsafeRawBufferPointer) -> Operand {
    var segments: [PathSegment] = []
    for part in reference.split(separator: UInt8(ascii: "/")) {
      segments.append(PathSegment(text: ByteView(UnsafeRawBufferPointer(rebasing: part))))
    }
    let kept = segments.dropFirst(2)  // `projects/P`
    return .path(arena.copy(Array(kept)), kept.count)
  }

  /// `request.path`, and with a further segment the name of a document in a queried collection.
  func requestPath() -> Operand {
    let count = requestSegmentCount
    let start = arena.allocate(PathSegment.self, count: count)
    for index in 0..<count { (start + index).initialize(to: PathSegment(text: segments[index])) }
    return .path(UnsafePointer(start), count)
  }

  func constant(_ text: StaticString) -> ByteView {
    ByteView(start: UnsafeRawPointer(text.utf8Start), count: text.utf8CodeUnitCount)
  }

  private func map(_ entries: [MapEntry]) -> Operand {
    .map(arena.copy(entries), entries.count)
  }

  func entry(_ key: StaticString, _ value: Operand) -> MapEntry {
    MapEntry(key: constant(key), value: value)
  }

  /// A document as `get` gives it: its fields, its id and its name.
  func documentObject(data: Operand, path: Operand) -> Operand {
    guard case .path(let segments, let count) = path, count > 0 else { return .null }
    let id = (segments + (count - 1)).pointee.text.map { Operand.string($0) } ?? .null
    return map([entry("data", data), entry("__name__", path), entry("id", id)])
  }

  /// `resource` as a whole.
  func resourceObject() -> Operand {
    if isStorage { return resourceData }
    if case .null = resourceData { return .null }
    guard method != .list || isIDKnown else {
      let data = entry("data", resourceData)
      return map(nameConstraint.map { [entry("__name__", $0), data] } ?? [data])
    }
    return documentObject(data: resourceData, path: documentPath())
  }

  /// The name of the document at hand, which a query's `request.path` does not reach.
  private func documentPath() -> Operand {
    let count = segmentCount
    let start = arena.allocate(PathSegment.self, count: count)
    for index in 0..<count { (start + index).initialize(to: PathSegment(text: segments[index])) }
    return .path(UnsafePointer(start), count)
  }

  /// `request.resource` as a whole; only for writes.
  func newResourceObject() -> Operand {
    if case .null = newResourceData { return .null }
    return documentObject(data: newResourceData, path: requestPath())
  }

  func authObject() -> Operand {
    guard isSignedIn else { return .null }
    return map([entry("uid", uid), entry("token", .document(claims))])
  }

  private func texts(_ texts: [String]?) -> Operand {
    texts.map { list($0.map { .string(arena.copy($0)) }) } ?? .null
  }

  /// `request` as a whole. Source: docs/spec/rules-language.md 2.11 and the official emulator's own map, whose order
  /// `request.values()` tells.
  func requestObject() -> Operand {
    if isStorage { return storageRequestObject() }
    var entries = [
      entry("time", .timestamp(time)), entry("auth", authObject()),
      entry("headers", .map(arena.copy([MapEntry]()), 0)),
      entry("inTransaction", .boolean(method.isWrite)),
    ]
    let path = entry("path", isPathKnown ? requestPath() : .null)
    if method.isWrite {
      entries += [
        path, entry("transforms", texts(writtenPaths?.transformTexts)), entry("readFields", .null),
        entry("writeFields", texts(writtenPaths?.fieldTexts)),
        entry("resource", newResourceObject()),
      ]
    } else if let query {
      entries += [entry("fields", .null), entry("query", query.map), path]
    } else {
      entries += [path, entry("fields", .null)]
    }
    let name = ByteView(start: UnsafeRawPointer(method.name.utf8Start), count: method.name.utf8CodeUnitCount)
    entries.append(entry("method", .string(name)))
    return map(entries)
  }
}
