/// Links to the console that carry an index, both ways.
///
/// Shape of what they carry: a `google.firestore.admin.v1.Index` in base64url without padding: 1 name, 2
/// scope (1 collection, 2 group), 3 fields {1 path, 2 order (1 ascending, 2 descending) or 3 array config
/// (1)}. The name ends in `/indexes/_` for a composite and in `/fields/PATH` for an index of one field.
/// Source: docs/spec/production-differences.md 3.5; links that the service gave.

public import DocModel
public import DocStore

public enum ConsoleLink {
  /// Where the console shows the indexes of a database.
  static func page(of database: DatabaseID) -> String {
    let first = "https://console.firebase.google.com/v1/r/project/\(database.project)/firestore/"
    let isFirst = database.database == "(default)"
    return first + (isFirst ? "indexes" : "databases/\(database.database)/indexes")
  }

  static func encoded(_ definition: IndexDefinition, in database: DatabaseID) -> [UInt8] {
    message(
      name: "\(database.resourceName)/collectionGroups/\(definition.collectionID)/indexes/_",
      definition.scope, definition.fields)
  }

  static func encoded(
    _ path: FieldPath, _ index: FieldOverride.Index, of collectionID: String, in database: DatabaseID
  ) -> [UInt8] {
    message(
      name: "\(database.resourceName)/collectionGroups/\(collectionID)/fields/\(path.text)", index.scope,
      [IndexDefinition.Field(path, index.mode)])
  }

  private static func message(
    name: String, _ scope: IndexDefinition.Scope, _ fields: [IndexDefinition.Field]
  ) -> [UInt8] {
    var writer = WireWriter(reserving: 128)
    writer.field(1, text: name)
    writer.field(2, varint: scope == .collection ? 1 : 2)
    for field in fields {
      writer.message(3) { message in
        message.field(1, text: field.path.text)
        switch field.mode {
        case .ascending: message.field(2, varint: 1)
        case .descending: message.field(2, varint: 2)
        case .contains: message.field(3, varint: 1)
        }
      }
    }
    return writer.bytes
  }

  // MARK: reading

  /// What a link carries.
  public enum Content: Hashable, Sendable {
    case composite(IndexDefinition, DatabaseID)
    case singleField(FieldPath, FieldOverride.Index, collectionID: String, DatabaseID)
  }

  /// Reads a link, or what stands behind its `create_composite=` or `create_exemption=`; nil for anything else.
  public static func decoded(_ link: String) -> Content? {
    var text = Array(link.utf8)[...]
    if let sign = text.lastIndex(of: UInt8(ascii: "=")) { text = text[(sign + 1)...] }
    text = text.prefix(while: Base64.isURLSafeDigit)
    guard let bytes = Base64.decodeURLSafe(text) else { return nil }
    return bytes.withUnsafeBytes { content($0) }
  }

  private static func content(_ message: UnsafeRawBufferPointer) -> Content? {
    var cursor = WireCursor(message)
    var name = ""
    var scope = IndexDefinition.Scope.collection
    var fields: [IndexDefinition.Field] = []
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x0A: name = String(decoding: cursor.lengthDelimited(), as: UTF8.self)
      case 0x10: scope = cursor.varint() == 2 ? .collectionGroup : .collection
      case 0x1A:
        guard let field = field(cursor.lengthDelimited()) else { return nil }
        fields.append(field)
      case let other: cursor.skip(tag: other)
      }
    }
    if cursor.isCorrupt || fields.isEmpty { return nil }
    return content(
      named: name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }, scope, fields)
  }

  /// `projects/P/databases/D/collectionGroups/G/indexes/_`, or `…/fields/PATH`.
  private static func content(
    named segments: [String], _ scope: IndexDefinition.Scope, _ fields: [IndexDefinition.Field]
  ) -> Content? {
    guard segments.count >= 8, segments[0] == "projects", segments[2] == "databases",
      segments[4] == "collectionGroups"
    else { return nil }
    let database = DatabaseID(project: segments[1], database: segments[3])
    switch segments[6] {
    case "indexes":
      return .composite(
        IndexDefinition(collectionID: segments[5], scope: scope, fields: fields), database)
    case "fields":
      guard let field = fields.first, fields.count == 1 else { return nil }
      return .singleField(
        field.path, FieldOverride.Index(scope, field.mode), collectionID: segments[5], database)
    default: return nil
    }
  }

  private static func field(_ message: UnsafeRawBufferPointer) -> IndexDefinition.Field? {
    var cursor = WireCursor(message)
    var path: FieldPath?
    var mode: IndexDefinition.Mode?
    while !cursor.isAtEnd {
      switch cursor.tag() {
      case 0x0A: path = try? FieldPath.parse(String(decoding: cursor.lengthDelimited(), as: UTF8.self))
      case 0x10: mode = cursor.varint() == 2 ? .descending : .ascending
      case 0x18:
        _ = cursor.varint()
        mode = .contains
      case let other: cursor.skip(tag: other)
      }
    }
    guard !cursor.isCorrupt, let path, let mode else { return nil }
    return IndexDefinition.Field(path, mode)
  }
}
