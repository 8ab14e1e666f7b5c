/// What the checker says. The official texts are those of the official compiler, observed.

internal import DocModel
internal import Platform

enum CheckMessages {
  private static func warning(
    _ id: DiagnosticID, _ span: Span, _ message: String, label: String? = nil, notes: [Diagnostic.Note] = [],
    fix: Diagnostic.Fix? = nil, official: String? = nil, officialSpan: Span? = nil
  ) -> Diagnostic {
    Diagnostic(
      id: id, severity: .warning, span: span, message: message, label: label, notes: notes, fix: fix,
      officialText: official, officialSpan: officialSpan)
  }

  private static func error(
    _ id: DiagnosticID, _ span: Span, _ message: String, notes: [Diagnostic.Note] = [],
    fix: Diagnostic.Fix? = nil,
    official: String? = nil, officialSpan: Span? = nil
  ) -> Diagnostic {
    SyntaxMessages.error(
      id, span, message, notes: notes, fix: fix, official: official, officialSpan: officialSpan)
  }

  // MARK: File

  static func sourceTooLong(byteCount: Int) -> Diagnostic {
    Diagnostic(
      id: .sourceTooLong, severity: .error, span: nil,
      message: "the ruleset has \(byteCount) bytes, \(RulesChecker.Limits.sourceBytesMax) are allowed",
      fix: Diagnostic.Fix("put what several blocks check into functions; leave out generated comments"))
  }

  static let oldVersion = Diagnostic(
    id: .oldVersion, severity: .warning, span: nil,
    message: "the ruleset uses version 1 of the language",
    fix: Diagnostic.Fix("begin the file with `rules_version = '2';`"),
    officialText: "Ruleset uses old version (version [1]). Please update to the latest version (version [2])."
  )

  static func unsupportedVersion(_ version: VersionSyntax) -> Diagnostic {
    error(
      .unsupportedVersion, version.span,
      "there is no version `\(version.text)`; the versions are 1 and 2",
      official: "Unsupported rules version \(version.text).",
      officialSpan: Span(start: version.span.start, end: version.span.start + 13))
  }

  static func duplicateService(_ name: NameSyntax) -> Diagnostic {
    error(
      .duplicateService, name.span, "the service `\(name.text)` is declared twice",
      fix: Diagnostic.Fix("move its blocks into the first one"),
      official: "Duplicate service name declaration.")
  }

  static func unknownService(_ name: NameSyntax) -> Diagnostic {
    warning(
      .unknownService, name.span, "there is no service `\(name.text)`; nothing in it will ever match",
      fix: Diagnostic.Fix("write `cloud.firestore`"), official: "Invalid service name: \(name.text).")
  }

  // MARK: Functions

  static func duplicateFunction(_ name: NameSyntax, first: Span) -> Diagnostic {
    error(
      .duplicateFunction, name.span, "the function `\(name.text)` is already declared in this block",
      notes: [
        Diagnostic.Note("first declared here; the number of parameters makes no difference", at: first)
      ],
      official: "Function \(name.text) is already defined.")
  }

  static func tooManyParameters(_ function: FunctionSyntax) -> Diagnostic {
    error(
      .tooManyParameters, function.name.span,
      "the function has \(function.parameters.count) parameters, \(RulesChecker.Limits.parametersMax) are allowed",
      notes: [
        Diagnostic.Note(
          "the first one too many", at: function.parameters[RulesChecker.Limits.parametersMax].span)
      ],
      fix: Diagnostic.Fix("pass a list or a map, or split the function"),
      official: "Maximum allowed function arguments of 7 for function \(function.name.text) is reached.")
  }

  static func tooManyLets(_ function: FunctionSyntax) -> Diagnostic {
    let extra = function.lets[RulesChecker.Limits.letsMax]
    return error(
      .tooManyLets, extra.name.span,
      "the function has \(function.lets.count) variables, \(RulesChecker.Limits.letsMax) are allowed",
      fix: Diagnostic.Fix("write a value where it is used, or split the function"),
      official: "Maximum allowed variable count of 10 for a given function has been reached.",
      officialSpan: function.result.anchor)
  }

  static func duplicateParameter(_ name: NameSyntax, first: Span) -> Diagnostic {
    error(
      .duplicateName, name.span, "there are two parameters `\(name.text)`",
      notes: [Diagnostic.Note("the first one", at: first)],
      official: "Variable \(name.text) is already defined.")
  }

  static func boundTwice(_ name: NameSyntax, first: Span) -> Diagnostic {
    error(
      .duplicateName, name.span, "`\(name.text)` already has a value here",
      notes: [Diagnostic.Note("it got it here", at: first)],
      official: "The identifier [\(name.text)] is already bound in the current scope.")
  }

  static func letInVersionOne(_ name: NameSyntax) -> Diagnostic {
    error(
      .letInVersion1, name.span, "`let` needs version 2 of the language",
      fix: Diagnostic.Fix("begin the file with `rules_version = '2';`"),
      official: "Let bindings are not allowed in rules_version=\"1\";")
  }

  static func packageAsVariable(_ name: String, at span: Span) -> Diagnostic {
    error(
      .packageAsVariable, span, "`\(name)` is a namespace of the library and cannot be a variable",
      official: "\(name) is a package and cannot be used as variable name.")
  }

  static func recursion(_ name: NameSyntax) -> Diagnostic {
    error(
      .recursion, name.span, "the function `\(name.text)` calls itself",
      official: "Recursive call is not allowed.")
  }

  /// LIMIT: functions of a cycle that are named; each note quotes its line.
  private static let cycleNamesMax = 20

  static func callCycle(_ names: [NameSyntax]) -> Diagnostic {
    let list = names.map(\.text)
    let shown = list.prefix(cycleNamesMax).joined(separator: "`, `")
    let rest = list.count > cycleNamesMax ? " and \(list.count - cycleNamesMax) more" : ""
    return error(
      .recursion, names[0].span, "the functions `\(shown)`\(rest) call each other in a circle",
      notes: names.prefix(cycleNamesMax).dropFirst().map {
        Diagnostic.Note("`\($0.text)` is one of them", at: $0.span)
      },
      official: "Detected a call cycle between [\(list.joined(separator: ","))] functions.")
  }

  static func callsTooDeep(_ chain: [NameSyntax]) -> Diagnostic {
    let stack = chain.dropLast().map(\.text).joined(separator: "->")
    return error(
      .callDepth, chain[chain.count - 1].span,
      "calls are nested \(chain.count) deep on the way to `\(chain[chain.count - 1].text)`, 21 functions are allowed",
      notes: [Diagnostic.Note("the chain is \(stack)")],
      fix: Diagnostic.Fix("write the body of a small function where it is called"),
      official: "Maximum allowed call depth of 20 is reached for [\(stack)] call stack.")
  }

  static func unusedFunction(_ name: NameSyntax) -> Diagnostic {
    warning(
      .unusedFunction, name.span, "the function `\(name.text)` is never called",
      official: "Unused function: \(name.text).")
  }

  static func unusedVariable(_ name: NameSyntax) -> Diagnostic {
    warning(
      .unusedVariable, name.span, "`\(name.text)` is never read",
      official: "Unused variable: \(name.text).")
  }

  // MARK: Matches

  static func matchesTooDeep(_ keyword: Span) -> Diagnostic {
    error(
      .matchDepth, keyword,
      "`match` blocks are nested \(RulesChecker.Limits.matchNestingMax + 1) deep, \(RulesChecker.Limits.matchNestingMax) are allowed, the outermost counted",
      fix: Diagnostic.Fix("join paths: `match /a/{b}/c/{d}` is two blocks in one"),
      official: "Maximum allowed resource rule depth of 10 is reached.")
  }

  static func patternTooLong(_ keyword: Span, segments: Int) -> Diagnostic {
    error(
      .patternLength, keyword,
      "the path down to here has \(segments) segments, \(RulesChecker.Limits.patternSegmentsMax) are allowed",
      fix: Diagnostic.Fix("let `{rest=**}` stand for the last of them"),
      official: "Maximum allowed path length of 100 is reached.")
  }

  static func tooManyCaptures(_ keyword: Span, captures: Int) -> Diagnostic {
    error(
      .tooManyCaptures, keyword,
      "the path down to here has \(captures) captures, \(RulesChecker.Limits.capturesMax) are allowed, `{database}` counted",
      fix: Diagnostic.Fix("let `{rest=**}` stand for several of them, and read its parts by index"),
      official: "Maximum allowed amount of 20 match field variables is reached.")
  }

  static func duplicateCapture(_ name: String, at segment: PatternSegmentSyntax) -> Diagnostic {
    error(
      .duplicateName, segment.nameSpan, "the path has two captures `\(name)`",
      official: "Variable \(name) already exists in the PathTemplate.",
      officialSpan: Span(start: segment.span.start, end: segment.span.start + 1))
  }

  static func duplicatePlaceholder(_ name: String, at segment: PathSegmentSyntax) -> Diagnostic {
    // Behind `/{`.
    let start = segment.span.start + 2
    return error(
      .duplicateName, Span(start: start, end: start + Int32(name.utf8.count)),
      "the path has two placeholders `\(name)`",
      official: "Variable \(name) already exists in the PathTemplate.")
  }

  static func globNotLast(_ segment: PatternSegmentSyntax) -> Diagnostic {
    error(
      .globPlace, segment.span, "in version 1 a `{name=**}` must be the last segment",
      fix: Diagnostic.Fix("begin the file with `rules_version = '2';`"),
      official:
        "Invalid glob match expression. Glob matches are permitted as the last segment in a match declaration path.",
      officialSpan: Span(start: segment.span.start, end: segment.span.start + 1))
  }

  static func secondGlob(_ span: Span, official: Span) -> Diagnostic {
    error(
      .secondGlob, span, "a path may have one `{name=**}`, counting the `match` blocks around it",
      official:
        "Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
      officialSpan: official)
  }

  static func matchBelowGlob(_ keyword: Span) -> Diagnostic {
    warning(
      .matchBelowGlob, keyword,
      "in version 1 a `{name=**}` takes all of the path; nothing inside can match",
      official: "Glob(**) resource rules should not have child resource rules.")
  }

  static func unknownMethod(_ name: NameSyntax) -> Diagnostic {
    let near = Spelling.nearest(to: name.text, among: AllowMethod.allCases.map(\.rawValue))
    return warning(
      .unknownMethod, name.span,
      "there is no method `\(name.text)`; this `allow` never applies to it",
      fix: near.map {
        Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: name.span, with: $0)])
      },
      official: "Invalid method name: \(name.text).")
  }

  static func duplicateID(_ id: NameSyntax, first: Span) -> Diagnostic {
    warning(
      .duplicateId, id.span, "another rule has the id `\(id.text)`",
      notes: [Diagnostic.Note("the first one", at: first)])
  }

  // MARK: Names in expressions

  static func unknownVariable(_ name: String, at span: Span, visible: [String], isFunction: Bool)
    -> Diagnostic
  {
    let replacement =
      isFunction
      ? "\(name)()" : Library.foreignVariables[name] ?? Spelling.nearest(to: name, among: visible)
    return warning(
      .unknownVariable, span, "nothing is called `\(name)` here; reading it fails",
      fix: replacement.map {
        Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)])
      },
      official: "Invalid variable name: \(name).")
  }

  static func unknownFunction(_ name: String, at span: Span, visible: [String]) -> Diagnostic {
    let near = Spelling.nearest(to: name, among: visible)
    let fix = near.map { Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)]) }
    return warning(
      .unknownFunction, span, "there is no function `\(name)` here; calling it fails",
      fix: Library.foreignFunctions[name].map { Diagnostic.Fix($0) } ?? fix,
      official: "Invalid function name: \(name).")
  }

  static func unknownNamespaceFunction(_ name: String, at span: Span) -> Diagnostic {
    let namespace = name.prefix { $0 != "." } + "."
    let near = Spelling.nearest(
      to: name, among: Library.namespaceFunctions.keys.filter { $0.hasPrefix(namespace) })
    return warning(
      .unknownFunction, span, "there is no function `\(name)`; calling it fails",
      fix: Library.foreignFunctions[name].map { Diagnostic.Fix($0) }
        ?? near.map { Diagnostic.Fix("write `\($0)`") },
      official: "Invalid function name: \(name).")
  }

  static func unknownMethodCall(_ name: String, at span: Span) -> Diagnostic {
    let near = Spelling.nearest(to: name, among: Array(Library.methods.keys))
    let fix = near.map { Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)]) }
    return warning(
      .unknownFunction, span, "no value has a method `\(name)`; calling it fails",
      fix: Library.foreignMethods[name].map { Diagnostic.Fix($0) } ?? fix,
      official: "Invalid function name: \(name).")
  }

  static func argumentCount(_ name: String, at span: Span, expected: Int, found: Int) -> Diagnostic {
    warning(
      .argumentCount, span,
      "`\(name)` takes \(expected) argument\(expected == 1 ? "" : "s"), \(found) \(found == 1 ? "is" : "are") given; the call fails",
      official: "Incorrect number of arguments supplied to function: \(name).")
  }

  // MARK: Types

  static func unknownType(_ name: String, at span: Span) -> Diagnostic {
    let replacement = foreignTypes[name] ?? Spelling.nearest(to: name, among: TypeNames.all)
    return error(
      .unknownType, span, "there is no type `\(name)`",
      notes: [Diagnostic.Note("types are " + TypeNames.all.joined(separator: ", "))],
      fix: replacement.map {
        Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)])
      },
      official: TypeNames.unsupported(name))
  }

  private static let foreignTypes = [
    "boolean": "bool", "integer": "int", "double": "float", "array": "list", "object": "map",
    "text": "string",
    "str": "string", "date": "timestamp", "datetime": "timestamp", "reference": "path", "geopoint": "latlng",
  ]

  /// Warnings about types: the first one of an expression stands for those inside it.
  static let typeWarningIDs: Set<DiagnosticID> = [.wrongType, .notComparable]

  static func wrongType(
    found: StaticType, expected: StaticType, listed: String?, at anchor: Span, of span: Span
  ) -> Diagnostic {
    let advice: String? =
      switch (found, expected) {
      case (.list, .set): "write `.toSet()` behind it"
      case (.string, .path): "write the path without quotes: `/databases/$(database)/documents/…`"
      case (.int, .string), (.float, .string): "write `string(…)` around it"
      case (.map, .collection): "write `.keys()` behind it"
      default: nil
      }
    return warning(
      .wrongType, span,
      "this is \(found.prose) where \(expected.prose) is needed; evaluating it fails",
      fix: advice.map { Diagnostic.Fix($0) },
      official:
        "Invalid type. Received one of \(found.officialList). Expected one of \(listed ?? expected.officialList).",
      officialSpan: anchor)
  }

  static func conditionNotBool(found: StaticType, at anchor: Span, of span: Span) -> Diagnostic {
    warning(
      .conditionNotBool, span, "the condition is \(found.prose), not bool; it never grants",
      official:
        "Invalid type. Permission statements expect a boolean value. Received one of \(found.officialList).",
      officialSpan: anchor)
  }

  static func notComparable(_ left: StaticType, _ right: StaticType, isEqual: Bool, at span: Span)
    -> Diagnostic
  {
    warning(
      .notComparable, span, "\(left.prose) never equals \(right.prose): this is always \(!isEqual)",
      official:
        "The sub-expressions are not comparable, so this comparison will always return \(!isEqual).")
  }

  static func mixedTypes(_ then: StaticType, _ otherwise: StaticType, at place: Span, of span: Span)
    -> Diagnostic
  {
    warning(
      .mixedTypes, span, "one value of `?:` is \(then.prose), the other one \(otherwise.prose)",
      official:
        "Ternary operator result if condition is true has a different type than if condition is false.",
      officialSpan: place)
  }

  static func badPattern(_ pattern: String, reason: String, at span: Span) -> Diagnostic {
    error(
      .badPattern, span, "the regular expression does not compile: \(reason)",
      official: "Invalid regular expression pattern. Pattern: \(pattern).")
  }

  /// The official compiler tries no patterns of `replace`.
  static func longPattern(_ pattern: String, at span: Span, isError: Bool) -> Diagnostic {
    let most = PatternDialect.sizeMax
    let message = "the regular expression is longer than \(most) characters"
    guard isError else { return warning(.badPattern, span, "\(message); the call fails") }
    return error(.badPattern, span, message, official: FaultText.longPattern(pattern))
  }

  static func badReplacePattern(_ pattern: String, reason: String, at span: Span) -> Diagnostic {
    warning(.badPattern, span, "the regular expression does not compile: \(reason); the call fails")
  }
}
