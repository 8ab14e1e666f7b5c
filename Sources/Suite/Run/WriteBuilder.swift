/// From the writes of a suite to those of the store.

internal import DocModel
internal import DocStore
internal import Fixtures
internal import YAML

struct WriteBuilder {
  var evaluator: FormEvaluator

  mutating func write(_ form: WriteForm) throws(YAMLError) -> Write {
    evaluator.beginDocument()
    switch form.operation {
    case .delete: return Write(form.path, .delete)
    case .create(let data): return try whole(form, data, precondition: .exists(false))
    case .set(let data): return try whole(form, data, precondition: .none)
    case .updateWhole(let data):
      var write = try whole(form, data, precondition: .exists(true))
      if case .update(let bytes, _) = write.operation {
        let names = Fields(encoded: bytes).entries.map(\.name)
        write.operation = .update(fields: bytes, mask: names.compactMap { FieldPath.field($0) })
      }
      return write
    case .update(let changes): return try masked(form, changes, isMerge: false)
    case .merge(let changes): return try masked(form, changes, isMerge: true)
    }
  }

  private mutating func whole(
    _ form: WriteForm, _ data: Form, precondition: Precondition
  ) throws(YAMLError) -> Write {
    let value = try evaluator.evaluate(data, at: DrawPlace(seed: 0))
    guard let document = TypedDocument(value) else {
      throw YAMLError("the fields of a document are a map; found \(value.kindName)", at: data.mark)
    }
    return Write(
      form.path, .update(fields: try encoded(document.fields, data.mark), mask: nil),
      transforms: document.markers.compactMap { Self.transform($0.path, $0.marker) },
      precondition: precondition)
  }

  /// An update names its fields one by one; a merge goes down to the leaves of its maps.
  private mutating func masked(
    _ form: WriteForm, _ changes: Changes, isMerge: Bool
  ) throws(YAMLError) -> Write {
    var mask: [FieldPath] = []
    var transforms: [FieldTransform] = []
    var fields = TypedValue.emptyMap
    for change in try evaluator.evaluate(changes, at: DrawPlace(seed: 0)) {
      switch change.value {
      case .marker(.absent): mask.append(change.path)
      case .marker(let marker):
        if let transform = Self.transform(change.path, marker) { transforms.append(transform) }
      case .plain(let value):
        mask += isMerge ? Self.leaves(of: value, at: change.path) : [change.path]
        fields = fields.replacing(change.path.segments[...], with: .plain(value))
      case .map:
        guard let inner = TypedDocument(change.value) else { continue }
        let plain = Value.map(inner.fields)
        mask += isMerge ? Self.leaves(of: plain, at: change.path) : [change.path]
        fields = fields.replacing(change.path.segments[...], with: .plain(plain))
        for marked in inner.markers {
          guard let path = FieldPath(segments: change.path.segments + marked.path.segments) else { continue }
          if let transform = Self.transform(path, marked.marker) { transforms.append(transform) }
        }
      }
    }
    guard case .plain(.map(let plain)) = fields else {
      throw YAMLError("the fields of a document are a map", at: form.mark)
    }
    return Write(
      form.path, .update(fields: try encoded(plain, form.mark), mask: mask), transforms: transforms,
      precondition: isMerge ? .none : .exists(true))
  }

  /// Where the values of a map stand; an empty map is a value itself.
  private static func leaves(of value: Value, at path: FieldPath) -> [FieldPath] {
    guard case .map(let fields) = value, !fields.isEmpty else { return [path] }
    return fields.entries.flatMap { entry in
      FieldPath(segments: path.segments + [entry.name]).map { leaves(of: entry.value, at: $0) } ?? []
    }
  }

  /// Nil for `absent`, which maps never hold.
  private static func transform(_ path: FieldPath, _ marker: Marker) -> FieldTransform? {
    switch marker {
    case .serverTime: FieldTransform(path, .serverTime)
    case .increment(let operand): .increment(path, by: operand)
    case .maximum(let operand): .maximum(path, operand)
    case .minimum(let operand): .minimum(path, operand)
    case .union(let elements): .appendMissing(path, elements)
    case .remove(let elements): .removeAll(path, elements)
    case .absent: nil
    }
  }

  private func encoded(_ fields: Fields, _ mark: YAMLMark) throws(YAMLError) -> [UInt8] {
    do { return try Canonicalizer.fields(fields) } catch { throw YAMLError(error.message, at: mark) }
  }
}
