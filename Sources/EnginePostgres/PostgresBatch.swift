/// Mutations as statements: one for the puts and one for the removals of a keyspace, in place of one for each.

internal import DocStore

enum PostgresBatch {
  /// The last word on each key. A range that is removed comes after what was said of its keyspace before.
  static func statements(_ mutations: [Mutation]) -> [PostgresStatement] {
    var statements: [PostgresStatement] = []
    var pending = Array(repeating: Pending(), count: Keyspace.allCases.count)
    for mutation in mutations {
      let index = Int(mutation.keyspace.rawValue)
      switch mutation.kind {
      case .put: pending[index].set(mutation.key, mutation.value)
      case .remove: pending[index].set(mutation.key, nil)
      case .removeRange(let limit):
        pending[index].flush(mutation.keyspace, to: &statements)
        let range = KeyRange(
          lower: Array(mutation.key), upper: mutation.value.isEmpty ? nil : Array(mutation.value))
        statements.append(PostgresTables.removeRange(mutation.keyspace, range, limit: limit))
      }
    }
    for keyspace in Keyspace.allCases {
      pending[Int(keyspace.rawValue)].flush(keyspace, to: &statements)
    }
    return statements
  }

  private struct Key: Hashable {
    let bytes: UnsafeRawBufferPointer

    static func == (left: Key, right: Key) -> Bool { left.bytes.elementsEqual(right.bytes) }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
  }

  private struct Pending {
    private var places: [Key: Int] = [:]
    private var entries: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?)] = []

    mutating func set(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) {
      if let place = places[Key(bytes: key)] {
        entries[place].value = value
      } else {
        places[Key(bytes: key)] = entries.count
        entries.append((key, value))
      }
    }

    mutating func flush(_ keyspace: Keyspace, to statements: inout [PostgresStatement]) {
      let put = entries.filter { $0.value != nil }
      if !put.isEmpty {
        statements.append(
          PostgresTables.put(keyspace, keys: put.map(\.key), values: put.compactMap(\.value)))
      }
      let removed = entries.filter { $0.value == nil }.map(\.key)
      if !removed.isEmpty { statements.append(PostgresTables.remove(keyspace, keys: removed)) }
      self = Pending()
    }
  }
}
