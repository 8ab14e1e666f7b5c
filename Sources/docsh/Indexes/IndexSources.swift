/// Index files as commands load them.

import Access
import ArgumentParser
import DocModel
import DocStore
import Indexes

enum IndexSources {
  /// A file and what is wrong with it. Ends the command where it cannot be read.
  static func read(_ path: String) throws -> (file: IndexFile, problems: [IndexFileProblem]) {
    IndexFile.read(try FileAccess.required(path).bytes)
  }

  /// The definitions of a file. Warnings are told; an error ends the command.
  static func load(_ path: String) throws -> DefinedIndexes {
    let (file, problems) = try read(path)
    for problem in problems { Terminal.report(problem.text(path: path)) }
    guard !problems.contains(where: { $0.severity == .error }) else { throw ExitCode(ExitStatus.badInput) }
    return file.indexes
  }
}

extension DatabaseFiles {
  /// Reads the files into a gate, hands composites to the store and tells it the profile's limits, some of
  /// which count what indexes hold. Complains, and ends when a file has errors.
  func gate(_ profile: ServiceProfile, _ store: DocumentStore<ServedEngine>, project: String, log: ServerLog)
    throws -> IndexGate
  {
    let gate = IndexGate(profile.indexMode, detail: profile.denialDetail) { log.tell(index: $0) }
    for source in sources {
      source.give(try IndexSources.load(source.path), to: gate, store, project: project)
    }
    switch profile.limits {
    case .production: store.setCommitLimits(.production { gate.known($0) ?? .automatic })
    case .emulator: store.setCommitLimits(.emulator)
    }
    return gate
  }
}

extension DatabaseFiles.Source {
  /// Has a gate and a store go by definitions from now on.
  func give(
    _ indexes: DefinedIndexes, to gate: IndexGate, _ store: DocumentStore<ServedEngine>, project: String
  ) {
    if let database {
      gate.setStandard(indexes, ofDatabase: database)
      store.setIndexes(indexes.definitions, in: DatabaseID(project: project, database: database))
    } else {
      gate.setStandard(indexes)
      store.setIndexes(indexes.definitions)
    }
  }
}
