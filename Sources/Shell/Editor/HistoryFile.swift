/// What was typed, kept for the next session: one file a project in the user's folder of state.

import Platform

struct HistoryFile {
  /// LIMIT: statements that are kept.
  static let entriesMax = 2_000

  let path: String

  /// Nil when there is no folder for it.
  init?(project: String) {
    guard let path = StateFolder.path("history", project: project) else { return nil }
    self.path = path
  }

  init(path: String) { self.path = path }

  func read() -> [String] {
    guard let bytes = try? ScriptFile.contents(path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.entriesMax)
      .map { StateFolder.unescaped(String($0)) }
  }

  /// Adds one entry; a file that cannot be written is no reason to stop. Nobody else may read it.
  func add(_ entry: String) {
    if entry.hasPrefix(" ") { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Console.write(Array((StateFolder.escaped(Self.redacted(entry)) + "\n").utf8), to: descriptor)
  }

  /// Keeps the newest entries only.
  func trim() {
    let entries = read()
    guard entries.count == Self.entriesMax else { return }
    let text = entries.suffix(Self.entriesMax / 2).map { StateFolder.escaped($0) + "\n" }.joined()
    _ = StateFolder.replace(path, with: text)
  }

  /// Without tokens and bytes.
  static func redacted(_ text: String) -> String {
    HistorySecrets.hidden(in: text)
  }
}
