/// The definition that a query lacks, and the words in which the service asks for it.
///
/// Source: docs/spec/production-differences.md 3.5, 3.7. Where links differ from that page, the service's own
/// links decided: an exemption carries scope and field, too; the field with the element comes first; a
/// database that is not the first one stands in the address.

public import DocModel
public import DocStore

public struct MissingIndex: Hashable, Sendable {
  /// How it is added.
  public enum Form: Hashable, Sendable {
    /// An entry of `indexes`.
    case composite
    /// An index of one field alone that is off in this scope: an entry of `fieldOverrides`.
    case singleField(FieldPath, FieldOverride.Index)
    /// An entry of `indexes` that ends in a vector.
    case vector(VectorField)
  }

  /// The whole index. It ends in the document's name, unless in a vector.
  public let definition: IndexDefinition
  public let form: Form
  public let hasManyInequalities: Bool

  private init(_ definition: IndexDefinition, _ form: Form) {
    self.definition = definition
    self.form = form
    hasManyInequalities = false
  }

  /// The same definition, whatever the query was.
  var withoutAdvice: MissingIndex { MissingIndex(definition, form) }

  init(_ disjunct: QueryNeeds.Disjunct, of needs: QueryNeeds) {
    hasManyInequalities = needs.hasManyInequalities
    let fields = disjunct.wanted(needs.orders) + needs.orders
    let isAscending = needs.nameDirection == .ascending
    if let vector = needs.vector {
      form = .vector(vector)
      definition = IndexDefinition(collectionID: needs.collectionID, scope: needs.scope, fields: fields)
      return
    }
    definition = IndexDefinition(
      collectionID: needs.collectionID, scope: needs.scope,
      fields: fields + [IndexDefinition.Field(.documentName, isAscending ? .ascending : .descending)])
    if fields.count == 1, (fields[0].mode == .descending) != isAscending {
      form = .singleField(fields[0].path, FieldOverride.Index(needs.scope, fields[0].mode))
    } else {
      form = .composite
    }
  }

  /// The composite to add; nil where a field's own index is missing.
  public var composite: CompositeIndex? {
    switch form {
    case .composite: CompositeIndex(definition)
    case .vector(let vector): CompositeIndex(definition, vector: vector)
    case .singleField: nil
    }
  }

  /// For people: `orders (status ASC, total DESC)`, without the document's name where it goes without saying.
  public var summary: String {
    switch form {
    case .singleField(let path, let index):
      return "\(index.kindName) of field \(path.text) of \(definition.collectionID)"
    case .composite, .vector:
      var fields = definition.fields
      if fields.count > 1, let name = fields.last, name.path.isDocumentName {
        let before = fields.last { $0.mode != .contains && !$0.path.isDocumentName }
        if (before?.mode ?? .ascending) == name.mode { fields.removeLast() }
      }
      let shown = IndexDefinition(
        collectionID: definition.collectionID, scope: definition.scope, fields: fields)
      guard case .vector(let vector) = form else { return "\(shown)" }
      return "\(shown) with the vector \(vector.path.text) of \(vector.dimension)"
    }
  }

  /// What the service answers, with the link that creates the index.
  public func message(in database: DatabaseID) -> String {
    let project = database.project
    switch form {
    case .composite:
      let text = "The query requires an index. You can create it here: " + (link(in: database) ?? "")
      return hasManyInequalities ? text + Self.manyInequalities : text
    case .singleField(let path, let index):
      return
        "The query requires a \(index.kindName) index for collection \(definition.collectionID) and field "
        + "\(path.text). You can create it here: " + (link(in: database) ?? "")
    case .vector(let vector):
      return "Missing vector index configuration. Please create the required index with the following gcloud "
        + "command: gcloud firestore indexes composite create --project=\(project) "
        + "--collection-group=\(definition.collectionID) --query-scope=\(definition.scope.name) "
        + gcloudFields(vector).joined(separator: " ")
    }
  }

  /// The address in the console that creates the index; nil for a vector, which the console cannot.
  public func link(in database: DatabaseID) -> String? {
    let blob: (parameter: String, bytes: [UInt8])
    switch form {
    case .composite:
      blob = ("create_composite", ConsoleLink.encoded(definition, in: database))
    case .singleField(let path, let index):
      blob = (
        "create_exemption",
        ConsoleLink.encoded(path, index, of: definition.collectionID, in: database)
      )
    case .vector: return nil
    }
    return ConsoleLink.page(of: database) + "?\(blob.parameter)=" + Base64.urlSafeText(blob.bytes)
  }

  private static let manyInequalities =
    " .\nThe query contains range and inequality filters on multiple fields, please refer to the documentation "
    + "for index selection best practices: "
    + "https://cloud.google.com/firestore/docs/query-data/multiple-range-fields."

  private func gcloudFields(_ vector: VectorField) -> [String] {
    let ordered = definition.fields.map { field in
      switch field.mode {
      case .ascending: "--field-config=order=ASCENDING,field-path=\(field.path.text)"
      case .descending: "--field-config=order=DESCENDING,field-path=\(field.path.text)"
      case .contains: "--field-config=array-config=CONTAINS,field-path=\(field.path.text)"
      }
    }
    let config = "{\"dimension\":\"\(vector.dimension)\",\"flat\": \"{}\"}"
    return ordered + ["--field-config=vector-config='\(config)',field-path=\(vector.path.text)"]
  }
}

extension IndexDefinition.Scope {
  /// As files and commands write it.
  public var name: String {
    switch self {
    case .collection: "COLLECTION"
    case .collectionGroup: "COLLECTION_GROUP"
    }
  }
}

extension FieldOverride.Index {
  /// As the service calls it in refusals: `COLLECTION_GROUP_DESC`.
  var kindName: String {
    switch mode {
    case .ascending: scope.name + "_ASC"
    case .descending: scope.name + "_DESC"
    case .contains: scope.name + "_CONTAINS"
    }
  }
}

extension DefinedIndexes {
  /// These and what a refusal asked for. The override of a field keeps what the field has.
  public func adding(_ missing: MissingIndex) -> DefinedIndexes {
    switch missing.form {
    case .composite, .vector:
      guard let composite = missing.composite else { return self }
      return adding(DefinedIndexes(composites: [composite], overrides: []))
    case .singleField(let path, let index):
      let id = missing.definition.collectionID
      let override = FieldOverride(
        collectionID: id, path: path, indexes: indexes(of: path, id) + [index], expires: expires(by: path, id)
      )
      return adding(DefinedIndexes(composites: [], overrides: [override]))
    }
  }
}
