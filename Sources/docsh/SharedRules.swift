/// Rules of servers that have one store: they are kept in it, and hold on all of them from the same commit on.
///
/// A server that starts releases its files where they say something else than what holds, as a deployment does; so does a
/// file that is saved, and `PUT …:securityRules`.

import Access
import DocModel
import DocStore
import Platform
import Rules
import RulesTools

enum SharedRules {
  /// Goes by what is released in the store, and releases the files of this server.
  static func begin(
    _ sources: DatabaseFiles, _ loading: RulesLoading, _ store: DocumentStore<ServedEngine>,
    _ profile: ServiceProfile, project: String
  ) throws {
    // What the files say is needed before what others have released may hold instead.
    try loading.finish()
    let registry = loading.registry
    let known = Monitor<[String: [UInt8]]>([:])
    let limitsSource = profile.limitsRulesSource
    do throws(StoreError) {
      try store.followReleases { release in
        guard let target = target(release.name) else { return }
        known.change { $0[release.name] = release.bytes }
        registry.set(protection(release.bytes, limitsSource), for: target)
      }
      registry.setPublisher { [weak store] (target, source) throws(StoreError) in
        guard let store else { throw .storage(.unavailable) }
        try store.release(name(target), encoded(source))
      }
      for source in sources.sources {
        let target = ReleaseTarget.named(source.database, insteadOfReleasesIn: project)
        let bytes = try bytes(of: source)
        if known.withLock({ $0[name(target)] }) != bytes { try store.release(name(target), bytes) }
      }
    } catch {
      throw Terminal.end(ExitStatus.storage, "the rules cannot be released: \(error.message)")
    }
  }

  private static func bytes(of source: DatabaseFiles.Source) throws(StoreError) -> [UInt8] {
    do {
      let (name, bytes) = try FileAccess.required(source.path)
      return encoded(SourceText(name: name, bytes: bytes))
    } catch { throw .resourceExhausted(message: "`\(source.path)` cannot be read again") }
  }

  // MARK: names and bytes

  /// `rules`, a space before each part.
  private static func name(_ target: ReleaseTarget) -> String {
    switch target {
    case .database(let id): "rules of \(id.project) \(id.database)"
    case .named(let name, let project): "rules for \(project) \(name ?? "")"
    }
  }

  private static func target(_ name: String) -> ReleaseTarget? {
    let words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 4, words[0] == "rules" else { return nil }
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
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    let compilation = RulesCompiler.compile(
      source: Array(bytes[min(end + 1, bytes.endIndex)...]),
      name: String(decoding: bytes[..<end], as: UTF8.self),
      limitsSource: limitsSource, remarks: false)
    if let ruleset = compilation.ruleset { return .rules(ruleset) }
    return .broken(OfficialIssue.refusal(compilation), compilation.source)
  }
}
