/// Which files of a kind are for which databases: rules or indexes, as `--rules` or `--indexes` and the `firestore`
/// part of a `firebase.json` name them.

import ArgumentParser
import JSON
import Platform

struct DatabaseFiles: Equatable {
  /// One file for the databases of one name, or for all that have none of their own.
  struct Source: Equatable {
    let database: String?
    let path: String
  }

  /// No database twice; where the option and the file name one, the option is taken.
  private(set) var sources: [Source] = []

  /// - Parameters:
  ///   - kind: `rules` or `indexes`.
  ///   - options: `FILE` or `DATABASE=FILE`.
  ///   - config: the path of a `firebase.json`.
  init(_ kind: StaticString, _ options: [String], config: String?) throws {
    for option in options {
      let source = Self.source(option)
      guard add(source) else {
        let database = source.database.map { "for database `\($0)`" } ?? "for all databases"
        throw ValidationError("--\(kind) is given twice \(database)")
      }
    }
    guard let config else { return }
    for source in try Self.configured(kind, config) { _ = add(source) }
  }

  private mutating func add(_ source: Source) -> Bool {
    guard !sources.contains(where: { $0.database == source.database }) else { return false }
    sources.append(source)
    return true
  }

  private static func source(_ option: String) -> Source {
    guard let sign = option.firstIndex(of: "="), isDatabaseName(option[..<sign]) else {
      return Source(database: nil, path: option)
    }
    return Source(database: String(option[..<sign]), path: String(option[option.index(after: sign)...]))
  }

  /// Names of databases are letters, digits and hyphens, or `(default)`; a path with an equals sign in it is
  /// told from one by its other signs.
  private static func isDatabaseName(_ text: Substring) -> Bool {
    text == "(default)"
      || (!text.isEmpty
        && text.utf8.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        })
  }

  // MARK: firebase.json

  /// `"firestore": {KIND: FILE}`, or a list of such objects with `database`. Paths begin at the file's
  /// folder.
  private static func configured(_ kind: StaticString, _ config: String) throws -> [Source] {
    let firestore = try FirebaseConfig.read(config)["firestore"] ?? .array([])
    guard firestore.members != nil || firestore.elements != nil else {
      throw Terminal.end(
        ExitStatus.badInput, "`firestore` of `\(config)` must be an object or a list of objects")
    }
    return try configured(kind, firestore.oneOrMore, config)
  }

  private static func configured(
    _ kind: StaticString, _ entries: [JSONValue], _ config: String
  ) throws -> [Source] {
    var sources: [Source] = []
    for entry in entries {
      guard let file = entry[kind] else { continue }
      guard let path = file.text else {
        throw Terminal.end(ExitStatus.badInput, "`\(kind)` of `\(config)` must be a path")
      }
      let database = entry["database"].map { $0.text ?? "" } ?? "(default)"
      guard isDatabaseName(database[...]) else {
        throw Terminal.end(ExitStatus.badInput, "`database` of `\(config)` is no name of a database")
      }
      guard !sources.contains(where: { $0.database == database }) else {
        throw Terminal.end(ExitStatus.badInput, "`\(config)` names database `\(database)` twice")
      }
      sources.append(Source(database: database, path: Folders.resolve(path, beside: config)))
    }
    return sources
  }

  // MARK: use

  /// `firestore.rules`, `audit=audit.rules`.
  var summary: String {
    sources.map { source in source.database.map { "\($0)=\(source.path)" } ?? source.path }
      .joined(separator: ", ")
  }

  var isEmpty: Bool { sources.isEmpty }
  /// Whether there is one for the first database of a project, which most projects have alone.
  var hasFirstDatabase: Bool { sources.contains { $0.database == nil || $0.database == "(default)" } }
}
