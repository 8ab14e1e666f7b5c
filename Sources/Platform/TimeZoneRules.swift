/// Time zones of the IANA database, as the machine's files have them.
///
/// A file lists when the clocks of a zone were set, up to some year; a rule at its end says how it goes on from there
/// (`ZoneFooter`). Source: RFC 9636 (TZif).

internal import Synchronization

/// Why there is no such time zone.
public enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknown(String, folder: String)
  /// A text that no zone can have as its name.
  case notAName(String)
  /// The machine has no zones at all.
  case noZones(folder: String)
  case unreadable(String, reason: String)

  public var description: String {
    switch self {
    case .unknown(let name, let folder):
      "'\(name)' is no time zone of \(folder); write a name like Europe/Berlin, or UTC"
    case .notAName(let name):
      "'\(name)' is no name of a time zone; write letters, digits, _, + and - between slashes, as in Europe/Berlin"
    case .noZones(let folder):
      "this machine has no time zones in \(folder); install its package tzdata, or use UTC"
    case .unreadable(let name, let reason): "the time zone '\(name)' cannot be read: \(reason)"
    }
  }
}

/// A zone of the IANA database, read from the machine's zoneinfo files.
public struct TimeZoneRules: Sendable, Hashable {
  /// Its name in the database: `Europe/Berlin`.
  public let name: String
  private let table: ZoneTable

  /// Needs no file.
  public static let utc = TimeZoneRules("UTC", ZoneTable(firstOffset: 0))

  init(_ name: String, _ table: ZoneTable) {
    self.name = name
    self.table = table
  }

  /// LIMIT: zones that are kept in memory. Whoever asks for more reads files.
  private static let cachedMax = 64
  private static let cache = Mutex<[String: TimeZoneRules]>([:])

  /// Reads a zone of the folder that the environment variable `TZDIR` names, else of `/usr/share/zoneinfo`. A zone that
  /// was read is remembered until the process ends.
  public init(named name: String) throws(TimeZoneError) {
    if let known = Self.cache.withLock({ $0[name] }) {
      self = known
      return
    }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    try self.init(named: name, folder: folder)
    let zone = self
    Self.cache.withLock { cache in
      if cache.count >= Self.cachedMax { cache.removeAll() }
      cache[name] = zone
    }
  }

  /// LIMIT: bytes of a zone's file. The largest of the database have about 4,000.
  private static let fileBytesMax = 1 << 20

  init(named name: String, folder: String) throws(TimeZoneError) {
    if name == "UTC" || name == "Etc/UTC" {
      self.init(name, Self.utc.table)
      return
    }
    guard Self.isName(name) else { throw .notAName(name) }
    let path = folder + "/" + name
    guard Self.isFile(path) else {
      throw access(folder, R_OK) == 0 ? .unknown(name, folder: folder) : .noZones(folder: folder)
    }
    let bytes: [UInt8]
    do throws(FileFailure) { bytes = try FileContents.read(path, bytesMax: Self.fileBytesMax) } catch {
      throw .unreadable(name, reason: error.reason)
    }
    // The folder has files beside the zones.
    guard bytes.starts(with: ZoneTable.magic) else { throw .unknown(name, folder: folder) }
    do throws(ZoneFault) { self.init(name, try ZoneTable(bytes)) } catch {
      throw .unreadable(name, reason: error.reason)
    }
  }

  /// Whether a text stays inside of the folder, and may be a zone's name.
  private static func isName(_ name: String) -> Bool {
    guard (1...255).contains(name.utf8.count) else { return false }
    return name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      part in
      guard let first = part.first, first != UInt8(ascii: "-") else { return false }
      return part.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
    }
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  // MARK: times

  /// Seconds east of UTC at a time in seconds since the epoch.
  public func offset(atSeconds seconds: Int64) -> Int { table.offset(at: seconds) }

  /// What the clocks of the zone show at a time in seconds since the epoch.
  public func local(atSeconds seconds: Int64) -> LocalTime {
    LocalTime(count: seconds + Int64(table.offset(at: seconds)))
  }

  /// When the clocks of the zone show this, in seconds since the epoch. The earlier time where they show it twice; where
  /// they skip it, as if they had not been set yet: in Berlin, 02:30 of a night in which they go from 2 to 3 is 03:30.
  public func seconds(of local: LocalTime) -> Int64 {
    // No clock is a day and two hours away from UTC: this is before the wanted time, whatever the offset.
    var start = local.count - 93_600
    var earlier: Int64?
    while true {
      let offset = Int64(table.offset(at: start))
      let end = table.nextChange(after: start) ?? .max
      let time = local.count - offset
      if time < end { return time >= start ? time : local.count - (earlier ?? offset) }
      earlier = offset
      start = end
    }
  }

  /// When the clocks may be set next after a time, in seconds since the epoch; nil when they never are again.
  package func nextChange(afterSeconds seconds: Int64) -> Int64? { table.nextChange(after: seconds) }
}
