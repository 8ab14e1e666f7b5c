/// What scalars mean.

import Testing

@testable import YAML

@Suite("scalars")
struct ScalarTests {
  @Test(
    "a plain scalar means what the table says",
    arguments: [
      ("null", "null"), ("~", "null"), ("", "null"), ("Null", "str \"Null\""), ("NULL", "str \"NULL\""),
      ("true", "bool true"), ("false", "bool false"), ("True", "str \"True\""), ("yes", "str \"yes\""),
      ("no", "str \"no\""), ("on", "str \"on\""),
      ("0", "int 0"), ("-12", "int -12"), ("-0", "int 0"), ("9223372036854775807", "int 9223372036854775807"),
      ("-9223372036854775808", "int -9223372036854775808"),
      ("+1", "str \"+1\""), ("007", "str \"007\""), ("0x10", "str \"0x10\""), ("0o7", "str \"0o7\""),
      ("1_000", "str \"1_000\""), ("--", "str \"--\""), ("1.", "str \"1.\""), (".5", "str \".5\""),
      ("1.5", "double 1.5"), ("1e3", "double 1000.0"), ("1E-2", "double 0.01"), ("-0.0", "double -0.0"),
      ("1e", "str \"1e\""), ("1.2.3", "str \"1.2.3\""), ("5e-324", "double 5e-324"),
      (".inf", "double inf"), ("-.inf", "double -inf"), (".nan", "double nan"), (".Inf", "str \".Inf\""),
      ("2026-01-05", "str \"2026-01-05\""), ("2026-03-01T09:00:00Z", "str \"2026-03-01T09:00:00Z\""),
      ("12:30", "str \"12:30\""), ("a b", "str \"a b\""), ("a # comment", "str \"a\""),
      ("\"1\"", "str \"1\""), ("'true'", "str \"true\""), ("''", "str \"\""),
      ("\"a\\u00e9\\n\"", "str \"aé\\n\""),
      ("|\n  1\n  2\n", "str \"1\\n2\\n\""), (">-\n  a\n  b\n", "str \"a b\""),
    ])
  func meaning(source: String, expected: String) throws {
    #expect(shape(try parse("k: \(source)\n")) == "{k: \(expected)}")
  }

  @Test(
    "a number that does not fit is refused where it stands",
    arguments: [
      ("k: 9223372036854775808", "1:4 the integer 9223372036854775808 does not fit in 64 bits"),
      ("k:\n  - -9223372036854775809", "2:5 the integer -9223372036854775809 does not fit in 64 bits"),
      ("k: 1e400", "1:4 the number 1e400 is too large for a double"),
    ])
  func tooLarge(source: String, expected: String) {
    #expect(refusal(source)?.hasPrefix(expected) == true)
  }

  @Test("keys are texts, also those that look like numbers")
  func keys() throws {
    let entries = try parse("1: a\ntrue: b\nnull: c\n99999999999999999999: d\n").entries()
    #expect(entries.map(\.key.text) == ["1", "true", "null", "99999999999999999999"])
  }
}
