import CRE2

/// Names and types inside expressions.
///
/// Walks every function body and condition once, bottom up, binds names, and infers as much of the
/// types as the text tells: literals, operators, library functions and functions of the ruleset.
/// Parameters and `let`s have any type. All findings about types are warnings, as in the official compiler: the
/// program compiles and faults when it gets there.
struct ExpressionPass {
  let scopes: [ScopedCode]
  let functions: [FunctionSyntax]
  let source: SourceText
  var diagnostics: [Diagnostic] = []
  var bindings: [Resolution.Binding]
  /// By expression number; `any` for those whose type is not asked for.
  var types: [StaticType]
  /// Callees of each function, by number.
  var calls: [[Int]]

  /// Functions that somebody calls; used for the unused ones.
  private var calledFunctions: Set<Int> = []
  private var unusedVariables: [Diagnostic] = []
  /// Types that functions return, as far as they are known; filled in order of declaration scopes.
  var resultTypes: [Int: StaticType] = [:]
  private var scopeOfFunction: [Int: Scope] = [:]
  private var functionsInProgress: Set<Int> = []

  // The piece of code being walked.
  var scope: Scope
  private var parameters: [String: Int] = [:]
  private var locals: [String: Int] = [:]
  private var readNames: Set<String> = []
  private var currentFunction: Int?

  init(
    _ syntax: RulesetSyntax, _ source: SourceText, scopes: [ScopedCode], functions: [FunctionSyntax]
  ) {
    self.scopes = scopes
    self.functions = functions
    self.source = source
    bindings = Array(repeating: .none, count: syntax.expressionCount)
    types = Array(repeating: .any, count: syntax.expressionCount)
    calls = Array(repeating: [], count: functions.count)
    scope = Scope(parent: nil, isFirestore: false)
    for code in scopes {
      if case .function(let function) = code.owner { scopeOfFunction[function.number] = code.scope }
    }
  }

  mutating func run() {
    for function in functions { walk(function) }
    for code in scopes {
      guard case .allow(let allow) = code.owner, let condition = allow.condition else { continue }
      enter(code.scope)
      expectCondition(condition)
    }
  }

  /// Functions nobody calls, and parameters and `let`s nobody reads.
  func unusedDiagnostics() -> [Diagnostic] {
    let unused = functions.filter { function in
      // Of two with one name only the first can be called; that there are two has been said.
      !calledFunctions.contains(function.number)
        && scopeOfFunction[function.number]?.functions[function.name.text] === function
    }
    return unused.map { CheckMessages.unusedFunction($0.name) } + unusedVariables
  }

  // MARK: Functions

  private mutating func enter(_ scope: Scope) {
    self.scope = scope
    parameters = [:]
    locals = [:]
    readNames = []
    currentFunction = nil
  }

  /// Walks a function before its first caller needs the type of its result.
  private mutating func walk(_ function: FunctionSyntax) {
    guard resultTypes[function.number] == nil, let home = scopeOfFunction[function.number],
      // LIMIT: as deep as calls may be; deeper ones are an error anyway and have any type.
      functionsInProgress.count <= RulesChecker.Limits.callStackMax,
      functionsInProgress.insert(function.number).inserted
    else { return }
    let saved = (scope, parameters, locals, readNames, currentFunction)
    enter(home)
    currentFunction = function.number
    for (position, parameter) in function.parameters.enumerated() { parameters[parameter.text] = position }
    for (position, binding) in function.lets.enumerated() {
      _ = type(of: binding.value)
      locals[binding.name.text] = position
    }
    resultTypes[function.number] = type(of: function.result)
    for name in function.parameters + function.lets.map(\.name)
    where !readNames.contains(name.text) && !Library.namespaces.contains(name.text) {
      unusedVariables.append(CheckMessages.unusedVariable(name))
    }
    (scope, parameters, locals, readNames, currentFunction) = saved
    functionsInProgress.remove(function.number)
  }

  // MARK: Names

  mutating func bindVariable(_ name: String, _ node: ExpressionNode) -> StaticType {
    if Library.namespaces.contains(name) {
      // Where it is bound, the binding is what has been reported.
      if locals[name] == nil, parameters[name] == nil {
        diagnostics.append(CheckMessages.packageAsVariable(name, at: node.span))
      }
      return .any
    }
    if let position = locals[name] {
      readNames.insert(name)
      bindings[node.number] = .local(position)
      return .any
    }
    if let position = parameters[name] {
      readNames.insert(name)
      bindings[node.number] = .parameter(position)
      return .any
    }
    if let capture = scope.capture(named: name) {
      bindings[node.number] = .capture(match: capture.match, segment: capture.segment)
      return capture.isGlob ? .path : .string
    }
    if Library.globals.contains(name) {
      bindings[node.number] = .global(name)
      return .any
    }
    bindings[node.number] = .unknown
    let function = scope.function(named: name)
    if let function { calledFunctions.insert(function.number) }
    diagnostics.append(
      CheckMessages.unknownVariable(
        name, at: node.span, visible: visibleVariables, isFunction: function != nil))
    return .any
  }

  /// Whether a name is one of the function at hand.
  func isLocal(_ name: String) -> Bool { locals[name] != nil || parameters[name] != nil }

  private var visibleVariables: [String] {
    scope.captureNames + Array(parameters.keys) + Array(locals.keys) + Array(Library.globals)
  }

  /// Binds a bare call and gives the type of its result.
  mutating func bindCall(
    _ name: String, _ nameSpan: Span, _ arguments: [ExpressionNode], _ node: ExpressionNode
  ) -> StaticType {
    if let function = scope.function(named: name) {
      visit(arguments)
      bindings[node.number] = .function(function.number)
      calledFunctions.insert(function.number)
      if let currentFunction { calls[currentFunction].append(function.number) }
      if arguments.count != function.parameters.count {
        diagnostics.append(
          CheckMessages.argumentCount(
            name, at: nameSpan, expected: function.parameters.count, found: arguments.count))
      }
      walk(function)
      return resultTypes[function.number] ?? .any
    }
    // Rules of files read documents through a package of that name. Source: the official compiler.
    let isMissing = !scope.isFirestore && AccessKind(rawValue: name) != nil
    guard let signature = Library.functions[name], !isMissing else {
      visit(arguments)
      bindings[node.number] = .unknown
      diagnostics.append(
        CheckMessages.unknownFunction(
          name, at: nameSpan, visible: scope.functionNames + Array(Library.functions.keys)))
      return .any
    }
    bindings[node.number] = .libraryFunction(name)
    if signature.parameters.count != arguments.count { visit(arguments) }
    apply(signature, name, nameSpan, arguments)
    return signature.result
  }

  /// Checks the arguments of a library function or method.
  mutating func apply(
    _ signature: Library.Signature, _ name: String, _ nameSpan: Span, _ arguments: [ExpressionNode]
  ) {
    guard arguments.count == signature.parameters.count else {
      diagnostics.append(
        CheckMessages.argumentCount(
          name, at: nameSpan, expected: signature.parameters.count, found: arguments.count))
      return
    }
    for (argument, expected) in zip(arguments, signature.parameters) {
      expect(argument, expected, listed: signature.listed)
    }
  }

  /// Tries a literal pattern.
  mutating func checkPattern(_ name: String, _ argument: ExpressionNode) {
    guard case .literal(.string(let bytes)) = argument.unwrapped.kind else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    if PatternDialect.isTooLong(bytes) {
      let diagnostic = CheckMessages.longPattern(text, at: argument.span, isError: name != "replace")
      return diagnostics.append(diagnostic)
    }
    guard !PlainPattern.isPlain(bytes), let reason = Self.mistake(in: bytes) else { return }
    if Library.patternMethods.contains(name) {
      diagnostics.append(CheckMessages.badPattern(text, reason: reason, at: argument.span))
    } else {
      diagnostics.append(CheckMessages.badReplacePattern(text, reason: reason, at: argument.span))
    }
  }

  /// Why a pattern does not compile; nil when it does.
  private static func mistake(in pattern: [UInt8]) -> String? {
    if CompiledPatterns.known(pattern) != nil { return nil }
    let translated: [UInt8]
    do throws(PatternDialect.Refusal) {
      translated = try PatternDialect.translated(pattern)
    } catch {
      return error.reason
    }
    return translated.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text -> String? in
        guard let start = text.baseAddress else { return nil }
        let pattern = cre2_compile(start, text.count, RulesChecker.Limits.patternMemoryMax)
        defer { cre2_free(pattern) }
        return cre2_ok(pattern) ? nil : String(cString: cre2_error(pattern))
      }
    }
  }
}
