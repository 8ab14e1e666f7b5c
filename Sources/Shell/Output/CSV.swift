/// Rows with commas between their cells.

import DocModel

/// RFC 4180.
enum CSV {
  static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

  /// Texts as they are, everything else as the shell writes it.
  static func text(_ value: Value?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case .timestamp(let instant): instant.rfc3339
    case .some(let value): ValueText.literal(value)
    }
  }

  private static func quoted(_ cell: String) -> String {
    // Control characters other than line ends have no business in a table, whoever reads it.
    let cell = String(
      cell.unicodeScalars.reduce(into: String.UnicodeScalarView()) { result, scalar in
        if scalar == "\n" || scalar == "\r" || scalar == "\t" || !TextEscape.isHostile(scalar) {
          result.append(scalar)
        } else {
          result.append(contentsOf: TextEscape.printable(String(scalar)).unicodeScalars)
        }
      })
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
