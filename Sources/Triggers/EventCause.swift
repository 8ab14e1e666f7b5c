/// Which chain of triggers a change belongs to.
///
/// A change that nobody's trigger made begins a chain. What a trigger writes belongs to the chain of the event
/// that it handles, one deeper. The chain travels with commits as their `CommitOrigin`, and with events that
/// go over HTTP in the header `docstore-cause`, which a function may send back with its own writes.

internal import DocModel
internal import DocStore

/// The chain of triggers that led to a change: its first event, its length, and its last links.
public struct EventCause: Hashable, Sendable {
  /// One link: a trigger that ran for a document.
  public struct Step: Hashable, Sendable {
    /// The trigger's name.
    public let trigger: String
    /// The document's path within its database: `users/x`.
    public let document: String
  }

  /// The header, and the name of the field of gRPC metadata.
  public static let header = "docstore-cause"
  /// LIMIT: links that are remembered; enough to name a cycle.
  static let stepsMax = 12
  /// LIMIT: bytes of the text; fits a commit's origin and a header.
  static let textBytesMax = 4_000

  /// The id of the event that began the chain; empty for a change that nobody's trigger made.
  public let root: String
  /// How many triggers have run to bring the change about. Of a guessed chain: how often it came back to where
  /// it had been.
  public let depth: Int
  /// The last links, oldest first.
  public let steps: [Step]
  /// Whether the chain was concluded from times, because whoever wrote did not say what made it write.
  public let isGuessed: Bool

  /// The cause of what no trigger wrote.
  public static let none = EventCause(root: "", depth: 0, steps: [], isGuessed: false)

  /// The cause of what a trigger writes while it handles an event with this cause.
  func following(_ trigger: String, _ document: ResourcePath, event id: String) -> EventCause {
    EventCause(
      root: root.isEmpty ? id : root, depth: isGuessed ? depth : depth + 1,
      steps: Array((steps + [Step(trigger: trigger, document: document.text)]).suffix(Self.stepsMax)),
      isGuessed: isGuessed)
  }

  /// This cause as concluded for a change of `document`: deeper when the chain was there before.
  func guessed(for document: ResourcePath) -> EventCause {
    let returns = visits(document)
    return EventCause(
      root: root, depth: (isGuessed ? depth : 0) + (returns ? 1 : 0), steps: steps, isGuessed: true)
  }

  /// Whether one of the remembered links was for this document.
  func visits(_ document: ResourcePath) -> Bool {
    steps.contains { $0.document.hasSameBytes(as: document.text) }
  }

  /// The cycle that an event of a document closes, in words: `a(users/x) -> b(posts/y) -> a(users/x)`.
  /// Without a cycle among the remembered links: all of them.
  func cycle(closedBy trigger: String, _ document: ResourcePath) -> String {
    let last = Step(trigger: trigger, document: document.text)
    let start = steps.lastIndex(of: last) ?? steps.lastIndex { $0.trigger == trigger } ?? steps.startIndex
    return (steps[start...] + [last]).map { "\($0.trigger)(\($0.document))" }.joined(separator: " -> ")
  }
}

extension EventCause {
  /// The form that travels: `1;ROOT;DEPTH;GUESSED;TRIGGER@DOCUMENT,...`, printable ASCII only.
  public var text: String {
    let head = "1;\(Self.escaped(root));\(depth);\(isGuessed ? 1 : 0);"
    var room = Self.textBytesMax - head.utf8.count
    // The newest links tell most; the depth counts those that are left out, too.
    var links: [String] = []
    for step in steps.reversed() {
      let link = Self.escaped(step.trigger) + "@" + Self.escaped(step.document)
      room -= link.utf8.count + 1
      if room < 0 { break }
      links.append(link)
    }
    return head + links.reversed().joined(separator: ",")
  }

  /// Nil for what is no such text.
  public init?(text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "1", let depth = Int(parts[2]), (0...1_000_000).contains(depth),
      let root = Self.unescaped(parts[1]), parts[3] == "0" || parts[3] == "1"
    else { return nil }
    var steps: [Step] = []
    for link in parts[4].split(separator: ",").suffix(Self.stepsMax) {
      let sides = link.split(separator: "@", omittingEmptySubsequences: false)
      guard sides.count == 2, let trigger = Self.unescaped(sides[0]), let document = Self.unescaped(sides[1])
      else { return nil }
      steps.append(Step(trigger: trigger, document: document))
    }
    self.init(root: root, depth: depth, steps: steps, isGuessed: parts[3] == "1")
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte.isWordByte || "-./".utf8.contains(byte) }

  private static func escaped(_ text: String) -> String { PercentEncoding.text(text, keeping: isPlain) }

  private static func unescaped(_ text: Substring) -> String? {
    guard text.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "%") }),
      let plain = PercentEncoding.decode(Array(text.utf8)[...])
    else { return nil }
    return String(validating: plain, as: UTF8.self)
  }
}

/// Deliveries to functions elsewhere, to conclude which of them a commit came from.
///
/// A commit made while one runs may be its work. With several, only one whose chain has been at the changed
/// document counts: coming back is what cycles do. LIMIT: the latest deliveries are remembered.
struct TriggerLoopDetector: Sendable {
  private struct Window: Sendable {
    let id: UInt64
    let cause: EventCause
    let start: Int64
    var end: Int64?
  }

  private static let windowsMax = 128
  /// Microseconds after its end in which a delivery may still be what wrote.
  private static let graceMicroseconds: Int64 = 20_000

  private var windows: [Window] = []
  private var nextID: UInt64 = 0
  /// The first events of chains that were reported, oldest first. LIMIT: as many as windows.
  private var suspects: [String] = []

  /// A delivery begins. `cause` is that of what it will write.
  mutating func begin(_ cause: EventCause, now: Int64) -> UInt64 {
    if windows.count >= Self.windowsMax {
      windows.remove(at: windows.firstIndex { $0.end != nil } ?? 0)
    }
    nextID += 1
    windows.append(Window(id: nextID, cause: cause, start: now, end: nil))
    return nextID
  }

  /// Whether a chain, by its first event, was not suspected before.
  mutating func suspect(_ root: String) -> Bool {
    if suspects.contains(where: { $0.hasSameBytes(as: root) }) { return false }
    if suspects.count >= Self.windowsMax { suspects.removeFirst() }
    suspects.append(root)
    return true
  }

  mutating func end(_ id: UInt64, now: Int64) {
    guard let index = windows.firstIndex(where: { $0.id == id }) else { return }
    windows[index].end = now
  }

  /// What a change without an origin may have come from.
  func guess(_ document: ResourcePath, version: Int64) -> EventCause? {
    if windows.isEmpty { return nil }
    let open = windows.filter {
      $0.start <= version && version <= ($0.end ?? .max - Self.graceMicroseconds) + Self.graceMicroseconds
    }
    // What it would be, not what it was: the first of a chain counts links, the others returns.
    let returning = open.filter { $0.cause.visits(document) }.map { $0.cause.guessed(for: document) }
    if let deepest = returning.max(by: { $0.depth < $1.depth }) { return deepest }
    return open.count == 1 ? open[0].cause.guessed(for: document) : nil
  }
}
