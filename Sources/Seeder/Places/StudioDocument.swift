/// What a place becomes: the document of a shadow studio.
///
/// Source: the Inspired pack's data, `studios/{studioId}`.

public import DocModel
internal import Platform

/// The studio of one place.
public struct StudioDocument: Sendable {
  /// The same for the same place, always.
  public let id: String
  /// What a search knows of a studio, and may change as long as nobody has claimed it.
  let found: Fields

  public init(_ place: Place) {
    id = Self.id(ofPlace: place.id)
    found = [
      "name": .string(place.name),
      "address": .string(place.address),
      "rating": place.rating.map { .double($0) } ?? .null,
      "reviewCount": .integer(place.ratingCount),
      "location": .geoPoint(place.location),
    ]
  }

  public var path: ResourcePath { ResourcePath(unchecked: "studios/\(id)") }

  /// A studio that was not there before.
  var shadow: Fields {
    var fields = found
    fields["id"] = .string(id)
    fields["about"] = .string("")
    fields["isClaimed"] = .boolean(false)
    fields["ownerId"] = .null
    fields["moderationSettings"] = .map([
      "autoApproveMemberComments": .boolean(true), "guestCommentsEnabled": .boolean(false),
    ])
    return fields
  }

  /// The names of what a search found otherwise than it is stored, in byte order.
  func changes(from stored: Fields) -> [String] {
    found.entries.filter { stored[$0.name] != $0.value }.map(\.name)
  }

  /// LIMIT: a studio's id is a community's id, too, of which the rules of profiles take 100 characters.
  private static let idBytesMax = 100

  /// The place's own id where that can be a studio's id, otherwise one that is made from its hash.
  static func id(ofPlace placeID: String) -> String {
    let isPlain = placeID.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: "-") }
    // `__…__` is reserved in the service.
    let isReserved = placeID.hasPrefix("__") && placeID.hasSuffix("__")
    if isPlain, !isReserved, (1...idBytesMax).contains(placeID.utf8.count) { return placeID }
    return "place_" + Digest.sha256(placeID.utf8).prefix(20).hexadecimal
  }
}

/// Who may change a stored studio.
enum StudioHolder: Equatable {
  /// Nobody has claimed it: a search may change what it found.
  case nobody
  case owner
  /// It has no proper `isClaimed` and `ownerId`, so nobody can tell.
  case unknown

  init(_ stored: Fields) {
    switch (stored["isClaimed"], stored["ownerId"]) {
    case (.boolean(false)?, .null?), (.boolean(false)?, nil): self = .nobody
    case (.boolean(true)?, _), (_, .string?): self = .owner
    default: self = .unknown
    }
  }
}
