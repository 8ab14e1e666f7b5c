/// What values of a file can refer to: templates and documents.

public import DocModel
public import YAML

/// Named values, in the order in which they are written.
public struct TemplateTable: Sendable {
  struct Template: Sendable {
    let name: String
    let form: Form
  }

  private(set) var templates: [Template] = []

  public init() {}

  public mutating func define(_ name: String, _ form: Form) {
    templates.append(Template(name: name, form: form))
  }

  public var count: Int { templates.count }

  /// The place of a template among the first `limit`.
  func index(of name: String, before limit: Int) -> Int? {
    templates.prefix(limit).lastIndex { $0.name.hasSameBytes(as: name) }
  }

  /// The names of the first `limit`, for messages.
  func names(before limit: Int) -> [String] { templates.prefix(limit).map(\.name) }
}

/// The documents that `$from` can read, by path.
public struct KnownDocuments: Sendable {
  enum Entry: Sendable {
    case fields(TypedValue)
    /// The document has an error of its own, which was reported.
    case failed
  }

  private var entries: [ResourcePath: Entry] = [:]

  public init() {}

  /// Adds or replaces a document. `fields` is a map.
  public mutating func set(_ path: ResourcePath, to fields: TypedValue) { entries[path] = .fields(fields) }

  /// Notes a document that could not be evaluated, so that reading it is no second error.
  public mutating func setFailed(_ path: ResourcePath) { entries[path] = .failed }

  public mutating func remove(_ path: ResourcePath) { entries[path] = nil }

  public subscript(path: ResourcePath) -> TypedValue? {
    guard case .fields(let fields) = entries[path] else { return nil }
    return fields
  }

  func entry(_ path: ResourcePath) -> Entry? { entries[path] }
}

extension YAMLError {
  /// An error that follows from one already reported; it is not shown.
  public static func consequence(at mark: YAMLMark) -> YAMLError { YAMLError("", at: mark) }

  public var isConsequence: Bool { message.isEmpty }
}
