/// A suite as it was read: everything but the values of documents, which depend on what is stored.

internal import Access
internal import DocModel
internal import DocStore
internal import Fixtures
internal import Rules
internal import YAML

/// Who acts.
struct Persona: Sendable {
  let name: String
  let credentials: Credentials
  /// The claims of the token; nil for nobody and for the administrator.
  var claims: Fields?
}

/// Bounds of one request.
struct CaseLimits: Sendable {
  var lookups: Int?
  var expressions: Int?
  var milliseconds: Double?

  /// These bounds where they are given, otherwise the outer ones.
  func within(_ outer: CaseLimits) -> CaseLimits {
    CaseLimits(
      lookups: lookups ?? outer.lookups, expressions: expressions ?? outer.expressions,
      milliseconds: milliseconds ?? outer.milliseconds)
  }
}

/// Documents that differ from the fixtures.
struct Overlay: Sendable {
  enum Change: Sendable {
    /// The document as a whole.
    case whole(Form)
    /// Some of its fields; the document springs into being when there is none.
    case fields(Changes)
    case removed
  }

  struct Entry: Sendable {
    let path: ResourcePath
    let mark: YAMLMark
    let source: YAMLSource
    let change: Change
  }

  let entries: [Entry]

  /// Both, one after the other.
  static func + (left: Overlay, right: Overlay) -> Overlay { Overlay(entries: left.entries + right.entries) }
}

/// One write of a request.
struct WriteForm: Sendable {
  enum Operation: Sendable {
    case create(Form)
    case set(Form)
    case merge(Changes)
    case update(Changes)
    /// An update whose data is a whole document (`$like`): its fields replace those stored.
    case updateWhole(Form)
    case delete
  }

  let path: ResourcePath
  let operation: Operation
  let mark: YAMLMark
}

/// A query as it is run, and as it was written.
struct ListedQuery: Sendable {
  let normalized: NormalizedQuery
  let written: StructuredQuery
}

/// What a request does.
indirect enum Action: Sendable {
  case get(ResourcePath)
  case getAll([ResourcePath])
  case query(ListedQuery, counts: Bool)
  case commit([WriteForm])
  case transaction([Action], [WriteForm])
  /// A listener, judged as the read it begins with; `name` is what `relisten` calls it.
  case listen(Action, name: String?)
  case relisten(String)
}

extension Action {
  /// Whether rules judge more than one operation, of which the first refusal ends the request.
  var hasSeveralOperations: Bool {
    switch self {
    case .get, .query, .relisten: false
    case .getAll(let paths): paths.count > 1
    case .commit(let writes): writes.count > 1
    case .transaction: true
    case .listen(let action, _): action.hasSeveralOperations
    }
  }
}

struct Request: Sendable {
  let action: Action
  var persona: Persona
  /// Documents changed just before it.
  let given: Overlay?
  /// `request.time` in microseconds, when it is not the suite's clock.
  let time: Int64?
  var expectation: Expectation
  let after: Overlay?
  let title: String
  let source: YAMLSource
  let mark: YAMLMark
}

/// What a request must come to.
struct Expectation: Sendable {
  enum Verdict: Sendable, Hashable {
    case allow
    /// One of these kinds; none says that every kind will do.
    case deny([DenialKind])
    /// Whatever happens.
    case anything
  }

  var verdict: Verdict
  /// Texts of what was written, for reports.
  var text: String
  var mark: YAMLMark
  /// Rule id.
  var rule: String?
  var because: String?
  var error: ErrorKind?
  var missing: String?
  var write: Int?
  var lookups: Int?
  var returned: Returned?

  enum Returned: Sendable {
    case paths([String])
    case count(Int)
  }

  init(_ verdict: Verdict, text: String, mark: YAMLMark) {
    self.verdict = verdict
    self.text = text
    self.mark = mark
  }
}

/// Why something was denied, in a word.
enum DenialKind: String, CaseIterable, Sendable {
  case condition, unmatched, error, unprovable, limit
}

/// One cell of a grid, one case, one row of a table.
struct TestCase: Sendable {
  enum Kind: String, Sendable { case cell, `case` }

  enum Body: Sendable {
    case steps([Request])
    /// Every run must give all its requests the same verdict.
    case property([Run])
  }

  struct Run: Sendable {
    let title: String
    let given: Overlay?
    let requests: [Request]
  }

  /// A deliberate exception.
  enum Mark: Sendable {
    case none
    case only
    case todo(String)
    case skip(String)
  }

  /// Where a cell stands in its grid.
  struct Place: Sendable {
    /// Nil in a grid without states.
    let state: String?
    let operation: String
  }

  var kind: Kind
  /// Of cells.
  var place: Place?
  /// Below the name of the suite.
  var names: [String]
  var tags: [String]
  var exception: Mark
  var limits: CaseLimits
  var given: Overlay?
  var body: Body
  var source: YAMLSource
  var mark: YAMLMark
}

/// A file of tests, ready to run.
struct SuiteFile: Sendable {
  var source: YAMLSource
  var name: String
  var database: DatabaseID
  /// Microseconds since the epoch.
  let clock: Int64
  var rules: Ruleset
  var templates: TemplateTable
  /// In written order.
  var fixtures: [Fixture]
  var cases: [TestCase]
  /// Sections that were read and are not checked.
  var unchecked: [String]
  /// What must be covered when all cases have run.
  var requirement: Requirement?
  /// Paths of the other files it was read from: its rules, and what it imports.
  var dependencies: [String]

  struct Fixture: Sendable {
    let path: ResourcePath
    let form: Form
    let mark: YAMLMark
    let source: YAMLSource
  }
}
