/// Operators and functions on every kind of value: the official emulator's answers.
///
/// A letter per kind of operand, in the order of `sampleKinds`: T true, F false, E error, R refused by the
/// compiler. Recorded from version 1.19.9.

/// Kinds and an expression of each.
let sampleKinds: [(kind: String, expression: String)] = [
  ("null", "null"),
  ("bool", "true"),
  ("int", "2"),
  ("float", "2.0"),
  ("string", "'a'"),
  ("bytes", "b'a'"),
  ("timestamp", "timestamp.value(0)"),
  ("duration", "duration.value(1, 's')"),
  ("latlng", "latlng.value(1, 2)"),
  ("path", "path('a/b')"),
  ("list", "['a']"),
  ("map", "{'a': 1}"),
  ("set", "['a'].toSet()"),
  ("map_diff", "{'a': 1}.diff({})"),
  ("vector", "vector([1.0])"),
]

/// `$l` and `$r` stand for the operands; a row for each kind on the left, a letter for each on the right.
let operatorGrids: [(template: String, rows: [String])] = [
  (
    "$l == $r",
    [
      "TFFFFFFFFFFFFFF", "FTFFFFFFFFFFFFF", "FFTTFFFFFFFFFFF", "FFTTFFFFFFFFFFF", "FFFFTFFFFFFFFFF",
      "FFFFFTFFFFFFFFF", "FFFFFFTFFFFFFFF", "FFFFFFFTFFFFFFF", "FFFFFFFFTFFFFFF", "FFFFFFFFFTFFFFF",
      "FFFFFFFFFFTFFFF", "FFFFFFFFFFFTFFF", "FFFFFFFFFFFFTFF", "FFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFT",
    ]
  ),
  (
    "$l != $r",
    [
      "FTTTTTTTTTTTTTT", "TFTTTTTTTTTTTTT", "TTFFTTTTTTTTTTT", "TTFFTTTTTTTTTTT", "TTTTFTTTTTTTTTT",
      "TTTTTFTTTTTTTTT", "TTTTTTFTTTTTTTT", "TTTTTTTFTTTTTTT", "TTTTTTTTFTTTTTT", "TTTTTTTTTFTTTTT",
      "TTTTTTTTTTFTTTT", "TTTTTTTTTTTFTTT", "TTTTTTTTTTTTFTT", "TTTTTTTTTTTTTTT", "TTTTTTTTTTTTTTF",
    ]
  ),
  (
    "$l < $r",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEFEEEEEEEEEE",
      "EEEEEFEEEEEEEEE", "EEEEEEFEEEEEEEE", "EEEEEEEFEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l <= $r",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EEEETEEEEEEEEEE",
      "EEEEETEEEEEEEEE", "EEEEEETEEEEEEEE", "EEEEEEETEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l > $r",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEFEEEEEEEEEE",
      "EEEEEFEEEEEEEEE", "EEEEEEFEEEEEEEE", "EEEEEEEFEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l >= $r",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EEEETEEEEEEEEEE",
      "EEEEETEEEEEEEEE", "EEEEEETEEEEEEEE", "EEEEEEETEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "($l + $r) == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEFEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEFEEEEEEE", "EEEEEEFFEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "($l - $r) == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEFFEEEEEEE", "EEEEEEEFEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "($l * $r) == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "($l / $r) == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EETTEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "($l % $r) == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEFFEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l in $r",
    [
      "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEETTTEE",
      "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE",
      "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE", "EEEEEEEEEEFEFEE",
    ]
  ),
  (
    "$l[$r] == 1",
    [
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEETEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l && $r",
    [
      "EEEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
      "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEE",
    ]
  ),
  (
    "$l || $r",
    [
      "ETEEEEEEEEEEEEE", "TTTTTTTTTTTTTTT", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE",
      "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE",
      "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE", "ETEEEEEEEEEEEEE",
    ]
  ),
]

/// `$v` stands for the value.
let valueGrids: [(template: String, verdicts: String)] = [
  ("$w.size() != 77", "EEEETTEEEETTTEE"),
  ("$w.matches('a') != 77", "EEEETEEEEEEEEEE"),
  ("$w.replace('a', 'b') != 77", "EEEETEEEEEEEEEE"),
  ("$w.split(',') != 77", "EEEETEEEEEEEEEE"),
  ("$w.lower() != 77", "EEEETEEEEEEEEEE"),
  ("$w.upper() != 77", "EEEETEEEEEEEEEE"),
  ("$w.trim() != 77", "EEEETEEEEEEEEEE"),
  ("$w.toUtf8() != 77", "EEEETEEEEEEEEEE"),
  ("$w.concat(['b']) != 77", "EEEEEEEEEETEEEE"),
  ("$w.hasAll(['a']) != 77", "EEEEEEEEEETETEE"),
  ("$w.hasAny(['a']) != 77", "EEEEEEEEEETETEE"),
  ("$w.hasOnly(['a']) != 77", "EEEEEEEEEETETEE"),
  ("$w.removeAll(['a']) != 77", "EEEEEEEEEETEEEE"),
  ("$w.join(',') != 77", "EEEEEEEEEETEEEE"),
  ("$w.toSet() != 77", "EEEEEEEEEETEEEE"),
  ("$w.keys() != 77", "EEEEEEEEEEETEEE"),
  ("$w.values() != 77", "EEEEEEEEEEETEEE"),
  ("$w.get('a', 0) != 77", "EEEEEEEEEEETEEE"),
  ("$w.diff({}) != 77", "EEEEEEEEEEETEEE"),
  ("$w.union(['b'].toSet()) != 77", "EEEEEEEEEEEETEE"),
  ("$w.difference(['a'].toSet()) != 77", "EEEEEEEEEEEETEE"),
  ("$w.intersection(['a'].toSet()) != 77", "EEEEEEEEEEEETEE"),
  ("$w.addedKeys() != 77", "EEEEEEEEEEEEETE"),
  ("$w.removedKeys() != 77", "EEEEEEEEEEEEETE"),
  ("$w.changedKeys() != 77", "EEEEEEEEEEEEETE"),
  ("$w.unchangedKeys() != 77", "EEEEEEEEEEEEETE"),
  ("$w.affectedKeys() != 77", "EEEEEEEEEEEEETE"),
  ("$w.toBase64() != 77", "EEEEETEEEEEEEEE"),
  ("$w.toHexString() != 77", "EEEEETEEEEEEEEE"),
  ("$w.year() != 77", "EEEEEETEEEEEEEE"),
  ("$w.month() != 77", "EEEEEETEEEEEEEE"),
  ("$w.day() != 77", "EEEEEETEEEEEEEE"),
  ("$w.hours() != 77", "EEEEEETEEEEEEEE"),
  ("$w.minutes() != 77", "EEEEEETEEEEEEEE"),
  ("$w.seconds() != 77", "EEEEEETTEEEEEEE"),
  ("$w.nanos() != 77", "EEEEEETTEEEEEEE"),
  ("$w.dayOfWeek() != 77", "EEEEEETEEEEEEEE"),
  ("$w.dayOfYear() != 77", "EEEEEETEEEEEEEE"),
  ("$w.toMillis() != 77", "EEEEEETEEEEEEEE"),
  ("$w.date() != 77", "EEEEEETEEEEEEEE"),
  ("$w.time() != 77", "EEEEEETEEEEEEEE"),
  ("$w.latitude() != 77", "EEEEEEEETEEEEEE"),
  ("$w.longitude() != 77", "EEEEEEEETEEEEEE"),
  ("$w.distance(latlng.value(1, 2)) != 77", "EEEEEEEETEEEEEE"),
  ("$w.bind({}) != 77", "EEEEEEEEETEEEEE"),
  ("$w.startsWith('a') != 77", "EEEEEEEEEEEEEEE"),
  ("'a'.matches($v) != 77", "EEEETEEEEEEEEEE"),
  ("'a'.split($v) != 77", "EEEETEEEEEEEEEE"),
  ("['a'].concat($v) != 77", "EEEEEEEEEETEEEE"),
  ("['a'].hasAll($v) != 77", "EEEEEEEEEETEEEE"),
  ("['a'].hasAny($v) != 77", "EEEEEEEEEETEEEE"),
  ("['a'].hasOnly($v) != 77", "EEEEEEEEEETEEEE"),
  ("['a'].removeAll($v) != 77", "EEEEEEEEEETEEEE"),
  ("['a'].join($v) != 77", "EEEETEEEEEEEEEE"),
  ("{'a': 1}.diff($v) != 77", "EEEEEEEEEEETEEE"),
  ("['a'].toSet().hasAll($v) != 77", "EEEEEEEEEETETEE"),
  ("['a'].toSet().hasAny($v) != 77", "EEEEEEEEEETETEE"),
  ("['a'].toSet().hasOnly($v) != 77", "EEEEEEEEEETETEE"),
  ("['a'].toSet().union($v) != 77", "EEEEEEEEEEEETEE"),
  ("['a'].toSet().difference($v) != 77", "EEEEEEEEEEEETEE"),
  ("['a'].toSet().intersection($v) != 77", "EEEEEEEEEEEETEE"),
  ("latlng.value(1, 2).distance($v) != 77", "EEEEEEEETEEEEEE"),
  ("path('a/b').bind($v) != 77", "EEEEEEEEEEEEEEE"),
  ("math.abs($v) != 77", "EETTEEEEEEEEEEE"),
  ("math.ceil($v) != 77", "EETTEEEEEEEEEEE"),
  ("math.floor($v) != 77", "EETTEEEEEEEEEEE"),
  ("math.round($v) != 77", "EETTEEEEEEEEEEE"),
  ("math.sqrt($v) != 77", "EETTEEEEEEEEEEE"),
  ("math.isNaN($v) != 77", "EETTEEEEEEEEEEE"),
  ("hashing.md5($v) != 77", "EEEETTEEEEEEEEE"),
  ("hashing.sha256($v) != 77", "EEEETTEEEEEEEEE"),
  ("hashing.crc32($v) != 77", "EEEETTEEEEEEEEE"),
  ("hashing.crc32c($v) != 77", "EEEETTEEEEEEEEE"),
  ("timestamp.value($v) != 77", "EETEEEEEEEEEEEE"),
  ("duration.abs($v) != 77", "EEEEEEETEEEEEEE"),
  ("int($v) != 77", "EETTEEEEEEEEEEE"),
  ("float($v) != 77", "EETTEEEEEEEEEEE"),
  ("string($v) != 77", "TTTTTEEEETEEEEE"),
  ("path($v) != 77", "EEEETEEEEEEEEEE"),
  ("vector($v) != 77", "EEEEEEEEEEEEEEE"),
  ("debug($v) != 77", "TTTTTTTTTTTTTTT"),
  ("exists($v) != 77", "EEEEEEEEEEEEEEE"),
  ("math.pow($v, 2) != 77", "EETTEEEEEEEEEEE"),
  ("math.pow(2, $v) != 77", "EETTEEEEEEEEEEE"),
  ("timestamp.date($v, 1, 1) != 77", "EETEEEEEEEEEEEE"),
  ("duration.value($v, 's') != 77", "EETEEEEEEEEEEEE"),
  ("duration.value(1, $v) != 77", "EEEEEEEEEEEEEEE"),
  ("duration.time($v, 0, 0, 0) != 77", "EETEEEEEEEEEEEE"),
  ("latlng.value($v, 1) != 77", "EETTEEEEEEEEEEE"),
  ("latlng.value(1, $v) != 77", "EETTEEEEEEEEEEE"),
  ("$v is bool", "FTFFFFFFFFFFFFF"),
  ("$v is bytes", "FFFFFTFFFFFFFFF"),
  ("$v is constraint", "FFFFFFFFFFFFFFF"),
  ("$v is duration", "FFFFFFFTFFFFFFF"),
  ("$v is float", "FFFTFFFFFFFFFFF"),
  ("$v is int", "FFTFFFFFFFFFFFF"),
  ("$v is latlng", "FFFFFFFFTFFFFFF"),
  ("$v is list", "FFFFFFFFFFTFFFF"),
  ("$v is vector", "FFFFFFFFFFFFFFT"),
  // The emulator says false for a set; documented as true, and spec row v131 has it so.
  ("$v is set", "FFFFFFFFFFFFTFF"),
  ("$v is number", "FFTTFFFFFFFFFFF"),
  ("$v is map", "FFFFFFFFFFFTFFF"),
  ("$v is string", "FFFFTFFFFFFFFFF"),
  ("$v is timestamp", "FFFFFFTFFFFFFFF"),
  ("$v is path", "FFFFFFFFFTFFFFF"),
  ("$v is map_diff", "FFFFFFFFFFFFFTF"),
  ("$w.a == 1", "EEEEEEEEEEETEEE"),
  ("$w[0:1] != 1", "EEEETEEEETTEEEE"),
  ("!$w", "EFEEEEEEEEEEEEE"),
  ("-$w != 1", "EETTEEETEEEEEEE"),
  ("$w ? true : false", "ETEEEEEEEEEEEEE"),
  ("$w.noSuch() == 1", "EEEEEEEEEEEEEEE"),
  ("$w.size(1) == 1", "EEEEEEEEEEEEEEE"),
  ("/a/$($v) != 1", "TTTTTEEEETEEEEE"),
  ("{$v: 1} != 1", "EEEETEEEEEEEEEE"),
  ("$v", "ETEEEEEEEEEEEEE"),
]
