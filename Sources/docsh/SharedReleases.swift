/// Rules and indexes of servers that have one store: they are kept in it, and hold on all of them from the same commit on.
///
/// A server that starts releases its files where they say something else than what holds, as a deployment does; so does a
/// file that is saved, and `PUT …:securityRules` and `…:indexes`.

import Access
import DocModel
import DocStore
import Indexes
import Platform
import Rules
import RulesTools

enum SharedReleases {
  /// Goes by what is released in the store, and releases the files of this server.
  static func begin(
    _ sources: DatabaseFiles, _ loading: RulesLoading, _ indexFiles: DatabaseFiles, _ gate: IndexGate,
    _ store: DocumentStore<ServedEngine>, _ profile: ServiceProfile, project: String
  ) throws {
    // What the files say is needed before what others have released may hold instead.
    try loading.finish()
    let registry = loading.registry
    let known = Monitor<[String: [UInt8]]>([:])
    let limitsSource = profile.limitsRulesSource
    do throws(StoreError) {
      try store.followReleases { [weak store] release in
        known.change { $0[release.name] = release.bytes }
        if let target = target(release.name) {
          registry.set(protection(release.bytes, limitsSource), for: target)
        } else if let target = target(release.name, of: "indexes"), let store {
          give(IndexFile.read(Array(text(release.bytes))).file.indexes, for: target, to: gate, store)
        }
      }
      registry.setPublisher { [weak store] (target, source) throws(StoreError) in
        guard let store else { throw .storage(.unavailable) }
        try store.release(name(target), encoded(source))
      }
      gate.setPublisher { [weak store] (database, file) throws(StoreError) in
        guard let store else { throw .storage(.unavailable) }
        let source = SourceText(name: "firestore.indexes.json", bytes: file)
        try store.release(name(.database(database), of: "indexes"), encoded(source))
      }
      for (kind, files) in [("rules", sources), ("indexes", indexFiles)] {
        for source in files.sources {
          let name = name(.named(source.database, insteadOfReleasesIn: project), of: kind)
          let bytes = try bytes(of: source)
          if known.withLock({ $0[name] }) != bytes { try store.release(name, bytes) }
        }
      }
    } catch {
      throw Terminal.end(ExitStatus.storage, "rules and indexes cannot be released: \(error.message)")
    }
  }

  private static func bytes(of source: DatabaseFiles.Source) throws(StoreError) -> [UInt8] {
    do {
      let (name, bytes) = try FileAccess.required(source.path)
      return encoded(SourceText(name: name, bytes: bytes))
    } catch { throw .resourceExhausted(message: "`\(source.path)` cannot be read again") }
  }

  /// Has all servers go by the indexes of a file, which has no errors.
  static func releaseIndexes(
    _ source: DatabaseFiles.Source, _ store: DocumentStore<ServedEngine>, project: String
  ) throws(StoreError) {
    try store.release(
      name(.named(source.database, insteadOfReleasesIn: project), of: "indexes"), try bytes(of: source))
  }

  private static func give(
    _ indexes: DefinedIndexes, for target: ReleaseTarget, to gate: IndexGate,
    _ store: DocumentStore<ServedEngine>
  ) {
    switch target {
    case .named(let database, let project):
      // As with rules, a file that is released comes in place of what was put for single databases before.
      for id in gate.dropReplaced(in: project, named: database) {
        store.setIndexes(indexes.definitions, in: id)
      }
      DatabaseFiles.Source(database: database, path: "").give(indexes, to: gate, store, project: project)
    case .database(let id):
      gate.replace(id, with: indexes)
      store.setIndexes(indexes.definitions, in: id)
    }
  }

  // MARK: names and bytes

  /// `rules` or `indexes`, a space before each part.
  private static func name(_ target: ReleaseTarget, of kind: String = "rules") -> String {
    switch target {
    case .database(let id): "\(kind) of \(id.project) \(id.database)"
    case .named(let name, let project): "\(kind) for \(project) \(name ?? "")"
    }
  }

  private static func target(_ name: String, of kind: String = "rules") -> ReleaseTarget? {
    let words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 4, words[0] == kind else { return nil }
    switch words[1] {
    case "of": return .database(DatabaseID(project: words[2], database: words[3]))
    case "for": return .named(words[3].isEmpty ? nil : words[3], insteadOfReleasesIn: words[2])
    default: return nil
    }
  }

  /// The file's name, a line break, its text.
  private static func encoded(_ source: SourceText) -> [UInt8] {
    Array(source.name.utf8.filter { $0 != UInt8(ascii: "\n") }) + [UInt8(ascii: "\n")] + source.bytes
  }

  private static func protection(_ bytes: [UInt8], _ limitsSource: Bool) -> Protection {
    let text = text(bytes)
    let compilation = RulesCompiler.compile(
      source: Array(text), name: String(decoding: bytes[..<max(0, text.startIndex - 1)], as: UTF8.self),
      limitsSource: limitsSource, remarks: false)
    if let ruleset = compilation.ruleset { return .rules(ruleset) }
    return .broken(OfficialIssue.refusal(compilation), compilation.source)
  }

  private static func text(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    return bytes[min(end + 1, bytes.endIndex)...]
  }
}
