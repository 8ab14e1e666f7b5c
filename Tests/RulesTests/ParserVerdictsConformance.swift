/// The conformance cases of the language specification: which ones compile.
///
/// Generated once from the official compiler's answers; `+` compiles, `-` is refused. After it, `E` is an
/// expression as a condition, `M` declarations inside the documents match, `F` a whole file. Line breaks,
/// tabs, carriage returns and form feeds are written ␤ ␉ ␍ ␌. All texts are our own.
extension ParserVerdicts {
  static let conformance = #"""
    +E 'it\'s' == "it's"
    +E 'a\x41b' == 'aAb'
    +E '\101' == 'A'
    +E '\u00e9'.size() == 1
    +E '\ud83d\ude00'.size() == 2
    +E 'a\tb'.size() == 3
    -E 'a\/b' == 'a/b'
    -E '\d' == 'd'
    -E 'a\.b' == 'a.b'
    -E '\0' == ''
    -E '\400' == ''
    -E '\u{41}' == 'A'
    +E b'abc'.size() == 3
    +E B"abc" == b'abc'
    +E b'\xff'.size() == 1
    +E b'é'.size() == 2
    -E b'\u0041' == b'A'
    +E [1, 2, 3,].size() == 3
    +E {'a': 1}['a'] == 1
    +E {owner: 1}.size() == 1
    +E {id: 1}[id] == 1
    +E resource.data.nope > 0 || true
    +E true || resource.data.nope > 0
    +E resource.data.nope > 0 || false
    +E resource.data.nope > 0 && false
    +E false && resource.data.nope > 0
    +E resource.data.nope > 0 && true
    +E !(resource.data.nope == 'x')
    +E resource.data.nope == null
    +E resource.data.nope is string
    +E 1 && true
    +E false || 1
    +E 1 ? true : false
    +E !0
    +E null && true
    +E true ? true : 1 / 0 == 0
    +E (1 / 0 == 0) ? true : true
    +E ((1 / 0 == 0) ? true : true) || true
    +E true ? false : true ? true : true
    +E nosuch == 1
    +E nosuch == 1 || true
    +E noSuchFunction(1)
    +E noSuchFunction(1) || true
    +E 1 == 1.0
    +E 0.0 == -0.0
    +E 1 == '1'
    +E true == 1
    +E null == null
    +E null == 0
    +E float('NaN') == float('NaN')
    +E float('NaN') != float('NaN')
    +E [1] == [1.0]
    +E {'a': 1} == {'a': 1.0}
    +E [0.0] == [-0.0]
    +E [1, 2] == [2, 1]
    +E {'a': 1, 'b': 2} == {'b': 2, 'a': 1}
    +E [1].toSet() == [1.0].toSet()
    +E [1, 2].toSet() == [2, 1].toSet()
    +E [1].toSet() == [1]
    +E 1 < 1.5
    +E 'a' < 'b'
    +E 'B' < 'a'
    +E true > false
    +E [1] < [2]
    +E null >= null
    +E 1 < '2'
    +E 1 < null
    +E b'a' < b'b'
    +E 10 / 4 == 2
    +E 10 / 4 == 2.5
    +E -7 / 2 == -3
    +E -7 % 2 == -1
    +E 10 / 4.0 == 2.5
    +E 10 / 0 == 0
    +E 10 % 0 == 0
    +E (1 + 2.0) is float
    +E 1 + 2 * 3 == 7
    +E 'a' + 'b' == 'ab'
    +E 'a' + 1 == 'a1'
    +E [1] + [2] == [1, 2]
    +E {} + {} == {}
    +E b'a' + b'b' == b'ab'
    +E true + true == 2
    +E null + 1 == 1
    +E timestamp.value(0) + duration.value(60, 's') == timestamp.value(60000)
    +E timestamp.value(60000) - timestamp.value(0) == duration.value(60, 's')
    +E duration.value(30, 's') + duration.value(30, 's') == duration.value(1, 'm')
    +E timestamp.value(0) + timestamp.value(0) == timestamp.value(0)
    +E duration.value(1, 's') + 1 == duration.value(2, 's')
    +E -9223372036854775808 < 0
    +E 1 in [1, 2]
    +E 1 in [1.0]
    +E -0.0 in [0.0]
    +E float('NaN') in [float('NaN')]
    +E 1 in [1.0].toSet()
    +E 'a' in {'a': null}
    +E 1 in {'1': 2}
    +E 'a' in 'abc'
    +E 'a' in null
    +E 'toString' in {'a': 1}
    +E [10, 20][1] == 20
    +E [10, 20][2] == 20
    +E [10, 20][-1] == 20
    +E [10]['a'] == 10
    +E 'abc'[1] == 'b'
    +E 'abc'[3] == ''
    +E 'abc'['a'] == 'a'
    +E {'a': 1}.b == 1
    +E {'a': 1}['b'] == 1
    +E {'a': null}.a == null
    +E {'a': null}.a.b == 1
    +E [1, 2].a == 1
    +E ['a', 'b', 'c', 'd'][1:3] == ['b', 'c']
    +E ['a', 'b', 'c', 'd'][2:2].size() == 0
    +E ['a', 'b'][0:9].size() == 2
    +E ['a', 'b'][0:0].size() == 0
    +E ['a', 'b'][2:2].size() == 0
    +E [][0:0].size() == 0
    +E 'hello world'[6:11] == 'world'
    +E 'hello'[3:2] == ''
    +E 1 is int
    +E 1 is float
    +E 1.0 is float
    +E 1.0 is int
    +E 1.0 is number
    +E 'x' is string
    +E [] is list
    +E {} is map
    +E {'a': 1}.keys() is list
    +E [1].toSet() is set
    +E {'a': 1}.diff({}) is map_diff
    +E 'x'.toUtf8() is bytes
    +E duration.value(1, 's') is duration
    +E latlng.value(1, 2) is latlng
    +E path('a/b') is path
    +E path('a/b') is string
    +E null is string
    +E 'café'.size() == 4
    +E '😀'.size() == 2
    +E 'hello world'.matches('world')
    +E 'hello world'.matches('.*world')
    +E 'abc'.matches('^abc$')
    +E 'a.c'.matches('a\\.c')
    +E 'abc'.matches('a\\.c')
    -E 'abc'.matches('(')
    +E 'a'.matches(resource.data.pattern)
    +E 'banana'.replace('a', 'o') == 'bonono'
    +E 'a1b22'.replace('[0-9]+', '#') == 'a#b#'
    +E 'a,b'.split(',') == ['a', 'b']
    +E 'a1b2c'.split('[0-9]') == ['a', 'b', 'c']
    +E 'MiXed'.lower() == 'mixed'
    +E 'MiXed'.upper() == 'MIXED'
    +E '  pad '.trim() == 'pad'
    +E 'é'.toUtf8().size() == 2
    +E 'abc'.endsWith('c')
    +E 'abc'.toLowerCase() == 'abc'
    +E 'abc'.matches(1)
    +E [1, 2].concat([2]) == [1, 2, 2]
    +E ['a', 'b', 'b'].hasOnly(['b', 'a'])
    +E ['a'].hasOnly(['a', 'b'])
    +E ['a', 'b'].hasAll(['a'])
    +E ['a', 'b'].hasAny(['z', 'b'])
    +E ['a', 'b'].hasAny([])
    +E ['a'].hasAll(['a'].toSet())
    +E ['a'].hasAny('a')
    +E [1].hasAll([1.0])
    +E [1, 2, 1].removeAll([1]) == [2]
    +E [1, 2.0, null, true].join('-') == '1-2.0-null-true'
    +E [].join(',') == ''
    +E [[1]].join(',') == '1'
    +E [1, 2].join() == '12'
    +E ['a', 'b', 'a'].toSet().size() == 2
    +E ['a'].union(['b']).size() == 2
    +E [1, 2].exists(x, x == 1)
    +E [1, 2].toSet().difference([1].toSet()) == [2].toSet()
    +E [1].toSet().union([2].toSet()).hasOnly([1, 2])
    +E [1, 2].toSet().intersection([2, 3].toSet()).hasOnly([2])
    +E [1, 2].toSet().difference([1]).size() == 1
    +E ['a', 'b'].toSet().hasAll(['a'])
    +E ['a', 'b'].toSet().hasAny(['b'].toSet())
    +E [1].toSet().hasOnly([1.0])
    +E ['a'].toSet().toSet().size() == 1
    +E {'b': 1, 'a': 2}.keys() == ['a', 'b']
    +E {'b': 1, 'a': 2}.values() == [1, 2]
    +E {'a': 1}.get('a', 0) == 1
    +E {'a': 1}.get('z', 0) == 0
    +E {'a': null}.get('a', 0) == null
    +E {'a': {'b': 1}}.get(['a', 'b'], 0) == 1
    +E {'a': 7}.get(['a', 'b'], 0) == 0
    +E {'a': 1}.get('a') == 1
    +E {'a': 1}.hasAll(['a'])
    +E {'a': 1, 'b': 2}.diff({'a': 1}).addedKeys() == ['b'].toSet()
    +E {'a': 1}.diff({'a': 1, 'b': 2}).removedKeys() == ['b'].toSet()
    +E {'a': 1}.diff({'a': 2}).changedKeys() == ['a'].toSet()
    +E {'a': 1, 'b': 2}.diff({'a': 3, 'c': 4}).affectedKeys() == ['a', 'b', 'c'].toSet()
    +E {'a': 1}.diff({'a': 1.0}).unchangedKeys().hasAny(['a'])
    +E {'a': 1}.diff({}).size() == 1
    +E {'a': 1}.diff(null).addedKeys().size() == 1
    +E 'hi'.toUtf8().toBase64() == 'aGk='
    +E '~~~'.toUtf8().toBase64() == 'fn5-'
    +E b'\xff'.toBase64() == '_w=='
    +E hashing.md5('').toHexString() == 'D41D8CD98F00B204E9800998ECF8427E'
    +E hashing.md5('').toHexString() == 'd41d8cd98f00b204e9800998ecf8427e'
    +E hashing.crc32('123456789').toHexString() == '2639F4CB'
    +E hashing.crc32('123456789').toHexString() == 'CBF43926'
    +E hashing.crc32c('123456789').toHexString() == '839206E3'
    +E hashing.sha256(b'abc') == hashing.sha256('abc')
    +E hashing.sha256(1).size() == 32
    +E math.abs(-3) is int
    +E math.ceil(1.2) == 2
    +E math.ceil(1.2) is float
    +E math.floor(7) is float
    +E math.round(2.5) == 3
    +E math.round(-2.5) == -2
    +E math.round(1.4) is int
    +E math.pow(2, 3) == 8
    +E math.pow(2, -1) == 0.5
    +E math.isNaN(math.sqrt(-1))
    +E math.isNaN(1)
    +E math.abs('1') == 1
    +E math.abs(1, 2) == 1
    +E int('42') == 42
    +E int('1.5') == 1
    +E int(' 1 ') == 1
    +E int(-2.9) == -2
    +E int(float('NaN')) == 0
    +E int(true) == 1
    +E float('1e3') == 1000.0
    +E float(' 2.5 ') == 2.5
    +E float('Infinity') > 1.0
    +E float('inf') > 1.0
    +E string(2.0) == '2.0'
    +E string(10000000.0) == '1.0E7'
    +E string(null) == 'null'
    +E string([1]) == '[1]'
    +E string(/a/b) == '/a/b'
    +E timestamp.date(2024, 2, 29).dayOfWeek() == 4
    +E timestamp.date(2025, 6, 15).dayOfWeek() == 7
    +E timestamp.date(2025, 6, 15).dayOfYear() == 166
    +E timestamp.value(-1500).year() == 1969
    +E timestamp.value(-1500).seconds() == 58
    +E timestamp.value(-1500).nanos() == 500000000
    +E timestamp.value(90000000).time() == duration.value(1, 'h')
    +E timestamp.value(90000000).date() == timestamp.date(1970, 1, 2)
    +E timestamp.value(1500).toMillis() == 1500
    +E timestamp.date(2099, 1, 1) > timestamp.date(2025, 1, 1)
    +E duration.value(1, 'w') == duration.value(7, 'd')
    +E duration.value(1500, 'ms').seconds() == 1
    +E duration.value(1500, 'ms').nanos() == 500000000
    +E duration.value(90, 'm').seconds() == 5400
    +E duration.time(1, 2, 3, 4).seconds() == 3723
    +E duration.abs(duration.value(-5, 's')) == duration.value(5, 's')
    +E duration.value(1, 'y').seconds() > 0
    +E latlng.value(37.42, -122.08).latitude() == 37.42
    +E latlng.value(-100, -122.08).latitude() == -100
    +E latlng.value(1, 2).latitude == 1.0
    +E latlng.value(0, 0).distance(latlng.value(0, 0)) == 0.0
    +E /users/$('al' + 'ice') == path('users/alice')
    +E path('users/{uid}').bind({'uid': 'alice'}) == path('users/alice')
    +E path('users/alice')[1] == 'alice'
    +E path('users/alice')['x'] == 'alice'
    +E path(path('users/alice')) == path('users/alice')
    +E path('a/b').size() == 2
    +E request.path == /databases/$(database)/documents/t/$(id)
    +E request.path[0] == 'databases'
    +E request.path[3] == 't' && request.path[4] == id
    +E tail == /a/b/c
    +E request.auth == null
    +E request.auth != null && request.auth.uid == 'alice'
    +E request.auth.uid == 'alice'
    +E request.auth.uid == 'alice'
    +E request.auth.token.email_verified
    +E request.auth.token.admin == true
    +E request.auth.token.get('admin', false) == false
    +E 'role' in request.auth.token
    +E request.auth.token.firebase.sign_in_provider == 'password'
    +E request.method == 'get'
    +E request.resource == null
    +E request.query.limit == null
    +E resource == null
    +E resource.data.n == 1
    +E resource.id == id && resource.__name__ == request.path
    +E resource == null
    +E request.resource.data.keys().hasOnly(['a', 'b'])
    +E request.resource.id == 'x'
    +E request.resource.data.diff(resource.data).affectedKeys().hasOnly(['b'])
    +E request.resource == null
    +E resource.data.get('opt', 'none') == 'none'
    +E resource.data.ref == /databases/(default)/documents/users/alice
    +E resource.data.n == 1 && resource.data.n is float
    +E resource.data.z == null
    +E exists(/databases/$(database)/documents/users/alice)
    +E exists(/databases/$(database)/documents/users/nobody)
    +E get(/databases/$(database)/documents/users/alice).data.role == 'admin'
    +E get(/databases/$(database)/documents/users/alice).id == 'alice'
    +E get(/databases/$(database)/documents/users/nobody) == null
    +E get(/databases/$(database)/documents/users/nobody).data.role == 'admin'
    +E get(/databases/$(database)/documents/users/nobody).data.role == 'admin' || true
    +E getAfter(/databases/$(database)/documents/users/alice).data.n == 1
    +E existsAfter(/databases/$(database)/documents/users/alice)
    +E get('users/alice') == null
    +E ok()
    +E first(1, 1 / 0) == 1
    +E lazy()
    +E strict()
    +E twice(4) == 8
    +E sameDoc()
    +E one(1, 2)
    +E request.query.limit <= 10
    +E request.query.limit <= 10
    +E request.query.limit <= 10
    +E request.query.limit == null
    +E request.query.offset == 0
    +E request.query.orderBy is map
    +E request.query.orderBy == null
    +E request.query.orderBy.n == 'ASC'
    """#
}
