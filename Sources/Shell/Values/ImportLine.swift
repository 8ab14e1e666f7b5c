/// A document as `jsonl` writes it, read back: `{"__name__":"users/bob","at":{"$time":"…"}}`.

import Conditions
import DocModel
import DocStore

enum ImportLine {
  static func write(
    _ line: String, _ context: LanguageContext, _ collection: ResourcePath? = nil
  ) throws(ShellError) -> Write {
    var context = context
    context.place = .root
    var parser = StatementParser(line, context)
    let value = try parser.located { (parser) throws(ConditionError) in
      let value = try parser.values.value()
      try parser.expectEnd()
      return value
    }
    return try write(value, context.database, collection)
  }

  /// - Parameters:
  ///   - collection: where documents without a path belong; their `id` is the document's.
  ///   - hasForms: whether values that JSON lacks are maps such as `{"$time": …}`.
  static func write(
    _ value: Value, _ database: DatabaseID, _ collection: ResourcePath?, hasForms: Bool = true
  ) throws(ShellError) -> Write {
    guard case .map(var fields) = value else { throw .usage("expected {\"__name__\": \"users/bob\", …}") }
    let path: ResourcePath
    if case .string(let name)? = fields["__name__"] {
      fields["__name__"] = nil
      path = try checking { () throws(InvalidArgument) in try ResourceNameParser.relativePath(name) }
      guard path.isDocument else { throw .usage("'\(name)' is no document") }
    } else if let collection {
      var id = Environment.system.documentID()
      if let given = fields["id"] {
        if case .string(let text) = given { id = text } else { id = ValueText.literal(given) }
        fields["id"] = nil
      }
      let own = id
      path = try checking { () throws(InvalidArgument) in
        try ResourceNameParser.relativePath(collection.text + "/" + own)
      }
      guard path.isDocument else { throw .usage("'\(id)' is no id of a document") }
    } else {
      throw .usage(
        "expected {\"__name__\": \"users/bob\", …}; ':import FILE COLLECTION' takes documents without a path")
    }
    let plain = hasForms ? try plain(.map(fields), database) : .map(fields)
    guard case .map(let result) = plain else { throw .usage("the fields of a document are a map") }
    let bytes = try checking { () throws(InvalidArgument) in try Canonicalizer.fields(result) }
    return Write(path, .update(fields: bytes, mask: nil))
  }

  /// Forms to the values that they stand for.
  private static func plain(_ value: Value, _ database: DatabaseID) throws(ShellError) -> Value {
    switch value {
    case .array(let elements):
      var result: [Value] = []
      for element in elements { result.append(try plain(element, database)) }
      return .array(result)
    case .map(let fields):
      if fields.count == 1, let entry = fields.entries.first, entry.name.hasPrefix("$"),
        !entry.name.hasPrefix("$$")
      {
        return try form(entry.name, entry.value, database)
      }
      var result = Fields()
      for entry in fields.entries {
        let name = entry.name.hasPrefix("$$") ? String(entry.name.dropFirst()) : entry.name
        result[name] = try plain(entry.value, database)
      }
      return .map(result)
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .vector:
      return value
    }
  }

  private static func form(
    _ name: String, _ value: Value, _ database: DatabaseID
  ) throws(ShellError) -> Value {
    switch (name, value) {
    case ("$time", .string(let text)):
      if let instant = Timestamp(rfc3339: text) { return .timestamp(instant) }
    case ("$ref", .string(let text)):
      let path = try checking { () throws(InvalidArgument) in try ResourceNameParser.relativePath(text) }
      return .reference(DocumentName(database: database, path: path).resourceName)
    case ("$bytes", .string(let text)):
      if let bytes = Base64.decode(text) { return .bytes(bytes) }
    case ("$geo", .array(let degrees)):
      if let pair = numbers(degrees), pair.count == 2 {
        return .geoPoint(GeoPoint(latitude: pair[0], longitude: pair[1]))
      }
    case ("$vector", .array(let elements)):
      if let numbers = numbers(elements) { return .vector(numbers) }
    case ("$double", .string(let text)):
      let known: [String: Double] = ["NaN": .nan, "Infinity": .infinity, "-Infinity": -.infinity, "-0": -0.0]
      if let number = known[text] { return .double(number) }
    case ("$double", .integer(let number)): return .double(Double(number))
    case ("$double", .double(let number)): return .double(number)
    default: break
    }
    throw .usage("'\(name)' is no form of a value, or its argument does not fit")
  }

  private static func numbers(_ values: [Value]) -> [Double]? {
    var numbers: [Double] = []
    for value in values {
      switch value {
      case .integer(let number): numbers.append(Double(number))
      case .double(let number): numbers.append(number)
      default: return nil
      }
    }
    return numbers
  }
}
