/// Which expressions an operation evaluates: what a change of the rules there can have to do with it.

internal import DocModel

extension Ruleset {
  /// Calls `visit` with the number of every expression that judging the operation evaluates; a number comes
  /// as often as the expression is evaluated. To be asked after `decide` or `explain`, with the same `documents`.
  public func forEachTouchedExpression(
    _ request: borrowing RuleRequest, documents: DocumentAccess, _ visit: (Int) -> Void
  ) {
    record(request, documents) { allow, log, _ in
      for place in allow.steps { visit(Int(log.steps[place].number)) }
    }
  }
}
