/// Rules as a whole: what everybody may, and what other rules would change.

import DocModel
import DocStore
import Rules

extension RuleCommands {
  static func matrix(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    try arguments.nothing(":matrix")
    guard !session.personas.isEmpty else {
      throw .usage("no personas are known; ':personas FILE' reads some")
    }
    let rules = try session.ruleset()
    let ids = try session.backend.collectionIDs(under: session.place)
    var rows: [[Value]] = []
    for persona in session.personas {
      for id in ids {
        try Interruption.check()
        rows.append(
          [.string(persona.name)] + (try reach(session.place.appending(id), persona, rules, session)))
      }
    }
    session.show(["persona", "collection", "documents", "get", "list", "delete"], rows)
    session.console.note("the first \(triedMax) documents of each collection were tried; nothing was written")
  }

  // MARK: diff

  /// LIMIT: lines, beginning with the first that differs and ending with the last, of either text.
  private static let comparedMax = 2_000

  /// What a file has in place of the loaded rules: `-` what goes, `+` what comes, with their lines.
  static func compare(_ file: String, _ session: Session) throws(ShellError) {
    guard let rules = try session.backend.rules() else { throw .failed("no rules are loaded") }
    let lines = try differences(lines(of: rules.source), lines(of: try ScriptFile.contents(file)))
    session.show(lines)
    session.console.note(
      lines.isEmpty ? "\(file) is what is loaded" : "- \(rules.name), which is loaded   + \(file)")
  }

  private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  static func differences(
    _ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]
  ) throws(ShellError) -> [String] {
    let least = min(old.count, new.count)
    var before = 0
    while before < least, old[before] == new[before] { before += 1 }
    var after = 0
    while after < least - before, old[old.count - 1 - after] == new[new.count - 1 - after] { after += 1 }
    let left = Array(old[before..<old.count - after])
    let right = Array(new[before..<new.count - after])
    guard max(left.count, right.count) <= comparedMax else {
      throw .failed("the rules differ in more than \(comparedMax) lines")
    }
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var lines: [String] = []
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if removed.contains(i) {
        lines.append(line("-", before + i, left[i]))
        i += 1
      } else if inserted.contains(j) {
        lines.append(line("+", before + j, right[j]))
        j += 1
      } else {
        i += 1
        j += 1
      }
    }
    return lines
  }

  private static func line(_ sign: String, _ index: Int, _ text: ArraySlice<UInt8>) -> String {
    TextEscape.padded("\(sign) \(index + 1)", to: 7)
      + TextEscape.printable(String(decoding: text, as: UTF8.self))
  }
}
