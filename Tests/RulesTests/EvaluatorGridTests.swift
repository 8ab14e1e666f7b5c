/// Operators and functions against recorded answers, and the fault messages.

import DocModel
import Testing

@testable import Rules

/// How one recorded letter reads.
private func letter(_ outcome: String) -> Character {
  switch outcome {
  case "true": "T"
  case "false": "F"
  case "refused": "R"
  default: "E"
  }
}

private func outcome(_ expression: String) -> Character {
  letter(Circumstances(data: nil).outcome(expression))
}

@Suite("Evaluator: recorded answers")
struct EvaluatorGridTests {
  @Test("an operator on every pair of kinds", arguments: operatorGrids.indices)
  func operators(index: Int) {
    let (template, rows) = operatorGrids[index]
    #expect(rows.count == sampleKinds.count)
    for (left, row) in zip(sampleKinds, rows) {
      let answers = sampleKinds.map { right in
        outcome(template.replacing("$l", with: left.expression).replacing("$r", with: right.expression))
      }
      #expect(String(answers) == row, "\(template) with \(left.kind) on the left")
    }
  }

  @Test("a function, method or type test on every kind", arguments: valueGrids.indices)
  func functions(index: Int) {
    let (template, verdicts) = valueGrids[index]
    let answers = sampleKinds.map { sample in
      let isNumber = sample.kind == "int" || sample.kind == "float"
      let wrapped = isNumber ? "(\(sample.expression))" : sample.expression
      return outcome(template.replacing("$w", with: wrapped).replacing("$v", with: sample.expression))
    }
    #expect(String(answers) == verdicts, "\(template)")
  }

  @Test("messages", arguments: messageRows.indices)
  func messages(index: Int) {
    let (expression, message) = messageRows[index]
    #expect(Circumstances(data: nil).outcome(expression) == message, "\(expression)")
  }

  @Test("values", arguments: valueRows)
  func values(expression: String) {
    #expect(Circumstances(data: nil).outcome(expression) == "true", "\(expression)")
  }
}

/// Each is true. Source: the official emulator, version 1.19.9, asked with these very expressions.
private let valueRows = [
  "int('+3') == 3", "int('-0') == 0", "int('007') == 7", "int(9300000000000000000.0) == 9223372036854775807",
  "int('١') == 1", "float('1.5f') == 1.5", "float('0x1p3') == 8.0", "float('1d') == 1.0",
  "float('-.5') == -0.5",
  "float('+5.') == 5.0", "string(float('1e400')) == 'Infinity'", "string(10000000000.0) == '1.0E10'",
  "string(123456.789) == '123456.789'", "string(0.001) == '0.001'", "string(0.0001) == '1.0E-4'",
  "string(9007199254740993.0) == '9.007199254740992E15'", "string(100.0 * 1.1) == '110.00000000000001'",
  "string(float('5E-324')) == '4.9E-324'", "string(-0.0) == '-0.0'", "string(100.0) == '100.0'",
  "math.round(0.5) == 1", "math.round(-0.5) == 0", "math.round(0.49999999999999994) == 0",
  "math.round(3) == 3",
  "math.abs(-9223372036854775808) < 0", "string(math.ceil(-0.5)) == '-0.0'", "math.floor(-0.5) == -1.0",
  "string(math.pow(0, -1)) == 'Infinity'", "string(math.pow(-8, 1.0 / 3.0)) == 'NaN'",
  "-9223372036854775808 / -1 == -9223372036854775808", "-9223372036854775808 % -1 == 0",
  "string(1.0 / 0) == 'Infinity'", "string(1.5 % 0.0) == 'NaN'", "5.5 % 2 == 1.5", "-5.5 % 2 == -1.5",
  "-duration.value(1, 's') == duration.value(-1, 's')", "'\\uD83D\\uDE00' < '\\uFFFD'",
  "!('\\uFFFD' < '\\uD83D\\uDE00')", "'😀'[0].size() == 1", "'a😀b'[1:3] == '😀'", "'a😀b'.size() == 4",
  "'ab'.split('') == ['', 'a', 'b']", "'a,b,'.split(',') == ['a', 'b']", "',a'.split(',') == ['', 'a']",
  "'abc'.split('b*') == ['', 'a', '', 'c']", "''.split(',') == ['']", "','.split(',') == ['']",
  "'a,,b,,'.split(',') == ['a', '', 'b']", "'aa'.split('a') == ['']", "'a1b2'.split('([0-9])') == ['a', 'b']",
  "'aXbX'.replace('X', '$0') == 'aXbX'", "'ab'.replace('(a)', '\\\\1\\\\1') == '11b'",
  "'ab'.replace('(a)', '$1$1') == 'aab'", "'ab'.replace('a', '\\\\') == '\\\\b'",
  "'ab'.replace('', '-') == '-a-b-'",
  "'aaa'.replace('a*', 'x') == 'xx'", "'a.b'.replace('.', '-') == '---'",
  "'ab'.replace('(a)', '$12') == 'a2b'",
  "'ab'.replace('(a)(b)', '$10') == 'a0'", "'ab'.replace('(?P<n>a)', '${n}${n}') == 'aab'",
  "'ab'.replace('a', '$') == '$b'", "'ab'.replace('a', '$x') == '$xb'",
  "'ab'.replace('a', '\\\\$0') == '$0b'",
  "'ß'.upper() == 'ß'", "'ÀÉ'.lower() == 'ÀÉ'", "'aé'.upper() == 'Aé'", "'\\u00a0a'.trim() == '\\u00a0a'",
  "'\\u001ca\\t\\n'.trim() == 'a'", "!'a\\nb'.matches('a.b')", "'a\\nb'.matches('(?s)a.b')",
  "'é'.matches('.')",
  "'😀'.matches('.')", "'abc'.matches('a|abc')", "'abc'.matches('\\\\p{L}+')", "!'aé'.matches('\\\\w+')",
  "'abc'[:2] == 'ab'", "'abc'[1:] == 'bc'", "'abc'[:] == 'abc'", "[1, 2, 3][:2] == [1, 2]",
  "[1, 2, 3][null:2] == [1, 2]",
  "''[:] == ''", "[][:] == []", "path('a/b/c')[0:2] == /a/b", "request.path[3:5] == /t/x",
  "timestamp.value('2020-01-02T03:04:05.678Z').nanos() == 678000000",
  "timestamp.value('2020-01-02T03:04:05+02:00').hours() == 1", "timestamp.value(-1500).hours() == 23",
  "timestamp.value(-1).toMillis() == -1", "timestamp.value(-1500).date() == timestamp.date(1969, 12, 31)",
  "duration.value(-1500, 'ms').seconds() == -1", "duration.value(-1500, 'ms').nanos() == -500000000",
  "duration.time(25, 61, 61, 1000000000).seconds() == 93722",
  "duration.value(1, 's') - duration.value(1500, 'ms') == duration.value(-500, 'ms')",
  "latlng.value(0, 0).distance(latlng.value(0, 180)) == 20015115.070354454",
  "math.abs(latlng.value(51.5, -0.1).distance(latlng.value(48.85, 2.35)) - 342401.2307517651) < 0.000001",
  "latlng.value(1, 2) == latlng.value(1.0, 2.0)", "latlng.value(0, 0) != latlng.value(-0.0, 0)",
  "{'b': 1, 'b': 2} == {'b': 2}", "[1, 1.0, 2].toSet().size() == 2", "[0.0, -0.0].toSet().size() == 1",
  "[{'a': 1}].toSet() == [{'a': 1.0}].toSet()", "[1].toSet() in [[1.0].toSet()]", "!([-0.0] in [[0.0]])",
  "{'a': [1]}.diff({'a': [1.0]}).changedKeys().size() == 0", "{'a': 1}.diff({}) != {'a': 1}.diff({})",
  "[].hasAll([])", "[].hasOnly([])", "![1].hasOnly([])", "[0.0].hasAll([-0.0])",
  "[float('NaN')].removeAll([float('NaN')]).size() == 1", "9007199254740993 == 9007199254740992.0",
  "!(9007199254740993 > 9007199254740992.0)", "!(float('NaN') >= 1.0)", "b'\\x80' > b'\\x7f'", "b'a' < b'ab'",
  "{'a': {'b': null}}.get(['a', 'b'], 1) == null", "{'a': {'b': null}}.get(['a', 'b', 'c'], 1) == 1",
  "{'a': 1}.get([], 2) == {'a': 1}", "/a/$('b/c')/d != /a/b/c/d", "/a/$(path('x/y')) == /a/x/y",
  "/a/$(1.5)/$(true)/$(null) == path('a/1.5/true/null')", "/a/$('b/c')[1] == 'b/c' || true",
  "path('a/{x}').bind({'x': 'v'}).x == 'v'", "path('a/{x=**}').bind({'x': path('v/w')})[2] == 'w'",
  "path('a/{x=**}').bind({'x': path('v/w')}).x == /v/w", "path('a/{x}') != path('a/{x}')",
  "string(path('a/{x}')) == '/a/'", "path('a/{x}').bind({'x': path('v/w')}).x == '/v/w'",
  "path('a/{x}/{y}').bind({'x': 'v'})[1] == 'v'", "path('a/b').bind({}) == path('a/b')",
  "'é' != 'e\\u0301'", "'B' < 'a'", "request == request", "'auth' in request",
]
