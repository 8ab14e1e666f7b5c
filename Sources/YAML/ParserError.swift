/// libyaml's errors in our words and places.

internal import CYAML
internal import Platform

/// What the parser stopped at.
struct ParserError {
  let error: YAMLError

  init(parser: yaml_parser_t, input: ParserInput) {
    let problem = Self.text(parser.problem) ?? "the text cannot be read"
    switch parser.error {
    case YAML_READER_ERROR:
      guard input.readErrorCode == 0 else {
        let reason = String(cString: strerror(input.readErrorCode))
        error = YAMLError("cannot read the file: \(reason)", at: YAMLMark(parser.mark))
        return
      }
      // The reader runs ahead of the parser, so only the byte offset tells the place.
      let mark = input.source.mark(ofByte: Int(parser.problem_offset) + input.textStart)
      error = YAMLError("not valid YAML: \(problem)", at: mark)
    case YAML_MEMORY_ERROR:
      error = YAMLError("not enough memory to read YAML", at: YAMLMark(parser.mark))
    default:
      error = Self.syntaxError(parser, problem, input)
    }
  }

  /// The scanner and the parser know two places: where the trouble showed and where the construct began.
  private static func syntaxError(_ parser: yaml_parser_t, _ problem: String, _ input: ParserInput)
    -> YAMLError
  {
    let found = YAMLMark(parser.problem_mark)
    guard let context = text(parser.context) else {
      return YAMLError("not valid YAML: \(problem)", at: found)
    }
    let began = YAMLMark(parser.context_mark)
    // Where the end of the file is only the victim, the beginning is what the author has to see.
    if problem.hasSuffix("end of stream") || problem.hasSuffix("expected ':'") {
      return YAMLError("not valid YAML: \(problem), \(context)", at: began)
    }
    if isIndentedByTab(found, input.source) {
      return YAMLError("not valid YAML: tabs cannot indent; use spaces", at: found)
    }
    let place = began.line == found.line ? "" : " that begins at line \(began.line)"
    return YAMLError("not valid YAML: \(problem), \(context)\(place)", at: found)
  }

  private static func isIndentedByTab(_ mark: YAMLMark, _ source: YAMLSource) -> Bool {
    guard let line = source.line(Int(mark.line)) else { return false }
    let scalars = line.unicodeScalars
    return scalars.dropFirst(Int(mark.column) - 1).first == "\t"
      && scalars.prefix(Int(mark.column) - 1).allSatisfy { $0 == " " || $0 == "\t" }
  }

  private static func text(_ bytes: UnsafePointer<CChar>?) -> String? {
    bytes.map { String(cString: $0) }
  }
}
