/// Recorded verdicts about files, matches, allows and functions.
///
/// Generated once from the official compiler's answers; `+` compiles, `-` is refused. After it, `E` is an
/// expression as a condition, `M` declarations inside the documents match, `F` a whole file. Line breaks,
/// tabs, carriage returns and form feeds are written ␤ ␉ ␍ ␌. All texts are our own.
extension ParserVerdicts {
  static let declarations = #"""
    -F // c
    -F rules_version='2';
    -F rules_version='2'
    -F rules_version = '2';;
    +F rules_version='2'␤service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F rules_version='2' service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F rules_version = "2";service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F rules_version='1';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='3';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2+modules';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version=2;service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2.0';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version: '2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version '2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version=b'2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F rules_version='\x32';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2';rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}rules_version='2';
    +F service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F ␍␤rules_version='2';␍␤service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}␍␤
    -F rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2';service cloud.firestore {}
    -F rules_version='2';service cloud.f_x { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service _ { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service a_b { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service firebase.rules_version { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service rules_version { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service rules_version.firestore { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service cloud-x.firestore { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service -a { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service 1.2 { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service . { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service cloud. { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service cloud..a { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service cloud . firestore { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service cloud/*x*/.firestore { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service cloud.firestore/*x*/ { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service match { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service allow { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service function { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service service { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service if { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service return { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service let { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service in { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service is { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service true { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service false { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service null { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service import { match /a/{b} { allow get: if true; }}
    -F rules_version='2';service package { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service read { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service for { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service var { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service else { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service while { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service match.firestore { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service firebase.match { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service null-x { match /a/{b} { allow get: if true; }}
    +F rules_version='2';service firebase.storage { match /b/{bucket}/o { match /{a=**} { allow read; }}}
    -F rules_version='2';service foo {}
    -F rules_version='2';service foo.bar.baz {}
    -F rules_version='2';service {}
    -F rules_version='2';service cloud . firestore {}
    -F rules_version='2';service cloud .firestore {}
    -F rules_version='2';service Cloud.firestore {}
    -F rules_version='2';service cloud-firestore {}
    -F rules_version='2';service 'a' {}
    -F rules_version='2';service a.1 {}
    -F rules_version='2';service a1 {}
    -F rules_version='2';service allow.match {}
    -F rules_version='2';service␤cloud.firestore␤{␤}␤
    -F rules_version='2';service /* c */ cloud.firestore /* d */ {}
    -F rules_version='2'; service cloud.firestore {}
    -F rules_version='2';service cloud.firestore { allow read; }
    -F rules_version='2';service cloud.firestore { let a = 1; }
    +F rules_version='2';function f() { return 1; } service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    +F rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}} function f() { return 1; }
    +F rules_version='2';function f() { return true; }
    -F function f() { return true; } rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2'; match /a/{b} { allow read; }
    -F rules_version='2'; import 'a';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2'; import {a} from 'b';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2+modules'; import {a} from 'b';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}
    -F rules_version='2';service cloud.firestore { ; }
    -F rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}};
    -F rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}}}
    -F rules_version='2';service cloud.firestore { match /databases/{database}/documents { match /t/{id} { allow get: if true; }}
    -F rules_version='2';service cloud.firestore {{ }}
    -F rules_version='2';service cloud.firestore { match /a/{b} {} match /c/{d} {} function f() { return 1; } }
    -M match /a/{b} {}
    +M match /a/{b} { allow read }
    +M match /a/{b} { allow read; }
    -M match /a/{b} { allow read;; }
    +M match /a/{b} { allow read: if true }
    +M match /a/{b} { allow read: if true allow write: if false }
    +M match /a/{b} { allow read allow write }
    -M match /a/{b} { allow read: if true match /c/{d} {} }
    +M match /a/{b} { allow read: if true function f() { return 1 } }
    +M match /a/{b} { allow read: if(true) }
    -M match /a/{b} { allow read: iftrue; }
    +M match /a/{b} { allow read:if true; }
    -M match /a/{b} { allow read:iftrue; }
    +M match /a/{b} { allow read :if true; }
    +M match /a/{b} { allow read,write; }
    -M match /a/{b} { allow read, write,; }
    -M match /a/{b} { allow read write; }
    -M match /a/{b} { allow ,read; }
    -M match /a/{b} { allow; }
    -M match /a/{b} { allow : if true; }
    -M match /a/{b} { allow: if true; }
    -M match /a/{b} { allow read if true; }
    -M match /a/{b} { allow read: true; }
    -M match /a/{b} { allow read: ; }
    -M match /a/{b} { allow read:; }
    -M match /a/{b} { allow read: if ; }
    -M match /a/{b} { allow read: if; }
    +M match /a/{b} { allow fetch: if true; }
    +M match /a/{b} { allow READ; }
    +M match /a/{b} { allow read,read; }
    -M match /a/{b} { allow in; }
    -M match /a/{b} { allow if; }
    -M match /a/{b} { allow if: if true; }
    -M match /a/{b} { allow match; }
    -M match /a/{b} { allow true; }
    -M match /a/{b} { allow function; }
    +M match /a/{b} { allow $x; }
    -M match /a/{b} { allow 'read'; }
    -M match /a/{b} { allow read.x; }
    -M match /a/{b} { allow 1; }
    -M match /a/{b} { allow *; }
    -M match /a/{b} { allow read: if true; allow }
    -M match /a/{b} { allow read: if true;
    -M match /a/{b} allow read;
    -M /a/{b} { allow read; }
    -M match { allow read; }
    -M match {}
    -M match a/{b} {}
    -M match /a/{b}
    -M match /a/{b};
    -M match /a/{b} {};
    -M match /a/{b} {}; match /c/{d} {}
    -M match /a/b {}
    -M match /a {}
    -M match / {}
    -M match /a/ {}
    -M match /a/{} {}
    -M match /a/{1} {}
    -M match /a/{b.c} {}
    -M match /a/{ b } {}
    -M match /a/{b = **} {}
    -M match /a/{b=*} {}
    -M match /a/{b =**} {}
    -M match /a/{b=* *} {}
    -M match /a/{b=***} {}
    -M match /a/{b=c} {}
    -M match /a/{b=a/*} {}
    -M match /a/* {}
    -M match /a/** {}
    -M match /a/{*} {}
    -M match /a/{**} {}
    -M match /a/$(b) {}
    -M match /a/$b {}
    -M match /a/(default) {}
    -M match /a/(b) {}
    -M match /a/b-c {}
    -M match /a/b.c {}
    -M match /a/b~c {}
    -M match /a/b%20 {}
    -M match /a/'b' {}
    -M match /a/b:c {}
    -M match /a/b+c {}
    -M match /a/é {}
    -M match /a/b c {}
    -M match /a /b {}
    -M match /a/ b {}
    -M match /a//b␤ {}
    -M match //a {}
    -M match /{a}/{b} {}
    -M match /{a}{b} {}
    -M match /a{b} {}
    -M match /{b}c {}
    -M match /{b}/c{d} {}
    -M match /a/{in} {}
    -M match /a/{if} {}
    -M match /a/{match} {}
    -M match /a/{true} {}
    -M match /a/{read} {}
    -M match /a/{request} {}
    -M match /a/{resource} {}
    -M match /a/{get} {}
    -M match /a/{math} {}
    -M match /a/{$b} {}
    -M match /a/{b }{}
    -M match/a/{b}{}
    -M match /a/{b}{}
    -M match␤/a/{b}␤{␤}
    -M match /a/{b} /* c */ { }
    -M match /a/{b} { /* c */ }
    -M match /a/{b} { let x = 1; }
    -M match /a/{b} { return true; }
    -M match /a/{b} { { } }
    -M match /a/{b} { foo }
    -M match /a/{b} { allow read: if true; foo; allow write; }
    -M match /a/{b=**}/c/{d} {}
    -M match /a/{b=**}/c/{d=**} {}
    -M match /a/{b=**} { match /c/{d=**} {} }
    -M match /a/{b}/c/{b} {}
    -M match /a/{b} { match /c/{b} {} }
    -M match /a/{database} {}
    -M match /a/{b=**}/c/{b} {}
    +M match /a/{ b } { allow read; }
    +M match /a/{b = **} { allow read; }
    +M match /a/{b=*} { allow read; }
    +M match /a/{b =**} { allow read; }
    -M match /a/{b=* *} { allow read; }
    +M match /a { allow read; }
    -M match /a/ { allow read; }
    +M match /a/{$b} { allow read; }
    +M match /a/{b } { allow read; }
    +M match /a/'b' { allow read; }
    +M match /a/b:c { allow read; }
    +M match /a/(x) { allow read; }
    -M match /a/$b { allow read; }
    +M match /a/{b=**}/c { allow read; }
    -M match /a/{b}/c/{b} { allow read; }
    +M match /a/{request} { allow read; }
    +M match /a/{get} { allow read; }
    +M match /a/{exists} { allow read; }
    -M match /a/{math} { allow read; }
    -M match /a/{timestamp} { allow read; }
    +M match /a/{int} { allow read; }
    +M match /a/{string} { allow read; }
    +M match /a/{path} { allow read; }
    -M match /a/{hashing} { allow read; }
    -M match /a/{duration} { allow read; }
    -M match /a/{latlng} { allow read; }
    +M match /a/{debug} { allow read; }
    +M match /a/{float} { allow read; }
    +M match /a/{bool} { allow read; }
    +M match /a/{resource} { allow read; }
    +M match /a/{firestore} { allow read; }
    +M match /a/{read} { allow read; }
    +M match /a /{b} { allow read; }
    +M match /{b} /c { allow read; }
    +M match /a/{b} { allow read␤,␤write␤:␤if␤true␤; }
    -M match /a/{b} { allow let; }
    -M match /a/{b} { allow service; }
    +M match /a/{b} { allow read: if a }
    +M match /a/{b} { allow READ: if true; }
    -M match /a/{b} { Allow read; }
    -M match /a/{b} { allow read: IF true; }
    +M match /a/{b} { function f() { return 1; } allow read; }
    +M match /a/{b} { function f() { return 1 } allow read; }
    -M match /a/{b} { function f() { return 1;; } allow read; }
    -M match /a/{b} { function f() { return; } allow read; }
    -M match /a/{b} { function f() { } allow read; }
    -M match /a/{b} { function f() { 1 } allow read; }
    -M match /a/{b} { function f() { true; } allow read; }
    -M match /a/{b} { function f() { let a = 1; } allow read; }
    -M match /a/{b} { function f() { let a = 1 return a; } allow read; }
    +M match /a/{b} { function f() { let a = 1; return a; } allow read: if f(); }
    +M match /a/{b} { function f() { let a = 1; let b = a; return b; } allow read: if f(); }
    -M match /a/{b} { function f() { return 1; return 2; } allow read; }
    -M match /a/{b} { function f() { return 1; let a = 2; } allow read; }
    -M match /a/{b} { function f() { let a; return 1; } allow read; }
    -M match /a/{b} { function f() { let = 1; return 1; } allow read; }
    -M match /a/{b} { function f() { let a := 1; return 1; } allow read; }
    -M match /a/{b} { function f() { let a == 1; return 1; } allow read; }
    -M match /a/{b} { function f() { var a = 1; return a; } allow read; }
    -M match /a/{b} { function f() { const a = 1; return a; } allow read; }
    -M match /a/{b} { function f() { if (true) { return 1; } } allow read; }
    -M match /a/{b} { function f() { function g() { return 1; } return g(); } allow read: if f(); }
    -M match /a/{b} { function f { return 1; } allow read; }
    -M match /a/{b} { function () { return 1; } allow read; }
    -M match /a/{b} { function f( { return 1; } allow read; }
    -M match /a/{b} { function f(a,) { return a; } allow read: if f(1); }
    -M match /a/{b} { function f(,a) { return a; } allow read: if f(1); }
    -M match /a/{b} { function f(a b) { return a; } allow read: if f(1); }
    -M match /a/{b} { function f(a,a) { return a; } allow read: if f(1,1); }
    -M match /a/{b} { function f(a) { let a = 1; return a; } allow read: if f(1); }
    -M match /a/{b} { function f() { let a = 1; let a = 2; return a; } allow read: if f(); }
    +M match /a/{b} { function f() { let a = b; let b = 2; return a == b; } allow read: if f(); }
    +M match /a/{b} { function f() { let a = a; return a; } allow read: if f(); }
    -M match /a/{b} { function f(if) { return 1; } allow read; }
    +M match /a/{b} { function f(read) { return read; } allow read: if f(1); }
    -M match /a/{b} { function if() { return 1; } allow read; }
    +M match /a/{b} { function read() { return 1; } allow read: if read(); }
    +M match /a/{b} { function f(request) { return request; } allow read: if f(1); }
    +M match /a/{b} { function f() { let request = 1; return request; } allow read: if f(); }
    -M match /a/{b} { function f(math) { return math; } allow read: if f(1); }
    -M match /a/{b} { function f() { let math = 1; return math; } allow read: if f(); }
    +M match /a/{b} { function f(b) { return b; } allow read: if f(1); }
    +M match /a/{b} { function f(f) { return f; } allow read: if f(1); }
    +M match /a/{b} { function get(x) { return x; } allow read: if get(1); }
    +M match /a/{b} { function exists(x) { return x; } allow read: if exists(1); }
    +M match /a/{b} { function request() { return 1; } allow read: if request(); }
    +M match /a/{b} { function math() { return 1; } allow read: if math(); }
    -M match /a/{b} { function f() { return 1; } function f() { return 2; } allow read: if f(); }
    -M match /a/{b} { function f() { return 1; } function f(a) { return 2; } allow read: if f(); }
    -M match /a/{b} { function f() { return f(); } allow read: if f(); }
    -M match /a/{b} { function f() { return f(); } allow read; }
    -M match /a/{b} { function f() { return g(); } function g() { return f(); } allow read: if f(); }
    +M match /a/{b} { function f() { return f; } allow read: if f(); }
    +M match /a/{b} { function f() { return 1; } allow read: if f; }
    +M match /a/{b} { function f(a) { return a; } allow read: if f(); }
    +M match /a/{b} { function f(a) { return a; } allow read: if f(1,2); }
    +M match /a/{b} { function f(a) { return true; } allow read: if f(1); }
    +M match /a/{b} { function f() { let a = 1; return true; } allow read: if f(); }
    -M match /a/{b} { function f() { return true; }; allow read: if f(); }
    +M match /a/{b} { function f() { return(true); } allow read: if f(); }
    -M match /a/{b} { function f() { returntrue; } allow read: if f(); }
    +M match /a/{b} { function f() { return␤true␤} allow read: if f(); }
    +M match /a/{b} { function  f  (  a  ,  b  )  {  return  a == b  ;  } allow read: if f(1,1); }
    +M match /a/{b} { function $f() { return true; } allow read: if $f(); }
    -M match /a/{b} { function f.g() { return true; } allow read; }
    -M match /a/{b} { function f(a:int) { return true; } allow read; }
    -M match /a/{b} { function f(a=1) { return true; } allow read; }
    +M match /a/{b} { function f() { return get(/a/b).data; } allow read: if f(); }
    -M match /a/{b} { function f() => true; allow read; }
    +M match /a/{b} { function f() { /* c */ return true; // d␤ } allow read: if f(); }
    +M match /a/{b} { function f() { let a = /x/$(b); return exists(a); } allow read: if f(); }
    +M match /a/{b} { match / {c} { allow read; } }
    +M match /a/{b} { match /x/ {c} { allow read; } }
    +M match /a/{b} { match /x/{c}/ {d} { allow read; } }
    +M match /a/{b} { function g() { return c; } match /x/{c} { allow read: if g(); } }
    +M match /a/{b} { match /x/{c} { function g() { return c == '1'; } allow read: if g(); } }
    +M match /a/{b} { match /x/{c} { function g() { return c == '1'; } allow read: if true; } match /y/{c} { allow read: if g(); } }
    +M match /a/{b} { function f() { return true; } match /x/{c} { function f() { return false; } allow read: if f(); } }
    +M match /a/{b} { function f() { return g(); } match /x/{c} { function g() { return false; } allow read: if f(); } }
    +M match /a/{b} { function g() { return f(); } function f() { return true; } allow read: if g(); }
    +M match /a/{b} { function h(x) { return x.size() > 1; } allow read: if h('abc'); }
    +M match /a/{b} { function h(x) { return x.foo(); } allow read: if h('abc'); }
    +M match /a/{b} { allow read: if request.auth.uid == b; }
    +M match /a/{b} { allow read: if request.foo == 1; }
    +M match /a/{b} { allow read: if request.resource.foo == 1; }
    +M match /a/{b} { allow read: if resource.foo == 1; }
    +M match /a/{b} { allow read: if request.auth.email == 1; }
    +M match /a/{b} { allow read: if request.data.x == 1; }
    +M match /a/{b} { allow read: if 'a'.length == 1; }
    +M match /a/{b} { allow read: if 'a'.includes('b'); }
    +M match /a/{b} { allow read: if [1].includes(1); }
    +M match /a/{b} { allow read: if resource.data.a.includes('b'); }
    +M match /a/{b} { allow read: if resource.data.a.foo('b'); }
    +M match /a/{b} { allow read: if resource.data.a.size('b') == 1; }
    +M match /a/{b} { allow read: if [1].hasAll(); }
    +M match /a/{b} { allow read: if [1].hasAll(1); }
    -M match /a/{b} { allow read: if 'a'.matches('('); }
    -M match /a/{b} { allow read: if resource.data.x.matches('('); }
    -M match /a/{b} { allow read: if resource.data.x.matches('[a-'); }
    +M match /a/{b} { allow read: if 'a'.replace('(', '') == ''; }
    -M match /a/{b} { allow read: if 'a'.split('(') == []; }
    -M match /a/{b} { allow read: if 'a'.matches('\\k'); }
    -M match /a/{b} { allow read: if 'a'.matches('(?=x)'); }
    +M match /a/{b} { allow read: if 'a'.matches('a' + '('); }
    +M match /a/{b} { function p() { return '('; } allow read: if 'a'.matches(p()); }
    +M match /a/{b} { allow read: if exists('a'); }
    +M match /a/{b} { allow read: if get('a') == 1; }
    +M match /a/{b} { allow read: if get(1) == 1; }
    +M match /a/{b} { allow read: if get() == 1; }
    +M match /a/{b} { allow read: if get(/a/b, 1) == 1; }
    -M match /a/{b} { allow read: if exists(a/b); }
    +M match /a/{b} { allow read: if exists(/a/b/c); }
    +M match /a/{b} { allow read: if auth.uid == 1; }
    +M match /a/{b} { allow read: if now == 1; }
    +M match /a/{b} { allow read: if true == 'a'; }
    +M match /a/{b} { allow read: if 1 == 'a'; }
    +M match /a/{b} { allow read: if 1 < 'a'; }
    +M match /a/{b} { allow read: if 1 + 'a' == 1; }
    +M match /a/{b} { allow read: if !1; }
    +M match /a/{b} { allow read: if 1 && true; }
    +M match /a/{b} { allow read: if -'a' == 1; }
    +M match /a/{b} { allow read: if 'a' in 'b'; }
    +M match /a/{b} { allow read: if 1 in 1; }
    +M match /a/{b} { allow read: if 'a'[0] == 'a'; }
    +M match /a/{b} { allow read: if 1[0] == 1; }
    +M match /a/{b} { allow read: if {'a':1}[0] == 1; }
    +M match /a/{b} { allow read: if [1]['a'] == 1; }
    +M match /a/{b} { allow read: if b.x == 1; }
    +M match /a/{b} { allow read: if b[0] == 1; }
    +M match /a/{b} { allow read: if database.x == 1; }
    +M match /a/{b} { allow read: if null == 1; }
    +M match /a/{b} { allow read: if null > 1; }
    +M match /a/{b} { allow read: if true ? 1 : 'a'; }
    +M match /a/{b} { allow read: if true ? true : 'a'; }
    +M match /a/{b} { allow read: if 1 is int; }
    +M match /a/{b} { allow read: if 'x'; }
    +M match /a/{b} { allow read: if 1; }
    +M match /a/{b} { allow read: if b; }
    +M match /a/{b} { allow read: if request.auth; }
    +M match /a/{b} { allow read: if request.auth.uid; }
    +M match /a/{b} { allow read: if request; }
    +M match /a/{b} { allow read: if request.time; }
    +M match /a/{b} { allow read: if request.time == 1; }
    +M match /a/{b} { allow read: if request.method == 1; }
    +M match /a/{b} { allow read: if request.path == 1; }
    +M match /a/{b} { allow read: if request.time > 1; }
    +M match /a/{b} { allow read: if resource; }
    +M match /a/{b} { allow read: if resource.id == 1; }
    +M match /a/{b} { allow read: if resource.data == 1; }
    +M match /a/{b} { allow read: if resource.__name__ == 1; }
    +M match /a/{b} { allow read: if int('1'); }
    +M match /a/{b} { allow read: if string(1); }
    +M match /a/{b} { allow read: if debug(1); }
    +M match /a/{b} { allow read: if path('a') == 1; }
    +M match /a/{b} { allow read: if bool(1); }
    +M match /a/{b} { allow read: if [1,2].toSet() == 1; }
    +M match /a/{b} { allow read: if request.query.limit == 'a'; }
    -F service cloud.firestore { match /databases/{database}/documents { match /{a=**}/b { allow read; } }}
    +F service cloud.firestore { match /databases/{database}/documents { match /a/{b=**} { match /c/{d} { allow read; } } }}
    +F service cloud.firestore { match /databases/{database}/documents { match /a/{b=**} { match /{d=**} { allow read; } } }}
    -F service cloud.firestore { match /databases/{database}/documents { match /a/{b=**}/{c=**} { allow read; } }}
    -F service cloud.firestore { match /databases/{database}/documents { match /a/{b} { function f() { let a = 1; return a == 1; } allow read: if f(); } }}
    +F service cloud.firestore { match /databases/{database}/documents { match /a/{b=*} { allow read; } }}
    -M match /a/{b=**} { match /c/{d=**} { allow read; } }
    -M match /{b=**}/{c=**} { allow read; }
    +F rules_version='2'; function f() { return true; } service cloud.firestore { function f() { return true; } match /a/{b} { allow read: if f(); } }
    -F rules_version='2'; function f() { return true; } function f() { return true; } service cloud.firestore { match /a/{b} { allow read: if f(); } }
    +F rules_version='2'; function f() { return request.auth != null && foo; } service cloud.firestore { match /a/{b} { allow read: if f(); } }
    +F rules_version='2'; service cloud.firestore { match /a/{b} { allow read: if f(); } } function f() { return true; }
    +F rules_version='2'; service cloud.firestore { match /a/{b} { function f() { return true; } allow read; } match /c/{d} { function f() { return true; } allow read: if f(); } }
    +M match /a/{b} { function f() { return g(); } function g() { return true; } allow read; }
    +M match /a/{b} { function f(x) { let y = x; return true; } allow read: if f(1); }
    -M match /a/{b} { function f() { return g(); } function g() { return h(); } function h() { return f(); } allow read; }
    -M match /a/{b} { function f() { return f() || g(); } function g() { return f(); } allow read; }
    -M match /a/{b} { function a() { return b(); } function b() { return a(); } function c() { return d(); } function d() { return c(); } allow read; }
    -M match /a/{b} { function f() { let x = f(); return x; } allow read: if f(); }
    +M match /a/{b} { allow read: if {b:1}.x; }
    +M match /a/{b} { allow read: if a.b.c.d(e, f).g; }
    +M match /a/{b} { function f() { return true; } match /c/{d} { function g() { return f(); } allow read: if g(); } }
    +M match /a/{b} { function f(resource) { return resource == 1; } allow read: if f(1); }
    -M match /a/{b} { function f(a,b,c,d,e,f,g,h) { return true; } allow read: if f(1,2,3,4,5,6,7,8); }
    +M match /a/{b} { function f() { return exist(/a/b); } allow read: if f(); }
    -M match /a/{b} { function f(f) { return f(f); } allow read: if f(1); }
    +M match /a/{b} { function f(g) { return g(1); } allow read: if f(1); }
    +M match /a/{b=**} { allow read: if b == 'x'; }
    +M match /a/{b=**} { allow read: if b == /x; }
    +M match /a/{b=**} { allow read: if b; }
    +M match /a/{b=**} { allow read: if b.x; }
    +M match /a/{b} { allow read: if b is int; }
    +M match /a/{b} { allow read: if true && b; }
    +M match /a/{b} { allow read: if !b; }
    +M match /a/{b} { allow read: if b + 1 == 2; }
    +M match /a/{b} { allow read: if b == 1; }
    +M match /a/{b} { allow read: if 1 == 1.0; }
    +M match /a/{b} { allow read: if [1] == {'a':1}; }
    +M match /a/{b} { allow read: if 1 != 'a'; }
    +M match /a/{b} { allow read: if 'a' == b'a'; }
    +M match /a/{b} { allow read: if null == null; }
    +M match /a/{b} { allow read: if 'x' == null; }
    +M match /a/{b} { allow read: if [1].toSet() == [1]; }
    +M match /a/{b} { allow read: if true + 1 == 2; }
    +M match /a/{b} { allow read: if [] + 1 == 2; }
    +M match /a/{b} { allow read: if 1 + 2; }
    +M match /a/{b} { allow read: if 1 + 2.0; }
    +M match /a/{b} { allow read: if 'a' + 'b'; }
    +M match /a/{b} { allow read: if 'a' - 'b'; }
    +M match /a/{b} { allow read: if 1 * 'b' == 1; }
    +M match /a/{b} { allow read: if [1] * 2 == 1; }
    +M match /a/{b} { allow read: if true < false; }
    +M match /a/{b} { allow read: if [1] < 2; }
    +M match /a/{b} { allow read: if 1 % 2; }
    +M match /a/{b} { allow read: if -1; }
    +M match /a/{b} { allow read: if [1][0]; }
    +M match /a/{b} { allow read: if {'a':1}.a; }
    +M match /a/{b} { allow read: if (1); }
    +M match /a/{b} { allow read: if 'a'.size(); }
    +M match /a/{b} { allow read: if 'a'.lower().foo; }
    +M match /a/{b} { allow read: if 'a'.hasAll([1]); }
    +M match /a/{b} { allow read: if 1.5.matches('a'); }
    +M match /a/{b} { allow read: if [1].matches('a'); }
    +M match /a/{b} { allow read: if 'a'.matches(1); }
    +M match /a/{b} { allow read: if math.abs('a') == 1; }
    +M match /a/{b} { allow read: if get(/a/b); }
    +M match /a/{b} { allow read: if exists(/a/b) == 1; }
    +M match /a/{b} { allow read: if timestamp.date(1,2,3) == 1; }
    +M match /a/{b} { allow read: if duration.value('a', 1) == 1; }
    +M match /a/{b} { function f() { return 1; } allow read: if f(); }
    +M match /a/{b} { function f() { return 'x'; } allow read: if f() == 1; }
    +M match /a/{b} { function f(x) { return x && true; } allow read: if f('a'); }
    +M match /a/{b} { function f(x) { return x.a && x > 1; } allow read: if f(1); }
    +M match /a/{b=**} { match /c/{d} { allow read; } }
    +M match /a/{b} { allow reed; }
    +M match /a/{b} { allow read: if firestore.get(/a/b).data.x == 1; }
    +M match /a/{b} { allow read: if foo.bar(1); }
    +M match /a/{b} { allow read: if request.bar(1); }
    +M match /a/{b} { allow read: if request.auth.uid.foo(1); }
    +M match /a/{b} { allow read: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a']); }
    -F rules_version='2';service firebase.storage { match /b/{bucket}/o { match /{a=**} { allow read: if firestore.get(/databases/(default)/documents/a/b).data.x && resource.size < 5 && resource.contentType.matches('(') ; } } }
    +F rules_version='2';service foo.bar { match /b/{bucket}/o { match /{a=**} { allow read: if request.x; } } }
    +M match /a/{b} { function unused(x) { return unused2(x); } function unused2(y) { return y; } allow read; }
    +M match /a/{b} { function f(x, y) { return x; } allow read: if f(1, 2) && f(zz); }
    +M match /a/{b} { allow read, reed, get: if xx; }
    +M match /a/{b} { allow read: if 'x' == xx; }
    """#
}
