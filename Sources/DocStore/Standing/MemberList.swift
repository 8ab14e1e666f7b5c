/// Members in a list that each of them can be taken out of at once, however many there are.

internal import DocModel

protocol Identified {
  var identity: ObjectIdentifier { get }
}

/// INVARIANT: `places` is empty, or names the place of every member in `all`.
struct MemberList<Element: Identified> {
  /// Most lists are this short, and are searched.
  private static var searchedMax: Int { 8 }

  private(set) var all: [Element] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { all.isEmpty }

  private func place(of identity: ObjectIdentifier) -> Int? {
    places.isEmpty ? all.firstIndex { $0.identity == identity } : places[identity]
  }

  /// Each member is in the list once.
  mutating func insert(_ element: Element) {
    defer { if Invariants.areDue(at: all.count) { checkInvariants() } }
    if place(of: element.identity) != nil { return }
    all.append(element)
    if !places.isEmpty {
      places[element.identity] = all.count - 1
    } else if all.count > Self.searchedMax {
      for (place, element) in all.enumerated() { places[element.identity] = place }
    }
  }

  /// The last one takes the place of the one that goes.
  mutating func remove(_ identity: ObjectIdentifier) {
    guard let place = place(of: identity) else { return }
    defer { if Invariants.areDue(at: all.count) { checkInvariants() } }
    all.swapAt(place, all.count - 1)
    all.removeLast()
    if places.isEmpty { return }
    places[identity] = nil
    if place < all.count { places[all[place].identity] = place }
  }

  func checkInvariants() {
    assert(places.isEmpty || places.count == all.count, "no member, or every one, has a place")
    assert(
      places.allSatisfy { $0.value < all.count && all[$0.value].identity == $0.key },
      "a member is where its place says")
    assert(places.isEmpty == false || all.count <= Self.searchedMax, "a long list is not searched")
  }
}

extension Dictionary {
  /// Inserts into the list of a key.
  mutating func insert<Element>(_ element: Element, at key: Key) where Value == MemberList<Element> {
    self[key, default: MemberList()].insert(element)
  }

  /// Takes out of the list of a key; an empty list goes.
  mutating func remove<Element>(_ identity: ObjectIdentifier, at key: Key)
  where Value == MemberList<Element> {
    self[key]?.remove(identity)
    if self[key]?.isEmpty == true { self[key] = nil }
  }
}
