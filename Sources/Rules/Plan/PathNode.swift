/// Path literals.

internal import DocModel

/// A path literal with something to insert.
final class PathNode: PlanNode, @unchecked Sendable {
  /// One written segment.
  enum Part {
    case literal(ByteView)
    case placeholder(ByteView, isGlob: Bool)
    case value(PlanNode)
  }

  let parts: [Part]
  private let inserted: NodeList
  private let segments: UnsafePointer<TemplateSegment>
  private let segmentCount: Int
  /// Not by value, which would be copied at each use.
  private let template: UnsafePointer<DocumentTemplate>?

  init(_ number: Int, _ parts: [Part], _ pool: ConstantPool) {
    self.parts = parts
    let nodes = parts.compactMap { if case .value(let node) = $0 { node } else { nil } }
    inserted = NodeList(nodes)
    segments = pool.array(
      parts.map { part in
        switch part {
        case .literal(let text): .text(text)
        case .placeholder(let name, let isGlob): .placeholder(name, isGlob: isGlob)
        case .value: .inserted
        }
      })
    segmentCount = parts.count
    template = DocumentTemplate(parts, pool).map { pool.array([$0]) }
    // Only written segments cost: what is inserted has its own cost, a placeholder none.
    super.init(number, cost: 1 + parts.count { if case .literal = $0 { true } else { false } })
  }

  override var operands: [PlanNode] {
    parts.compactMap { if case .value(let node) = $0 { node } else { nil } }
  }

  override func value(_ e: Evaluation) -> Operand {
    e.charge(cost)
    return path(e, UnsafePointer(e.arena.allocate(Operand.self, count: 0)), known: 0)
  }

  /// The bytes of the document's name, without a path value in between.
  override func documentPath(_ e: Evaluation) -> DocumentPath {
    guard let template else { return .value(value(e)) }
    e.charge(cost)
    if template.pointee.isPlain { return plainPath(template, e) }
    let values = e.arena.allocate(Operand.self, count: inserted.count)
    var known = 0
    while known < inserted.count {
      let value = inserted.value(known, e)
      (values + known).initialize(to: value)
      known &+= 1
      guard case .string = value else { return .value(path(e, values, known: known)) }
    }
    if let relative = template.pointee.join(values, e) { return .relative(relative) }
    return .value(path(e, values, known: known))
  }

  /// The same where two texts are inserted, the database's name and a document's id.
  @inline(__always)
  private func plainPath(_ template: UnsafePointer<DocumentTemplate>, _ e: Evaluation) -> DocumentPath {
    let database = inserted.value(0, e)
    guard case .string(let name) = database else { return .value(path(e, database)) }
    let id = inserted.value(1, e)
    guard case .string(let text) = id, let relative = template.pointee.join(name, text, e) else {
      return .value(path(e, database, id))
    }
    return .relative(relative)
  }

  @inline(never)
  private func path(_ e: Evaluation, _ known: Operand...) -> Operand {
    path(e, e.arena.copy(known), known: known.count)
  }

  /// The path as a value; the first `known` of the inserted values are already there.
  private func path(_ e: Evaluation, _ values: UnsafePointer<Operand>, known: Int) -> Operand {
    var path = e.arena.allocate(PathSegment.self, count: segmentCount)
    var capacity = segmentCount
    var count = 0
    var place = 0
    var twice: ByteView?
    for index in 0..<segmentCount {
      let segment: PathSegment
      switch segments[index] {
      case .text(let text): segment = PathSegment(text: text)
      case .placeholder(let name, let isGlob):
        segment = PathSegment(name: name, isGlob: isGlob)
        if count > 0, has(name, path, count) { twice = twice ?? name }
      case .inserted:
        let value = place < known ? values[place] : inserted.value(place, e)
        place &+= 1
        switch value {
        case .string(let text): segment = PathSegment(text: text)
        case .fault: return e.finish(value, inserted, from: max(place, known))
        case .path(let inner, let innerCount):
          // A path is spliced in; make room for it.
          capacity += innerCount
          let larger = e.arena.allocate(PathSegment.self, count: capacity)
          larger.update(from: path, count: count)
          path = larger
          for position in 0..<innerCount {
            // What a filled glob took is several segments of one name.
            let segment = inner[position]
            guard let name = segment.name else { continue }
            if has(name, path, count) || (segment.text == nil && has(name, inner, position)) {
              twice = twice ?? name
            }
          }
          (path + count).update(from: inner, count: innerCount)
          count += innerCount
          continue
        default:
          guard let text = Conversions.text(value, e) else {
            let fault = e.fault(.unsupportedOperation, number, Conversions.unsupportedText(value.kind))
            return e.finish(fault, inserted, from: max(place, known))
          }
          segment = PathSegment(text: text)
        }
      }
      (path + count).initialize(to: segment)
      count += 1
    }
    // Found when the path is put together, after all that is inserted was looked at.
    if let twice { return e.fault(.argument, number, FaultText.secondPlaceholder(twice)) }
    let value = Operand.path(UnsafePointer(path), count)
    return count > segmentCount ? e.boundedTree(value, number) : value
  }

  /// Whether a placeholder, filled or not, is among the first segments.
  private func has(_ name: ByteView, _ path: UnsafePointer<PathSegment>, _ count: Int) -> Bool {
    for index in 0..<count {
      if let other = path[index].name, other == name { return true }
    }
    return false
  }
}

/// A written segment, without references.
private enum TemplateSegment {
  case text(ByteView)
  case placeholder(ByteView, isGlob: Bool)
  case inserted
}

/// The form in which nearly all paths are written: `/databases/$(database)/documents/users/$(id)`, as what
/// stands between the inserted texts.
private struct DocumentTemplate {
  /// What is written before an inserted text: `users/`, or `/likes/` further on.
  private let before: UnsafePointer<ByteView>
  /// Which of the inserted texts come behind `documents`.
  private let first: Int
  private let end: Int
  /// What is written behind the last one.
  private let after: ByteView
  /// The database's name when it is written; nil when it is the first inserted text.
  private let database: ByteView?
  private let writtenBytes: Int
  /// Whether only the database's name and the text at the end are inserted.
  let isPlain: Bool

  /// Nil for other forms.
  init?(_ parts: [PathNode.Part], _ pool: ConstantPool) {
    guard parts.count >= 5, parts.count % 2 == 1, Self.isLiteral(parts[0], "databases"),
      Self.isLiteral(parts[2], "documents")
    else { return nil }
    switch parts[1] {
    case .literal(let name): (database, first) = (name, 0)
    case .value: (database, first) = (nil, 1)
    case .placeholder: return nil
    }
    var chunks: [[UInt8]] = []
    var open: [UInt8] = []
    for (index, part) in parts.enumerated().dropFirst(3) {
      if index > 3 { open.append(UInt8(ascii: "/")) }
      switch part {
      case .literal(let text):
        guard text.count > 0, text.firstSlash(from: 0) == text.count else { return nil }
        open += text.buffer
      case .value:
        chunks.append(open)
        open = []
      case .placeholder: return nil
      }
    }
    end = first + chunks.count
    before = pool.array(chunks.map { pool.bytes($0) })
    after = pool.bytes(open)
    writtenBytes = chunks.reduce(open.count) { $0 + $1.count }
    isPlain = first == 1 && chunks.count == 1 && open.isEmpty
  }

  private static func isLiteral(_ part: PathNode.Part, _ text: StaticString) -> Bool {
    guard case .literal(let bytes) = part else { return false }
    return bytes.buffer.elementsEqual(
      UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The document's name relative to the database, in the access log's room. Nil when it names no document
  /// of the request's database.
  /// - Parameter values: all inserted values, strings.
  @inline(__always)
  func join(_ values: UnsafePointer<Operand>, _ e: Evaluation) -> ByteView? {
    guard isDatabase(values, e), let size = size(values) else { return nil }
    let start = e.log.room(byteCount: size)
    var position = start
    var index = first
    while index < end {
      guard case .string(let text) = values[index] else { return nil }
      let written = before[index &- first]
      position.copyShort(from: written.start, byteCount: written.count)
      position += written.count
      position.copyShort(from: text.start, byteCount: text.count)
      position += text.count
      index &+= 1
    }
    position.copyShort(from: after.start, byteCount: after.count)
    return ByteView(start: start, count: size)
  }

  /// The same of a plain template, from the two inserted texts.
  @inline(__always)
  func join(_ name: ByteView, _ text: ByteView, _ e: Evaluation) -> ByteView? {
    guard e.hasDocumentsRoot, isDatabase(name, e), text.count > 0, text.firstSlash(from: 0) == text.count
    else { return nil }
    let size = writtenBytes &+ text.count
    let start = e.log.room(byteCount: size)
    start.copyShort(from: before[0].start, byteCount: writtenBytes)
    (start + writtenBytes).copyShort(from: text.start, byteCount: text.count)
    return ByteView(start: start, count: size)
  }

  @inline(__always)
  private func isDatabase(_ values: UnsafePointer<Operand>, _ e: Evaluation) -> Bool {
    guard e.hasDocumentsRoot else { return false }
    if let database { return database == e.segments[1] }
    guard case .string(let name) = values[0] else { return false }
    return isDatabase(name, e)
  }

  @inline(__always)
  private func isDatabase(_ name: ByteView, _ e: Evaluation) -> Bool {
    // Nearly always the capture, which is the segment itself.
    return name.start == e.segments[1].start && name.count == e.segments[1].count || name == e.segments[1]
  }

  /// Nil when an inserted text is no segment.
  @inline(__always)
  private func size(_ values: UnsafePointer<Operand>) -> Int? {
    var size = writtenBytes
    var index = first
    while index < end {
      guard case .string(let text) = values[index], text.count > 0, text.firstSlash(from: 0) == text.count
      else { return nil }
      size &+= text.count
      index &+= 1
    }
    return size
  }
}
