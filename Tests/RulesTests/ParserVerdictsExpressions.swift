/// Recorded verdicts about expressions.
///
/// Generated once from the official compiler's answers; `+` compiles, `-` is refused. After it, `E` is an
/// expression as a condition, `M` declarations inside the documents match, `F` a whole file. Line breaks,
/// tabs, carriage returns and form feeds are written ␤ ␉ ␍ ␌. All texts are our own.
extension ParserVerdicts {
  static let expressions = #"""
    -E 7/2==3
    -E 7 /2==3
    +E 7/ 2==3
    +E 7 / 2==3
    -E a/b
    -E a /b
    +E a/ b
    -E (7)/2 == 3
    -E [1][0]/2 == 1
    +E 1 in [1] == true
    +E true == 1 in [1]
    +E 1 in [1] in [true]
    +E 1 is int == true
    +E true == 1 is int
    +E 1 is int is bool
    +E 1 in [1] is bool
    +E !1 in [2]
    +E !true is bool
    +E -1 is int
    +E !true == false
    +E - 1 == 0
    -E --1 == 1
    +E !!true
    +E !-1
    -E -!true
    +E 5. == 5.0
    +E .5 == 0.5
    -E 5.0.0 == 1
    -E 1e3 == 1.0
    -E 1.0e3 == 1.0
    -E 1.5e3==1500.0
    -E 1E3==1
    -E 1.0E+3==1000.0
    -E 0x1F==31
    -E 1_000==1000
    -E 007==7
    +E [1,2,].size()==2
    -E [,]==[]
    -E [1,,2]==[]
    +E {'a':1,}.size()==1
    +E f(1,)
    -E f(,)
    -E {,}=={}
    +E 'a'␤==␤'a'
    +E 'a␉b'=='x'
    -E 'a␤b'=='x'
    -E 'a\␤b'=='x'
    +E true ? 1 : 2 == 2
    +E true ? true : false ? true : true
    +E true ? true ? true : false : true
    +E 1 < 2 < 3
    +E 1 == 1 == true
    +E 1 != 2 != false
    +E 1 + 2 - 3 * 4 / 5 % 6 == 1
    +E 1 ?  2 : 3
    +E a.b.c
    +E a.if
    +E a.match
    +E a.in
    +E a.is
    +E a.true
    +E a.null
    +E a.allow
    +E a.let
    +E a.return
    +E a.function
    -E a.service
    -E a.rules_version
    +E a.import
    +E a.read
    +E a.get
    -E a.1
    -E a.'b'
    +E a['b']
    +E a[1:2]
    +E a[1:]
    +E a[:1]
    -E a[]
    -E a[1,2]
    -E a()()
    -E a.b()()
    -E (a)(1)
    -E f(1)(2)
    +E a.b(1).c[1].d()
    +E 's'.size()
    -E 1.size()
    +E 1.0.size()
    +E true.a
    +E null.a
    +E [1].size()
    +E {}.size()
    -E /a/b.size()
    -E /a/b.size() == 1
    +E (/a/b).x
    +E /a/b[0]
    +E /a/b == /a/b
    -E if
    -E allow
    +E read
    -E match
    -E in
    -E is
    +E true
    -E let
    -E return
    -E function
    -E service
    -E rules_version
    -E import
    +E write == 1
    +E get == 1
    +E list
    +E _a
    +E _
    +E a1
    -E 1a
    -E aé
    -E é
    +E a$b
    +E $a
    -E $(a)
    +E a-b
    +E a -b
    +E a- b
    +E 1-1==0
    +E 1 -1==0
    -E 1--1==2
    +E 1- -1==2
    +E 9223372036854775807==1
    -E 9223372036854775808==1
    +E -9223372036854775808==1
    +E - 9223372036854775808==1
    -E -(9223372036854775808)==1
    -E 99999999999999999999==1
    -E 1-9223372036854775808==1
    -E 1.7976931348623157e308==1
    +E '\\\'\"\n\r\t\b\f'==''
    -E '\/'==''
    -E '\a'==''
    -E '\v'==''
    -E '\?'==''
    -E '\0'==''
    -E '\12'==''
    +E '\101'==''
    +E '\377'==''
    -E '\400'==''
    -E '\477'==''
    -E '\x4'==''
    +E '\x41'==''
    -E '\X41'==''
    +E '\u0041'==''
    -E '\u41'==''
    -E '\u{41}'==''
    -E '\U0001F600'==''
    +E '\ud83d'==''
    -E '\`'==''
    -E '\s'==''
    +E '\1011'==''
    +E '\x411'==''
    -E '\xgg'==''
    -E '\08'==''
    +E '\000'==''
    +E '\x00'==''
    +E '\u0000'==''
    +E b'abc'==b''
    -E b 'abc'==b''
    -E rb'a'==b''
    -E br'a'==b''
    -E r'a'==''
    -E bb'a'==b''
    -E b'\u0041'==b''
    +E b'\xff'==b''
    -E b'\d'==b''
    -E b'\400'==b''
    +E b'é'==b''
    +E b'\n\'\"'==b''
    -E b'a␤b'==b''
    +E b"a'b"==b''
    +E 'a'=="a'b"
    -E '''a'''==''
    -E 'a' 'b'==''
    +E ""==''
    -E ``==''
    -E 'unterminated
    -E 'a␍b'==''
    +E a␌== 1
    +E a // c␤ && b
    +E a /* c */ && b
    +E a /* /* */ && b
    -E a /* /* */ */ && b
    +E a /**/ && b
    +E a //
    -E a # c␤
    -E 1 === 1
    -E 1 !== 1
    -E a ?. b
    -E a ?? b
    -E a => b
    -E a++
    -E a = 1
    -E a == b = c
    -E a & b
    -E a | b
    -E a ^ b
    -E ~a
    -E a << 1
    -E a ! b
    +E a != b
    -E a !in b
    -E a not in b
    -E !in
    -E a is not int
    -E a and b
    -E a or b
    -E not a
    -E a is
    -E a in
    -E a &&
    -E && a
    -E a ||
    -E + a
    -E +1 == 1
    -E a *
    -E * a
    -E a ? b
    -E a ? b :
    -E a ? : b
    -E a :b
    -E (a
    -E a)
    -E ()
    -E (a,b)
    -E [a
    -E a]
    -E {a
    -E {'a'}
    -E {'a':}
    +E {a:1}
    +E {1:2}
    -E {'a':1 'b':2}
    -E [1 2]
    -E f(1 2)
    -E f(1
    -E a.
    -E a..b
    -E .a
    -E a[
    -E a[1
    -E a[1:
    -E !
    -E -
    -E a b
    -E a;b
    -E a;;
    +E a is int
    +E a is bool
    +E a is bytes
    +E a is constraint
    -E a is null
    +E a is number
    +E a is set
    +E a is map_diff
    -E a is foo
    -E a is (int)
    -E a is 'int'
    -E a is int.b
    -E a is request
    -E a is service
    +E a is path && b
    +E a is string || b
    -E a is any
    -E a is list[0]
    -E a is true
    -E a is integer
    -E a is double
    -E a is boolean
    +E a is timestamp
    +E a is duration
    +E a is latlng
    +E a is float
    -E a is 1
    +E a is map
    -E a is /b
    +E /a == 1
    +E /a/b == 1
    +E /a/b
    +E /a/$(b)
    +E /a/$(b)/c
    -E /a/$(b)c
    -E /a/b$(c)
    +E /a/$( b )
    +E /a/$ (b)
    +E /a/$b
    +E /a/{b}
    +E /a/{b=**}
    +E /a/{ b }
    +E /a/b-c
    +E /a/b.c
    +E /a/b~c
    +E /a/b%20c
    +E /a/b+c
    +E /a/b*c
    +E /a/b@c
    -E /a/b!c
    +E /a/b&c
    +E /a/b'c
    +E /a/b:c
    -E /a/b=c
    -E /a/b|c
    -E /a/é
    -E /a/b#c
    -E /a/b^c
    -E /a/b`c
    +E /a/b<c
    +E /a/b>c
    -E /a/b"c
    -E /a/b\c
    -E /a/b$
    -E /a/b,c
    -E /a/b;c
    +E /a/(default)/b
    +E /a/(def)/b
    -E /a/(default)x
    -E /a/x(default)
    -E /a/( default )
    +E /databases/(default)/documents/a/$(b)
    +E /a//b
    -E //a
    -E /
    -E / a
    +E /a /b
    +E /a/ b
    +E /a /b == 1
    +E /a/1
    +E /a/123/4
    +E /1
    +E /a/true
    +E /a/if
    +E /a/in
    +E /a/match
    +E /a/b?c:d
    -E true?/a:/b
    +E true ? /a/b : /c/d
    -E a ? /b/c:d
    +E [/a/b,/c]
    +E [/a/b]
    +E f(/a/b)
    +E f(/a/b,1)
    +E f(/a/$(x),1)
    +E {'a':/b}
    +E /a/$(1)
    +E /a/$(1+1)
    +E /a/$('x')
    +E /a/$(f(x))
    +E /a/$(x.split('_')[0])
    +E /a/$(␤f(x)␤)
    +E /a/$(b)/$(c)
    +E /a/$(/b/c)/d
    -E /a/$()
    -E /a/$(b
    -E /a/$b)
    +E /a/b//c␤
    +E /a/b/*c*/
    -E /a/b/ == 1
    -E /a/b/
    +E /a/_b
    +E /a/__x__
    +E /a/-
    +E /a/.
    +E /a/..
    +E get(/a/b).data.c == 1
    +E get(/a/b)
    +E /a/b==/a/b
    +E /a/b ==/a/b
    +E /a/b== /a/b
    +E /a/b!=/c
    +E /a/b && c
    +E /a/b&&c
    +E /a/b||c
    +E /a/b in [1]
    +E /a/b is path
    +E /a/b.c.d
    +E (/a/b)[0]
    +E /a/b+'c'
    +E /a/b + 'c'
    +E exists(/a/$(x)) && y
    +E /$(a)
    +E /$(a)/b
    +E /{a}/b
    +E /a/{}
    -E /a/{1}
    -E /a/{a.b}
    -E a / $(b)
    -E a/$(b)
    +E  4/ 2 == 2
    +E 4␤/ 2 == 2
    +E 4 /␤2 == 2
    +E 4//2␤== 2
    -E 4 /(2) == 2
    -E 4/(2) == 2
    +E 4 / (2) == 2
    -E 4 /a
    -E a.size()/3
    +E a.size() / 3
    -E a /-2
    -E a/-2
    -E a /'x'
    +E a/[1]
    +E a / /b
    -E a / / b
    -E (a)/(b)
    +E (a)/ (b)
    +E a%b
    +E a %b
    +E a*b
    +E a*/b
    +E a[:]
    -E a[1:2:3]
    +E 'abc'[1:] == 'bc'
    -E a # == 1
    -E a ^ == 1
    -E a & && b
    -E a | || b
    -E a \ == 1
    -E a ` == 1
    -E a @ == 1
    -E a ~ == 1
    -E a ; == 1
    -E a $ == 1
    -E #a
    -E a#b
    -E 'a' # == 1
    -E - -1 == 1
    +E -(-1)==1
    +E -a.b
    +E -[1][0]
    +E -f(1)
    +E -'a'
    +E -/a/b
    +E !/a/b
    +E !a.b()
    +E !a in b
    +E -1 in [1]
    +E - a
    +E !-a
    +E -true
    +E !!-a
    +E 1+-1
    -E 1+ +1
    -E 1++1
    -E 1-+1
    +E 1*-1
    +E 1 *!true
    +E a && !b
    -E a.if(1)
    -E a.in(1)
    -E a.true()
    -E a.null()
    -E a.match(1)
    -E a.allow()
    -E if(1)
    -E in(1)
    -E match(1)
    -E true(1)
    -E allow(1)
    +E read(1)
    +E get.a
    +E a . b
    +E a␤.b
    +E a.␤b
    +E a [0]
    +E f (1)
    +E a.b (1)
    +E f␤(1)
    +E 0 == 0
    -E 00 == 0
    +E 0.0 == 0
    -E 00.0==0
    -E 01.5==1
    +E 0.50==0
    +E 1.==1
    +E 1..a
    +E 1. .a
    +E 1.5.a
    +E .5.a
    +E -.5 == 0
    +E -5. == 0
    +E a ?b:c
    +E a?b:c
    +E a? .5:.5
    +E a ? b : c ? d : e
    +E (a ? b : c)
    +E a ? (b) : (c)
    +E a ? b : c || d
    +E a || b ? c : d
    +E a ? b ? c : d : e ? f : g
    +E a in b ? c : d
    +E a is int ? b : c
    +E a is int == b
    +E a == b is int
    +E a in b is list
    +E a is int in b
    +E a in b in c
    +E a && b || c && d
    +E a || b && c
    +E a == b && c != d
    +E a < b == c < d
    +E a + b < c
    +E a < b in c
    +E (a in b) == true
    +E a % b % c
    +E a - b - c
    +E {'a':1,'b':{'c':[1,{'d':2}]}}
    +E {'a' : 1 , }
    +E { 'a':1,'a':2}
    +E {a.b:1}
    +E {(a):1}
    +E {f(1):1}
    +E {'a'+'b':1}
    +E {a?b:c:d}
    +E {[1]:1}
    -E {/a:1}
    +E {/a :1}
    +E {{}:1}
    +E {'a':a?b:c}
    +E {b'a':1}
    +E {'a':1}.a
    -E {a}
    -E {a=**}
    +E [a,b␤,c]
    +E [[],[[]]]
    +E [a?b:c]
    +E f(a?b:c,d)
    +E f([1],{})
    +E ((((a))))
    +E ( a )
    +E f( )
    +E f(␤)
    +E [ ]
    +E [␤]
    +E { }
    +E {␤}
    +E a[b[c[d]]]
    +E a[b?c:d]
    +E a[b?c:d:e]
    +E a[b:c?d:e]
    +E a['x':'y']
    +E a[/b]
    +E a[/b:/c]
    +E a[/b :/c]
    +E a.b[1:2].c
    +E /a[1:2]
    -E f(a)(b)
    +E f(a)[0]
    +E f(a).b
    +E f(a).b(c)
    -E [1](2)
    -E 'a'(2)
    -E {}()
    +E a.f(1).g(2)
    +E /a/$(b).c
    +E /a/$(b)[0]
    +E /a/$(b).c()
    +E /a/{b}.c
    +E /a/(default).c
    +E /a/(default)
    +E /(default)
    -E /()
    -E /(a
    +E /(a)
    -E /(a b)
    +E /(a.b)
    +E /(a-b)
    -E /a(b)
    -E /a/b(c)
    -E /a/(b)(c)
    +E /(a)/b
    +E x == /(a)
    -E /a/%
    +E /a/*
    +E /*
    +E /**
    +E /a/**
    +E /a/b**
    +E /a/+b
    +E /a/@b
    +E /a/&b
    +E /a/'b'
    +E /a/:b
    -E /a/=b
    -E /a/<b
    -E /a/>b
    +E /a/!b
    -E /a/?b
    -E /a/[b]
    -E /a/]
    -E /a/}
    -E /a/\b
    -E /a/^b
    -E /a/`b
    -E /a/|b
    +E /a/~b
    +E /a/"b"
    -E /a/,b
    -E /a/;b
    -E /a/#b
    +E /a/.b
    -E /a/%b
    +E /a/-b
    -E /a/ü
    -E math
    -E math == 1
    -E math.abs
    -E math.abs == 1
    -E math['abs']
    -E math.foo
    +E math.foo(1)
    -E f(math)
    -E [math]
    +E a.math
    -E math.PI
    -E duration
    -E timestamp
    -E hashing.x
    +E math.abs(1) == 1
    +E math.abs(1,2) == 1
    +E math.abs() == 1
    +E latlng.value(1,2) == 1
    +E a ?.5:.5
    +E a?.5:.5
    +E a ? .5 : .5
    +E 'é' == x
    +E '😀' == x
    +E '日本' == x
    +E /* 😀 */ x == 1
    """#
}
