/// What gates say is missing.

internal import DocModel
public import Rules

extension CoverageReport {
  /// What was not seen both ways, in the order of the source: `129:12 never true: a == b`.
  public func gaps(scope: [String] = []) -> [String] {
    units.filter { unit in
      !unit.isCovered
        && (scope.isEmpty || unit.blocks.contains { block in scope.contains { $0.hasSameBytes(as: block) } })
    }.map { unit in
      let place = "\(unit.position.line):\(unit.position.column)"
      return "\(place) \(CoverageText.lack(unit)): \(OneLine.text(unit.text, most: 90))"
    }
  }
}
