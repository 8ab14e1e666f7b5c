/// What the lexer and the parser say about files, services, matches and functions. Messages about
/// expressions are in ExpressionMessages.swift.
///
/// Constant text with the user's words in back-ticks. `officialText` is the official compiler's
/// wording where it was observed; its choice of place and its follow-up errors are those of a
/// generated parser and are not imitated.
package enum SyntaxMessages {
  static func error(
    _ id: DiagnosticID, _ span: Span, _ message: String, label: String? = nil, notes: [Diagnostic.Note] = [],
    fix: Diagnostic.Fix? = nil, official: String? = nil, officialSpan: Span? = nil
  ) -> Diagnostic {
    Diagnostic(
      id: id, severity: .error, span: span, message: message, label: label, notes: notes, fix: fix,
      officialText: official, officialSpan: officialSpan)
  }

  static func unexpected(_ text: String) -> String { "Unexpected '\(text.isEmpty ? "<EOF>" : text)'." }

  /// How a found token is called in a message.
  static func describe(_ token: Token, _ text: String) -> String {
    switch token.kind {
    case .endOfFile: "the end of the file"
    case .string: "a string"
    case .bytes: "a bytes literal"
    default: "`\(text)`"
    }
  }

  static func expected(
    _ what: String, _ context: String, found token: Token, text: String, after previous: Span
  ) -> Diagnostic {
    // A missing mark is best shown where it should have been: behind what came before it.
    let place = token.kind == .endOfFile ? previous.atEnd : token.span
    let tail = context.isEmpty ? "" : " \(context)"
    return error(
      .syntax, place, "expected \(what)\(tail), found \(describe(token, text))",
      official: unexpected(text), officialSpan: token.span)
  }

  // MARK: Text

  static func unreadablyLong(byteCount: Int) -> Diagnostic {
    Diagnostic(
      id: .sourceTooLong, severity: .error, span: nil,
      message: "the file has \(byteCount) bytes, far more than a ruleset may have")
  }

  static func notUTF8(_ span: Span) -> Diagnostic {
    error(.notUtf8, span, "the file is not UTF-8 text", label: "first wrong byte")
  }

  static func openComment(_ span: Span) -> Diagnostic {
    Diagnostic(
      id: .openComment, severity: .warning, span: span,
      message: "`/*` opens no comment here because no `*/` follows; it is read as a path segment",
      notes: [Diagnostic.Note("a path wildcard is written `{id}` or `{rest=**}`")])
  }

  package static func unclosedComment(_ span: Span) -> Diagnostic {
    error(
      .openComment, span, "this comment never ends: no `*/` follows",
      fix: Diagnostic.Fix("write `*/` at its end"), official: "Missing 'match' keyword before path.")
  }

  static func unclosedString(quote: String, at span: Span) -> Diagnostic {
    error(
      .unclosedString, span,
      "the string has no closing \(quote == "'" ? "single" : "double") quote on its line",
      fix: Diagnostic.Fix("write `\(quote)` at its end; a line break inside is written `\\n`"),
      official: "Missing a closing \(quote)", officialSpan: span.atEnd)
  }

  /// - Parameters:
  ///   - blank: the first of them, as the official compiler shows it.
  ///   - places: runs of them, in the order of the source.
  static func wideBlanks(_ blank: String, at places: [Span], first: Span) -> Diagnostic {
    let kind = blank == "\u{A0}" ? "a no-break blank" : "a full-width blank"
    let more = places.count > 1 ? ", here and in \(places.count - 1) more places" : ""
    return error(
      .wideBlank, first, "\(kind), as pasted from a web page\(more)",
      fix: Diagnostic.Fix(
        "write an ordinary blank; `docsh rules fmt` does it",
        edits: places.map { Diagnostic.Edit(replace: $0, with: " ") }),
      official: "token recognition error at: '\(blank)'")
  }

  /// Some editors write it unseen. The service refuses the file, so that taking it would only hide this until then.
  static func byteOrderMark(_ span: Span) -> Diagnostic {
    error(
      .wideBlank, span, "the file begins with a byte order mark (U+FEFF), which no editor shows",
      notes: [Diagnostic.Note("the service refuses such a file")],
      fix: Diagnostic.Fix(
        "save the file as UTF-8 without it; `docsh rules fmt` removes it",
        edits: [Diagnostic.Edit(replace: span, with: "")]),
      official: "token recognition error at: '\u{FEFF}'")
  }

  static func unknownCharacter(_ text: String, at span: Span) -> Diagnostic {
    let hint: Diagnostic.Fix? =
      switch text {
      case "&": Diagnostic.Fix("write `&&`", edits: [Diagnostic.Edit(replace: span, with: "&&")])
      case "|": Diagnostic.Fix("write `||`", edits: [Diagnostic.Edit(replace: span, with: "||")])
      case "#":
        Diagnostic.Fix("comments begin with `//`", edits: [Diagnostic.Edit(replace: span, with: "//")])
      case "```": Diagnostic.Fix("leave out the fences of Markdown around the rules")
      case "`":
        Diagnostic.Fix("strings are written in ' or \"; inside a path, values are inserted with `$( )`")
      default: nil
      }
    return error(
      .unknownCharacter, span, "`\(text)` is not part of the rules language", fix: hint,
      official: "token recognition error at: '\(text)'")
  }

  static func curlyQuotes(_ inside: String, at span: Span) -> Diagnostic {
    let straight = inside.utf8.contains(UInt8(ascii: "'")) ? "\"\(inside)\"" : "'\(inside)'"
    return error(
      .curlyQuotes, span, "strings are written in straight quotes",
      fix: Diagnostic.Fix("write `\(straight)`", edits: [Diagnostic.Edit(replace: span, with: straight)]),
      official: "token recognition error at: '\u{201C}'")
  }

  // MARK: File and service

  static func emptyFile(isBlank: Bool, at span: Span) -> Diagnostic {
    error(
      .emptyFile, span, "the ruleset has no `service` block",
      fix: Diagnostic.Fix("begin with `rules_version = '2';` and `service cloud.firestore { … }`"),
      official: isBlank ? "Unexpected '<EOF>'." : "Rules content empty. Compilation aborted.")
  }

  static func misplacedVersion(isRepeated: Bool, at span: Span) -> Diagnostic {
    error(
      .versionPlace, span,
      isRepeated
        ? "`rules_version` is stated twice" : "`rules_version` must be the first statement of the file",
      official: "Unexpected 'rules_version'.")
  }

  static func missingVersionKeyword(_ span: Span) -> Diagnostic {
    error(
      .versionPlace, span, "expected `rules_version = '2';`",
      fix: Diagnostic.Fix(
        "write it", edits: [Diagnostic.Edit(replace: span, with: "rules_version = '2'")]),
      official: "Unexpected '='.")
  }

  static func versionNotQuoted(_ text: String, at span: Span) -> Diagnostic {
    error(
      .versionQuotes, span, "the version is a string: `rules_version = '2';`",
      fix: text == "1" || text == "2"
        ? Diagnostic.Fix("write `'\(text)'`", edits: [Diagnostic.Edit(replace: span, with: "'\(text)'")])
        : nil,
      official: "mismatched input '\(text)' expecting STRING")
  }

  static func importStatement(_ span: Span) -> Diagnostic {
    error(
      .importStatement, span, "there is no `import` in Firestore rules",
      notes: [
        Diagnostic.Note("tools that join files run before the compiler; copy the functions into this file")
      ],
      official: "Import statements are not allowed.")
  }

  static func outsideService(_ keyword: String, at span: Span) -> Diagnostic {
    error(
      .outsideService, span, "`\(keyword)` must stand inside `service cloud.firestore { … }`",
      official: unexpected(keyword))
  }

  static func unexpectedAtTopLevel(_ text: String, at span: Span) -> Diagnostic {
    let isFence = text == "`" || text == "}"
    return error(
      .syntax, span,
      "`\(text)` does not belong here; a file holds `rules_version`, functions and one `service`",
      label: isFence && text == "}" ? "there is one `}` too many before this" : nil,
      official: unexpected(text))
  }

  static func expectedServiceName(found token: Token, text: String) -> Diagnostic {
    error(
      .syntax, token.span,
      "expected the name of the service, `cloud.firestore`, found \(describe(token, text))",
      official: unexpected(text))
  }

  static func keywordAsServiceName(_ name: NameSyntax) -> Diagnostic {
    error(
      .reservedWord, name.span,
      "`\(name.text)` is a word of the language; the service is called `cloud.firestore`",
      official: "Cannot use keyword as service name.")
  }

  static func emptyBody(_ keyword: String, closing span: Span) -> Diagnostic {
    error(
      .emptyBody, span, "the `\(keyword)` block is empty",
      fix: Diagnostic.Fix(
        keyword == "match"
          ? "write an `allow`, or remove the block; what nothing allows is denied" : "write a `match` block"),
      official: "The '\(keyword)' body must contain at least one declaration.")
  }

  static func unclosedBlock(_ what: String, open: Span, end: Span, isSuspect: Bool) -> Diagnostic {
    error(
      .unclosedBlock, open, "this `{` is never closed",
      label: isSuspect ? "the indentation of its `}` does not fit" : "of this `\(what)`",
      notes: [Diagnostic.Note("the file ends before a `}`", at: end)],
      official: "Unexpected '<EOF>'.", officialSpan: end)
  }

  static func allowOutsideMatch(_ span: Span) -> Diagnostic {
    error(
      .allowOutsideMatch, span, "`allow` must stand inside a `match` block",
      fix: Diagnostic.Fix(
        "write `match /databases/{database}/documents { match /{document=**} { … } }` around it"),
      official: "Unexpected 'allow'.")
  }

  static func strayBrace(_ span: Span, isClosing: Bool = false) -> Diagnostic {
    error(
      .strayBrace, span,
      isClosing
        ? "this `}` is one too many: the block it should close is closed" : "this `{` belongs to nothing",
      official: isClosing ? "Unexpected '}'." : "Unexpected '{'.")
  }

  static func onlyInFunction(_ keyword: String, at span: Span) -> Diagnostic {
    error(
      .onlyInFunction, span, "`\(keyword)` may only stand inside a function",
      official: unexpected(keyword))
  }

  static func unexpectedInBlock(_ text: String, block: String, at span: Span) -> Diagnostic {
    let belongs = block == "match" ? "`allow`, `match` and `function`" : "`match` and `function`"
    let advice: String? =
      switch text {
      case "deny": "what no `allow` grants is denied; narrow the `allow` that grants too much"
      case "const", "var": "declare variables with `let`, inside a function"
      case "macro", "def", "fn", "func": "declare functions with `function`"
      case "else": "write `condition ? one : other`"
      default: nil
      }
    return error(
      .syntax, span, "`\(text)` does not belong here; a `\(block)` block holds \(belongs)",
      fix: advice.map { Diagnostic.Fix($0) },
      official: unexpected(text))
  }

  static func missingFunctionKeyword(_ span: Span) -> Diagnostic {
    error(
      .missingFunction, span, "`function` is missing before this name",
      fix: Diagnostic.Fix(
        "write `function`", edits: [Diagnostic.Edit(replace: span.atStart, with: "function ")]),
      official: "Missing 'match' keyword before path.")
  }

  // MARK: Match

  static func missingMatchKeyword(_ span: Span) -> Diagnostic {
    error(
      .missingMatch, span, "`match` is missing before this path",
      fix: Diagnostic.Fix("write `match`", edits: [Diagnostic.Edit(replace: span.atStart, with: "match ")]),
      official: "Missing 'match' keyword before path.")
  }

  static func matchesTooDeep(_ span: Span) -> Diagnostic {
    error(
      .matchDepth, span,
      "`match` blocks are nested far too deep, \(RulesetLimits.matchNestingMax) are allowed",
      fix: Diagnostic.Fix("join paths: `match /a/{b}/c/{d}` is two blocks in one"),
      official: "Maximum allowed resource rule depth of 10 is reached.")
  }

  static func expectedPath(found token: Token, text: String, after previous: Span) -> Diagnostic {
    error(
      .syntax, token.kind == .endOfFile ? previous : token.span,
      "expected a path that begins with `/` after `match`, found \(describe(token, text))",
      official: "mismatched input '\(text.isEmpty ? "<EOF>" : text)' expecting {'{', '/', PATH_SEGMENT}",
      officialSpan: token.span)
  }

  static func missingSlash(_ span: Span) -> Diagnostic {
    error(
      .emptySegment, span, "a capture is a segment of its own: expected `/` before `{`",
      fix: Diagnostic.Fix("write `/`", edits: [Diagnostic.Edit(replace: span.atStart, with: "/")]),
      official: "Unexpected '{'.")
  }

  static func braceInPattern(_ span: Span) -> Diagnostic {
    error(
      .syntax, span, "this `}` closes no capture",
      fix: Diagnostic.Fix("write `{` before the name, or remove the `}`"), official: "Unexpected '}'.")
  }

  static func interpolationInPattern(_ span: Span) -> Diagnostic {
    error(
      .interpolationInMatch, span,
      "`$` inserts a value into a path expression; a `match` captures with `{name}`",
      official: "Unexpected '$'.")
  }

  static func namelessGlob(_ span: Span) -> Diagnostic {
    error(
      .namelessGlob, span,
      "a wildcard needs a name: `{id}` for one segment, `{rest=**}` for the rest",
      official: "Unexpected '*'.")
  }

  static func expectedGlob(found token: Token, text: String) -> Diagnostic {
    error(
      .syntax, token.span, "expected `**` after `=` in a capture, found \(describe(token, text))",
      official: unexpected(text))
  }

  static func emptySegment(_ span: Span, isPattern: Bool) -> Diagnostic {
    let allowed = isPattern ? "`name`, `{capture}` or `{rest=**}`" : "`name` or `$(expression)`"
    return error(
      .emptySegment, span, "a path segment must follow `/` without a blank: \(allowed)",
      official: "Forward slash '/' found where identifier or binding expected.")
  }

  // MARK: Allow

  static func expectedMethod(found token: Token, text: String) -> Diagnostic {
    error(
      .missingMethod, token.span,
      "expected what to allow (read, get, list, write, create, update, delete), found \(describe(token, text))",
      official: "Expected at least one 'operation' after 'allow'.")
  }

  static func methodAfterComma(_ span: Span) -> Diagnostic {
    error(.syntax, span, "a method must follow this comma", official: "Unexpected ','.")
  }

  static func commaBetweenMethods(before span: Span, text: String, after previous: Span) -> Diagnostic {
    error(
      .syntax, span, "expected `,`, `:` or `;` before `\(text)`",
      fix: AllowWords.methods.contains(text)
        ? Diagnostic.Fix("write a comma", edits: [Diagnostic.Edit(replace: previous.atEnd, with: ",")]) : nil,
      official: unexpected(text))
  }

  static func colonBeforeIf(_ span: Span, after previous: Span) -> Diagnostic {
    error(
      .missingColon, span, "expected `:` before `if`",
      fix: Diagnostic.Fix("write `:`", edits: [Diagnostic.Edit(replace: previous.atEnd, with: ":")]),
      official: "Missing ':' before 'if' condition.")
  }

  static func missingIf(_ text: String, at span: Span) -> Diagnostic {
    error(
      .missingIf, span, "expected `if` before the condition",
      fix: Diagnostic.Fix("write `if`", edits: [Diagnostic.Edit(replace: span.atStart, with: "if ")]),
      official: "Missing 'if' before conditional expression.")
  }

  static func nothingAfterColon(_ token: Token, text: String) -> Diagnostic {
    error(
      .missingIf, token.span, "expected `if` and a condition after `:`",
      fix: Diagnostic.Fix("remove the colon to allow always"), official: unexpected(text))
  }

  static func missingCondition(_ span: Span) -> Diagnostic {
    error(
      .missingCondition, span, "expected a condition after `if`",
      official: "Missing conditional expression after 'if'.")
  }
}

/// Words an `allow` knows.
enum AllowWords {
  static let methods = Set(AllowMethod.allCases.map(\.rawValue))
}
