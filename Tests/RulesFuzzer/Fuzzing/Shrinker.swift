/// From a case that fails to the smallest that still does.

/// Something that can be made simpler step by step.
public protocol Shrinkable {
  /// What is to become small; tokens, roughly.
  var size: Int { get }
  /// What is one step simpler: the large steps, or with `isThorough` every step.
  func reductions(isThorough: Bool) -> [Self]
}

public enum Shrinker {
  /// LIMIT: rounds, so that a run ends even if each step only gains a character.
  static let roundsMax = 80
  /// How many candidates are asked at once. Asking many costs little more than asking one.
  static let groupSize = 80

  /// The smallest case that `fails`, found by taking the best step until no step fails.
  ///
  /// - Parameter fails: answers for several candidates at once, in their order.
  public static func smallest<Case: Shrinkable, Failure: Error>(
    of failing: Case, fails: ([Case]) throws(Failure) -> [Bool]
  ) throws(Failure) -> Case {
    var best = failing
    var isThorough = false
    for _ in 0..<roundsMax {
      if let next = try step(from: best, isThorough, fails: fails) {
        best = next
      } else if isThorough {
        return best
      } else {
        isThorough = true
      }
    }
    return best
  }

  /// The smallest failing reduction, nil when all pass.
  private static func step<Case: Shrinkable, Failure: Error>(
    from current: Case, _ isThorough: Bool, fails: ([Case]) throws(Failure) -> [Bool]
  ) throws(Failure) -> Case? {
    let size = current.size
    let candidates = current.reductions(isThorough: isThorough).filter { $0.size < size }.sorted {
      $0.size < $1.size
    }
    var rest = candidates[...]
    while !rest.isEmpty {
      let group = Array(rest.prefix(groupSize))
      rest = rest.dropFirst(groupSize)
      let verdicts = try fails(group)
      if let index = verdicts.firstIndex(of: true) { return group[index] }
    }
    return nil
  }
}
