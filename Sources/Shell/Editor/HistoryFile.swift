/// What was typed, kept for the next session: one file a project in the user's folder of state.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct HistoryFile {
  /// LIMIT: statements that are kept.
  static let entriesMax = 2_000

  let path: String

  /// Nil when there is no folder for it.
  init?(project: String) {
    guard let folder = Self.folder() else { return nil }
    let name = String(
      project.unicodeScalars.map { scalar -> Character in
        let isPlain =
          scalar.properties.isAlphabetic || scalar == "-" || scalar == "_" || ("0"..."9").contains(scalar)
        return isPlain ? Character(scalar) : "_"
      })
    path = folder + "/history-" + name
  }

  init(path: String) { self.path = path }

  /// `$XDG_STATE_HOME/docsh`, or `~/.local/state/docsh`; made when it is missing.
  private static func folder() -> String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let base = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" }) else {
      return nil
    }
    var path = ""
    for part in (base + "/docsh").split(separator: "/", omittingEmptySubsequences: false) {
      path += (path.isEmpty && part.isEmpty) ? "" : (path.isEmpty ? "" : "/") + part
      if part.isEmpty {
        path = "/"
        continue
      }
      if path.hasPrefix("//") { path.removeFirst() }
      mkdir(path, 0o700)
    }
    return path
  }

  func read() -> [String] {
    guard let bytes = try? ScriptFile.contents(path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(Self.entriesMax)
      .map { Self.unescaped(String($0)) }
  }

  /// Adds one entry; a file that cannot be written is no reason to stop. Nobody else may read it.
  func add(_ entry: String) {
    if entry.hasPrefix(" ") { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = Console.write(Array((Self.escaped(Self.redacted(entry)) + "\n").utf8), to: descriptor)
  }

  /// Keeps the newest entries only.
  func trim() {
    let entries = read()
    guard entries.count == Self.entriesMax else { return }
    let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let text = entries.suffix(Self.entriesMax / 2).map { Self.escaped($0) + "\n" }.joined()
    let isWritten = Console.write(Array(text.utf8), to: descriptor)
    close(descriptor)
    if isWritten { rename(path + ".new", path) }
  }

  /// Without tokens and bytes.
  static func redacted(_ text: String) -> String {
    hiding("bytes(\"", upTo: "\"", in: hiding("Bearer ", upTo: " \"'", in: text))
  }

  private static func hiding(_ mark: String, upTo ends: String, in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let range = String(rest).range(ofBytes: mark) {
      let whole = String(rest)
      result += whole[..<range.upperBound] + "…"
      rest = whole[range.upperBound...].drop { !ends.contains($0) }
    }
    return result + rest
  }

  private static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "\\" ? Array("\\\\") : $0 == "\n" ? Array("\\n") : [$0] })
  }

  private static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
