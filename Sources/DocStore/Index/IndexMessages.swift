/// What servers that have one store tell each other of indexes: one of them builds and retires them for all.

internal import DocModel

/// What one process tells the one that builds indexes.
struct IndexWish {
  let database: DatabaseID
  let shape: IndexShape

  init(_ database: DatabaseID, _ shape: IndexShape) {
    self.database = database
    self.shape = shape
  }

  /// Nil for what is none.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 4, words[0] == "index", let record = Base64.decode(String(words[3])) else {
      return nil
    }
    guard let index = record.withUnsafeBytes({ IndexCatalog.decoded(0, $0) }) else { return nil }
    self.init(DatabaseID(project: String(words[1]), database: String(words[2])), index.shape)
  }

  var text: String {
    let record = IndexCatalog.encoded(StoredIndex(number: 0, shape: shape, isReady: false))
    return
      "index \(database.project) \(database.database) \(String(decoding: Base64.encode(record), as: UTF8.self))"
  }
}

/// An index that is read: `index-used GENERATION NUMBER`.
struct IndexUse {
  let generation: UInt32
  let number: UInt32

  init(_ generation: UInt32, _ number: UInt32) {
    self.generation = generation
    self.number = number
  }

  /// Nil for what is none.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 3, words[0] == "index-used", let generation = UInt32(words[1]),
      let number = UInt32(words[2])
    else { return nil }
    self.init(generation, number)
  }

  var text: String { "index-used \(generation) \(number)" }
}
