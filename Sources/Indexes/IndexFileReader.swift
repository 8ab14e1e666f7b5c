/// From JSON to definitions, with an error for everything that the service refuses or passes over.
///
/// The older form of the file (`collectionId`, `mode`) is read as the command line reads it. Keys that mean
/// nothing here (`density`, `apiScope`, `multiKey`, `unique`) are known; others are named.

internal import DocModel
internal import DocStore
internal import JSON
internal import Platform

struct IndexFileReader {
  private let places: TextPlaces
  var file = IndexFile()
  var problems: [IndexFileProblem] = []

  init(bytes: [UInt8]) { places = TextPlaces(bytes) }

  mutating func read(_ root: JSONValue) {
    guard let members = members(of: root, what: "an index file", keys: ["indexes", "fieldOverrides"]) else {
      return
    }
    for member in members {
      guard member.isNamed("indexes") || member.isNamed("fieldOverrides") else { continue }
      guard let entries = member.value.elements else {
        fail(
          member.value.offset, "`\(member.nameText)` must be a list, found \(member.value.kindName)",
          fix: "write `\"\(member.nameText)\": []`")
        continue
      }
      for entry in entries {
        if member.isNamed("indexes") { composite(entry) } else { override(entry) }
      }
    }
  }

  // MARK: entries of `indexes`

  private static let compositeKeys = [
    "collectionGroup", "collectionId", "queryScope", "fields", "apiScope", "density", "multiKey", "unique",
  ]

  private mutating func composite(_ entry: JSONValue) {
    guard let members = members(of: entry, what: "an index", keys: Self.compositeKeys) else { return }
    // All that is wrong with an index is told at once.
    let collectionID = collectionID(members, entry)
    let scope = scope(members, entry)
    guard let list = members.last(where: { $0.isNamed("fields") }) else {
      return fail(entry.offset, "the index has no `fields`", fix: "add `\"fields\": [ … ]`")
    }
    guard let elements = list.value.elements, !elements.isEmpty else {
      return fail(
        list.value.offset, "`fields` must be a list of fields, found \(list.value.kindName)",
        fix: "write `{ \"fieldPath\": \"a\", \"order\": \"ASCENDING\" }` for each field")
    }
    var fields: [IndexDefinition.Field] = []
    var vector: VectorField?
    var isWhole = true
    for (number, element) in elements.enumerated() {
      guard let field = field(element) else {
        isWhole = false
        continue
      }
      switch field {
      case .plain(let field): fields.append(field)
      case .vector(let found):
        guard number == elements.count - 1 else {
          return fail(
            element.offset, "a vector field must be the last of its index", fix: "move it to the end")
        }
        vector = found
      }
    }
    guard isWhole, checkFields(fields, elements), let collectionID, let scope else { return }
    if isForeign(members) { return }
    file.composites.append(
      IndexFile.Entry(
        value: CompositeIndex(
          IndexDefinition(collectionID: collectionID, scope: scope, fields: fields), vector: vector),
        place: place(entry.offset)))
  }

  private enum ReadField {
    case plain(IndexDefinition.Field)
    case vector(VectorField)
  }

  private mutating func field(_ element: JSONValue) -> ReadField? {
    let keys = ["fieldPath", "order", "arrayConfig", "vectorConfig", "mode", "searchConfig"]
    guard let members = members(of: element, what: "a field of an index", keys: keys),
      let path = path(members, element, allowsStar: false)
    else { return nil }
    if let config = members.last(where: { $0.isNamed("vectorConfig") }) {
      return vector(path, config.value).map { .vector($0) }
    }
    return mode(members, element).map { .plain(IndexDefinition.Field(path, $0)) }
  }

  private mutating func vector(_ path: FieldPath, _ config: JSONValue) -> VectorField? {
    guard let members = members(of: config, what: "a vector", keys: ["dimension", "flat"]) else { return nil }
    guard members.contains(where: { $0.isNamed("flat") }) else {
      fail(config.offset, "`vectorConfig` has no `flat`", fix: "add `\"flat\": {}`")
      return nil
    }
    let dimension = members.last { $0.isNamed("dimension") }
    guard let number = dimension?.value.number, let count = Int(exactly: number),
      (1...Limits.vectorElementsMax).contains(count)
    else {
      fail(
        dimension?.value.offset ?? config.offset,
        "`dimension` must be a whole number from 1 to \(Limits.vectorElementsMax)",
        fix: "write how many numbers the vectors of `\(path.text)` have")
      return nil
    }
    return VectorField(path, dimension: count)
  }

  private mutating func checkFields(_ fields: [IndexDefinition.Field], _ elements: [JSONValue]) -> Bool {
    guard elements.count <= IndexLimits.fieldsMax else {
      fail(
        elements[IndexLimits.fieldsMax].offset, "an index has at most \(IndexLimits.fieldsMax) fields",
        fix: "")
      return false
    }
    for (number, field) in fields.enumerated() {
      let offset = elements[number].offset
      if field.path.isDocumentName, number != fields.count - 1 || field.mode == .contains {
        fail(offset, "`__name__` may only be the last ordered field", fix: "move it to the end, or remove it")
        return false
      }
      let isTwice = fields[..<number].contains {
        $0.path == field.path && ($0.mode == .contains) == (field.mode == .contains)
      }
      if isTwice {
        fail(offset, "`\(field.path.text)` stands in the index twice", fix: "remove one of the two")
        return false
      }
    }
    if let second = fields.indices.filter({ fields[$0].mode == .contains }).dropFirst().first {
      fail(elements[second].offset, "an index has at most one array field", fix: "make two indexes of it")
      return false
    }
    return true
  }

  /// An index of another API is none of this one's.
  private mutating func isForeign(_ members: [JSONValue.Member]) -> Bool {
    guard let member = members.last(where: { $0.isNamed("apiScope") }),
      let api = member.value.text, api != "ANY_API"
    else { return false }
    warn(member.offset, "an index of `\(api)` does not serve this API and is passed over", fix: "")
    return true
  }

  // MARK: entries of `fieldOverrides`

  private mutating func override(_ entry: JSONValue) {
    let keys = ["collectionGroup", "collectionId", "fieldPath", "indexes", "ttl"]
    guard let members = members(of: entry, what: "a field override", keys: keys),
      let collectionID = collectionID(members, entry)
    else { return }
    var path: FieldPath?
    if Self.text(members, "fieldPath") != "*" {
      guard let named = self.path(members, entry, allowsStar: true) else { return }
      path = named
    }
    guard let list = members.last(where: { $0.isNamed("indexes") }) else {
      return fail(
        entry.offset, "the override has no `indexes`",
        fix: "add `\"indexes\": []` to switch all indexes of the field off, or list those it shall have")
    }
    guard let elements = list.value.elements else {
      return fail(
        list.value.offset, "`indexes` must be a list, found \(list.value.kindName)", fix: "write `[]`")
    }
    var expires = false
    if let ttl = members.last(where: { $0.isNamed("ttl") }) {
      guard let flag = ttl.value.boolean else {
        return fail(ttl.value.offset, "`ttl` must be true or false, found \(ttl.value.kindName)", fix: "")
      }
      if flag, path == nil {
        return fail(
          ttl.value.offset, "`*` cannot have a TTL policy: documents end at the time in one field",
          fix: "name the field in `fieldPath`")
      }
      expires = flag
    }
    var indexes: [FieldOverride.Index] = []
    for element in elements {
      let keys = ["queryScope", "order", "arrayConfig", "apiScope", "density", "multiKey", "unique"]
      guard let members = self.members(of: element, what: "an index of a field", keys: keys),
        let scope = scope(members, element), let mode = mode(members, element)
      else { return }
      let index = FieldOverride.Index(scope, mode)
      if indexes.contains(index) {
        warn(element.offset, "this index is in the list twice", fix: "remove one")
      }
      if !indexes.contains(index) { indexes.append(index) }
    }
    file.overrides.append(
      IndexFile.Entry(
        value: FieldOverride(collectionID: collectionID, path: path, indexes: indexes, expires: expires),
        place: place(entry.offset)))
  }
}

// MARK: - Parts that both have

extension IndexFileReader {
  private func place(_ offset: Int) -> TextPlace { places.place(offset) }

  mutating func fail(_ offset: Int, _ message: String, fix: String) {
    problems.append(IndexFileProblem(.error, place(offset), message, fix: fix))
  }

  mutating func warn(_ offset: Int, _ message: String, fix: String) {
    problems.append(IndexFileProblem(.warning, place(offset), message, fix: fix))
  }

  /// The members of an object, after naming those that mean nothing.
  private mutating func members(
    of value: JSONValue, what: String, keys: [String]
  ) -> [JSONValue.Member]? {
    guard let members = value.members else {
      fail(value.offset, "\(what) must be an object, found \(value.kindName)", fix: "write `{ … }`")
      return nil
    }
    var seen: Set<String> = []
    for member in members {
      if !keys.contains(member.nameText) {
        let near = Spelling.nearest(to: member.nameText, among: keys)
        warn(
          member.offset, "`\(member.nameText)` means nothing in \(what) and is passed over",
          fix: near.map { "did you mean `\($0)`?" }
            ?? "remove it; known are \(keys.map { "`\($0)`" }.joined(separator: ", "))")
      } else if !seen.insert(member.nameText).inserted {
        warn(
          member.offset, "`\(member.nameText)` is there twice; the last one counts", fix: "remove the other")
      }
    }
    return members
  }

  private static func text(_ members: [JSONValue.Member], _ name: StaticString) -> String? {
    members.last { $0.isNamed(name) }?.value.text
  }

  private mutating func collectionID(_ members: [JSONValue.Member], _ entry: JSONValue) -> String? {
    let member = members.last { $0.isNamed("collectionGroup") } ?? members.last { $0.isNamed("collectionId") }
    guard let member else {
      fail(
        entry.offset, "there is no `collectionGroup`",
        fix: "add the id of the collection, as the last part of its path")
      return nil
    }
    guard let id = member.value.text else {
      fail(
        member.value.offset, "`\(member.nameText)` must be a text, found \(member.value.kindName)", fix: "")
      return nil
    }
    do throws(InvalidArgument) {
      if id.isEmpty { throw InvalidArgument("the collection id is empty") }
      try ResourceNameParser.checkCollectionID(id)
    } catch {
      fail(
        member.value.offset, error.message,
        fix: id.utf8.contains(UInt8(ascii: "/"))
          ? "write the last part of the path alone: indexes belong to ids" : "")
      return nil
    }
    return id
  }

  private mutating func scope(
    _ members: [JSONValue.Member], _ entry: JSONValue
  ) -> IndexDefinition.Scope? {
    guard let member = members.last(where: { $0.isNamed("queryScope") }) else { return .collection }
    switch member.value.text {
    case "COLLECTION": return .collection
    case "COLLECTION_GROUP": return .collectionGroup
    case .some(let other):
      fail(member.value.offset, "`\(other)` is no scope", fix: "write `COLLECTION` or `COLLECTION_GROUP`")
    case nil:
      fail(
        member.value.offset, "`queryScope` must be a text, found \(member.value.kindName)",
        fix: "write `COLLECTION` or `COLLECTION_GROUP`")
    }
    return nil
  }

  private mutating func path(
    _ members: [JSONValue.Member], _ entry: JSONValue, allowsStar: Bool
  ) -> FieldPath? {
    guard let member = members.last(where: { $0.isNamed("fieldPath") }) else {
      fail(entry.offset, "there is no `fieldPath`", fix: "add the path of the field, as `a` or `a.b`")
      return nil
    }
    guard let text = member.value.text else {
      fail(member.value.offset, "`fieldPath` must be a text, found \(member.value.kindName)", fix: "")
      return nil
    }
    do throws(InvalidArgument) {
      return try FieldPath.parse(text)
    } catch {
      fail(
        member.value.offset, "`\(text)` is no field path",
        fix: allowsStar
          ? "put parts with other signs than letters, digits and `_` between back-ticks; `*` means every field"
          : "put parts with other signs than letters, digits and `_` between back-ticks")
      return nil
    }
  }

  /// How a field is indexed: `order`, `arrayConfig`, or the older `mode`.
  private mutating func mode(
    _ members: [JSONValue.Member], _ entry: JSONValue
  ) -> IndexDefinition.Mode? {
    let found = members.filter { ["order", "arrayConfig", "mode"].contains($0.nameText) }
    guard let member = found.last else {
      fail(
        entry.offset, "the field says neither `order` nor `arrayConfig`",
        fix: "add `\"order\": \"ASCENDING\"`, or `\"arrayConfig\": \"CONTAINS\"` for an array")
      return nil
    }
    if let other = found.first, other.nameText != member.nameText {
      fail(
        member.offset, "the field says `\(other.nameText)` and `\(member.nameText)`", fix: "keep one of them")
      return nil
    }
    switch (member.nameText, member.value.text) {
    case ("order", "ASCENDING"), ("mode", "ASCENDING"): return .ascending
    case ("order", "DESCENDING"), ("mode", "DESCENDING"): return .descending
    case ("arrayConfig", "CONTAINS"), ("mode", "ARRAY_CONTAINS"): return .contains
    default:
      fail(
        member.value.offset, "`\(member.nameText)` cannot be \(Self.shown(member.value))",
        fix: member.isNamed("arrayConfig") ? "write `CONTAINS`" : "write `ASCENDING` or `DESCENDING`")
      return nil
    }
  }

  private static func shown(_ value: JSONValue) -> String {
    value.text.map { "`\($0)`" } ?? value.kindName
  }
}
