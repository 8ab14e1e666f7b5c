internal import Rules

/// Runs conditions on estimates instead of values: once for each method an `allow` names, through
/// functions with the arguments they are called with.
///
/// A place is reported only if it failed every time it was reached, so a function that fails for one
/// caller and serves another is not complained about.
struct Estimator {
  /// LIMIT: nodes looked at in a file. Beyond, calls of functions have any value and less is found.
  static let visitsMax = 1_000_000

  let resolution: Resolution
  /// Places that the compiler has warned about: nothing is said twice.
  let warned: WarnedPlaces

  /// What is being judged; nil when a function is looked at that nothing calls.
  var method: AllowMethod?
  /// Whether `request` and `resource` are those of Firestore.
  var isFirestore = true

  private var budget = Estimator.visitsMax
  private var succeeded: [Bool]
  private var suspected: [Bool]
  /// What to say about a node that always fails, by number.
  private var findings: [Int: Diagnostic] = [:]
  /// Numbers in `findings` that the `allow` judged now has met.
  private(set) var metFindings: [Int] = []

  var parameters: [Estimate] = []
  var locals: [Estimate] = []
  private var callDepth = 0
  private var reached: Set<Int> = []

  init(_ resolution: Resolution, warned: WarnedPlaces) {
    self.resolution = resolution
    self.warned = warned
    succeeded = Array(repeating: false, count: resolution.bindings.count)
    suspected = succeeded
  }

  /// Estimates the condition of an `allow` for one method.
  mutating func condition(_ node: ExpressionNode, for method: AllowMethod) -> Estimate {
    self.method = method
    metFindings = []
    parameters = []
    locals = []
    return estimate(node)
  }

  /// Looks at functions that no condition reached, with any arguments.
  mutating func visitUnreached() {
    method = nil
    for function in resolution.functions where !reached.contains(function.number) {
      _ = body(of: function, Array(repeating: .any, count: function.parameters.count))
    }
  }

  /// What always fails or never varies.
  var diagnostics: [Diagnostic] {
    findings.filter { !succeeded[$0.key] }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Whether a node is among the `diagnostics` as far as they are known now.
  func isReported(_ number: Int) -> Bool { findings[number] != nil && !succeeded[number] }

  /// What was found at a node, also if another evaluation succeeded there.
  func finding(_ number: Int) -> Diagnostic? { findings[number] }

  // MARK: Findings

  /// The node cannot be evaluated.
  mutating func fail(_ node: ExpressionNode, _ diagnostic: @autoclosure () -> Diagnostic) -> Estimate {
    // What the compiler warned about may be anything here, so that nothing follows from it.
    if warned.covers(node.span) { return .any }
    suspect(node, diagnostic())
    return .failing
  }

  /// The node gives a value, but not one that can have been meant.
  mutating func suspect(_ node: ExpressionNode, _ diagnostic: @autoclosure () -> Diagnostic) {
    suspected[node.number] = true
    metFindings.append(node.number)
    guard findings[node.number] == nil, !warned.covers(node.span) else { return }
    findings[node.number] = diagnostic()
  }

  // MARK: Expressions

  mutating func estimate(_ node: ExpressionNode) -> Estimate {
    budget -= 1
    suspected[node.number] = false
    let result = evaluate(node)
    if !result.isFailing, !suspected[node.number] { succeeded[node.number] = true }
    return result
  }

  private mutating func evaluate(_ node: ExpressionNode) -> Estimate {
    switch node.kind {
    case .literal(let literal): return Self.constant(literal)
    case .identifier: return variable(node)
    case .member(let base, let name, let nameSpan): return member(node, base, name, nameSpan)
    case .index(let base, let index): return element(node, base, [index])
    case .slice(let base, let lower, let upper):
      let result = element(node, base, [lower, upper].compactMap { $0 })
      return result.isFailing ? result : Estimate([.string, .list, .path], mayFail: true)
    case .call(let name, let nameSpan, let arguments): return call(node, name, nameSpan, arguments)
    case .methodCall(let receiver, let name, let nameSpan, let arguments):
      return methodCall(node, receiver, name, nameSpan, arguments)
    case .unary(let operation, let operand): return unary(operation, operand)
    case .binary(let operation, let place, let left, let right):
      return binary(node, operation, place, left, right)
    case .typeTest(let value, let typeName, let typeSpan): return typeTest(node, value, typeName, typeSpan)
    case .ternary(let condition, let then, let otherwise): return ternary(condition, then, otherwise)
    case .list(let elements): return all(elements) ? Estimate(.list, mayFail: true) : .failing
    case .map(let entries):
      return all(entries.flatMap { [$0.key, $0.value] }) ? Estimate(.map, mayFail: true) : .failing
    case .path(let segments):
      let inserted = segments.compactMap { segment -> ExpressionNode? in
        if case .interpolation(let value) = segment.kind { value } else { nil }
      }
      let values = inserted.map { estimate($0) }
      if values.contains(where: \.isFailing) { return .failing }
      var result = Estimate(.path, mayFail: true, path: node)
      result.insertsPath = values.contains { $0.types != .any && $0.types.contains(.path) }
      return result
    case .parenthesized(let inner): return estimate(inner)
    case .missing: return .any
    }
  }

  /// Whether all of them can be evaluated.
  mutating func all(_ nodes: [ExpressionNode]) -> Bool {
    var result = true
    for node in nodes where estimate(node).isFailing { result = false }
    return result
  }

  static func constant(_ literal: LiteralSyntax) -> Estimate {
    switch literal {
    case .boolean(let value): Estimate(.bool, truth: value ? .true : .false, literal: literal)
    default: Estimate(literal.staticType, truth: [], literal: literal)
    }
  }

  private func variable(_ node: ExpressionNode) -> Estimate {
    switch resolution.binding(of: node) {
    case .parameter(let position): position < parameters.count ? parameters[position] : .any
    case .local(let position): position < locals.count ? locals[position] : .any
    case .capture(let match, let segment):
      if case .globCapture = resolution.matches[match].pattern[segment].kind {
        Estimate(.path)
      } else {
        Estimate(.string)
      }
    case .global("request") where isFirestore: Estimate(.map, shape: .request)
    case .global("resource") where isFirestore: storedDocument
    case .global, .none, .function, .libraryFunction, .namespaceFunction, .unknown: .any
    }
  }

  /// `resource`, which is null where no document is stored.
  private var storedDocument: Estimate {
    switch method {
    case .create: .null
    case .list, .update: Estimate(.map, shape: .document)
    default: Estimate([.null, .map], mayFail: false, shape: .document)
    }
  }

  // MARK: Functions of the ruleset

  mutating func callFunction(_ function: FunctionSyntax, _ arguments: [ExpressionNode]) -> Estimate {
    var values: [Estimate] = []
    for argument in arguments { values.append(estimate(argument)) }
    guard values.count == function.parameters.count, budget > 0,
      callDepth <= RulesChecker.Limits.callStackMax
    else { return .any }
    return body(of: function, values)
  }

  private mutating func body(of function: FunctionSyntax, _ arguments: [Estimate]) -> Estimate {
    reached.insert(function.number)
    callDepth += 1
    let outer = (parameters, locals)
    parameters = arguments
    locals = []
    defer {
      callDepth -= 1
      (parameters, locals) = outer
    }
    for binding in function.lets { locals.append(estimate(binding.value)) }
    return estimate(function.result)
  }
}

/// Spans that have a diagnostic already, sorted, to be asked often.
struct WarnedPlaces {
  private let spans: [Span]

  init(_ diagnostics: [Diagnostic]) {
    spans = diagnostics.compactMap(\.span).sorted { $0.start < $1.start }
  }

  /// Whether a warned place lies inside a span.
  func covers(_ span: Span) -> Bool {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].start < span.start { low = middle + 1 } else { high = middle }
    }
    return low < spans.count && spans[low].start <= span.end
  }
}
