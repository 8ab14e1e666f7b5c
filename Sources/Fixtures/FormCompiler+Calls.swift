/// Forms that compute: what their arguments look like.

internal import DocModel
internal import YAML

extension FormCompiler {
  mutating func compileCall(
    _ function: Function, _ entry: YAMLEntry, _ others: [YAMLEntry]
  ) throws(YAMLError) -> Form {
    let node = entry.value
    let mark = entry.key.mark
    if function == .someOf { return try compileList(.someOf, node, others, known: ["min", "max"], at: mark) }
    if function == .join { return try compileList(.join, node, others, known: ["separator"], at: mark) }
    try refuse(others, beside: function.formName)
    switch function {
    case .time, .ref, .bytes, .size, .boolean, .name, .email, .uuid, .url, .phone, .inc, .max, .min:
      return try call(function, [Form.Argument(label: "", form: try compile(node))], at: mark)
    case .int, .double:
      guard node.isPlainMap else {
        return try call(function, [Form.Argument(label: "", form: try compile(node))], at: mark)
      }
      let drawn: Function = function == .int ? .drawnInt : .drawnDouble
      guard vocabulary.has(drawn) else {
        throw node.error("\(function.formName) takes a number here; suites draw nothing")
      }
      let optional = function == .int ? ["shape"] : ["decimals", "shape"]
      return try named(drawn, node, ["min", "max"], optional: optional, at: mark)
    case .geoNear: return try named(.geoNear, node, ["center", "metres"], optional: [], at: mark)
    case .words: return try named(.words, node, ["min", "max"], optional: [], at: mark)
    case .weighted: return try compileWeighted(node, at: mark)
    case .geo, .vector, .repeated, .ids, .timeBetween, .union, .remove, .pick, .add, .subtract, .concat:
      return try listed(function, node, at: mark)
    case .someOf, .join, .drawnInt, .drawnDouble, .weightedMap:
      // Not written with a key of their own; `someOf` and `join` were dealt with above.
      throw node.error("unknown value form '\(entry.key.text)'")
    }
  }

  private func call(
    _ function: Function, _ arguments: [Form.Argument], isSpread: Bool = false, at mark: YAMLMark
  ) throws(YAMLError) -> Form {
    let form = Form(
      content: .call(Form.Call(function: function, arguments: arguments, isSpread: isSpread)), mark: mark)
    let isConstant = !function.draws && arguments.map(\.form).allConstant
    return try folded(form, constant: isConstant && !arguments.contains { $0.form.isRelativeTime })
  }

  /// A list of arguments, each with its own place; or one value that is such a list.
  private mutating func listed(_ function: Function, _ node: YAMLNode, at mark: YAMLMark) throws(YAMLError)
    -> Form
  {
    guard case .sequence(let nodes) = node.content else {
      return try call(function, [Form.Argument(label: "", form: try compile(node))], isSpread: true, at: mark)
    }
    var arguments: [Form.Argument] = []
    for (index, element) in nodes.enumerated() {
      arguments.append(Form.Argument(label: String(index), form: try compile(element)))
    }
    return try call(function, arguments, at: mark)
  }

  /// A map of arguments with fixed names; missing optional ones are left out at the end.
  private mutating func named(
    _ function: Function, _ node: YAMLNode, _ required: [String], optional: [String], at mark: YAMLMark
  ) throws(YAMLError) -> Form {
    let map = try node.map("'\(function.formName)'")
    try map.refuseKeys(except: required + optional)
    var arguments: [Form.Argument] = []
    for name in required {
      guard let value = map[name] else { throw YAMLError("\(map.what) needs the key '\(name)'", at: mark) }
      arguments.append(Form.Argument(label: name, form: try compile(value)))
    }
    for name in optional {
      if let value = map[name] { arguments.append(Form.Argument(label: name, form: try compile(value))) }
    }
    return try call(function, arguments, at: mark)
  }

  /// `{$someOf: LIST, min: 0, max: 5}`, `{$join: LIST, separator: ", "}`: the arguments are the list and then those of
  /// `known` that are there; `label` tells them apart.
  private mutating func compileList(
    _ function: Function, _ node: YAMLNode, _ others: [YAMLEntry], known: [String], at mark: YAMLMark
  ) throws(YAMLError) -> Form {
    try refuse(others, beside: function.formName, known: known)
    var arguments = [Form.Argument(label: "", form: try compile(node))]
    for entry in others {
      arguments.append(Form.Argument(label: entry.key.text, form: try compile(entry.value)))
    }
    return try call(function, arguments, at: mark)
  }

  /// `{a: 3, b: 1}`, `[[VALUE, 3], ...]`, or a value that is a map of weights.
  private mutating func compileWeighted(_ node: YAMLNode, at mark: YAMLMark) throws(YAMLError) -> Form {
    switch node.content {
    case .mapping(let entries) where node.isPlainMap:
      var arguments: [Form.Argument] = []
      for entry in entries.sorted(by: { $0.key.text.precedesInBytes($1.key.text) }) {
        let text = entry.key.text
        let value = text.hasPrefix("$$") ? String(text.dropFirst()) : text
        let choice = Form(content: .constant(.plain(.string(value))), mark: entry.key.mark)
        arguments.append(Form.Argument(label: text, form: choice))
        arguments.append(Form.Argument(label: text + "#", form: try compile(entry.value)))
      }
      return try call(.weighted, arguments, at: mark)
    case .sequence(let pairs):
      var arguments: [Form.Argument] = []
      for (index, pair) in pairs.enumerated() {
        guard case .sequence(let parts) = pair.content, parts.count == 2 else {
          throw pair.error("$weighted takes a map of weights or a list of [value, weight]")
        }
        arguments.append(Form.Argument(label: String(index), form: try compile(parts[0])))
        arguments.append(Form.Argument(label: "\(index)#", form: try compile(parts[1])))
      }
      return try call(.weighted, arguments, at: mark)
    case .scalar, .mapping:
      return try call(.weightedMap, [Form.Argument(label: "", form: try compile(node))], at: mark)
    }
  }
}

extension YAMLNode {
  /// Whether it is a map and no form.
  var isPlainMap: Bool {
    guard case .mapping(let entries) = content else { return false }
    return !entries.contains { FormCompiler.isFormKey($0.key.text) }
  }
}
