/// Studios in a store of this process.

public import DocModel
public import DocStore

public struct StoreStudios<Engine: StorageEngine>: StudioTarget {
  private let store: DocumentStore<Engine>
  private let database: DatabaseID

  public init(_ store: DocumentStore<Engine>, _ database: DatabaseID) {
    self.store = store
    self.database = database
  }

  public mutating func studios(_ paths: [ResourcePath]) async throws(SeedSinkError) -> [StoredStudio?] {
    do throws(StoreError) {
      return try store.read(database) { (view) throws(StoreError) in
        var studios: [StoredStudio?] = []
        for path in paths {
          let stored = try view.document(path)
          studios.append(stored.map { StoredStudio(fields: Fields($0.fields), updateTime: $0.updateTime) })
        }
        return studios
      }
    } catch {
      throw SeedSinkError(error.message)
    }
  }

  public mutating func commit(_ writes: [StudioWrite]) async throws(SeedSinkError) -> Bool {
    do throws(StoreError) {
      _ = try await store.commit(database, writes.map { Write($0) })
      return true
    } catch {
      switch error {
      case .alreadyExists, .notFound, .failedPrecondition(.version), .aborted: return false
      case .failedPrecondition, .invalid, .permissionDenied, .resourceExhausted, .targetExists, .storage,
        .engine:
        throw SeedSinkError(error.message)
      }
    }
  }
}

extension Write {
  /// Applies to the state that was looked at only.
  public init(_ write: StudioWrite) {
    self.init(
      write.path, .update(fields: write.fields, mask: write.mask),
      precondition: write.updateTime.map { .updateTime($0) } ?? .exists(false))
  }
}
