/// A place as a search of the Places API describes it, as far as studios need it.

public import DocModel
internal import YAML

public struct Place: Hashable, Sendable {
  /// The API's id of the place: the same in every answer.
  public let id: String
  public let name: String
  public let address: String
  public let location: GeoPoint
  /// 0 to 5; nil when nobody rated the place.
  public let rating: Double?
  public let ratingCount: Int64
  /// Whether the place is closed and will not open again.
  public let isClosedForGood: Bool

  public init(
    id: String, name: String, address: String, location: GeoPoint, rating: Double?, ratingCount: Int64,
    isClosedForGood: Bool = false
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.location = location
    self.rating = rating
    self.ratingCount = ratingCount
    self.isClosedForGood = isClosedForGood
  }
}

/// One answer of the API, or a file that holds one or several.
public struct PlacesPage: Hashable, Sendable {
  public internal(set) var places: [Place] = []
  /// What to ask with for the places that follow; nil on the last page.
  public internal(set) var nextPageToken: String?
}
