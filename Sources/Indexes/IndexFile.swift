/// A `firestore.indexes.json` as it was read: what it defines, and where.
///
/// Source: docs/spec/production-differences.md 3.2; what the service's command line accepts.

internal import DocModel
public import DocStore
internal import JSON

/// A place in a text: both count from 1, columns in characters.
public struct TextPlace: Hashable, Sendable, Comparable {
  public let line: Int
  public let column: Int

  init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a byte.
  public init(offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<min(offset, bytes.count)]
    line = 1 + before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }

  public static func < (left: TextPlace, right: TextPlace) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

/// Something about an index file that its author should know.
public struct IndexFileProblem: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    /// The service refuses the file or the definition.
    case error
    /// The file is accepted, but it does not mean what it seems to, or part of it does nothing.
    case warning
  }

  public let severity: Severity
  public let place: TextPlace
  public let message: String
  /// What to do about it.
  public let fix: String

  public init(_ severity: Severity, _ place: TextPlace, _ message: String, fix: String) {
    self.severity = severity
    self.place = place
    self.message = message
    self.fix = fix
  }

  /// `firestore.indexes.json:3:5: error: …`, and the fix on a line of its own.
  public func text(path: String) -> String {
    let head = "\(path):\(place.line):\(place.column): \(severity.rawValue): \(message)"
    return fix.isEmpty ? head : "\(head)\n  fix: \(fix)"
  }
}

public struct IndexFile: Sendable {
  public struct Entry<Value: Sendable>: Sendable {
    public let value: Value
    public let place: TextPlace
  }

  public var composites: [Entry<CompositeIndex>] = []
  public var overrides: [Entry<FieldOverride>] = []

  public init() {}

  /// What the file defines. Of two overrides of one field the last counts.
  public var indexes: DefinedIndexes {
    var seen: Set<CompositeIndex> = []
    let kept = composites.map(\.value).filter { seen.insert($0).inserted }
    var named: Set<OverriddenField> = []
    let last = overrides.map(\.value).reversed().filter {
      named.insert(OverriddenField(collectionID: Array($0.collectionID.utf8), path: $0.path)).inserted
    }
    return DefinedIndexes(composites: kept, overrides: last.reversed())
  }

  private struct OverriddenField: Hashable {
    let collectionID: [UInt8]
    let path: FieldPath?
  }

  /// Reads a file. With an error among the problems, what was understood so far is in `file`, but the
  /// service would refuse it.
  public static func read(_ bytes: [UInt8]) -> (file: IndexFile, problems: [IndexFileProblem]) {
    var reader = IndexFileReader(bytes: bytes)
    do throws(JSONError) {
      reader.read(try JSONReader.read(bytes, .file))
    } catch {
      return (
        IndexFile(),
        [IndexFileProblem(.error, TextPlace(offset: error.offset, in: bytes), error.message, fix: "")]
      )
    }
    return (reader.file, reader.problems.sorted { $0.place < $1.place })
  }
}
