/// Which indexes there may be.

internal import DocModel
internal import Synchronization

/// The definitions that were given.
final class IndexRegistry: Sendable {
  private struct State {
    var common: [IndexDefinition]
    var own: [DatabaseID: [IndexDefinition]] = [:]
  }

  private let state: Mutex<State>

  init(_ options: StoreOptions) { state = Mutex(State(common: options.indexes)) }

  func define(_ definitions: [IndexDefinition], in database: DatabaseID?) {
    state.withLock { state in
      if let database { state.own[database] = definitions } else { state.common = definitions }
    }
  }

  func definitions(of database: DatabaseID) -> [IndexDefinition] {
    state.withLock { $0.own[database] ?? $0.common }
  }
}
