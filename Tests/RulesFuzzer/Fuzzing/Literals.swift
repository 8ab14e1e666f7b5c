/// Literals and the names of things: what stands at the ends of generated expressions.

enum Literals {
  static let ints = [
    "0", "1", "2", "3", "4", "5", "7", "10", "29", "31", "60", "100", "1000", "1500", "2024", "2147483648",
    "4294967296", "9007199254740993", "9223372036854775807", "-9223372036854775808", "-1", "-2", "-7",
    "-1500",
    "1700000000123", "253402300799999", "-62135596800000", "86400", "007",
  ]

  static let floats = [
    "0.0", "1.0", "0.5", "-0.0", "1.5", "2.5", "-2.5", "-1.5", "3.14", "0.1", "0.2", "1000000.0", "9999999.0",
    "10000000.0", "0.001", "0.0001", "123456789.123", "9007199254740993.0", "9223372036854775807.0",
    "9223372036854775808.0", "90.0", "180.0", "-90.0", "37.42", "-122.08", "float('NaN')",
    "float('Infinity')",
    "float('-Infinity')", "float('1e308')", "float('4.9e-324')", "float('2e-3')", "1.7976931348623157",
    "0.30000000000000004", "100.0", "5.0", "2.0",
  ]

  static let strings = [
    "''", "'a'", "'b'", "'c'", "'ab'", "'abc'", "'x'", "'me'", "'alice'", "'A'", "'Ab C'", "' a '", "'1'",
    "'7'",
    "'-3'", "'+3'", "'1.5'", "' 1 '", "'1e3'", "'0x10'", "'true'", "'null'", "'a,b,c'", "'a1b22'", "'é'",
    "'É'",
    "'ß'", "'İ'", "'Σ'", "'😀'", "'a😀b'", "'e\\u0301'", "'\\u00e9'", "'\\n'", "'\\t a\\r'", "'\\x41'",
    "'\\101'",
    "'\\''", "'\\\\'", "\"a\"", "\"it's\"", "\"\\\"\"", "'/a/b'", "'a/b'", "'u/a'", "'a.b'",
    "'\\ud83d\\ude00'",
    "'\\u0000'", "'\u{FEFF}x'", "'\u{A0}a\u{2003}'", "'٣'", "'ﬀ'", "'9223372036854775808'", "'-0'", "'NaN'",
    "'aaaa'", "'a b'", "'role'", "'admin'", "'x/y/'", "'2024-02-29T01:02:03.004Z'", "'s'", "'ms'",
  ]

  /// Escapes and forms that the compiler may refuse; now and then.
  static let doubtfulStrings = [
    "'\\d'", "'\\/'", "'\\a'", "'\\v'", "'\\0'", "'\\400'", "'\\x4'", "'\\X41'", "'\\ud83d'", "'\\ude00'",
    "'\\u{41}'", "r'a'", "'a", "`a`", "'\\", "'\\U0001F600'",
  ]

  static let bytes = [
    "b''", "b'abc'", "b'\\xff\\x00'", "B\"é\"", "b'\\101'", "b'hi'", "b'~~~'", "b'\\377'", "b'\\n\\\\'",
  ]

  static let timestamps = [
    "timestamp.value(0)", "timestamp.value(-1500)", "timestamp.date(2024, 2, 29)",
    "timestamp.date(1970, 1, 1)",
    "timestamp.value(1700000000123)", "timestamp.date(1969, 12, 31)", "timestamp.date(2000, 12, 31)",
    "timestamp.date(9999, 12, 31)", "timestamp.date(1, 1, 1)", "timestamp.date(1900, 3, 1)",
  ]

  static let durations = [
    "duration.value(1, 's')", "duration.value(1500, 'ms')", "duration.value(-90, 'm')",
    "duration.value(1, 'w')",
    "duration.time(1, 2, 3, 4)", "duration.value(1, 'ns')", "duration.value(-1500, 'ms')",
    "duration.value(0, 'h')", "duration.value(2, 'd')",
  ]

  static let latlngs = [
    "latlng.value(0, 0)", "latlng.value(37.42, -122.08)", "latlng.value(90, 180)",
    "latlng.value(-90.0, -180.0)",
    "latlng.value(48.8566, 2.3522)", "latlng.value(91, 0)",
  ]

  static let paths = [
    "/a/b", "/a", "/a/b/c/d", "path('a/b')", "path('/a/b/')", "path('')", "/users/(default)", "/a-b/c_d",
    "request.path", "resource.__name__", "path('a//b')", "path('a/{x}')", "/databases/$(database)/documents",
  ]

  static let patterns = [
    "'a'", "'.*'", "'[a-z]+'", "'^a'", "'b$'", "'a|b'", "'(a)(b)?'", "'[0-9]+'", "','", "''", "'\\\\d+'",
    "'\\\\w*'", "'a{2}'", "'[^a]'", "'(?i)A'", "'\\\\.'", "'.'", "'é'", "'x*'", "'\\\\s'", "'(a+)+$'",
    "'a??'",
    "'\\\\pL+'", "'[[:alpha:]]+'", "'(?P<n>a)'", "'\\\\b'", "'^$'", "'\\\\x41'", "'a+?'",
  ]

  static let doubtfulPatterns = [
    "'('", "'['", "'a{2,1}'", "'(?=a)'", "'\\\\1'", "'*'", "'a**'", "'(?<n>a)'", "'\\\\Z'",
  ]

  static let keys = [
    "'a'", "'b'", "'c'", "'s'", "'n'", "'l'", "'m'", "'t'", "'z'", "'a.b'", "''", "'size'", "'d'",
  ]

  static let names = ["a", "b", "c", "s", "n", "l", "m", "t", "z", "size", "data", "id", "keys", "d", "uid"]

  static let types = [
    "bool", "bytes", "constraint", "duration", "float", "int", "latlng", "list", "map", "map_diff", "number",
    "path", "set", "string", "timestamp", "null", "vector",
  ]

  static let units = ["'w'", "'d'", "'h'", "'m'", "'s'", "'ms'", "'ns'", "'us'", "'y'", "'S'"]

  static let comparisons = ["<", "<=", ">", ">="]
  static let equalities = ["==", "!=", "=="]

  /// Documents that exist in every world, some that do not, and paths that are none.
  static let documents =
    ["a", "a", "b", "me"].map { "/databases/$(database)/documents/u/\($0)" } + [
      "/databases/(default)/documents/u/a", "/databases/$(database)/documents/u/b/v/w",
      "/databases/$(database)/documents/§/x", "request.path", "resource.__name__",
      "/databases/$(database)/documents/u/c3", "/databases/$(database)/documents/u/none",
      "/databases/$(database)/documents/u", "/u/a", "/databases/other/documents/u/a",
      "/databases/$(database)/documents/u/a/",
    ]

  /// Faults of several sorts, for the tables of absorption.
  static let faults = [
    "{}.e1", "{}['e2']", "[][3] == 1", "1 / 0 == 1", "null.x", "unknownName", "1 && true", "'x' > 1", "!1",
    "'a'.matches('(' + 'a')", "5", "null", "{}.e3 == null", "request.nosuch",
  ]
}
