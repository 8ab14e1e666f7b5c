/// Definitions as `firestore.indexes.json` writes them.
///
/// Source: docs/spec/production-differences.md 3.2. One field to a line, as the command line of the service
/// writes the file, so that changes of it read well.

internal import DocModel
public import DocStore
internal import JSON

public enum IndexFileText {
  /// A whole file.
  public static func file(_ indexes: DefinedIndexes) -> String {
    var text = "{\n  \"indexes\": ["
    text += joined(indexes.composites.map { indented(composite($0), by: 4) })
    text += indexes.composites.isEmpty ? "],\n" : "\n  ],\n"
    text += "  \"fieldOverrides\": ["
    text += joined(indexes.overrides.map { indented(override($0), by: 4) })
    return text + (indexes.overrides.isEmpty ? "]\n}\n" : "\n  ]\n}\n")
  }

  private static func joined(_ entries: [String]) -> String {
    entries.map { "\n\($0)" }.joined(separator: ",")
  }

  /// An entry of `indexes`. The document's name is left out where its direction goes without saying.
  public static func composite(_ index: CompositeIndex) -> String {
    var fields = index.ownFields.map(field)
    let implied = CompositeIndex(
      IndexDefinition(
        collectionID: index.definition.collectionID, scope: index.definition.scope,
        fields: Array(index.ownFields)))
    if index.vector == nil, index.ownFields.isEmpty || implied.nameDirection != index.nameDirection {
      fields.append(
        field(
          IndexDefinition.Field(.documentName, index.nameDirection == .ascending ? .ascending : .descending)))
    }
    if let vector = index.vector {
      fields.append(
        "{ \"fieldPath\": \(JSONWriter.quoted(vector.path.text)), \"vectorConfig\": { \"dimension\": \(vector.dimension), \"flat\": {} } }"
      )
    }
    return """
      {
        "collectionGroup": \(JSONWriter.quoted(index.definition.collectionID)),
        "queryScope": "\(index.definition.scope.name)",
        "fields": [
      \(fields.map { "    " + $0 }.joined(separator: ",\n"))
        ]
      }
      """
  }

  private static func field(_ field: IndexDefinition.Field) -> String {
    "{ \"fieldPath\": \(JSONWriter.quoted(field.path.text)), \(mode(field.mode)) }"
  }

  /// An entry of `fieldOverrides`.
  public static func override(_ override: FieldOverride) -> String {
    let indexes = override.indexes.map { index in
      "    { \"queryScope\": \"\(index.scope.name)\", \(mode(index.mode)) }"
    }
    let list = indexes.isEmpty ? "[]" : "[\n\(indexes.joined(separator: ",\n"))\n  ]"
    let ttl = override.expires ? "\n  \"ttl\": true," : ""
    return """
      {
        "collectionGroup": \(JSONWriter.quoted(override.collectionID)),
        "fieldPath": \(JSONWriter.quoted(override.path?.text ?? "*")),\(ttl)
        "indexes": \(list)
      }
      """
  }

  /// The entry that `missing` asks for, on one line, with the name of the list it belongs to.
  public static func addition(
    of missing: MissingIndex, to indexes: DefinedIndexes
  ) -> (list: String, entry: String) {
    switch missing.form {
    case .composite, .vector:
      let entry = missing.composite.map(composite) ?? ""
      return ("indexes", oneLine(entry))
    case .singleField(let path, let index):
      let known = indexes.indexes(of: path, missing.definition.collectionID)
      return (
        "fieldOverrides",
        oneLine(
          override(
            FieldOverride(
              collectionID: missing.definition.collectionID, path: path, indexes: known + [index],
              expires: indexes.expires(by: path, missing.definition.collectionID))))
      )
    }
  }

  private static func mode(_ mode: IndexDefinition.Mode) -> String {
    switch mode {
    case .ascending: "\"order\": \"ASCENDING\""
    case .descending: "\"order\": \"DESCENDING\""
    case .contains: "\"arrayConfig\": \"CONTAINS\""
    }
  }

  private static func indented(_ text: String, by count: Int) -> String {
    let margin = String(repeating: " ", count: count)
    return text.split(separator: "\n").map { margin + $0 }.joined(separator: "\n")
  }

  /// Line ends and the blanks after them become one blank; texts hold no line end, which JSON escapes.
  private static func oneLine(_ text: String) -> String {
    text.split(separator: "\n").map { line in line.drop { $0 == " " } }.joined(separator: " ")
  }
}
