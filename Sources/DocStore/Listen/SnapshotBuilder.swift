/// What one commit means for one stream, put into the order in which clients need it.
///
/// One message a document, whatever the number of targets it concerns, unless their projections differ;
/// removals before changes; then the one message that makes all targets consistent.
/// Source: docs/spec/streams.md 1.4.

internal import DocModel

struct SnapshotBuilder {
  /// A document that is shown with one projection.
  private struct Showing {
    let mask: FieldMask?
    var targets: [Int32] = []
    /// Targets that the document no longer matches, and whose client needs its new state to see that.
    var removed: [Int32] = []
  }

  private struct Effect {
    let path: ResourcePath
    var image: DocumentImage?
    var showings: [Showing] = []
    var deletedFrom: [Int32] = []
    var leftFrom: [Int32] = []
  }

  private var effects: [Effect] = []
  private var places: [ResourcePath: Int] = [:]
  /// Targets that end with this commit.
  private(set) var ended: [(id: Int32, cause: StoreError)] = []

  /// Targets whose clients are to forget them, and which are shown anew.
  private(set) var restarted: [LiveTarget] = []

  var isEmpty: Bool { effects.isEmpty && ended.isEmpty && restarted.isEmpty }

  private mutating func place(_ path: ResourcePath) -> Int {
    // Targets of one document are told one after the other, so the last effect is most often the one.
    if let last = effects.last, last.path == path { return effects.count - 1 }
    if let place = places[path] { return place }
    effects.append(Effect(path: path))
    places[path] = effects.count - 1
    return effects.count - 1
  }

  private mutating func showing(_ path: ResourcePath, _ image: DocumentImage, _ mask: FieldMask?) -> (
    Int, Int
  ) {
    let place = place(path)
    effects[place].image = image
    if let known = effects[place].showings.firstIndex(where: { $0.mask == mask }) { return (place, known) }
    effects[place].showings.append(Showing(mask: mask))
    return (place, effects[place].showings.count - 1)
  }

  /// The document is in the target, newly or with a new state.
  mutating func change(_ path: ResourcePath, _ image: DocumentImage, in target: LiveTarget) {
    let (place, showing) = showing(path, image, target.mask)
    effects[place].showings[showing].targets.append(target.id)
  }

  /// The document was written and no longer matches the target.
  mutating func unmatch(_ path: ResourcePath, _ image: DocumentImage, from target: LiveTarget) {
    let (place, showing) = showing(path, image, target.mask)
    effects[place].showings[showing].removed.append(target.id)
  }

  mutating func delete(_ path: ResourcePath, from target: LiveTarget) {
    effects[place(path)].deletedFrom.append(target.id)
  }

  /// The document left the target and its state is not told.
  mutating func leave(_ path: ResourcePath, _ target: LiveTarget) {
    effects[place(path)].leftFrom.append(target.id)
  }

  mutating func end(_ target: LiveTarget, cause: StoreError) { ended.append((target.id, cause)) }

  mutating func restart(_ target: LiveTarget) { restarted.append(target) }

  /// The messages of the commit without the closing one. A target that ends or starts anew is named once, by that.
  func events(at time: Int64) -> [ListenEvent] {
    let gone = Set(ended.map(\.id) + restarted.map(\.id))
    /// In the order of ids, so that one history is always told in one way.
    func living(_ targets: [Int32]) -> [Int32] {
      guard targets.count > 1 || !gone.isEmpty else { return targets }
      return targets.filter { !gone.contains($0) }.sorted()
    }
    var removals: [ListenEvent] =
      ended.map { .removed($0.id, cause: $0.cause) } + restarted.map { .reset($0.id) }
    var changes: [ListenEvent] = []
    for effect in effects {
      let deletedFrom = living(effect.deletedFrom)
      if !deletedFrom.isEmpty {
        removals.append(.deleted(effect.path, removedTargets: deletedFrom, readTime: time))
      }
      let leftFrom = living(effect.leftFrom)
      if !leftFrom.isEmpty {
        removals.append(.left(effect.path, removedTargets: leftFrom, readTime: time))
      }
      guard let image = effect.image else { continue }
      for showing in effect.showings {
        let targets = living(showing.targets)
        let removed = living(showing.removed)
        if targets.isEmpty && removed.isEmpty { continue }
        let event = ListenEvent.changed(
          ListenedDocument(effect.path, image, mask: showing.mask), targets: targets, removedTargets: removed)
        if targets.isEmpty { removals.append(event) } else { changes.append(event) }
      }
    }
    return removals + changes
  }
}
