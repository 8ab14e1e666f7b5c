/// The second pass: every document is evaluated and judged by the rules that hold for any write.

internal import DocModel
internal import Fixtures
internal import YAML

/// How many documents a seed has in which collection, in order of first appearance.
struct CollectionCounts {
  private(set) var counts: [(collection: String, documents: Int)] = []
  private var places: [String: Int] = [:]

  mutating func add(_ path: ResourcePath) {
    let pattern = path.collectionPattern(joinedBy: "/*/")
    if let place = places[pattern] {
      counts[place].documents += 1
    } else {
      places[pattern] = counts.count
      counts.append((pattern, 1))
    }
  }
}

/// Checks all documents of a file, and keeps them as they will be written unless they are too many.
struct SeedChecker {
  private let file: SeedFile
  private var errors = SeedErrors()
  private var paths = PathRegister()
  /// Hashes that came twice.
  private var repeated: Set<UInt64> = []
  private(set) var counts = CollectionCounts()
  private(set) var documentCount = 0

  /// All documents so far; nil once they were too many.
  private(set) var kept: [SeedWrite]? = []
  private var keptBytes = 0

  private let keptBytesMax: Int

  init(_ file: SeedFile, keptBytesMax: Int) {
    self.file = file
    self.keptBytesMax = keptBytesMax
  }

  /// LIMIT: documents with errors after which looking for other errors ends.
  private static let failuresMax = 100

  mutating func check(_ progress: (SeedProgress) -> Void) throws(SeedFailure) {
    do {
      var cursor = try SeedCursor(file)
      var failures = 0
      while failures < Self.failuresMax, !errors.isFull {
        switch cursor.next() {
        case .end: failures = Self.failuresMax
        case .failed(let error):
          errors.add(error)
          failures += 1
        case .document(let document):
          documentCount += 1
          if documentCount % 1_000 == 0 {
            progress(SeedProgress(phase: .checking, documents: documentCount, total: nil))
          }
          check(document)
        }
      }
      if !repeated.isEmpty { try findRepeated() }
    } catch {
      errors.add(error)
    }
    guard errors.isEmpty else { throw errors.failure(in: file.source) }
  }

  private mutating func check(_ document: SeedDocument) {
    counts.add(document.path)
    let hash = PathRegister.hash(document.path)
    if !paths.insert(hash) { repeated.insert(hash) }
    do throws(InvalidArgument) {
      let fields = try Canonicalizer.fields(document.content.withServerTimes())
      let size = fields.withUnsafeBytes { StorageSize.document(document.path, FieldsView(document: $0)) }
      guard size <= Limits.documentBytesMax else {
        throw InvalidArgument(
          "the document is \(Grouped.text(size)) bytes; at most \(Grouped.text(Limits.documentBytesMax)) are allowed"
        )
      }
      keep(document, fields)
    } catch {
      errors.add(YAMLError(error.message, at: document.mark, notes: ["in \(document.path)"]))
    }
  }

  private mutating func keep(_ document: SeedDocument, _ checked: [UInt8]) {
    if kept == nil { return }
    let write =
      document.content.markers.isEmpty ? SeedWrite(document, fields: checked) : SeedWrite(document)
    keptBytes += write.cost
    if keptBytes <= keptBytesMax { kept?.append(write) } else { kept = nil }
  }

  /// Names every document whose path came before; asked only when hashes are equal.
  private mutating func findRepeated() throws(YAMLError) {
    var first: [ResourcePath: YAMLMark] = [:]
    var cursor = try SeedCursor(file)
    while !errors.isFull {
      switch cursor.next() {
      case .end: return
      case .failed: break
      case .document(let document):
        guard repeated.contains(PathRegister.hash(document.path)) else { break }
        if let mark = first[document.path] {
          errors.add(YAMLError("\(document.path) is already defined at line \(mark.line)", at: document.mark))
        } else {
          first[document.path] = document.mark
        }
      }
    }
  }
}

extension TypedDocument {
  /// The fields as they will look, for checks: an instant wherever the commit will put its time.
  func withServerTimes() -> Fields {
    guard !markers.isEmpty else { return fields }
    let instant = Value.timestamp(Timestamp(seconds: 0, nanoseconds: 0))
    let value = markers.reduce(TypedValue.plain(.map(fields))) { value, marked in
      value.replacing(marked.path.segments[...], with: .plain(instant))
    }
    guard case .plain(.map(let fields)) = value else { return fields }
    return fields
  }
}

/// Numbers with commas.
enum Grouped {
  static func text(_ number: Int) -> String {
    let digits = Array(String(number))
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }
}
