/// The texts in which vector searches are refused.

internal import DocModel

enum NearestComplaint {
  static let limit = Complaint(
    "FindNearest.limit must be a positive integer of no more than \(QueryLimits.nearestMax)")
  static let measureUnset = Complaint("Unknown Distance Measure.")
  static let cursor = Complaint("A cursor cannot be used with FindNearest")
  static let threshold = Complaint("distanceThreshold must be a finite number.")
  static let longResult = Complaint(
    "The distanceResultField.property.name is longer than \(Limits.fieldNameBytesMax) bytes.")
  /// `FAILED_PRECONDITION`. Source: docs/spec/production-differences.md Q12.
  static let zeroVector = "Cannot compute cosine distance against a vector with a magnitude of zero."

  static func beside(_ part: String) -> Complaint {
    Complaint("A query \(part) cannot be used with FindNearest")
  }

  static func reservedResult(_ name: String) -> Complaint {
    Complaint("The distanceResultField.property.name \"\(name)\" is reserved.")
  }
}
