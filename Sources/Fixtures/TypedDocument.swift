/// A document's fields split into what is written and what the commit computes.

public import DocModel

/// Fields without markers, and the markers with their places.
public struct TypedDocument: Sendable, Equatable {
  public struct Marked: Sendable, Equatable {
    public let path: FieldPath
    public let marker: Marker
  }

  public var fields: Fields
  /// In the order of the paths.
  public var markers: [Marked]

  /// Nil when the value is no map.
  public init?(_ value: TypedValue) {
    switch value {
    case .plain(.map(let fields)):
      self.fields = fields
      markers = []
    case .map(let map):
      var markers: [Marked] = []
      fields = Self.split(map, below: [], into: &markers)
      self.markers = markers
    case .plain, .marker: return nil
    }
  }

  /// The plain part of a map; a map that held only markers leaves an empty one, which they fill.
  private static func split(_ map: TypedMap, below path: [String], into markers: inout [Marked]) -> Fields {
    var pairs: [(String, Value)] = []
    for entry in map.entries {
      let place = path + [entry.name]
      switch entry.value {
      case .plain(let value): pairs.append((entry.name, value))
      case .map(let inner): pairs.append((entry.name, .map(split(inner, below: place, into: &markers))))
      case .marker(let marker):
        // Empty names are refused where keys are read.
        if let path = FieldPath(segments: place) { markers.append(Marked(path: path, marker: marker)) }
      }
    }
    return Fields(pairs)
  }
}
