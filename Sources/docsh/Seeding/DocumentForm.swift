/// What `--as` and `--at` of a seed are made of: values and patterns of documents.

import DocModel
import Fixtures
import Triggers
import YAML

/// A value for each document: `${…}` stands for a name of a pattern, `${data.…}` for a field.
struct DocumentForm {
  private let form: Form
  private let usesData: Bool
  private var evaluator: FormEvaluator

  /// - Parameters:
  ///   - option: what messages call the text: `--as`.
  ///   - names: the names of the pattern.
  init(_ text: String, option: String, names: [String], _ database: DatabaseID) throws(InvalidArgument) {
    evaluator = FormEvaluator(database: database)
    let source = YAMLSource(name: option, text: text)
    do throws(YAMLError) {
      usesData = try Self.names(in: text, known: ["data"] + names).contains("data")
      let node =
        text.hasPrefix("{")
        ? try YAMLDocument.parse(source) : YAMLNode(.scalar(.string(text)), at: .start)
      var compiler = FormCompiler(database: database, vocabulary: .suites)
      form = try compiler.compile(node)
    } catch {
      throw InvalidArgument(source.diagnostic(for: error).description)
    }
  }

  private static func names(in text: String, known: [String]) throws(YAMLError) -> [String] {
    try InterpolationScanner.parts(
      of: text, escapeGives: "${", at: .start, literal: { _ in "" },
      use: { (use) throws(YAMLError) in
        let name = String(
          decoding: use.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
        guard known.contains(name) else {
          throw YAMLError(
            "no value is called '\(name)' here; known: \(known.joined(separator: ", "))", at: .start)
        }
        return name
      })
  }

  /// The value for a document; throws when the document has none.
  mutating func value(_ names: [String: String], _ fields: FieldsView) throws(InvalidArgument) -> Value {
    evaluator.beginDocument()
    evaluator.scope = Scope()
    if usesData { evaluator.scope.define("data", .plain(.map(Fields(fields)))) }
    for (name, value) in names { evaluator.scope.define(name, .plain(.string(value))) }
    do throws(YAMLError) {
      guard case .plain(let value) = try evaluator.evaluate(form, at: DrawPlace(seed: 0)) else {
        throw YAMLError("a value that only a commit gives", at: .start)
      }
      return value
    } catch {
      throw InvalidArgument(error.message)
    }
  }
}

/// The documents of a pattern of rules.
struct DocumentPattern {
  let text: String
  /// As in rules, `{path=**}` at the end also stands for no segment at all.
  private let patterns: [PathPattern]

  init(_ text: String) throws(InvalidArgument) {
    self.text = text
    let whole = try PathPattern(String(text.dropFirst()))
    var parts = text.dropFirst().split(separator: "/")
    let last = parts.popLast() ?? ""
    let isOpenEnded = last.hasSuffix("**}") || last == "**"
    // One that names a collection alone is none, and is not wanted either.
    let shorter = isOpenEnded ? try? PathPattern(parts.joined(separator: "/")) : nil
    patterns = [whole] + (shorter.map { [$0] } ?? [])
  }

  /// What stands between braces, without `=**`.
  var names: [String] {
    text.split(separator: "/").filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
      .map { String($0.dropFirst().dropLast().prefix { $0 != "=" }) }
  }

  func match(_ path: ResourcePath) -> [String: String]? {
    for pattern in patterns {
      if let names = pattern.match(path) { return names }
    }
    return nil
  }
}
