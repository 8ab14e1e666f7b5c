/// The texts in which vector searches are refused.

internal import DocModel

enum NearestErrors {
  static let limit = InvalidArgument(
    "FindNearest.limit must be a positive integer of no more than \(QueryLimits.nearestMax)")
  static let measureUnset = InvalidArgument("Unknown Distance Measure.")
  static let cursor = InvalidArgument("A cursor cannot be used with FindNearest")
  static let threshold = InvalidArgument("distanceThreshold must be a finite number.")
  static let longResult = InvalidArgument(
    "The distanceResultField.property.name is longer than \(Limits.fieldNameBytesMax) bytes.")
  /// `FAILED_PRECONDITION`. Source: docs/spec/production-differences.md Q12.
  static let zeroVector = "Cannot compute cosine distance against a vector with a magnitude of zero."

  static func beside(_ part: String) -> InvalidArgument {
    InvalidArgument("A query \(part) cannot be used with FindNearest")
  }

  static func reservedResult(_ name: String) -> InvalidArgument {
    InvalidArgument("The distanceResultField.property.name \"\(name)\" is reserved.")
  }
}
