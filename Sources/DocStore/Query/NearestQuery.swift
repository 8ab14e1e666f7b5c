/// Vector search: what may be asked, and what was checked.
///
/// Source: docs/spec/protocol.md 5.9; the texts and their order: the official emulator.

public import DocModel

/// How far apart two vectors are. Source: proto google/firestore/v1/query.proto, DistanceMeasure.
public enum DistanceMeasure: Int, Sendable, CaseIterable {
  case euclidean = 1
  case cosine = 2
  case dotProduct = 3
}

extension StructuredQuery {
  /// `FindNearest` as a client sends it.
  public struct Nearest: Sendable {
    /// The text of a field path.
    public var field: String
    /// What is asked about, or why there is nothing.
    public var vector: Result<[Double], InvalidArgument>
    /// Nil when unset or unknown.
    public var measure: DistanceMeasure?
    public var limit: Int?
    /// A field's name, not a path; empty for none.
    public var resultField: String
    public var threshold: Double?

    public init(
      field: String, vector: Result<[Double], InvalidArgument>, measure: DistanceMeasure?, limit: Int?,
      resultField: String = "", threshold: Double? = nil
    ) {
      self.field = field
      self.vector = vector
      self.measure = measure
      self.limit = limit
      self.resultField = resultField
      self.threshold = threshold
    }
  }
}

/// A checked vector search: the nearest documents of a query.
///
/// INVARIANT: `vector` has 1 to `Limits.vectorElementsMax` elements, `limit` is 1 to
/// `QueryLimits.nearestMax`, the threshold is a number. The query around it has neither limit, offset nor
/// cursors.
public struct NearestQuery: Hashable, Sendable {
  public let field: FieldPath
  public let vector: [Double]
  public let measure: DistanceMeasure
  public internal(set) var limit: Int
  /// The name of the field that shows the distance; empty for none.
  public let resultField: String
  public let threshold: Double?
  /// Whether a vector without length under `cosine`, asked or stored, refuses the query rather than being
  /// infinitely far. Source: docs/spec/production-differences.md Q12.
  public internal(set) var refusesZeroVectors = false

  /// What a vector index for this search has to hold.
  public var dimension: Int { vector.count }

  func checkInvariants() {
    assert((1...Limits.vectorElementsMax).contains(vector.count), "a vector has elements, and not too many")
    assert((1...QueryLimits.nearestMax).contains(limit), "some are asked for, and not too many")
    assert(threshold?.isFinite ?? true, "the threshold is a number")
  }
}

extension QueryValidator {
  /// Checks the search of a query whose other parts are checked.
  func nearest() throws(InvalidArgument) -> NearestQuery? {
    guard let nearest = query.nearest else { return nil }
    let vector = try nearest.vector.get()
    guard let limit = nearest.limit, (1...QueryLimits.nearestMax).contains(limit) else {
      throw NearestErrors.limit
    }
    guard let measure = nearest.measure else { throw NearestErrors.measureUnset }
    let field = try FieldPath.parseUnreserved(nearest.field)
    if query.limit != nil { throw NearestErrors.beside("limit") }
    if query.offset != 0 { throw NearestErrors.beside("offset") }
    if query.start != nil || query.end != nil { throw NearestErrors.cursor }
    try checkResultField(nearest.resultField)
    if let threshold = nearest.threshold, !threshold.isFinite { throw NearestErrors.threshold }
    let checked = NearestQuery(
      field: field, vector: vector, measure: measure, limit: limit, resultField: nearest.resultField,
      threshold: nearest.threshold)
    checked.checkInvariants()
    return checked
  }

  private func checkResultField(_ name: String) throws(InvalidArgument) {
    if ResourceNameParser.isReserved(name) { throw NearestErrors.reservedResult(name) }
    if name.utf8.count > Limits.fieldNameBytesMax { throw NearestErrors.longResult }
  }
}
