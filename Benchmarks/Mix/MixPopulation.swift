/// Who is there in the benchmark of real traffic: profiles, who may read which, and everybody's tokens.

import DocModel
import Glibc

/// People by number. Every second profile is public; the others are for those who share a community with its owner.
///
/// INVARIANT: people who share an area have numbers with the same `area(of:)`, so that a reader for any verdict is found
/// without looking.
struct MixPopulation {
  static let areaCount = 100
  /// People that differ in all that matters for who may read what.
  private static let blockSize = 2 * areaCount
  /// LIMIT: requests with one token: people come back, and tokens end after an hour.
  private static let usesOfToken: UInt8 = 50

  let count: Int
  private var tokens: [[UInt8]]
  private var uses: [UInt8]
  private var issued: Int64

  /// - Parameter count: rounded up to a whole number of blocks.
  init(count: Int) {
    self.count = (count + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    tokens = Array(repeating: [], count: self.count)
    uses = Array(repeating: Self.usesOfToken, count: self.count)
    issued = Int64(time(nil))
  }

  static func isPublic(_ number: Int) -> Bool { number % 2 == 0 }
  static func area(of number: Int) -> Int { number / 2 % areaCount }
  /// One in twenty takes four kilobytes more: addresses of pictures that somebody signed.
  static func isLarge(_ number: Int) -> Bool { number / blockSize % 20 == 3 }

  /// Somebody of a block whose profile is of that kind.
  static func person(in block: Int, area: Int, isPublic: Bool) -> Int {
    block * blockSize + 2 * area + (isPublic ? 0 : 1)
  }

  var blockCount: Int { count / Self.blockSize }

  static func profile(_ number: Int) -> Fields {
    var fields: Fields = [
      "id": .string("u\(number)"), "displayName": .string("User \(number)"),
      "username": .string("user#\(number)"),
      "bio": .string(String(repeating: "slow flows and coffee ", count: 11)),
      "privacySettings": .map([
        "isProfilePublic": .boolean(isPublic(number)),
        "avatarPrivacy": .string(isPublic(number) ? "public" : "groups-only"),
        "showJoinedGroups": .string("groups-only"),
      ]),
      "joinedCommunities": .array([.string("studio_\(number)"), .string("area_\(area(of: number))")]),
      "createdAt": .timestamp(Timestamp(seconds: 1_767_603_600, nanoseconds: 0)),
    ]
    if isLarge(number) {
      for name in ["profilePictureUrl", "thumbnailUrl"] {
        fields[name] = .string("https://storage.example.com/" + String(repeating: "signature", count: 222))
      }
    }
    return fields
  }

  /// The header of a user, coded: a token like those of the Auth emulator. A new one after so many requests.
  mutating func authorization(of number: Int) -> [UInt8] {
    if uses[number] >= Self.usesOfToken {
      uses[number] = 0
      issued += 1
      tokens[number] = Self.authorization(number, issued: issued)
    }
    uses[number] += 1
    return tokens[number]
  }

  private static let head = Base64.urlSafeText(#"{"alg":"none","typ":"JWT"}"#.utf8)

  static func authorization(_ number: Int, issued: Int64) -> [UInt8] {
    let claims =
      #"{"name":"User \#(number)","email":"user\#(number)@example.com","email_verified":true,"#
      + #""auth_time":\#(issued),"user_id":"u\#(number)","firebase":{"identities":{"email":["user\#(number)@example.com"]},"#
      + #""sign_in_provider":"password"},"iat":\#(issued),"exp":\#(issued + 36_000),"aud":"bench","#
      + #""iss":"https://securetoken.google.com/bench","sub":"u\#(number)"}"#
    return HeaderCoder.authorization(Array("Bearer \(head).\(Base64.urlSafeText(claims.utf8)).".utf8))
  }
}

/// One read of the mix: who reads whom, and whether that is allowed.
struct MixRead {
  var reader: Int
  var owner: Int
  var isAllowed: Bool
}

/// Reads as an app's users make them, the same in every run: most by the few who are active, most of the profiles that
/// everybody looks at; one in ten is denied, and half of the others need the reader's own profile.
struct MixReads {
  private let blocks: Int
  /// One in a hundred people.
  private let hotBlocks: Int
  private var numbers: NumberSequence

  init(_ population: MixPopulation, seed: UInt64) {
    blocks = population.blockCount
    hotBlocks = max(1, blocks / 100)
    numbers = NumberSequence(seed: seed)
  }

  mutating func next() -> MixRead {
    let reader = MixPopulation.person(
      in: block(hotPercent: 80), area: numbers.next(below: MixPopulation.areaCount),
      isPublic: numbers.next(below: 2) == 0)
    let ownArea = MixPopulation.area(of: reader)
    let otherArea = (ownArea + 1 + numbers.next(below: MixPopulation.areaCount - 1)) % MixPopulation.areaCount
    let kind = numbers.next(below: 100)
    let owner = MixPopulation.person(
      in: block(hotPercent: 70), area: kind < 55 ? otherArea : ownArea, isPublic: kind >= 10 && kind < 55)
    return MixRead(reader: reader, owner: owner, isAllowed: kind >= 10)
  }

  /// Hot blocks lie among the others.
  private mutating func block(hotPercent: Int) -> Int {
    if numbers.next(below: 100) < hotPercent { return numbers.next(below: hotBlocks) * (blocks / hotBlocks) }
    return numbers.next(below: blocks)
  }
}
