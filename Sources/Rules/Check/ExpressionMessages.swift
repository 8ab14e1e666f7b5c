/// What the parser says about functions and expressions.
extension SyntaxMessages {
  // MARK: Functions

  static func reservedName(_ text: String, what: String, at span: Span) -> Diagnostic {
    error(
      .reservedWord, span, "`\(text)` is a word of the language and cannot be \(what)",
      official: unexpected(text))
  }

  static func missingFunctionName(_ span: Span) -> Diagnostic {
    error(.syntax, span, "expected the name of the function", official: "Missing 'function' id")
  }

  static func missingSignature(_ span: Span) -> Diagnostic {
    error(
      .syntax, span, "expected `(` after the name of the function",
      fix: Diagnostic.Fix("write `()` if it takes nothing"), official: "Missing 'function' signature")
  }

  static func trailingParameterComma(_ span: Span, official: Span) -> Diagnostic {
    error(
      .syntax, span, "a parameter must follow this comma",
      fix: Diagnostic.Fix("remove it", edits: [Diagnostic.Edit(replace: span, with: "")]),
      official: "Unexpected ')'.", officialSpan: official)
  }

  static func afterParameter(_ token: Token, text: String) -> Diagnostic {
    let why =
      switch token.kind {
      case .colon: "parameters have no types"
      case .assign: "parameters have no default values"
      default: "expected `,` or `)` after a parameter, found \(describe(token, text))"
      }
    return error(.syntax, token.span, why, official: unexpected(text))
  }

  static func assignmentInLet(_ text: String, at span: Span) -> Diagnostic {
    error(.syntax, span, "a `let` is written with one `=`", official: unexpected(text))
  }

  static func letWithoutSemicolon(after previous: Span, official: Span) -> Diagnostic {
    error(
      .missingSemicolon, previous.atEnd, "expected `;` after the value of a `let`",
      fix: Diagnostic.Fix("write `;`", edits: [Diagnostic.Edit(replace: previous.atEnd, with: ";")]),
      official: "missing ';' at 'return'", officialSpan: official)
  }

  static func afterReturn(_ text: String, at span: Span) -> Diagnostic {
    error(
      .afterReturn, span, "nothing may follow the `return` of a function", label: "expected `}`",
      official: unexpected(text))
  }

  static func repeatedReturn(_ span: Span) -> Diagnostic {
    error(
      .syntax, span, "`return` is written twice",
      fix: Diagnostic.Fix("remove one", edits: [Diagnostic.Edit(replace: span, with: "")]),
      official: "Unexpected 'return'.")
  }

  static func returnWithoutValue(_ span: Span) -> Diagnostic {
    error(.missingValue, span, "expected a value after `return`", official: unexpected(";"))
  }

  static func missingReturn(_ text: String, isEmpty: Bool, at span: Span) -> Diagnostic {
    error(
      .missingReturn, span,
      isEmpty
        ? "the function returns nothing" : "a function is `let` statements and one `return`; found `\(text)`",
      fix: Diagnostic.Fix("write `return` before the value"),
      official: isEmpty ? "Missing 'function' body" : unexpected(text))
  }

  static func statementNotInLanguage(_ keyword: String, at span: Span) -> Diagnostic {
    let advice =
      keyword == "if"
      ? "a function is one expression; write `return condition ? one : other`" : "the language has no loops"
    return error(
      .foreignStatement, span, "there are no `\(keyword)` statements in rules",
      fix: Diagnostic.Fix(advice), official: unexpected(keyword))
  }

  static func nestedFunction(_ span: Span) -> Diagnostic {
    error(
      .nestedFunction, span, "functions cannot be declared inside functions",
      fix: Diagnostic.Fix("move it beside this one"), official: "Unexpected 'function'.")
  }

  static func foreignDeclaration(_ keyword: String, at span: Span) -> Diagnostic {
    error(
      .foreignStatement, span, "variables are declared with `let`",
      fix: Diagnostic.Fix("write `let`", edits: [Diagnostic.Edit(replace: span, with: "let")]),
      official: unexpected(keyword))
  }

  // MARK: Operators

  static func tooComplex(_ span: Span) -> Diagnostic {
    error(
      .tooComplex, span,
      "the expression is nested too deep: a branch may have \(Parser.branchNodesMax) nodes, this one has more",
      notes: [
        Diagnostic.Note(
          "each operator of a chain `a && b && c` is one level more")
      ],
      fix: Diagnostic.Fix(
        "group a chain in halves, `(a && b) && (c && d)`, move parts into functions, or split the `allow`"),
      official: "Expression is too complex to evaluate safely.")
  }

  static func strictEquality(_ text: String, replacement: String, at span: Span) -> Diagnostic {
    error(
      .strictEquality, span,
      "there is no `\(text)`; `\(replacement)` already compares without conversion",
      fix: Diagnostic.Fix(
        "write `\(replacement)`", edits: [Diagnostic.Edit(replace: span, with: replacement)]),
      official: "Unexpected '='.", officialSpan: Span(start: span.end - 1, end: span.end))
  }

  static func foreignOperator(_ text: String, at span: Span) -> Diagnostic {
    let advice: String? =
      switch text {
      case "?.": "write `.get('name', null)` on the map, or test with `'name' in map` first"
      case "??": "write `map.get('name', default)`"
      case "=>": "there are no function literals"
      default: nil
      }
    return error(
      .foreignOperator, span, "there is no `\(text)` in rules",
      fix: advice.map { Diagnostic.Fix($0) },
      official: unexpected(String(text.suffix(1))), officialSpan: Span(start: span.end - 1, end: span.end))
  }

  static func increment(_ text: String, at span: Span) -> Diagnostic {
    error(
      .foreignOperator, span, "there is no `\(text)` in rules; variables never change",
      fix: text == "--" ? Diagnostic.Fix("write a blank between the two minus signs if both are meant") : nil,
      official: "Increment (++) and decrement (--) operators are not supported.")
  }

  static func assignment(_ span: Span) -> Diagnostic {
    error(
      .assignment, span, "`=` is not an operator",
      fix: Diagnostic.Fix("write `==` to compare", edits: [Diagnostic.Edit(replace: span, with: "==")]),
      official: "Unexpected '='.")
  }

  static func notIn(_ span: Span) -> Diagnostic {
    error(
      .notIn, span, "there is no `!in`", fix: Diagnostic.Fix("write `!(a in b)`"),
      official: "Unexpected '!'.")
  }

  static func wordOperator(_ word: String, at span: Span) -> Diagnostic {
    let replacement = ["and": "&&", "or": "||", "not": "!"][word.lowercased()]
    return error(
      .wordOperator, span, "`\(word)` is not an operator",
      fix: replacement.map {
        Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)])
      },
      official: unexpected(word))
  }

  static func isNot(_ span: Span) -> Diagnostic {
    error(
      .isNot, span, "there is no `is not`", fix: Diagnostic.Fix("write `!(a is string)`"),
      official: unexpected("not"))
  }

  static func expectedType(found token: Token, text: String, official: Span) -> Diagnostic {
    error(
      .syntax, token.span, "expected the name of a type after `is`, found \(describe(token, text))",
      fix: token.kind == .null ? Diagnostic.Fix("write `value == null`") : nil,
      official: TypeNames.unsupported(text.isEmpty ? "<missing IDENTIFIER>" : text), officialSpan: official)
  }

  static func afterType(_ text: String, at span: Span) -> Diagnostic {
    error(
      .syntax, span, "`is` takes the name of a type and nothing else", official: unexpected(text))
  }

  static func doubleSign(_ text: String, at span: Span) -> Diagnostic {
    error(.syntax, span, "`\(text)` cannot follow a minus sign", official: unexpected(text))
  }

  static func slashAfterOperand(at span: Span, text: String) -> Diagnostic {
    error(
      .divisionBlank, span, "`\(text)` is a path segment here, not a division",
      fix: Diagnostic.Fix(
        "write a blank after the slash to divide",
        edits: [Diagnostic.Edit(replace: Span(start: span.start + 1, end: span.start + 1), with: " ")]),
      official: "Missing 'match' keyword before path.")
  }

  static func unexpectedAfterExpression(_ token: Token, text: String, statement: String) -> Diagnostic {
    error(
      .syntax, token.span, "expected `;` or an operator, found \(describe(token, text))",
      official: unexpected(text))
  }

  // MARK: Operands

  static func expectedExpression(_ token: Token, text: String, after previous: Span) -> Diagnostic {
    error(
      .missingOperand, token.kind == .endOfFile ? previous.atEnd : token.span,
      "expected a value, found \(describe(token, text))", official: unexpected(text), officialSpan: token.span
    )
  }

  static func letInExpression(_ span: Span) -> Diagnostic {
    error(
      .onlyInFunction, span, "`let` is only allowed at the start of a function",
      official: "Unexpected 'let'.")
  }

  static func functionLiteral(_ span: Span) -> Diagnostic {
    error(
      .functionLiteral, span, "there are no function literals; the language has no loops",
      official: "Unexpected 'function'.")
  }

  static func callOfValue(_ span: Span) -> Diagnostic {
    error(.callOfValue, span, "only names and methods can be called", official: "Unexpected '('.")
  }

  static func expectedMember(_ token: Token, text: String) -> Diagnostic {
    let isWord = token.kind == .service || token.kind == .rulesVersion
    return error(
      .syntax, token.span, "expected a field or method name after `.`, found \(describe(token, text))",
      fix: isWord ? Diagnostic.Fix("write `['\(text)']`") : nil, official: unexpected(text))
  }

  static func emptyIndex(_ span: Span) -> Diagnostic {
    error(.missingOperand, span, "expected an index between `[` and `]`", official: "Unexpected ']'.")
  }

  static func integerOutOfRange(_ text: String, at span: Span) -> Diagnostic {
    error(
      .integerRange, span, "the integer does not fit into 64 bits",
      fix: Diagnostic.Fix("write a float, `\(text).0`"), official: "Invalid number literal \(text).")
  }

  static func badEscape(
    _ escape: LiteralDecoder.BadEscape, others: ArraySlice<LiteralDecoder.BadEscape>, literal: String,
    at span: Span
  ) -> Diagnostic {
    if escape.isUnicodeInBytes {
      return error(
        .badEscape, escape.span,
        "bytes literals have no `\\u`; write `\\x` per byte or the character itself",
        official: "Invalid bytes literal \(literal).", officialSpan: span)
    }
    let edits = ([escape] + others).map {
      Diagnostic.Edit(replace: Span(start: $0.span.start, end: $0.span.start), with: "\\")
    }
    return error(
      .badEscape, escape.span, "`\(escape.text)` is not an escape",
      notes: others.map { Diagnostic.Note("nor is `\($0.text)`", at: $0.span) },
      fix: Diagnostic.Fix("write `\\\(escape.text)`; in a pattern a back-slash is doubled", edits: edits),
      official: "Missing a closing \(literal.hasSuffix("\"") ? "\"" : "'")",
      officialSpan: Span(start: escape.span.start + 1, end: escape.span.end))
  }

  static func emptyInterpolation(_ span: Span) -> Diagnostic {
    error(.missingOperand, span, "expected an expression inside `$( )`", official: "Unexpected ')'.")
  }

  static func templatePlaceholder(_ span: Span) -> Diagnostic {
    error(
      .template, span, "`{{ }}` is a placeholder of a template; this file was not filled in",
      official: "Unexpected '{'.")
  }
}

/// The names `is` knows.
enum TypeNames {
  /// In the official compiler's order.
  static let all = [
    "bool", "bytes", "constraint", "duration", "float", "int", "latlng", "list", "vector", "set", "number",
    "map",
    "string", "timestamp", "path", "map_diff",
  ]

  static func unsupported(_ name: String) -> String {
    "An unsupported type identifier was used with the 'is' operator. Received \(name). Expected one of "
      + all.joined(separator: ",")
  }
}
