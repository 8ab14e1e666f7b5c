/// Numbers the service refuses beyond.
///
/// Source: docs/spec/production-differences.md 1.9 and the official compiler, asked one by one.
public enum RulesetLimits {
  /// Production refuses more; the official emulator accepts any size.
  public static let sourceBytesMax = 256 * 1024
  /// Nested `match` blocks, the outermost included.
  public static let matchNestingMax = 11
  /// Segments along nested patterns.
  public static let patternSegmentsMax = 100
  /// Captures along nested patterns.
  public static let capturesMax = 20
  public static let parametersMax = 7
  /// The official text says ten; eleven compile.
  public static let letsMax = 11
  /// Functions on the call stack. The official text says twenty; twenty-one compile.
  public static let callStackMax = 21
  /// Memory one literal pattern may take when compiled.
  static let patternMemoryMax: Int64 = 8 << 20
}
