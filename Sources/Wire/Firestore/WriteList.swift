/// The writes of one request together.

internal import DocModel
internal import DocStore

enum WriteList {
  /// The writes as the store takes them; every one is checked before any is given.
  static func read(_ writes: [WireWrite], in database: DatabaseID) throws(InvalidArgument) -> [Write] {
    var list: [Write] = []
    list.reserveCapacity(writes.count)
    for write in writes { list.append(try write.checked(in: database).write) }
    return list
  }
}
