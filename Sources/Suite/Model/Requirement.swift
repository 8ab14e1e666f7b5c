/// What a suite requires of its rules and of itself.

internal import YAML

struct Requirement: Sendable {
  /// A gate with its place.
  struct Gate: Sendable {
    /// Percent.
    let least: Double
    /// As written: `coverage: 97%`.
    let title: String
    let mark: YAMLMark
  }

  /// How many of the questions must be seen both ways; nil when nothing is required.
  var coverage: Gate?
  /// How many of the rules' mutants must fail a case.
  var mutation: Gate?
  /// No request may be refused because a condition has no value.
  var errors: Gate?
  /// Blocks of the rules that the gates look at; all when empty.
  var scope: [String] = []

  var refusesErrors: Bool { errors != nil }

  /// The gates that running all cases settles.
  var namesOfCaseGates: [String] {
    (coverage == nil ? [] : ["coverage"]) + (errors == nil ? [] : ["noErrors"])
  }
}
