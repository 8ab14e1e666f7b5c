/// The documents that the commits of one batch name, by key.
///
/// One look-up tells both what earlier members of the batch left of a document and whether the commit at hand
/// has named it already.
///
/// INVARIANT: every key and record in here lies in the batch's memory or in the view's; both outlive the plan.

internal import DocModel

struct PlannedDocuments {
  struct Place {
    fileprivate let key: UnsafeRawBufferPointer
    let generation: UInt32
    let path: ResourcePath
    /// Whether an earlier member of the batch changed the document.
    fileprivate(set) var isPlanned = false
    /// What it left of it.
    fileprivate(set) var planned: DocumentRecord?
    /// The commit that named the document last, and where it has it among those it names.
    fileprivate var commit = 0
    fileprivate var position = 0
  }

  private var places: [Place] = []
  /// Empty until there are too many to look at each.
  private var placeOfKey: [BytesInPlace: Int] = [:]
  /// The number of the commit at hand.
  private var commit = 0

  /// Documents among which a key is found sooner than it is hashed.
  private static let fewMax = 8

  /// Begins a commit, which names about `count` documents.
  mutating func beginCommit(expecting count: Int) {
    commit += 1
    let expected = places.count + count
    if expected > Self.fewMax { placeOfKey.reserveCapacity(expected) }
  }

  func place(of key: UnsafeRawBufferPointer) -> Int? {
    if places.count > Self.fewMax { return placeOfKey[BytesInPlace(key)] }
    return places.firstIndex { WireCursor.areEqual($0.key, key) }
  }

  subscript(place: Int) -> Place { places[place] }

  /// - Parameter key: in the batch's memory.
  mutating func add(_ key: UnsafeRawBufferPointer, _ path: ResourcePath, _ generation: UInt32) -> Int {
    assert(place(of: key) == nil, "a document has one place")
    let place = places.count
    places.append(Place(key: key, generation: generation, path: path))
    if places.count == Self.fewMax + 1 {
      for (place, known) in places.enumerated() { placeOfKey[BytesInPlace(known.key)] = place }
    } else if places.count > Self.fewMax {
      placeOfKey[BytesInPlace(key)] = place
    }
    return place
  }

  /// Where the commit at hand has the document; nil when it has not named it.
  func position(at place: Int) -> Int? { places[place].commit == commit ? places[place].position : nil }

  mutating func name(_ place: Int, at position: Int) {
    places[place].commit = commit
    places[place].position = position
  }

  /// The commit at hand leaves the document so.
  mutating func plan(_ place: Int, _ record: DocumentRecord?) {
    places[place].isPlanned = true
    places[place].planned = record
  }

  /// The documents of a generation that the batch has changed.
  func planned(in generation: UInt32) -> [Place] {
    places.filter { $0.isPlanned && $0.generation == generation }
  }
}
