/// Long patterns, and replacements that refer to groups. The official emulator's answers, version 1.19.9.

import DocModel
import Testing

@testable import Rules

@Suite("Replacements and long patterns")
struct ReplacementTests {
  /// Where the official emulator answers `UNKNOWN` we deny; whether another `allow` or operand grants, it says, too.
  @Test(
    "nothing makes up for a reference to no group",
    arguments: [
      ("if @ || true;", false), ("if true || @;", true), ("if @; allow read: if true;", false),
      ("if true; allow read: if @;", true), ("if !(@) || resource == null;", false),
      ("if [@, 1].size() == 2;", false), ("if false && @;", false), ("if false ? @ : true;", true),
    ])
  func broken(statements: String, isAllowed: Bool) throws {
    let condition = statements.replacing("@", with: "'a'.replace('a', '$1') == 'x'")
    let ruleset = try compiled(
      "rules_version = '2'; service cloud.firestore { match /{all=**} { allow read: \(condition) } }")
    let documents = MemoryDocuments()
    let request = Circumstances().request(documents)
    #expect(ruleset.decide(request, documents: documents).isAllowed == isAllowed)
    let explanation = ruleset.explain(request, documents: documents)
    #expect(explanation.isAllowed == isAllowed && explanation.limits.isEmpty)
  }

  /// Where the official emulator breaks off ours has a text of its own.
  @Test("references to groups", arguments: rows)
  func references(text: String, pattern: String, replacement: String, outcome: String?) {
    let found = Circumstances().outcome("{}['\(text)'.replace('\(pattern)', '\(replacement)')]")
    #expect(found == outcome.map { "Property \($0) is undefined on object." } ?? FaultText.replacement)
  }

  /// 4,096 UTF-16 units and one more.
  private static let lengths: [(unit: String, most: Int)] = [
    ("a", 4_096), ("é", 4_096), ("€", 4_096), ("😀", 2_048), ("\\\\.", 2_048), ("\\u00e9", 4_096),
    ("[ab]", 1_024),
  ]

  @Test("a literal pattern that is too long does not compile", arguments: lengths)
  func literal(unit: String, most: Int) {
    for method in ["matches('@')", "split('@').size() == 1", "matches(('@'))"] {
      for (count, compiles) in [(most, true), (most + 1, false)] {
        let pattern = String(repeating: unit, count: count)
        let condition = "'x'." + method.split(separator: "@").joined(separator: pattern)
        #expect(Sample.compiles(Sample.file(condition: condition)) == compiles, "\(unit) \(method) \(count)")
      }
    }
  }

  @Test("the official message names the pattern, before it says that it is wrong")
  func message() {
    let pattern = String(repeating: "(", count: 4_097)
    let diagnostics = Sample.check(Sample.file(condition: "'x'.matches('\(pattern)')")).diagnostics
    #expect(diagnostics.map(\.id) == ["rules-bad-pattern"])
    #expect(
      diagnostics.map(\.officialText) == [
        "Regular expression too long. Maximum allowed length: 4096 Pattern: \(pattern)."
      ])
  }

  @Test(
    "computed, or of replace, it is an error",
    arguments: [
      "'x'.matches(@ + '')", "'x'.split(@ + '') == []", "'x'.replace(@, '') == ''",
      "'x'.replace(@ + '', '') == ''",
      "'x'.matches(true ? @ : '')",
    ])
  func computed(condition: String) {
    let pattern = String(repeating: "a", count: 4_096)
    func outcome(_ pattern: String) -> String {
      Circumstances().outcome(condition.split(separator: "@").joined(separator: "'\(pattern)'"))
    }
    #expect(["true", "false"].contains(outcome(pattern)))
    #expect(
      outcome(pattern + "b")
        == "Regular expression too long. Maximum allowed length: 4096 Pattern: \(pattern)b.")
  }
}

/// Text, pattern, replacement and what comes of it; nil where the official emulator breaks off.
private let rows: [(String, String, String, String?)] = [
  ("abab", "a", "$1", nil),
  ("abab", "a", "$", "$b$b"),
  ("abab", "a", "$x", "$xb$xb"),
  ("abab", "a", "${x}", nil),
  ("abab", "a", "\\\\", "\\b\\b"),
  ("abab", "a", "\\\\\\\\", "\\b\\b"),
  ("abab", "a", "a\\\\", "a\\ba\\b"),
  ("abab", "a", "$0", "abab"),
  ("abab", "a", "$9", nil),
  ("abab", "a", "$1$", nil),
  ("abab", "a", "$$", "$$b$$b"),
  ("abab", "a", "$$1", nil),
  ("abab", "a", "\\\\$1", "$1b$1b"),
  ("abab", "a", "$1\\\\", nil),
  ("abab", "a", "\\\\1", "1b1b"),
  ("abab", "a", "$10", nil),
  ("abab", "a", "$12", nil),
  ("abab", "a", "$01", "a1ba1b"),
  ("abab", "a", "$00", "abab"),
  ("abab", "a", "$2", nil),
  ("abab", "a", "$22", nil),
  ("abab", "a", "${n}", nil),
  ("abab", "a", "${x1}", nil),
  ("abab", "a", "${n", nil),
  ("abab", "a", "${", nil),
  ("abab", "a", "${}", nil),
  ("abab", "a", "${1}", nil),
  ("abab", "a", "$n", "$nb$nb"),
  ("abab", "a", "${n}${", nil),
  ("abab", "a", "${n}$", nil),
  ("abab", "a", "${0}", nil),
  ("abab", "a", "${n }", nil),
  ("abab", "a", "${N}", nil),
  ("abab", "a", "$-1", "$-1b$-1b"),
  ("abab", "a", "\\\\${n}", "${n}b${n}b"),
  ("abab", "a", "${n\\\\}", nil),
  ("abab", "a", "}${n", nil),
  ("abab", "a", "${n}}", nil),
  ("abab", "a", "$ 1", "$ 1b$ 1b"),
  ("abab", "a", "$é", "$éb$éb"),
  ("abab", "a", "$٣", "$٣b$٣b"),
  ("abab", "a", "\\\\n", "nbnb"),
  ("abab", "a", "\\\\😀", "😀b😀b"),
  ("abab", "a", "$99999999999999999999", nil),
  ("abab", "a", "$1٣", nil),
  ("abab", "a", "x\\\\$", "x$bx$b"),
  ("abab", "a", "$\\\\1", "$1b$1b"),
  ("abab", "a", "$1a", nil),
  ("abab", "a", "${n}${nosuch}", nil),
  ("abab", "a", "$1$9", nil),
  ("abab", "(a)", "$1", "abab"),
  ("abab", "(a)", "$", "$b$b"),
  ("abab", "(a)", "$x", "$xb$xb"),
  ("abab", "(a)", "${x}", nil),
  ("abab", "(a)", "\\\\", "\\b\\b"),
  ("abab", "(a)", "\\\\\\\\", "\\b\\b"),
  ("abab", "(a)", "a\\\\", "a\\ba\\b"),
  ("abab", "(a)", "$0", "abab"),
  ("abab", "(a)", "$9", nil),
  ("abab", "(a)", "$1$", "a$ba$b"),
  ("abab", "(a)", "$$", "$$b$$b"),
  ("abab", "(a)", "$$1", "$ab$ab"),
  ("abab", "(a)", "\\\\$1", "$1b$1b"),
  ("abab", "(a)", "$1\\\\", "a\\ba\\b"),
  ("abab", "(a)", "\\\\1", "1b1b"),
  ("abab", "(a)", "$10", "a0ba0b"),
  ("abab", "(a)", "$12", "a2ba2b"),
  ("abab", "(a)", "$01", "abab"),
  ("abab", "(a)", "$00", "abab"),
  ("abab", "(a)", "$2", nil),
  ("abab", "(a)", "$22", nil),
  ("abab", "(a)", "${n}", nil),
  ("abab", "(a)", "${x1}", nil),
  ("abab", "(a)", "${n", nil),
  ("abab", "(a)", "${", nil),
  ("abab", "(a)", "${}", nil),
  ("abab", "(a)", "${1}", nil),
  ("abab", "(a)", "$n", "$nb$nb"),
  ("abab", "(a)", "${n}${", nil),
  ("abab", "(a)", "${n}$", nil),
  ("abab", "(a)", "${0}", nil),
  ("abab", "(a)", "${n }", nil),
  ("abab", "(a)", "${N}", nil),
  ("abab", "(a)", "$-1", "$-1b$-1b"),
  ("abab", "(a)", "\\\\${n}", "${n}b${n}b"),
  ("abab", "(a)", "${n\\\\}", nil),
  ("abab", "(a)", "}${n", nil),
  ("abab", "(a)", "${n}}", nil),
  ("abab", "(a)", "$ 1", "$ 1b$ 1b"),
  ("abab", "(a)", "$é", "$éb$éb"),
  ("abab", "(a)", "$٣", "$٣b$٣b"),
  ("abab", "(a)", "\\\\n", "nbnb"),
  ("abab", "(a)", "\\\\😀", "😀b😀b"),
  ("abab", "(a)", "$99999999999999999999", nil),
  ("abab", "(a)", "$1٣", "a٣ba٣b"),
  ("abab", "(a)", "x\\\\$", "x$bx$b"),
  ("abab", "(a)", "$\\\\1", "$1b$1b"),
  ("abab", "(a)", "$1a", "aabaab"),
  ("abab", "(a)", "${n}${nosuch}", nil),
  ("abab", "(a)", "$1$9", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1", "aa"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$", "$$"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$x", "$x$x"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${x}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\", "\\\\"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\\\\\", "\\\\"),
  ("abab", "(?P<n>a)(?P<x1>b)", "a\\\\", "a\\a\\"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$0", "abab"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$9", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1$", "a$a$"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$$", "$$$$"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$$1", "$a$a"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\$1", "$1$1"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1\\\\", "a\\a\\"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\1", "11"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$10", "a0a0"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$12", "a2a2"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$01", "aa"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$00", "abab"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$2", "bb"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$22", "b2b2"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n}", "aa"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${x1}", "bb"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${1}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$n", "$n$n"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n}${", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n}$", "a$a$"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${0}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n }", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${N}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$-1", "$-1$-1"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\${n}", "${n}${n}"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n\\\\}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "}${n", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n}}", "a}a}"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$ 1", "$ 1$ 1"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$é", "$é$é"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$٣", "$٣$٣"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\n", "nn"),
  ("abab", "(?P<n>a)(?P<x1>b)", "\\\\😀", "😀😀"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$99999999999999999999", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1٣", "a٣a٣"),
  ("abab", "(?P<n>a)(?P<x1>b)", "x\\\\$", "x$x$"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$\\\\1", "$1$1"),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1a", "aaaa"),
  ("abab", "(?P<n>a)(?P<x1>b)", "${n}${nosuch}", nil),
  ("abab", "(?P<n>a)(?P<x1>b)", "$1$9", nil),
  ("xyz", "a", "$1", "xyz"),
  ("xyz", "a", "${x}", "xyz"),
  ("xyz", "a", "a\\\\", "xyz"),
  ("xyz", "a", "$1$", "xyz"),
  ("xyz", "a", "\\\\$1", "xyz"),
  ("xyz", "a", "$10", "xyz"),
  ("xyz", "a", "$00", "xyz"),
  ("xyz", "a", "${n}", "xyz"),
  ("xyz", "a", "${", "xyz"),
  ("xyz", "a", "$n", "xyz"),
  ("xyz", "a", "${0}", "xyz"),
  ("xyz", "a", "$-1", "xyz"),
  ("xyz", "a", "}${n", "xyz"),
  ("xyz", "a", "$é", "xyz"),
  ("xyz", "a", "\\\\😀", "xyz"),
  ("xyz", "a", "x\\\\$", "xyz"),
  ("xyz", "a", "${n}${nosuch}", "xyz"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$1", "alm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "${x}", nil),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "a\\\\", "a\\lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$1$", "a$lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "\\\\$1", "$1lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$10", "jlm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$00", "abcdefghijklm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "${n}", nil),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "${", nil),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$n", "$nlm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "${0}", nil),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$-1", "$-1lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "}${n", nil),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "$é", "$élm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "\\\\😀", "😀lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "x\\\\$", "x$lm"),
  ("abcdefghijklm", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "${n}${nosuch}", nil),
  ("ab", "(a)|(b)", "$1", "a"),
  ("ab", "(a)|(b)", "${x}", nil),
  ("ab", "(a)|(b)", "a\\\\", "a\\a\\"),
  ("ab", "(a)|(b)", "$1$", "a$$"),
  ("ab", "(a)|(b)", "\\\\$1", "$1$1"),
  ("ab", "(a)|(b)", "$10", "a00"),
  ("ab", "(a)|(b)", "$00", "ab"),
  ("ab", "(a)|(b)", "${n}", nil),
  ("ab", "(a)|(b)", "${", nil),
  ("ab", "(a)|(b)", "$n", "$n$n"),
  ("ab", "(a)|(b)", "${0}", nil),
  ("ab", "(a)|(b)", "$-1", "$-1$-1"),
  ("ab", "(a)|(b)", "}${n", nil),
  ("ab", "(a)|(b)", "$é", "$é$é"),
  ("ab", "(a)|(b)", "\\\\😀", "😀😀"),
  ("ab", "(a)|(b)", "x\\\\$", "x$x$"),
  ("ab", "(a)|(b)", "${n}${nosuch}", nil),
]
