/// A seed file, read and compiled: everything but the documents of large files.

public import DocModel
internal import Fixtures
public import YAML

/// What a seed file says, for one database. The format is docs/seeds.md.
public struct SeedFile: Sendable {
  public let source: YAMLSource
  public let database: DatabaseID
  public let header: Header

  let names: [NamedForm]
  let templates: TemplateTable
  let documents: HandWritten
  let generators: [Generator]
  /// See `FormCompiler.collectionsRead`.
  let collectionsRead: Set<String>
  /// `YAMLSource.fingerprint` when the file was read.
  let fingerprint: [Int]

  public struct Header: Sendable {
    public internal(set) var name: String?
    public internal(set) var seed: Int64 = 0
    /// False when the file already holds what triggers would write.
    public internal(set) var startsTriggers = true
  }

  /// The documents written by hand.
  enum HandWritten: Sendable {
    case kept([HandWrittenDocument])
    /// Too many to keep: they are read from the file again in each pass.
    case inFile
  }

  /// Reads and compiles a whole file. Costs one pass; memory does not grow with the documents.
  public static func read(_ source: YAMLSource, database: DatabaseID) throws(SeedFailure) -> SeedFile {
    var reader = SeedReader(source, database: database)
    return try reader.read()
  }
}

/// A name with the value it gets.
struct NamedForm: Sendable {
  let name: String
  let form: Form
}

/// One entry of `documents`.
struct HandWrittenDocument: Sendable {
  let path: ResourcePath
  let mark: YAMLMark
  let fields: Form
}

/// One entry of `generate` or `children`.
struct Generator: Sendable {
  enum Repetition: Sendable {
    case once
    /// `repeat`
    case times(Form)
    /// `each`
    case elements(Form)
  }

  /// As written: draws depend on it.
  let pathText: String
  let path: Form
  let repetition: Repetition
  let names: [NamedForm]
  let fields: Form
  let children: [Generator]
  var mark: YAMLMark { path.mark }
}
