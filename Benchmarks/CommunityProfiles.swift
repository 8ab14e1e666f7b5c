/// The people of the overlap benchmarks: who is in which communities, and their profiles in memory.

import DocModel
import Rules

/// Readers and owners that nobody can guess the next pair of.
struct CommunityProfiles {
  static let count = 64
  private static let communityCount = 12

  let names: [String]
  let communities: [[String]]
  /// Stored profiles, by person.
  let encoded: [[UInt8]]

  init() {
    var numbers = NumberSequence(seed: 7)
    var names: [String] = []
    var communities: [[String]] = []
    for number in 0..<Self.count {
      names.append("user_\(1000 + number)")
      var own: Set<Int> = []
      for _ in 0..<(2 + numbers.next(below: 4)) { own.insert(numbers.next(below: Self.communityCount)) }
      communities.append(own.sorted().map { "area_\($0)_of_london" })
    }
    self.names = names
    self.communities = communities
    encoded = zip(names, communities).map { Self.profile($0, communities: $1).encoded }
  }

  /// Whether two people share a community, as the benchmark checks the engine's verdict.
  func share(_ reader: Int, _ owner: Int) -> Bool {
    reader == owner || !Set(communities[reader]).isDisjoint(with: communities[owner])
  }

  private static func profile(_ id: String, communities: [String]) -> Fields {
    [
      "id": .string(id), "username": .string("\(id)#1234"), "displayName": .string("\(id) of Askew Road"),
      "bio": .string("Morning practice, mostly vinyasa."), "isProfilePublic": .boolean(false),
      "privacySettings": .map([
        "isProfilePublic": .boolean(false), "avatarPrivacy": .string("groups-only"),
        "showJoinedGroups": .string("groups-only"),
      ]),
      "joinedCommunities": .array(communities.map { .string($0) }),
      "thumbnailUrl": .null, "createdAt": .timestamp(Timestamp(seconds: 1_767_225_600, nanoseconds: 0)),
      "updatedAt": .timestamp(Timestamp(seconds: 1_772_000_000, nanoseconds: 0)),
      "studios": .array([.string("studio_7")]), "level": .integer(3),
    ]
  }
}

/// Profiles in memory by path: the cached documents that a server has at hand.
final class CachedProfiles: DocumentAccess {
  private struct Slot {
    var path: UnsafeRawBufferPointer
    var fields: FieldsView?
  }

  private let memory: UnsafeMutableBufferPointer<UInt8>
  private let slots: UnsafeMutableBufferPointer<Slot>
  /// By person.
  private(set) var views: [FieldsView] = []

  init(_ profiles: CommunityProfiles) {
    let paths = profiles.names.map { Array("users/\($0)".utf8) }
    memory = .allocate(
      capacity: (paths + profiles.encoded).reduce(0) { $0 + $1.count })
    slots = .allocate(capacity: 4 * CommunityProfiles.count)
    slots.initialize(repeating: Slot(path: WireCursor.empty, fields: nil))
    super.init()
    var used = 0
    func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
      let place = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[used...])
      place.copyBytes(from: bytes)
      used += bytes.count
      return UnsafeRawBufferPointer(rebasing: place[..<bytes.count])
    }
    for (path, bytes) in zip(paths, profiles.encoded) {
      let fields = FieldsView(document: keep(bytes))
      views.append(fields)
      let kept = keep(path)
      var index = slotIndex(kept)
      while slots[index].fields != nil { index = (index + 1) % slots.count }
      slots[index] = Slot(path: kept, fields: fields)
    }
  }

  deinit {
    slots.deallocate()
    memory.deallocate()
  }

  private func slotIndex(_ path: UnsafeRawBufferPointer) -> Int {
    // All paths here have eight bytes or more, and differ in the last of them.
    guard path.count >= 8 else { return 0 }
    let last = path.loadUnaligned(fromByteOffset: path.count - 8, as: UInt64.self)
    return Int(truncatingIfNeeded: (last &* 0x9E37_79B9_7F4A_7C15) &>> 56) & (slots.count - 1)
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    var index = slotIndex(path)
    while let fields = slots[index].fields {
      if WireCursor.areEqual(slots[index].path, path) { return fields }
      index = (index + 1) & (slots.count - 1)
    }
    return nil
  }
}
