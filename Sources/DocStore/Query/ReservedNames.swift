/// Names that no field bears, where a path leads to or through one.
///
/// Source: the official emulator; queries have words of their own (`QueryValidator.path`).

public import DocModel

extension FieldPath {
  /// Reads a path of an update mask, a transform, an aggregation or a vector search. `__name__` and `__type__`
  /// pass: they lead nowhere.
  public static func parseUnreserved(_ text: String) throws(InvalidArgument) -> FieldPath {
    let path = try FieldPath.parse(text)
    for segment in path.segments where ResourceNameParser.isReserved(segment) {
      switch segment {
      case "__name__", "__type__": break
      case "__key__": throw QueryErrors.keyMember
      default: throw InvalidArgument("Invalid reserved name in field path \(segment)")
      }
    }
    return path
  }
}
