/// One document, a field a line.
///
/// ```
/// users/bob                       updated 2026-03-01 09:00:00Z  v1772355600000000
///   username           "bob#1234"
///   joinedCommunities  ["area_askew"]
/// ```

import Client
import DocModel

enum DocumentPrinter {
  static func lines(_ document: ShellDocument, _ style: PrintStyle) -> [String] {
    let stamp =
      document.updateTime > 0
      ? "updated \(instant(document.updateTime))  v\(document.updateTime)" : ""
    let path = TextEscape.printable(document.path.text)
    let head = stamp.isEmpty ? path : TextEscape.padded(path, to: 42) + "  " + stamp
    // Of tables the columns that were asked for; a document alone is whole.
    let columns: [(name: String, value: Value)] =
      if style.mode == .table, let wanted = style.columns {
        wanted.filter { !ResultPrinter.isID($0) }.compactMap { field in
          document.fields.value(at: field).map { (field.text, $0) }
        }
      } else { document.fields.entries.map { (ValueText.name($0.name), $0.value) } }
    let names = columns.map { TextEscape.printable($0.name) }
    let width = names.map { TextEscape.width($0) }.max() ?? 0
    return [head]
      + zip(names, columns).map { name, field in
        let line = "  " + TextEscape.padded(name, to: width) + "  " + ValueText.literal(field.value)
        return style.width.map { style.expansion == .on ? line : TextEscape.cut(line, to: $0 * 4) } ?? line
      }
  }

  /// `2026-03-01 09:00:00Z`, to the second.
  static func instant(_ microseconds: Int64) -> String {
    let seconds = Timestamp(microseconds: microseconds)
    let text = Timestamp(seconds: seconds.seconds, nanoseconds: 0).rfc3339
    return String(text.map { $0 == "T" ? " " : $0 })
  }

  /// `09:00:00.412Z`
  static func time(_ microseconds: Int64) -> String {
    let milliseconds = microseconds / 1_000
    let text = Timestamp(microseconds: milliseconds * 1_000).rfc3339
    guard let mark = text.firstIndex(of: "T") else { return text }
    return String(text[text.index(after: mark)...])
  }
}

/// Documents as entries of a seed's `documents`.
enum YAMLPrinter {
  static func lines(_ document: ShellDocument) -> [String] {
    let head = TextEscape.quoted(document.path.text) + ":"
    if document.fields.isEmpty { return [head + " {}"] }
    let json = ValueJSON(isPlain: false)
    return [head]
      + document.fields.entries.map { entry in
        "  \(TextEscape.quoted(json.key(entry.name))): \(json.text(entry.value))"
      }
  }
}
