/// What mutations start from: words of the language and of its neighbours, and a few whole files.
enum SeedTexts {
  static let words = [
    "rules_version", "=", "'2'", ";", "service", "cloud.firestore", "firebase.storage", "{", "}", "match",
    "/a", "/{b}", "/{c=**}", "allow", "read", "write", ",", ":", "if", "(", ")", "[", "]", "function", "f",
    "return", "let", "x", "true", "null", "1", "2.5", "1e999", "'s'", "b's'", "/", "/$(", "$", "/(default)",
    "?", "&&", "||", "==", "!=", "===", "!", "-", "--", "+", "*", "**", "%", "%2F", "in", "is", "int",
    ".", ".size()", "request", "resource", ".data", "math", "get(", "exists(", "// c\n", "/* c */", "/*",
    "*/",
    "'", "\"", "\\", "\\x", "\\u{110000}", "#", "é", "😀", "\n", "\r\n", " ", "\t", "\u{A0}", "\u{FEFF}",
    "import", "default", "// @id a\n", "=>", "{{", "}}", "9223372036854775808", "-9223372036854775808",
    "0x", "\u{0}", "matches('", "(a*)*", "[[:alpha:]]{1,900}", ".split(''", "\u{301}", "“x”", "‘",
    "duration.value(1,'w')", "path('/a')", ".bind({", "debug(", "request.auth.token", "@", "`", "~", "^", "&",
    "|",
    "<", "<=", ">>", "is not", "!in", "var", "const", "for", "while", "else", "return return", "allow read",
  ]

  static let files = [typical, dense, storage, broken, comments].map { Array($0.utf8) }

  private static let typical = """
    rules_version = '2';
    // @id all
    service cloud.firestore {
      function isOwner(uid) { let me = request.auth; return me != null && me.uid == uid; }
      match /databases/{database}/documents {
        match /users/{uid}/{rest=**} {
          function ok(d) { return d.keys().hasOnly(['a', 'b']) && d.a is string && d.a.size() < 5 ? true : d.b[1:2] == [-1]; }
          // @id users-write
          allow create, update: if isOwner(uid) && ok(request.resource.data) || 4 / 2 in [1, 2.0];
          allow get: if exists(/databases/$(database)/documents/users/$(uid)) && !('x' in resource.data);
          allow list: if request.query.limit <= 10 && resource.data.owner == request.auth.uid;
          match /posts/{post} { allow read; }
        }
      }
    }
    """

  private static let dense = """
    rules_version='2';service cloud.firestore{function a(b,c){let d=b+c;let e=d+d;return e.matches('^(x|y)+$')||b in c}\
    match /databases/{db}/documents{match /t/{id}{allow read,write:if a(id,'z')?get(/databases/$(db)/documents/t/$(id)).\
    data.m['k'].diff(resource.data).affectedKeys().hasOnly([1,2.5,b'\\xff',null,{'a':/a/$(id)}])\
    :request.time<timestamp.date(2030,1,1)+duration.value(3,'d')}}}
    """

  private static let storage = """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /users/{uid}/{file=**} {
          allow read: if request.auth.uid == uid && resource.size < 5 * 1024 * 1024;
          allow write: if request.resource.contentType.matches('image/.*')
            && firestore.get(/databases/(default)/documents/users/$(uid)).data.ok;
        }
      }
    }
    """

  private static let broken = """
    service cloud.firestore {
      match /databases/{database}/documents
        match /a/* { allow read if auth.uid === id; }
        function f( { if (x) { return y } }
        allow write: request.auth != null && (resource.data.a.b;
      }
    """

  private static let comments = """
    /** head */ rules_version /* a */ = // b
      "2" ; /* c */
    service /* d */ cloud.firestore /* e */ { // f
      match /databases/{database}/documents /* g */ {
        // @id first
        allow /* h */ read /* i */ , /* j */ write /* k */ : /* l */ if /* m */ ( // n
          ['a', // o
           'b', /* p */ ].hasAny( /* q */ [ ] ) // r
        ) ; // s
        function /* t */ g ( /* u */ x , /* v */ ) { return /* w */ x ; /* y */ } // z
      }
    } // end
    """
}
