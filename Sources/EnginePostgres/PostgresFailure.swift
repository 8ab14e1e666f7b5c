/// What PostgreSQL, or the way to it, answered instead of doing what it was asked.

internal import DocStore

/// LIMIT of what is known: a failure without a state is one of the connection, and whether the server did what it was
/// asked last is not known then.
struct PostgresFailure: Error, Hashable, Sendable {
  /// Five letters and figures. Source: PostgreSQL's manual, "PostgreSQL Error Codes".
  var state: String?
  var message: String

  /// The connection is of no use any more.
  var isLost: Bool {
    guard let state else { return true }
    // 08: connection; 57P01 to 57P05: the server or this session of it was ended; 25P03: a session that did nothing in the
    // middle of a transaction was; 25006: it may only be read, because
    // another one has taken over.
    return state.hasPrefix("08") || state.hasPrefix("57P") || state == "25P03" || state == "25006"
  }

  /// What a constraint of the clock row answers a server that another one has taken the store from.
  var isDeposed: Bool { state == "23502" }

  /// What says that something is not there.
  var isMissing: Bool { state == "42P01" || state == "3F000" }

  /// What a name that was made by somebody else at the same time is refused with: a row, a type, a schema or a table.
  var isDuplicate: Bool { ["23505", "42710", "42P06", "42P07"].contains(state) }

  /// The server lets nobody in, or not this one.
  var isRefusal: Bool {
    guard let state else { return false }
    return state.hasPrefix("28") || state.hasPrefix("3D") || state.hasPrefix("53")
  }

  /// What the layers above can act on.
  var storageError: StorageError {
    switch state {
    case "40001", "40P01", "55P03": .conflict
    case let state? where state.hasPrefix("53"): .full
    case "XX001", "XX002": .corrupt
    default: .unavailable
    }
  }
}

/// Why a store in PostgreSQL could not be opened, in words for the person who named it. Never holds a password.
public enum PostgresOpenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The client library is not there.
  case noLibrary(reason: String)
  /// The text after `--store` names no database.
  case malformed(reason: String)
  /// Nobody answers, or the server refuses.
  case unreachable(store: String, reason: String)
  /// What is there is not a store of this program, or of a later one.
  case unusable(store: String, reason: String)
  /// Another server has the store.
  case inUse(store: String, owner: String)

  public var description: String {
    switch self {
    case .noLibrary(let reason):
      "a store in PostgreSQL needs its client library: \(reason). Install the package `libpq5` (Debian, Ubuntu), "
        + "`libpq` (Fedora, Homebrew) or `postgresql-libs` (Arch)"
    case .malformed(let reason):
      "the store is named as postgres://user@host:port/database: \(reason)"
    case .unreachable(let store, let reason):
      "PostgreSQL cannot be reached at \(store): \(reason). Look whether it runs, and with "
        + "`psql` whether it lets you in with the same name"
    case .unusable(let store, let reason): "the store at \(store) cannot be used: \(reason)"
    case .inUse(let store, let owner):
      "the store at \(store) is in use by \(owner). \(Self.remedy(owner))"
    }
  }

  private static func remedy(_ owner: String) -> String {
    switch owner {
    case PostgresOwner.severalName: "Start this one with --shared, too, or stop all of those"
    case PostgresOwner.othersName: "Stop all of those first"
    default: "One server at a time writes to a store; stop that one first, or start all of them with --shared"
    }
  }
}
