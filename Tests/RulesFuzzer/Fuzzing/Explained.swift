/// Disagreements that are meant to be. Each has its reason here and in docs/differences.md.

/// One row: what it looks like, and why it is so.
struct ExplainedRow: Sendable {
  let name: String
  let reason: String
  /// Whether an outcome is of this row. `text` is the trial's own account.
  let matches: @Sendable (_ text: String, _ outcome: Outcome) -> Bool
}

enum Explained {
  static let rows: [ExplainedRow] = [
    ExplainedRow(
      name: "R1 missing document",
      reason:
        "get() of a missing document is null in production and in emulators from 1.22; 1.19 fails with a service call error"
    ) { text, outcome in
      guard case .denied(let entries) = outcome.official, text.contains("get(") || text.contains("getAfter(")
      else { return false }
      return entries.contains {
        $0.hasPrefix("Service call error. Function: [get]")
          || $0.hasPrefix("Service call error. Function: [getAfter]")
      }
    },
    ExplainedRow(
      name: "order of names",
      reason: "names of one bucket of a hash set stand in the order in which its own maps were filled"
    ) { _, outcome in
      guard case .denied(let theirs) = outcome.official, case .denied(let ours) = outcome.ours,
        theirs.count == ours.count
      else { return false }
      return zip(theirs, ours).allSatisfy { left, right in
        left == right
          || (left.hasPrefix("Variable(s) ") && right.hasPrefix("Variable(s) ")
            && left.sorted() == right.sorted())
      }
    },
    ExplainedRow(
      name: "error in a list literal",
      reason:
        "of two errors the official engine names the one inside a list literal that is not its last element; ours the left one"
    ) { text, outcome in
      guard case .denied(let theirs) = outcome.official, case .denied(let ours) = outcome.ours,
        theirs.count == ours.count, text.contains("["), text.contains("||") || text.contains("&&")
      else { return false }
      return zip(theirs, ours).allSatisfy {
        $0 == $1 || (!$0.hasPrefix("false for") && !$1.hasPrefix("false for"))
      }
    },
  ]

  static func row(_ text: String, _ outcome: Outcome) -> ExplainedRow? {
    rows.first { $0.matches(text, outcome) }
  }
}
