/// What every name in a ruleset refers to.
///
/// INVARIANT: `bindings` has one entry per expression number, `functions` one per function number,
/// `matches` one per match number.
public struct Resolution: Sendable {
  /// What an expression with a name refers to.
  public enum Binding: Sendable, Hashable {
    /// Not a name, or one that resolves at run time (a method of a value).
    case none
    /// A parameter of the function the expression is in, by position.
    case parameter(Int)
    /// A `let` of the function the expression is in, by position.
    case local(Int)
    /// A capture: number of the `match` block and position of the segment in its pattern.
    case capture(match: Int, segment: Int)
    /// `request` or `resource`.
    case global(String)
    /// A call of a function of the ruleset, by number.
    case function(Int)
    /// A call of a library function without a namespace, such as `get`.
    case libraryFunction(String)
    /// A call of a library function with its namespace, such as `math.abs`.
    case namespaceFunction(namespace: String, name: String)
    /// A name that nothing declares. It compiles and fails when it is evaluated.
    case unknown
  }

  /// By expression number.
  public let bindings: [Binding]
  /// What types expressions may have, by expression number.
  let types: [StaticType]
  /// By function number.
  public let functions: [FunctionSyntax]
  /// By match number.
  public let matches: [MatchSyntax]

  /// The names of the types an expression may have; nil if nothing is known.
  public func typeNames(of node: ExpressionNode) -> [String]? {
    types[node.number] == .any ? nil : types[node.number].names
  }

  /// What a node refers to.
  public func binding(of node: ExpressionNode) -> Binding { bindings[node.number] }
}
