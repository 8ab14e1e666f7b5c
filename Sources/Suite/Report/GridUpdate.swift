/// `--update`: grids rewritten to what their cells come to. Nothing else in the file changes.

internal import Access
internal import Rules
internal import YAML

/// One symbol of a grid that is not what its cell came to.
struct GridChange: Sendable {
  let mark: YAMLMark
  let symbol: Character

  /// Nil when the cell is as written, when it takes anything, and when no letter says what came.
  init?(_ outcome: Outcome, _ request: Request, at mark: YAMLMark, _ texts: RuleTexts) {
    guard request.expectation.text != "~", let symbol = Self.symbol(outcome, texts),
      request.expectation.text != String(symbol),
      // Whatever the reason is, it is what was written.
      request.expectation.text != "D" || symbol == "A"
    else { return nil }
    self.mark = mark
    self.symbol = symbol
  }

  static func symbol(_ outcome: Outcome, _ texts: RuleTexts) -> Character? {
    switch outcome.end {
    case .allowed: return "A"
    case .failed: return nil
    case .denied:
      guard let last = outcome.judgements.last?.explanation else { return nil }
      switch Denial(last, texts).kind {
      case .condition, .unmatched: return "."
      case .error, .limit: return "!"
      case .unprovable: return "?"
      }
    }
  }
}

extension SuiteReport {
  /// How many letters of its grids are not what their cells came to.
  public var gridChangeCount: Int { gridChanges.count }

  /// The suite's text with those letters replaced; everything else stays as it is.
  /// - Parameter text: what the suite was read from.
  public func updatingGrids(in text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    for change in gridChanges {
      let index = Int(change.mark.line) - 1
      guard lines.indices.contains(index) else { continue }
      var characters = Array(String(decoding: lines[index], as: UTF8.self))
      let column = Int(change.mark.column) - 1
      guard characters.indices.contains(column), Grid.symbols.contains(characters[column]) else { continue }
      characters[column] = change.symbol
      lines[index] = Array(String(characters).utf8)
    }
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}
