/// Which rules files guard which databases: `--rules` and the `firestore` part of a `firebase.json`.

import Access
import ArgumentParser
import JSON
import Platform
import Rules
import RulesTools
import Wire

struct RulesSources: Equatable {
  /// One file for the databases of one name, or for all that have none of their own.
  struct Source: Equatable {
    let database: String?
    let path: String
  }

  /// No database twice; where both options name one, `--rules` is taken.
  private(set) var sources: [Source] = []

  /// - Parameters:
  ///   - options: `FILE` or `DATABASE=FILE`.
  ///   - config: the path of a `firebase.json`.
  init(_ options: [String], config: String?) throws {
    for option in options {
      let source = Self.source(option)
      guard add(source) else {
        let database = source.database.map { "for database `\($0)`" } ?? "for all databases"
        throw ValidationError("--rules is given twice \(database)")
      }
    }
    guard let config else { return }
    for source in try Self.configured(config) { _ = add(source) }
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

  /// `"firestore": {"rules": FILE}`, or a list of such objects with `database`. Paths begin at the file's
  /// folder.
  private static func configured(_ config: String) throws -> [Source] {
    let firestore: JSONValue
    do {
      firestore = try JSONReader.read(try FileAccess.contents(of: config))["firestore"] ?? .array([])
    } catch let error as JSONError {
      throw refusal("`\(config)` is no JSON: unexpected at byte \(error.offset)")
    } catch {
      throw refusal("\(error)")
    }
    guard firestore.members != nil || firestore.elements != nil else {
      throw refusal("`firestore` of `\(config)` must be an object or a list of objects")
    }
    return try configured(firestore.oneOrMore, config)
  }

  private static func configured(_ entries: [JSONValue], _ config: String) throws -> [Source] {
    var sources: [Source] = []
    for entry in entries {
      guard let rules = entry["rules"] else { continue }
      guard let path = rules.text else { throw refusal("`rules` of `\(config)` must be a path") }
      let database = entry["database"].map { $0.text ?? "" } ?? "(default)"
      guard isDatabaseName(database[...]) else {
        throw refusal("`database` of `\(config)` is no name of a database")
      }
      guard !sources.contains(where: { $0.database == database }) else {
        throw refusal("`\(config)` names database `\(database)` twice")
      }
      sources.append(Source(database: database, path: Folders.resolve(path, beside: config)))
    }
    return sources
  }

  /// The end of the command, after a complaint.
  private static func refusal(_ complaint: String) -> ExitCode {
    Terminal.complain(complaint)
    return ExitCode(ExitStatus.badInput)
  }

  // MARK: use

  /// Compiles the files into a registry; complains and ends when one does not compile.
  ///
  /// - Parameter keepsBroken: takes such rules, by which users are refused with the compiler's words.
  func registry(_ profile: ServiceProfile, keepsBroken: Bool = false) throws -> RulesetRegistry {
    let registry = RulesetRegistry(isOpen: profile.withoutRules == .allow)
    for source in sources {
      let compilation = try RulesFile.compile(
        source.path, limitsSource: profile.limitsRulesSource, remarks: false)
      let report = RulesFile.report(compilation)
      if !report.isEmpty { Terminal.report(report) }
      if let ruleset = compilation.ruleset {
        registry.setStandard(.rules(ruleset), ofDatabase: source.database)
        continue
      }
      Terminal.complain("`\(source.path)` does not compile")
      guard keepsBroken else { throw ExitCode(ExitStatus.badInput) }
      registry.setStandard(
        .broken(OfficialIssue.refusal(compilation), compilation.source), ofDatabase: source.database)
    }
    return registry
  }

  /// `firestore.rules`, `audit=audit.rules`.
  var summary: String {
    sources.map { source in source.database.map { "\($0)=\(source.path)" } ?? source.path }
      .joined(separator: ", ")
  }

  var isEmpty: Bool { sources.isEmpty }
  /// Whether the first database of a project, which most projects have alone, has rules.
  var guardsFirstDatabase: Bool { sources.contains { $0.database == nil || $0.database == "(default)" } }
}
