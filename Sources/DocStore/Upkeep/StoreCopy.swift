/// A copy of a whole store from one engine to another, byte for byte.

/// What is copied lies in the target only when all of it does: until then the target is marked, and cannot be opened.
public enum StoreCopy {
  /// What a target must be, or what was found out afterwards.
  public enum Failure: StorageFailure, Hashable {
    case storage(StorageError)
    /// The target holds something.
    case notEmpty
    /// The source is what such a copy has left.
    case unfinished
    /// A key that is in one of them only, or has another value.
    case different(Keyspace)

    public init(storage error: StorageError) { self = .storage(error) }
  }

  /// LIMIT: entries and bytes that are held at a time.
  private static let sliceEntries = 4_096
  private static let sliceBytes = 2 << 20

  /// Copies what nobody writes to meanwhile, and compares both afterwards.
  ///
  /// - Parameters:
  ///   - progress: how many entries are copied, of how many.
  ///   - besides: copies what else belongs to the store, before the target can be opened.
  /// - Returns: how many entries there are.
  public static func run<Source: StorageEngine, Target: StorageEngine>(
    from source: Source, to target: Target, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in },
    besides: () throws(Failure) -> Void = {}
  ) throws(Failure) -> Int {
    guard try isFinished(source) else { throw .unfinished }
    for keyspace in Keyspace.allCases where try !slice(target, keyspace, after: nil).isEmpty {
      throw .notEmpty
    }
    let all = try entryCount(source)
    try mark(target, isFinished: false)
    var done = 0
    for keyspace in Keyspace.allCases {
      try visitSlices(source, keyspace) { (slice) throws(Failure) in
        try target.write(MutationBatch()) { (_, batch) throws(Failure) in
          for (key, value) in slice { batch.put(keyspace, key, value) }
        }
        done += slice.count
        progress(done, all)
      }
    }
    try compare(source, target)
    try besides()
    try mark(target, isFinished: true)
    return done
  }

  /// Whether a store is no half of a copy.
  static func isFinished(_ engine: some StorageEngine) throws(Failure) -> Bool {
    try engine.read { (view) throws(Failure) in
      do throws(StorageError) { return try view.get(.catalog, KeyLayout.unfinishedKey) == nil } catch {
        throw .storage(error)
      }
    }
  }

  /// Leaves an empty store where `run` has not come to its end.
  public static func removeUnfinished(_ engine: some StorageEngine) throws(Failure) {
    guard try !isFinished(engine) else { return }
    for keyspace in Keyspace.allCases {
      while let last = try slice(engine, keyspace, after: nil).last {
        try engine.write(MutationBatch()) { (_, batch) throws(Failure) in
          // The mark is below everything else, and stays until nothing else is there.
          let lower = keyspace == .catalog ? KeyLayout.unfinishedKey + [0] : []
          let range = KeyRange(lower: lower, upper: last.key + [0])
          batch.removeRange(keyspace, range, limit: sliceEntries)
        }
      }
    }
    try mark(engine, isFinished: true)
  }

  private static func mark(_ engine: some StorageEngine, isFinished: Bool) throws(Failure) {
    try engine.write(MutationBatch()) { (_, batch) throws(Failure) in
      if isFinished {
        batch.remove(.catalog, KeyLayout.unfinishedKey)
      } else {
        batch.put(.catalog, KeyLayout.unfinishedKey, [])
      }
    }
  }

  private static func entryCount(_ engine: some StorageEngine) throws(Failure) -> Int {
    try engine.read { (view) throws(Failure) in
      do throws(StorageError) {
        var count = 0
        for keyspace in Keyspace.allCases { count += try view.size(of: keyspace).entries }
        return count
      } catch { throw .storage(error) }
    }
  }

  /// Both have the same entries: slices that begin behind the same key end with the same one.
  private static func compare(_ source: some StorageEngine, _ target: some StorageEngine) throws(Failure) {
    for keyspace in Keyspace.allCases {
      var last: [UInt8]?
      repeat {
        let (one, other) = (
          try slice(source, keyspace, after: last), try slice(target, keyspace, after: last)
        )
        guard one.elementsEqual(other, by: ==) else { throw .different(keyspace) }
        last = one.last?.key
      } while last != nil
    }
  }

  private typealias Entry = (key: [UInt8], value: [UInt8])

  private static func visitSlices(
    _ engine: some StorageEngine, _ keyspace: Keyspace, _ visit: ([Entry]) throws(Failure) -> Void
  ) throws(Failure) {
    var last: [UInt8]?
    while true {
      let found = try slice(engine, keyspace, after: last)
      guard let key = found.last?.key else { return }
      try visit(found)
      last = key
    }
  }

  /// The entries behind a key, but for the mark.
  private static func slice(
    _ engine: some StorageEngine, _ keyspace: Keyspace, after last: [UInt8]?
  ) throws(Failure) -> [Entry] {
    try engine.read { (view) throws(Failure) in
      var found: [Entry] = []
      var bytes = 0
      do throws(StorageError) {
        let range = KeyRange(lower: last.map { $0 + [0] } ?? [], upper: nil)
        try view.scan(keyspace, range, .forward) { key, value in
          if keyspace == .catalog, key.elementsEqual(KeyLayout.unfinishedKey) { return .more }
          found.append((Array(key), Array(value)))
          bytes += key.count + value.count
          return found.count < sliceEntries && bytes < sliceBytes ? .more : .stop
        }
      } catch { throw .storage(error) }
      return found
    }
  }
}
