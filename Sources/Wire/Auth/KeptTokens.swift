/// Tokens by name, as many as there is room for.

/// A hand goes round the tokens. When there is no room, the one it comes to goes, unless somebody has asked for it since the
/// last round; the new one takes its place, and is the last to be asked. So each token costs one step of the hand, and a whole
/// round only where all were asked for.
///
/// INVARIANT: `places` says for each token's name where in `slots` it is; the other slots are empty, and in `free`. `byteCount`
/// is that of all tokens.
struct KeptTokens {
  private struct Slot {
    let name: UInt32
    var token: KnownToken?
    /// Whether somebody has asked for it.
    var isUsed = false
  }

  private let bytesMax: Int
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var places: [UInt32: Int] = [:]
  /// Where the hand is.
  private var turn = 0
  private(set) var byteCount = 0

  init(bytesMax: Int) { self.bytesMax = bytesMax }

  var count: Int { places.count }

  /// The token of a name.
  mutating func use(_ name: UInt32) -> KnownToken? {
    guard let place = places[name] else { return nil }
    if !slots[place].isUsed { slots[place].isUsed = true }
    return slots[place].token
  }

  /// Keeps a token, in place of the one that had its name.
  mutating func add(_ token: KnownToken, _ name: UInt32) {
    if let place = places[name] { clear(place) }
    let byteCount = token.byteCount
    guard byteCount <= bytesMax else { return }
    while self.byteCount + byteCount > bytesMax { makeRoom() }
    let slot = Slot(name: name, token: token)
    if let place = free.popLast() {
      slots[place] = slot
      places[name] = place
    } else {
      places[name] = slots.count
      slots.append(slot)
    }
    self.byteCount += byteCount
  }

  mutating func remove(_ token: KnownToken, _ name: UInt32) {
    if let place = places[name], slots[place].token === token { clear(place) }
  }

  /// One step of the hand.
  private mutating func makeRoom() {
    if turn == slots.count { turn = 0 }
    if slots[turn].isUsed { slots[turn].isUsed = false } else { clear(turn) }
    turn += 1
  }

  private mutating func clear(_ place: Int) {
    guard let token = slots[place].token else { return }
    byteCount -= token.byteCount
    places[slots[place].name] = nil
    (slots[place].token, slots[place].isUsed) = (nil, false)
    free.append(place)
  }
}
