/// A commit as its judge sees it: planned, not yet written.

public import DocModel

/// Decides whether a planned commit may happen; throws to refuse it. Runs on the thread that writes, so it
/// must not wait for anything. Other commits are not affected by a refusal.
public typealias CommitJudge = @Sendable (JudgedCommit) throws(StoreError) -> Void

/// What a commit does to a document.
public enum WriteKind: Hashable, Sendable { case create, update, delete, verify }

/// What a commit's writes to one document come to; rules see several as one.
public struct JudgedWrite {
  public let path: ResourcePath
  /// `update` also when nothing changes; `delete` also when nothing is there.
  public let kind: WriteKind
  /// Whether what is stored says that it is a create or an update, and not the write itself.
  public let isKindOpen: Bool
  /// Of all of its writes that count, one behind the other; nil when one of them writes the whole document.
  public let mask: [FieldPath]?
  /// Of all of its writes that count.
  public let transforms: [FieldTransform]
  /// The document as it is stored, also where a `create` will not be possible; nil when there is none.
  public let before: StoredDocument?
  /// The document after all of them.
  public let after: StoredDocument?

  init(_ document: CommitPlanner.Touched) {
    path = document.path
    kind = document.writes.kind(isStored: document.before != nil)
    isKindOpen = kind != document.writes.kind(isStored: document.before == nil)
    mask = document.writes.mask
    transforms = document.writes.transforms
    before = document.before?.document
    after = document.now?.document
  }
}

/// A planned commit, on exactly the state it will apply to.
///
/// Legal only inside the judge's closure, as is every document it hands out.
public final class JudgedCommit {
  public enum Moment: Sendable {
    /// Without this commit.
    case before
    /// After all of its writes.
    case after
  }

  public let database: DatabaseID
  /// The version the commit will get.
  public let commitTime: Int64
  /// What server-time transforms of the commit write, and what `request.time` is, in microseconds.
  public let serverTime: Int64
  /// One for each document, in the order in which the commit first names them.
  public let writes: [JudgedWrite]
  /// Whether an event loop waits: what takes long is to be given up (`giveUp`) and judged again by the thread that writes.
  public let isHurried: Bool
  private(set) var isGivenUp = false
  private let planner: CommitPlanner
  private var decided: [() -> Void] = []

  init(
    database: DatabaseID, commitTime: Int64, serverTime: Int64, writes: [JudgedWrite], isHurried: Bool,
    planner: CommitPlanner
  ) {
    self.database = database
    self.commitTime = commitTime
    self.serverTime = serverTime
    self.writes = writes
    self.isHurried = isHurried
    self.planner = planner
  }

  /// Any document of the database, before or after the whole commit. A damaged record answers nil here
  /// and fails the commit after the judge has returned.
  public func document(_ path: ResourcePath, _ moment: Moment) -> StoredDocument? {
    planner.judgedDocument(path, moment)
  }

  /// Says that a hurried commit takes too long; the judge then throws, and nobody is told of that.
  public func giveUp() {
    precondition(isHurried, "only a hurried judgement is given up")
    isGivenUp = true
  }

  /// Runs `body`, on this thread, when the commit has been applied or refused; never when it has to wait for others,
  /// because then it is judged again.
  public func whenDecided(_ body: @escaping () -> Void) { decided.append(body) }

  func tellDecided() {
    for body in decided { body() }
    decided = []
  }

  /// Whether one of the writes names the document.
  public func isWritten(_ path: ResourcePath) -> Bool { planner.isTouched(path) }
}
