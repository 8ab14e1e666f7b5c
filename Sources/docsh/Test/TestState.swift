/// What `docsh test` remembers between runs: the texts with which a suite passed, and those whose mutants it
/// noticed, all of them. Losing it loses no test; it lies in the user's state folder (XDG_STATE_HOME).

import Platform
import Rules
import Suite

struct TestState {
  /// Nil where there is no home, or the suite cannot be found: nothing is remembered then.
  private let folder: String?

  /// - Parameter suite: the suite's path.
  init(of suite: String) {
    let state = Environment.value("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let base = state ?? Environment.value("HOME").map { $0 + "/.local/state" }
    folder = base.flatMap { base in Folders.real(suite).map { base + "/docsh/test/" + Self.name(of: $0) } }
  }

  /// A path as the name of a folder: its last part, for people, and a hash (FNV-1a, 64 bits) of all of it.
  private static func name(of path: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return "\(path.split(separator: "/").last ?? "suite")-\(String(hash, radix: 16))"
  }

  var lastGreen: GreenRun? {
    guard let rules = contents("green.rules"), let suite = contents("green.suite") else { return nil }
    return GreenRun(rules: rules, suite: suite)
  }

  /// The rules whose mutants were all noticed, by cases that are still the same.
  func mutatedRules(by suite: Suite, _ path: String) -> [UInt8]? {
    guard let cases = Self.cases(of: suite, path), contents("mutated.suite") == cases else { return nil }
    return contents("mutated.rules")
  }

  /// The text of a suite and of what it imports.
  private static func cases(of suite: Suite, _ path: String) -> [UInt8]? {
    var text: [UInt8] = []
    for file in [path] + suite.dependencies where file != suite.rules.source.name {
      guard let part = try? FileAccess.contents(of: file) else { return nil }
      text += part + [0]
    }
    return text
  }

  /// Remembers the texts with which all cases of a suite passed.
  func keep(_ report: SuiteReport, _ suite: Suite, _ path: String) {
    guard report.isWhole, ![report].haveFailedCases, let text = try? FileAccess.contents(of: path) else {
      return
    }
    keep(suite.rules.source.bytes, as: "green.rules")
    keep(text, as: "green.suite")
    guard let mutation = report.mutation, mutation.survivors.isEmpty, let cases = Self.cases(of: suite, path)
    else { return }
    keep(suite.rules.source.bytes, as: "mutated.rules")
    keep(cases, as: "mutated.suite")
  }

  private func contents(_ name: String) -> [UInt8]? {
    guard let folder else { return nil }
    return try? FileAccess.contents(of: folder + "/" + name)
  }

  /// A state that cannot be written is none; tests go on.
  private func keep(_ bytes: [UInt8], as name: String) {
    guard let folder, contents(name) != bytes else { return }
    try? Folders.make(folder, 0o700)
    try? FileAccess.write(bytes, to: folder + "/" + name)
  }
}
