/// Small ways to read YAML in tests.

import Testing
import YAML

/// Parses text; the error as `line:column message` when it is refused.
func parse(_ text: String, dialect: YAMLDialect = .plain) throws -> YAMLNode {
  try YAMLDocument.parse(Array(text.utf8), name: "t.yaml", dialect: dialect)
}

/// `line:column message` of the refusal; nil when the text is accepted.
func refusal(_ bytes: [UInt8], dialect: YAMLDialect = .plain) -> String? {
  do {
    _ = try YAMLDocument.parse(bytes, name: "t.yaml", dialect: dialect)
    return nil
  } catch {
    return "\(error.mark.line):\(error.mark.column) \(error.text)"
  }
}

func refusal(_ text: String, dialect: YAMLDialect = .plain) -> String? {
  refusal(Array(text.utf8), dialect: dialect)
}

/// A tree as compact text: `{a: int 1, b: [str "x"]}`.
func shape(_ node: YAMLNode) -> String {
  switch node.content {
  case .sequence(let elements): "[" + elements.map(shape).joined(separator: ", ") + "]"
  case .mapping(let entries):
    "{" + entries.map { "\($0.key.text): \(shape($0.value))" }.joined(separator: ", ") + "}"
  case .scalar(let scalar):
    switch scalar.value {
    case .null: "null"
    case .boolean(let flag): "bool \(flag)"
    case .integer(let number): "int \(number)"
    case .double(let number): "double \(number)"
    case .string: "str \(scalar.text.debugDescription)"
    }
  }
}
