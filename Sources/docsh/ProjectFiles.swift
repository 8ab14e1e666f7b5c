/// The files of the project that the working directory belongs to, for commands that name none.

import JSON
import Platform
import Wire

/// What there is in the nearest folder that has something.
struct ProjectFiles: Equatable {
  /// As paths begin: `.`, `..`, or an absolute path.
  let folder: String
  /// A firebase.json with a `firestore` part.
  var config: String?
  /// Without a firebase.json.
  var rules: String?
  var indexes: String?
  /// The one file in `seeds`.
  var seed: String?

  /// How the names of suites end.
  static let suiteSuffix = ".rules-test.yaml"

  /// What is looked for, in the words of messages.
  static let sought = "firebase.json, firestore.rules, firestore.indexes.json and *\(suiteSuffix)"

  /// From a folder upwards, the working directory or another, to the home directory or the folder that has `.git`. Nil where nothing is found.
  static func find(from folder: String = ".") -> ProjectFiles? {
    folders(from: Folders.real(folder) ?? "/", home: home).lazy.compactMap(ProjectFiles.init).first
  }

  /// The folder below which the suites of the project are: that of its other files, or the one that has `.git`.
  static func suitesFolder() -> String {
    let top = folders(from: Folders.real(".") ?? "/", home: home).last { access($0 + "/.git", F_OK) == 0 }
    return find()?.folder ?? top ?? "."
  }

  private static var home: String? { Environment.value("HOME").flatMap(Folders.real) }

  /// The folders to look into, nearest first: from the working directory `.`, `..` and so on.
  static func folders(from start: String, home: String?) -> [String] {
    let isRelative = start == Folders.real(".")
    var folders: [String] = []
    var folder = start
    while true {
      let ups = Array(repeating: "..", count: folders.count).joined(separator: "/")
      folders.append(!isRelative ? folder : folders.isEmpty ? "." : ups)
      if folder == home || folder == "/" || access(folder + "/.git", F_OK) == 0 { return folders }
      folder = Folders.folder(of: folder)
    }
  }

  /// Nil for a folder with nothing in it.
  init?(in folder: String) {
    self.folder = folder
    func path(_ name: String) -> String? {
      let path = Folders.joined(folder, name)
      return access(path, R_OK) == 0 ? path : nil
    }
    config = path("firebase.json").flatMap { Self.namesFirestore($0) ? $0 : nil }
    if config == nil {
      rules = path("firestore.rules")
      indexes = path("firestore.indexes.json")
    }
    let seeds = Folders.entries(of: Folders.joined(folder, "seeds"))?.filter { $0.hasSuffix(".yaml") } ?? []
    // Which of several is meant nobody can know.
    if seeds.count == 1 { seed = path("seeds/" + seeds[0]) }
    guard config == nil, rules == nil, indexes == nil else { return }
    let names = Folders.entries(of: folder) ?? []
    guard names.contains(where: { $0.hasSuffix(Self.suiteSuffix) }) else { return nil }
  }

  /// Projects without Firestore have that file too. One that cannot be read is complained of by whoever reads it.
  private static func namesFirestore(_ config: String) -> Bool {
    guard let json = FirebaseConfig.quietly(config) else { return true }
    return json["firestore"] != nil
  }

  /// `emulators.firestore` of a firebase.json: where its emulator listens.
  static func endpoint(_ config: String) throws -> (host: String?, port: Int?) {
    let emulator = try FirebaseConfig.read(config)["emulators"]?["firestore"]
    guard let port = emulator?["port"] else { return (emulator?["host"]?.text, nil) }
    guard let number = port.integer, (0...65_535).contains(number) else {
      throw Terminal.end(
        ExitStatus.badInput, "`emulators.firestore.port` of `\(config)` must be a number up to 65535")
    }
    return (emulator?["host"]?.text, Int(number))
  }

  /// Where a shell finds the project's emulator; nil where its firebase.json names no port.
  func emulatorAddress() throws -> String? {
    guard let config else { return nil }
    let named = try Self.endpoint(config)
    guard let port = named.port, port != 0 else { return nil }
    return ServerAddress(host: named.host ?? "127.0.0.1", port: port).reachable.description
  }

  /// The rules of the project, each file once; one that firebase.json names may not be there.
  func rulesSources() throws -> [DatabaseFiles.Source] {
    let named = try DatabaseFiles("rules", rules.map { [$0] } ?? [], config: config).sources
    var sources: [DatabaseFiles.Source] = []
    for source in named where !sources.contains(where: { $0.path == source.path }) { sources.append(source) }
    return sources
  }

  /// The rules files that a command is about which names none; complains and ends where there are none.
  static func rulesFiles() throws -> [String] {
    let files = try find()?.rulesSources().map(\.path) ?? []
    guard !files.isEmpty else {
      throw Terminal.end(
        ExitStatus.badInput,
        "no rules found: looked for firebase.json and firestore.rules from here upwards; name a rules file, a folder with "
          + "some, or - for standard input")
    }
    Terminal.complain("found \(files.joined(separator: ", "))")
    return files
  }

  /// Where suites stand, besides the folder of the project.
  private static let suiteFolders = ["", "rules", "test", "tests"]

  /// The suites of the project whose personas a shell knows, by name. A tree is not searched: shells must start at once.
  static func suites(in folder: String = suitesFolder()) -> [String] {
    suiteFolders.flatMap { name in
      let place = name.isEmpty ? folder : Folders.joined(folder, name)
      return (Folders.entries(of: place) ?? []).filter { $0.hasSuffix(suiteSuffix) }.sorted().map {
        Folders.joined(place, $0)
      }
    }
  }
}
