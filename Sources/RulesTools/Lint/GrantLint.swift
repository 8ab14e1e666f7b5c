internal import Rules

/// What each `allow` grants: never, always, or not for all its methods.
struct GrantLint {
  private let warned: WarnedPlaces
  private var pending: [(diagnostic: Diagnostic, causes: [Int])] = []
  /// Numbers of `allow`s that grant whoever asks, with the methods.
  private(set) var openStatements: [Int: Set<AllowMethod>] = [:]

  init(warned: WarnedPlaces) { self.warned = warned }

  mutating func judge(_ statement: LintStatement, _ estimator: inout Estimator) {
    estimator.isFirestore = statement.isFirestore
    let allow = statement.allow
    guard let condition = allow.condition else {
      openStatements[allow.number] = Set(statement.methods)
      reportOpen(statement)
      return
    }
    var never: [AllowMethod] = []
    var causes: [Int] = []
    for method in statement.methods {
      let estimate = estimator.condition(condition, for: method)
      if !estimate.canBeTrue {
        never.append(method)
        causes += estimator.metFindings
      } else if !estimate.canBeFalse, !estimate.mayFailAsBool {
        openStatements[allow.number, default: []].insert(method)
      }
    }
    if case .literal(.boolean(let value)) = condition.unwrapped.kind {
      if value { reportOpen(statement) }
      return
    }
    if warned.covers(condition.span) { return }
    reportNever(statement, never, causes, condition)
    if openStatements[allow.number]?.count == statement.methods.count, !statement.methods.isEmpty {
      pending.append((GrantMessages.alwaysTrue(condition.span), []))
    }
    if let date = openUntil(condition) {
      pending.append((GrantMessages.openUntil(date, at: condition.span), []))
    }
  }

  private mutating func reportNever(
    _ statement: LintStatement, _ never: [AllowMethod], _ causes: [Int], _ condition: ExpressionNode
  ) {
    guard !never.isEmpty else { return }
    let isWhole = never.count == statement.methods.count
    let named = never.filter(statement.names)
    if isWhole || !named.isEmpty {
      let methods = isWhole ? [] : named.map(\.rawValue)
      pending.append((GrantMessages.neverGrants(methods, at: condition.span), causes))
    } else {
      pending.append((GrantMessages.neverGrantsMethod(never.map(\.rawValue), at: condition.span), causes))
    }
  }

  private mutating func reportOpen(_ statement: LintStatement) {
    let writes = statement.methods.filter { AllowMethod.write.covers($0) }
    guard !writes.isEmpty, statement.isFirestore else { return }
    let below = statement.pattern.dropFirst(3)
    var isAll = below.count == 1
    if case .globCapture? = below.first?.kind {} else { isAll = false }
    let span = Span(start: statement.allow.span.start, end: statement.allow.span.start + 5)
    let changes = writes.contains(.update) || writes.contains(.delete)
    let message =
      isAll
      ? GrantMessages.openDatabase(span)
      : changes ? GrantMessages.openChange(span) : GrantMessages.openWrite(span)
    pending.append((message, []))
  }

  /// `request.time < timestamp.date(…)` as the whole condition: what the console writes for trying out.
  private func openUntil(_ condition: ExpressionNode) -> String? {
    guard case .binary(let operation, _, let left, let right) = condition.unwrapped.kind,
      operation == .less || operation == .lessOrEqual, left.nameChain == "request.time",
      case .methodCall(let receiver, "date", _, let arguments) = right.kind, receiver.nameChain == "timestamp"
    else { return nil }
    let numbers = arguments.compactMap { argument -> String? in
      guard case .literal(.integer(let value)) = argument.kind else { return nil }
      return value < 10 ? "0\(value)" : "\(value)"
    }
    return numbers.count == 3 ? numbers.joined(separator: "-") : nil
  }

  /// The findings about statements whose cause has not been told at its own place.
  func diagnostics(_ estimator: Estimator) -> [Diagnostic] {
    pending.filter { !$0.causes.contains(where: estimator.isReported) }.map { entry in
      var diagnostic = entry.diagnostic
      if let cause = entry.causes.lazy.compactMap(estimator.finding).first {
        diagnostic.notes.append(Diagnostic.Note("because \(cause.message)", at: cause.span))
      }
      return diagnostic
    }
  }
}

/// What is said about what a statement grants.
enum GrantMessages {
  static func neverGrants(_ methods: [String], at span: Span) -> Diagnostic {
    let what = methods.isEmpty ? "" : " " + list(methods)
    return LintMessages.warning(
      .neverGrants, span, "this condition is never true: the `allow` never grants\(what)")
  }

  static func neverGrantsMethod(_ methods: [String], at span: Span) -> Diagnostic {
    let isDelete = methods == ["delete"]
    return LintMessages.remark(
      .neverGrantsMethod, span,
      "this condition is never true for \(list(methods)), which the `allow` names too",
      fix: Diagnostic.Fix(
        isDelete
          ? "write `create, update` for `write`, and an `allow delete` of its own if that is wanted"
          : "give these methods an `allow` of their own, or name only the others"))
  }

  static func alwaysTrue(_ span: Span) -> Diagnostic {
    LintMessages.warning(.alwaysTrue, span, "this condition is always true")
  }

  static func openWrite(_ span: Span) -> Diagnostic {
    LintMessages.remark(.openWrite, span, "anyone, signed in or not, may write here")
  }

  static func openChange(_ span: Span) -> Diagnostic {
    LintMessages.warning(
      .openChange, span, "anyone, signed in or not, may change or delete what is here",
      fix: Diagnostic.Fix("say whose it is, for example `if request.auth.uid == resource.data.owner`"))
  }

  static func openDatabase(_ span: Span) -> Diagnostic {
    LintMessages.warning(
      .openDatabase, span, "anyone, signed in or not, may change and delete every document of the database",
      fix: Diagnostic.Fix("at least ask `if request.auth != null`"))
  }

  static func openUntil(_ date: String, at span: Span) -> Diagnostic {
    LintMessages.warning(
      .openUntil, span, "anyone is granted this before \(date), and nobody after",
      notes: [Diagnostic.Note("this is how the console opens a new database for trying out")],
      fix: Diagnostic.Fix("say who may do it, for example `if request.auth != null`"))
  }

  private static func list(_ methods: [String]) -> String {
    methods.map { "`\($0)`" }.joined(separator: ", ")
  }
}
