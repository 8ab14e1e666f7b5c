/// `:bookmark`: reads with names, kept for each project beside the history.

import Conditions
import DocModel
import DocStore

struct Bookmark {
  let name: String
  /// Where relative paths began when it was made.
  let place: ResourcePath
  let read: String
}

enum BookmarkFile {
  /// LIMIT: bookmarks of a project.
  static let most = 500

  static func path(_ session: Session) throws(ShellError) -> String {
    guard let path = StateFolder.path("bookmarks", project: session.backend.database.project) else {
      throw .failed("there is no folder for bookmarks: neither XDG_STATE_HOME nor HOME is set")
    }
    return path
  }

  /// Sorted by name.
  static func read(_ path: String) -> [Bookmark] {
    guard let bytes = try? ScriptFile.contents(path) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3 else { return nil }
      return Bookmark(
        name: parts[0], place: ResourcePath(unchecked: parts[1]), read: StateFolder.unescaped(parts[2]))
    }
  }

  static func write(_ bookmarks: [Bookmark], to path: String) throws(ShellError) {
    let lines = bookmarks.sorted { $0.name.precedesInBytes($1.name) }
      .map { "\($0.name)\t\($0.place.text)\t\(StateFolder.escaped($0.read))\n" }
    guard StateFolder.replace(path, with: lines.joined()) else { throw .failed("cannot write `\(path)`") }
  }
}

enum BookmarkCommands {
  private static let usage = "usage: :bookmark, :bookmark NAME = READ, :bookmark NAME, :bookmark delete NAME"

  static let all: [ShellCommand] = [
    ShellCommand(
      ["bookmark"], .session, "bookmark [NAME = READ | NAME | delete NAME]",
      "give a read a name, run it by its name, list or delete such names",
      ":bookmark best = studios where rating >= 4.5 order by rating desc", bookmark)
  ]

  private static func bookmark(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let path = try BookmarkFile.path(session)
    var bookmarks = BookmarkFile.read(path)
    let words = arguments.words
    if words.isEmpty { return list(bookmarks, session) }
    if words[0] == "delete" {
      guard words.count == 2 else { throw .usage(usage) }
      let known = try self.known(words[1], bookmarks)
      bookmarks.removeAll { $0.name.hasSameBytes(as: known.name) }
      return try BookmarkFile.write(bookmarks, to: path)
    }
    if words.count == 1 { return try run(try known(words[0], bookmarks), session) }
    guard let sign = arguments.text.firstIndex(of: "=") else { throw .usage(usage) }
    let name = arguments.text[..<sign].split(separator: " ").joined(separator: " ")
    guard isName(name) else { throw .usage("a bookmark's name has letters, digits, '-' and '_'") }
    let text = String(arguments.text[arguments.text.index(after: sign)...].drop { $0 == " " })
    _ = try StatementParser.read(text, session.language)
    bookmarks.removeAll { $0.name.hasSameBytes(as: name) }
    guard bookmarks.count < BookmarkFile.most else {
      throw .failed("there are \(BookmarkFile.most) bookmarks; ':bookmark delete NAME' makes room")
    }
    try BookmarkFile.write(bookmarks + [Bookmark(name: name, place: session.place, read: text)], to: path)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: "-") }
  }

  private static func known(_ name: String, _ bookmarks: [Bookmark]) throws(ShellError) -> Bookmark {
    if let found = bookmarks.first(where: { $0.name.hasSameBytes(as: name) }) { return found }
    let names = bookmarks.map(\.name).joined(separator: ", ")
    throw .unknown(
      "there is no bookmark '\(TextEscape.printable(name))'; "
        + (names.isEmpty ? "':bookmark NAME = READ' makes one" : "there are \(TextEscape.printable(names))"))
  }

  private static func list(_ bookmarks: [Bookmark], _ session: Session) {
    let width = bookmarks.map { $0.name.count }.max() ?? 0
    session.show(
      bookmarks.map { bookmark in
        let place = bookmark.place.isRoot ? "" : "  (in /\(bookmark.place.text))"
        let read = bookmark.read.split(separator: "\n").joined(separator: " ")
        return TextEscape.padded(bookmark.name, to: width) + "  " + TextEscape.printable(read + place)
      })
    if bookmarks.isEmpty { session.console.note("none; ':bookmark NAME = READ' makes one") }
  }

  /// Relative paths begin where they began when it was made.
  private static func run(_ bookmark: Bookmark, _ session: Session) throws(ShellError) {
    let place = session.place
    session.place = bookmark.place
    defer { session.place = place }
    try session.read(try StatementParser.read(bookmark.read, session.language))
  }
}
