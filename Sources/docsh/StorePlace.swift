/// Where a store is kept.

import ArgumentParser
import EngineLMDB
import EnginePostgres

enum StorePlace {
  /// A store that ends with the process.
  case nowhere
  case folder(String)
  case postgres(PostgresAddress)

  /// A folder, or an address that begins with postgres://. Complains and ends when an address is none.
  init(_ text: String) throws {
    guard PostgresAddress.isOne(text) else {
      self = .folder(text)
      return
    }
    do throws(PostgresOpenError) { self = .postgres(try PostgresAddress(text)) } catch {
      throw StoreOpening.end(error)
    }
  }

  /// - Parameters: what the options of a command say.
  init(store: String?, folder: String?) throws {
    if let store {
      if folder != nil {
        throw ValidationError("--data-dir and --store exclude each other: documents are kept in one of them")
      }
      guard PostgresAddress.isOne(store) else {
        throw ValidationError(
          "--store takes an address such as postgres://user@host/database, found '\(store)'; a folder is named by --data-dir"
        )
      }
      self = try StorePlace(store)
    } else {
      self = folder.map { .folder($0) } ?? .nowhere
    }
  }

  /// For people, without passwords.
  var text: String {
    switch self {
    case .nowhere: "a temporary store"
    case .folder(let folder): "data folder `\(folder)`"
    case .postgres(let address): "the store at \(address.text)"
    }
  }

  /// Opens the engine there; complains and ends when that cannot be.
  ///
  /// - Parameters:
  ///   - keepsCopy: whether what is in PostgreSQL is copied, for somebody who reads often.
  ///   - isShared: whether other servers may have it at the same time.
  func open(keepsCopy: Bool = true, isShared: Bool = false) throws -> ServedEngine {
    switch self {
    case .nowhere:
      return .folder(try StoreOpening.attempt { () throws(LMDBOpenError) in try LMDBEngine.ephemeral() })
    case .folder(let folder):
      return .folder(
        try StoreOpening.attempt { () throws(LMDBOpenError) in try LMDBEngine.durable(folder: folder) })
    case .postgres(let address):
      do throws(PostgresOpenError) {
        return .postgres(try PostgresEngine.open(address, keepsCopy: keepsCopy, isShared: isShared))
      } catch { throw StoreOpening.end(error) }
    }
  }
}
