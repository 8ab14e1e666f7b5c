/// What is compared with the official emulator: rulesets with every kind of expression, and requests that
/// find them true, false, without value and not reached.

import DocModel
import DocStore

let coverageRows: [CoverageCase] = [
  CoverageCase(
    "comparisons and logic",
    """
        match /a/{id} {
          allow get: if (request.auth != null && id == 'x') || resource.data.n > 3 && !(resource.data.n == 7);
          allow list: if true;
          allow list, delete: if false || id == 'never';
        }
    """,
    documents: ["a/x": ["n": 1], "a/y": ["n": 9]],
    asks: [("u", .get("a/x")), (nil, .get("a/x")), (nil, .get("a/y"))]),
  CoverageCase(
    "functions, lets and parameters",
    """
        function outer(a) { let twice = a + a; let more = twice + 1; return more > 5; }
        function unused() { return request.auth.uid; }
        function literal() { let x = request.method; return true; }
        match /a/{id} {
          function inner(x, y) { return x == y; }
          allow get: if literal() && (inner(id, 'q') || outer(resource.data.n));
          match /b/{c} { allow get: if inner(c, id); }
        }
        function late(z) { return z; }
    """,
    documents: ["a/x": ["n": 1], "a/y": ["n": 9]],
    asks: [("u", .get("a/x")), (nil, .get("a/y")), (nil, .get("a/q/b/q")), (nil, .get("a/q"))]),
  CoverageCase(
    "faults and where they are",
    """
        match /a/{id} {
          allow get: if resource.data.missing == 1 || id.size() > 'a' || [1][5] == 1 || (id + 1) == 'x'
            || id.nope() || id[9] == 'a' || -id == 1 || !id || 5 % 0 == 1 || math.abs('x') == 1
            || id.matches(5) || id.size(1) || hashing.md5(5) == b'' || ((resource.data)).nope == 1
            || resource['nope'] || (id ? true : false) || 1 && id || int('x') == 1;
        }
    """,
    documents: ["a/x": ["n": 1]], asks: [("u", .get("a/x")), ("u", .get("a/none"))]),
  CoverageCase(
    "parentheses",
    """
        match /a/{id} {
          allow get: if ((id)).size() == (((id).size())) && -((id).size()) < 0 && !((id == 'q')) && ((true))
            && [((id)), (id)][(0)] == id && ({'k': (id)}).k == (id) && (id) is string && (((id) in [(id)]));
        }
    """,
    asks: [(nil, .get("a/x")), (nil, .get("a/q"))]),
  CoverageCase(
    "literals, lists, maps, paths, slices",
    """
        match /a/{id} {
          allow get: if [1, 2, 3][0:2] == [1, 2] && {'a': 1, 'b': [id]}.b[0] == id && [] == [] && {} == {}
            && /x/$(id)/{v}/{w} != /y && id[0:1] == 'x' && 'abc'.split('') != [] && -1 < 1.5
            && -0.0 == 0 && b'ab' == b'ab';
        }
    """,
    asks: [(nil, .get("a/x")), (nil, .get("a/q"))]),
  CoverageCase(
    "kinds of values",
    """
        match /a/{id} {
          function seen(v) { return v != null; }
          allow get: if seen([duration.value(5, 's'), duration.value(-1, 'ns'), latlng.value(1.5, 2.5), b'ab',
              1.5, 0.1, 'x'.toUtf8(), ([1, 1]).toSet(), ({'a': 1}).diff({'a': 2, 'b': 3}), float('NaN'),
              float('Infinity'), /a/b/$(id)/{z}, null, true, 9007199254740993, "q\\"\\n\\u00e9"])
            && seen(resource.data) && seen(request.auth) && seen(resource);
        }
    """,
    documents: [
      "a/x": [
        "f": .double(1.5), "i": 3, "n": .null, "l": .array([.string("x")]), "m": .map(["k": .boolean(false)]),
        "em": .map([:]), "el": .array([]), "s": "", "d": .double(3),
      ]
    ],
    asks: [("u", .get("a/x"))]),
  CoverageCase(
    "documents that rules read",
    """
        match /a/{id} {
          function doc(p) { return get(/databases/$(db)/documents/a/$(p)).data; }
          allow get: if exists(/databases/$(db)/documents/a/gone) || doc(resource.data.next).n in [1, 2]
            || get(/databases/x).data == 1;
        }
    """,
    documents: ["a/x": ["next": "y"], "a/y": ["n": 2], "a/z": ["next": "x"]],
    asks: [("u", .get("a/x")), ("u", .get("a/z"))]),
  CoverageCase(
    "writes",
    """
        match /a/{id} {
          allow create: if request.resource.data.keys().hasOnly(['n', 's']) && request.resource.data.n is int;
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['n'])
            && request.resource.data.n == resource.data.n + 1;
          allow delete: if resource.data.n > 5;
        }
    """,
    documents: ["a/x": ["n": 1, "s": "a"], "a/y": ["n": 9]],
    asks: [
      ("u", .create("a/new", ["n": 1])), ("u", .create("a/bad", ["q": 1])),
      ("u", .update("a/x", ["n": 2, "s": "a"])), ("u", .update("a/x", ["n": 2, "s": "b"])),
      ("u", .delete("a/x")), ("u", .delete("a/y")),
    ]),
  CoverageCase(
    "queries: what filters say",
    """
        match /a/{id} {
          allow list: if resource.data.n > 3 && resource.data.s == 'a' || id == 'q'
            || resource.data.t.hasAny(['x']) || resource.data.open == true;
        }
    """,
    asks: [
      ("u", .list("a", [.init(field: "n", comparison: .greaterThan, value: 5)])),
      (
        "u",
        .list(
          "a",
          [
            .init(field: "n", comparison: .greaterThanOrEqual, value: 5),
            .init(field: "s", comparison: .in, value: .array(["a", "b"])),
          ])
      ),
      ("u", .list("a", [.init(field: "t", comparison: .arrayContains, value: "x")])),
      ("u", .list("a", [.init(field: "open", comparison: .equal, value: true)])),
      ("u", .list("a", [.init(field: "n", comparison: .notIn, value: .array([1, 2]))])),
      ("u", .list("a", [])),
    ]),
  CoverageCase(
    "choices",
    """
        match /a/{id} {
          allow get: if request.auth == null ? [id].hasAny(['open', "q"]) : id == request.auth.uid ? true : resource.data.open;
        }
    """,
    documents: ["a/z": ["open": false], "a/w": ["open": true]],
    asks: [
      (nil, .get("a/open")), (nil, .get("a/x")), ("u", .get("a/u")), ("u", .get("a/z")), ("u", .get("a/w")),
    ]),
  CoverageCase(
    "blocks inside blocks, methods, conditions that are constant or missing",
    """
        match /a/{id} {
          match /b/{x=**} { allow read: if x[0] == 'c' || string(x) == 'd'; }
          allow read: if true;
          allow write;
          function f() { return id; }
        }
        match /q/{rest=**} { allow get: if rest[0] == f2() ; function f2() { return 'zz'; } }
        allow get: if db == '(default)';
    """,
    asks: [(nil, .get("a/x/b/c")), (nil, .get("a/x/b/d")), (nil, .get("q/w")), (nil, .get("a/x"))]),
  CoverageCase(
    "names that nothing declares, text outside ASCII",
    """
        // äöü — before everything
        match /a/{id} {
          allow get: if undeclared == 1 || nofn(id) || request.nope == 'ü' || id == 'ß😀' || request.auth.uid == 'ü';
        }
    """,
    asks: [("ü", .get("a/x")), (nil, .get("a/x"))]),
  CoverageCase(
    "dates, sets, templates, strings",
    """
        match /a/{id} {
          allow get: if request.time.year() > 2000 && request.time > timestamp.value(0)
            && id.toSet().size() == 1 || /x/{a}/{b}.bind({'a': id}).a == id && id.upper() == 'X'
            || id.split('/').join('-').matches('[xy]');
        }
    """,
    asks: [(nil, .get("a/x")), (nil, .get("a/zz"))]),
  CoverageCase(
    "halves of characters",
    """
        match /a/{id} {
          allow get: if '😀'[0:1] == 'a' || {'😀'[0:1]: 'x' + '😀'[1:2]} == {} || ['😀'[0:1]].toSet() == 1
            || path('a/' + '😀'[0:1]) == 1 || /a/$('😀'[1:2]) == 1 || {}.diff({'😀'[0:1]: 1}) == 1
            || {}['a' + '😀'[0:1]] == 1 || int('😀'[0:1]) == 1 || '😀'[0:1].matches('😀'[0:1] + '(');
        }
    """,
    asks: [(nil, .get("a/x"))]),
]
