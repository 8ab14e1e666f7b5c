/// Declarations: scopes, duplicates, patterns and the limits on blocks.
struct DeclarationPass {
  let syntax: RulesetSyntax
  var diagnostics: [Diagnostic] = []
  /// By number.
  private(set) var functions: [FunctionSyntax] = []
  private(set) var matches: [MatchSyntax] = []
  /// Every function and `allow` with its scope, in the order of the walk.
  private(set) var scopes: [ScopedCode] = []
  private var ids: [String: Span] = [:]
  /// Whether something has been said that is missing in version 1: the version is the mistake, once.
  private var versionWasBlamed = false

  /// What nested patterns add up to.
  private struct Nesting {
    var blocks = 0
    var segments = 0
    var captures = 0
    var hasGlob = false
  }

  init(_ syntax: RulesetSyntax) { self.syntax = syntax }

  mutating func run() {
    checkVersion()
    let fileScope = Scope(parent: nil, isFirestore: true)
    declare(syntax.functions, in: fileScope)
    var names: Set<String> = []
    for service in syntax.services {
      if !names.insert(service.name.text).inserted {
        diagnostics.append(CheckMessages.duplicateService(service.name))
      }
      if !service.name.text.isEmpty, !["cloud.firestore", "firebase.storage"].contains(service.name.text) {
        diagnostics.append(CheckMessages.unknownService(service.name))
      }
      let scope = Scope(parent: fileScope, isFirestore: service.name.text == "cloud.firestore")
      declare(service.functions, in: scope)
      for match in service.matches { visit(match, in: scope, nesting: Nesting()) }
    }
    functions.sort { $0.number < $1.number }
    matches.sort { $0.number < $1.number }
  }

  private mutating func checkVersion() {
    guard let version = syntax.version else {
      if !syntax.services.isEmpty { diagnostics.append(CheckMessages.oldVersion) }
      return
    }
    switch version.text {
    case "2": break
    case "1": diagnostics.append(CheckMessages.oldVersion)
    default: diagnostics.append(CheckMessages.unsupportedVersion(version))
    }
  }

  private mutating func declare(_ declared: [FunctionSyntax], in scope: Scope) {
    for function in declared {
      functions.append(function)
      scopes.append(ScopedCode(owner: .function(function), scope: scope))
      checkFunction(function)
      guard !function.name.text.isEmpty else { continue }
      if let first = scope.functions[function.name.text] {
        diagnostics.append(CheckMessages.duplicateFunction(function.name, first: first.name.span))
      } else {
        scope.functions[function.name.text] = function
      }
    }
  }

  private mutating func checkFunction(_ function: FunctionSyntax) {
    if function.parameters.count > RulesChecker.Limits.parametersMax {
      diagnostics.append(CheckMessages.tooManyParameters(function))
    }
    if function.lets.count > RulesChecker.Limits.letsMax {
      diagnostics.append(CheckMessages.tooManyLets(function))
    }
    var bound: [String: Span] = [:]
    for parameter in function.parameters {
      checkVariableName(parameter)
      if let first = bound[parameter.text] {
        diagnostics.append(CheckMessages.duplicateParameter(parameter, first: first))
      }
      bound[parameter.text] = parameter.span
    }
    for binding in function.lets where !binding.name.text.isEmpty {
      checkVariableName(binding.name)
      if syntax.languageVersion < 2 { blameVersion(CheckMessages.letInVersionOne(binding.name)) }
      if let first = bound[binding.name.text] {
        diagnostics.append(CheckMessages.boundTwice(binding.name, first: first))
      }
      bound[binding.name.text] = binding.name.span
    }
  }

  private mutating func blameVersion(_ diagnostic: Diagnostic) {
    if !versionWasBlamed { diagnostics.append(diagnostic) }
    versionWasBlamed = true
  }

  private mutating func checkVariableName(_ name: NameSyntax) {
    if Library.namespaces.contains(name.text) {
      diagnostics.append(CheckMessages.packageAsVariable(name.text, at: name.span))
    }
  }

  // MARK: Matches

  private mutating func visit(_ match: MatchSyntax, in parent: Scope, nesting outer: Nesting) {
    matches.append(match)
    let scope = Scope(parent: parent, isFirestore: parent.isFirestore)
    var nesting = outer
    nesting.blocks += 1
    let keyword = Span(start: match.span.start, end: match.span.start + 5)
    checkPattern(match, keyword: keyword, scope: scope, &nesting)
    if nesting.blocks == RulesChecker.Limits.matchNestingMax + 1 {
      diagnostics.append(CheckMessages.matchesTooDeep(keyword))
    }
    if nesting.segments > RulesChecker.Limits.patternSegmentsMax,
      outer.segments <= RulesChecker.Limits.patternSegmentsMax
    {
      diagnostics.append(CheckMessages.patternTooLong(keyword, segments: nesting.segments))
    }
    if nesting.captures > RulesChecker.Limits.capturesMax, outer.captures <= RulesChecker.Limits.capturesMax {
      diagnostics.append(CheckMessages.tooManyCaptures(keyword, captures: nesting.captures))
    }
    if let id = match.id { checkID(id) }
    declare(match.functions, in: scope)
    for allow in match.allows {
      scopes.append(ScopedCode(owner: .allow(allow), scope: scope))
      checkMethods(allow)
      if let id = allow.id { checkID(id) }
    }
    for child in match.matches { visit(child, in: scope, nesting: nesting) }
  }

  private mutating func checkPattern(
    _ match: MatchSyntax, keyword: Span, scope: Scope, _ nesting: inout Nesting
  ) {
    let isVersionOne = syntax.languageVersion < 2
    let globbedAbove = nesting.hasGlob
    var globs = 0
    for (position, segment) in match.pattern.enumerated() {
      nesting.segments += 1
      let isGlob: Bool
      let name: String
      switch segment.kind {
      case .literal: continue
      case .capture(let captured): (name, isGlob) = (captured, false)
      case .globCapture(let captured): (name, isGlob) = (captured, true)
      }
      nesting.captures += 1
      checkVariableName(NameSyntax(text: name, span: segment.nameSpan))
      if scope.captures[name] != nil { diagnostics.append(CheckMessages.duplicateCapture(name, at: segment)) }
      scope.captures[name] = Scope.Capture(match: match.number, segment: position, isGlob: isGlob)
      guard isGlob else { continue }
      globs += 1
      nesting.hasGlob = true
      if isVersionOne, position < match.pattern.count - 1 {
        blameVersion(CheckMessages.globNotLast(segment))
      } else if !isVersionOne, globs > 1 {
        diagnostics.append(CheckMessages.secondGlob(segment.span, official: segment.span))
      } else if !isVersionOne, globbedAbove {
        diagnostics.append(CheckMessages.secondGlob(segment.span, official: keyword))
      }
    }
    if isVersionOne, globs > 0, !match.matches.isEmpty {
      diagnostics.append(CheckMessages.matchBelowGlob(keyword))
    }
  }

  private mutating func checkMethods(_ allow: AllowSyntax) {
    for method in allow.methods where method.method == nil {
      diagnostics.append(CheckMessages.unknownMethod(method.name))
    }
  }

  private mutating func checkID(_ id: NameSyntax) {
    if let first = ids[id.text] {
      diagnostics.append(CheckMessages.duplicateID(id, first: first))
    } else {
      ids[id.text] = id.span
    }
  }
}
