/// Why a data folder could not be opened, in words for the person who named it.

internal import CLMDB
internal import Platform

public enum LMDBOpenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process writes to the folder; 0 when it does not tell who it is.
  case inUse(folder: String, process: Int32)
  /// The system refused an operation on the folder.
  case system(folder: String, operation: String, reason: String)
  /// The folder holds something that is not this engine's, or is damaged; nothing in it was changed.
  case damaged(folder: String, reason: String)

  public var description: String {
    switch self {
    case .inUse(let folder, let process):
      process > 0
        ? "data folder `\(folder)` is in use by process \(process)"
        : "data folder `\(folder)` is in use by another process"
    case .system(let folder, let operation, let reason):
      "data folder `\(folder)`: cannot \(operation): \(reason)"
    case .damaged(let folder, let reason):
      "data folder `\(folder)` holds no usable data: \(reason). \(Self.advice(folder))"
    }
  }

  /// What somebody who finds a damaged folder can do.
  static func advice(_ folder: String) -> String {
    "Nothing was changed. `docsh check \(folder)` names what is damaged, "
      + "`docsh repair \(folder) --out NEW` saves what can be read"
  }

  static func system(_ folder: String, _ operation: String, code: Int32) -> LMDBOpenError {
    .system(folder: folder, operation: operation, reason: String(cString: strerror(code)))
  }

  /// From a code of the engine's library, which are negative, or of the system.
  static func library(_ folder: String, _ operation: String, code: Int32) -> LMDBOpenError {
    if code > 0 { return system(folder, operation, code: code) }
    return .damaged(folder: folder, reason: String(cString: mdb_strerror(code)))
  }
}
