/// Writes: single ones, and the elements of a commit.

internal import DocModel
internal import Fixtures
internal import YAML

struct WriteReader {
  let database: DatabaseID

  /// An element of a commit; nil when its `if` says that it is left out.
  func element(_ node: YAMLNode) throws(YAMLError) -> WriteForm? {
    let map = try node.map("a write")
    try map.refuseKeys(except: RequestReader.writeKeys + ["data", "if"])
    let found = map.entries.filter { RequestReader.writeKeys.contains($0.key.text) }
    guard let first = found.first else {
      throw YAMLError("a write needs one of \(RequestReader.writeKeys.joined(separator: ", "))", at: map.mark)
    }
    if found.count > 1 {
      throw YAMLError("'\(first.key.text)' and '\(found[1].key.text)' are two writes", at: found[1].key.mark)
    }
    let write = try write(first, map)
    return try Self.isWanted(map) ? write : nil
  }

  /// What `if` says: false, 0, null and the empty text leave an element out.
  static func isWanted(_ map: YAMLMap) throws(YAMLError) -> Bool {
    guard let node = map["if"] else { return true }
    guard case .scalar(let scalar) = node.content else {
      throw node.error("'if' takes true, false, a number or a text")
    }
    switch scalar.value {
    case .null: return false
    case .boolean(let flag): return flag
    case .integer(let number): return number != 0
    case .double(let number): return number != 0
    case .string: return !scalar.text.isEmpty
    }
  }

  /// A write whose data stands beside it in `map`.
  func write(_ entry: YAMLEntry, _ map: YAMLMap) throws(YAMLError) -> WriteForm {
    let path = try DocumentPath.parse(try entry.value.literal(), at: entry.value.start)
    return WriteForm(path: path, operation: try operation(entry, map), mark: entry.key.mark)
  }

  private func operation(_ entry: YAMLEntry, _ map: YAMLMap) throws(YAMLError) -> WriteForm.Operation {
    if entry.key.text == "delete" {
      if let data = map.entry("data") { throw YAMLError("'delete' takes no 'data'", at: data.key.mark) }
      return .delete
    }
    guard let data = map["data"] else {
      throw YAMLError("'\(entry.key.text)' needs the key 'data'", at: entry.key.mark)
    }
    guard case .mapping = data.content else {
      throw data.error("the fields of a document are a map; found \(data.kindName)")
    }
    var compiler = FormCompiler(database: database, vocabulary: .suites)
    switch entry.key.text {
    case "create": return .create(try compiler.compile(data))
    case "set": return .set(try compiler.compile(data))
    case "merge": return .merge(try compiler.compileChanges(data))
    default:
      if data.isForm { return .updateWhole(try compiler.compile(data)) }
      return .update(try compiler.compileChanges(data))
    }
  }
}
