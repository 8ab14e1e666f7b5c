/// Part of a query's result, as much as is held in memory at a time.

import Access
import DocModel
import DocStore

/// Rows that were read on one view and are shown after it has ended.
///
/// A view keeps the pages of the state that it shows from being used again, so the file grows as long as somebody commits;
/// and whoever shows rows may wait for a reader who looks at the first of them for an hour.
struct ResultPage {
  /// LIMIT: bytes of the documents in a page. The first page is small, so that its rows are shown soon; where each page
  /// sorts the result again, there are few.
  private static let bytesFirst = 16 << 10
  private static let bytesMax = 1 << 20
  private static let bytesSorted = 16 << 20
  /// LIMIT: how long rows wait for others, where those are far between.
  private static let waitMilliseconds = 50

  private(set) var documents: [ShellDocument] = []
  private let bytesMax: Int
  private var bytes = 0
  private var firstCame: ContinuousClock.Instant?

  /// - Parameter number: of the pages before it.
  init(_ number: Int, isSorted: Bool) {
    bytesMax =
      isSorted ? Self.bytesSorted : min(Self.bytesMax, Self.bytesFirst << min(number, Int.bitWidth / 2))
  }

  /// Copies a row, which dies with its view; whether the page has room for more.
  mutating func take(_ row: QueryRow) -> ScanStep {
    documents.append(ShellDocument(row))
    bytes += row.fields.count + row.path.count
    if bytes >= bytesMax { return .stop }
    guard let firstCame else {
      self.firstCame = .now
      return .more
    }
    return .now - firstCame < .milliseconds(Self.waitMilliseconds) ? .more : .stop
  }
}
