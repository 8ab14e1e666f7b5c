/// Something that happens once.

internal import Synchronization

final class Flag: Sendable {
  private let state = Atomic(false)

  func set() { state.store(true, ordering: .relaxed) }
  var isSet: Bool { state.load(ordering: .relaxed) }
}
