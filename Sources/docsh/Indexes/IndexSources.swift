/// Which index files define the indexes of which databases: `--indexes` and the `firestore` part of a
/// `firebase.json`.

import Access
import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Indexes
import JSON
import Platform
import Wire

struct IndexSources {
  /// One file for the databases of one name, or for all that have none of their own.
  struct Source: Equatable {
    let database: String?
    let path: String
  }

  private(set) var sources: [Source] = []

  /// - Parameters:
  ///   - options: `FILE` or `DATABASE=FILE`.
  ///   - config: the path of a `firebase.json`.
  init(_ options: [String], config: String?) throws {
    for option in options {
      let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
      let isNamed = parts.count == 2 && !parts[0].contains("/") && !parts[0].contains(".")
      let source = isNamed ? Source(database: parts[0], path: parts[1]) : Source(database: nil, path: option)
      guard !sources.contains(where: { $0.database == source.database }) else {
        throw ValidationError(
          "--indexes is given twice for \(source.database.map { "database `\($0)`" } ?? "all databases")")
      }
      sources.append(source)
    }
    guard let config else { return }
    for source in try Self.configured(config)
    where !sources.contains(where: { $0.database == source.database }) {
      sources.append(source)
    }
  }

  /// `"firestore": {"indexes": FILE}`, or a list of such objects with `database`. Paths begin at the file's
  /// folder. Faults of the file itself are told by `RulesSources`.
  private static func configured(_ config: String) throws -> [Source] {
    guard let bytes = try? FileAccess.contents(of: config), let json = try? JSONReader.read(bytes),
      let firestore = json["firestore"]
    else { return [] }
    var sources: [Source] = []
    for entry in firestore.oneOrMore {
      guard let indexes = entry["indexes"] else { continue }
      guard let path = indexes.text else {
        Terminal.complain("`indexes` of `\(config)` must be a path")
        throw ExitCode(ExitStatus.badInput)
      }
      sources.append(
        Source(
          database: entry["database"]?.text ?? "(default)",
          path: Folders.resolve(path, beside: config)))
    }
    return sources
  }

  /// Reads the files into a gate, hands composites to the store and tells it the profile's limits, some of
  /// which count what indexes hold. Complains, and ends when a file has errors.
  func gate(_ profile: ServiceProfile, _ store: DocumentStore<LMDBEngine>, project: String, log: ServerLog)
    throws -> IndexGate
  {
    let gate = IndexGate(profile.indexMode, detail: profile.denialDetail) { log.tell(index: $0) }
    for source in sources {
      let indexes = try Self.load(source.path)
      if let name = source.database {
        gate.setStandard(indexes, ofDatabase: name)
        store.setIndexes(indexes.definitions, in: DatabaseID(project: project, database: name))
      } else {
        gate.setStandard(indexes)
        store.setIndexes(indexes.definitions)
      }
    }
    switch profile.limits {
    case .production: store.setCommitLimits(.production { gate.known($0) ?? .automatic })
    case .emulator: store.setCommitLimits(.emulator)
    }
    return gate
  }

  /// A file and what is wrong with it. Ends the command where it cannot be read.
  static func read(_ path: String) throws -> (file: IndexFile, problems: [IndexFileProblem]) {
    do {
      return IndexFile.read(try FileAccess.contents(of: path))
    } catch {
      Terminal.complain("\(error)")
      throw ExitCode(ExitStatus.badInput)
    }
  }

  /// The definitions of a file. Warnings are told; an error ends the command.
  static func load(_ path: String) throws -> DefinedIndexes {
    let (file, problems) = try read(path)
    for problem in problems { Terminal.report(problem.text(path: path)) }
    guard !problems.contains(where: { $0.severity == .error }) else { throw ExitCode(ExitStatus.badInput) }
    return file.indexes
  }

  /// `firestore.indexes.json`, `audit=audit.indexes.json`; nil when there is none.
  var summary: String? {
    if sources.isEmpty { return nil }
    return sources.map { source in source.database.map { "\($0)=\(source.path)" } ?? source.path }
      .joined(separator: ", ")
  }
}
