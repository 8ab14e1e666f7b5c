/// JSON as the tree that YAML is read into, so that one reader takes the registrations of files and of requests.

internal import JSON
internal import YAML

extension YAMLNode {
  /// Throws at the place where the text is no JSON, or names a member twice.
  init(json bytes: [UInt8]) throws(YAMLError) {
    var marks = AscendingMarks(bytes)
    let value: JSONValue
    do throws(JSONError) { value = try JSONReader.read(bytes) } catch {
      throw YAMLError(error.message, at: marks.mark(ofByte: error.offset))
    }
    self = try marks.node(value)
  }
}

/// Marks of ascending offsets, each found from the one before.
private struct AscendingMarks {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func mark(ofByte offset: Int) -> YAMLMark {
    for byte in bytes[self.offset..<offset] {
      if byte == 0x0A { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
    }
    self.offset = offset
    return YAMLMark(line: line, column: column)
  }

  /// As deep as the reader lets a value be, which bounds the recursion.
  mutating func node(_ value: JSONValue) throws(YAMLError) -> YAMLNode {
    let mark = mark(ofByte: value.offset)
    return YAMLNode(try content(value), at: mark)
  }

  private mutating func content(_ value: JSONValue) throws(YAMLError) -> YAMLNode.Content {
    switch value.kind {
    case .null: return .scalar(YAMLScalar(.null, text: "null"))
    case .boolean(let flag): return .scalar(YAMLScalar(.boolean(flag), text: "\(flag)"))
    case .integer(let number): return .scalar(YAMLScalar(.integer(number), text: "\(number)"))
    case .double(let number): return .scalar(YAMLScalar(.double(number), text: "\(number)"))
    case .string(let bytes): return .scalar(.string(String(decoding: bytes, as: UTF8.self)))
    case .array(let elements):
      var nodes: [YAMLNode] = []
      for element in elements { nodes.append(try node(element)) }
      return .sequence(nodes)
    case .object(let members):
      var entries: [YAMLEntry] = []
      var seen = KeyRegister()
      for member in members {
        let mark = mark(ofByte: member.offset)
        let entry = YAMLEntry(member.nameText, try node(member.value), at: mark)
        try seen.insert(entry.key)
        entries.append(entry)
      }
      return .mapping(entries)
    }
  }
}
