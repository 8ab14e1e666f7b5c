// swift-format-ignore-file

/// The pages of docs/diagnostics, for `docsh rules check --explain`.
///
/// Written by Scripts/diagnostic-pages; a test fails when a page differs.

enum DiagnosticPages {
  /// The page of a diagnostic; nil if nothing is called so.
  static func page(of id: String) -> String? { pages[id] }

  private static let pages: [String: String] = [
    "rules-after-return": ##"""
      # rules-after-return: statements after `return`

      *error*, official message: `Unexpected 'return'.`

      A function ends with its `return`. Nothing may follow it but the closing brace.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth.uid == id;
              return false;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Put several cases into one value with `? :`, `&&` and `||`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-allow-outside-match": ##"""
      # rules-allow-outside-match: an `allow` outside of `match`

      *error*, official message: `Unexpected 'allow'.`

      An `allow` belongs to the path of a `match` block. In a `service` block there is no path yet.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        allow read;
        match /databases/{database}/documents/notes/{id} {
          allow get;
        }
      }
      ```

      ## Repair

      Write the `allow` into a `match`; `match /{document=**}` stands for every document.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read;
          }
        }
      }
      ```
      """##,
    "rules-always-true": ##"""
      # rules-always-true: a condition that is always true

      *warning*, the official compiler says nothing

      Whoever asks and whatever is stored, this condition is true. The statement grants everybody, which the text hides.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.public == true || true;
          }
        }
      }
      ```

      ## Repair

      Remove the part that makes it true, or write `allow get;` if everybody is meant.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.public == true;
          }
        }
      }
      ```
      """##,
    "rules-argument-count": ##"""
      # rules-argument-count: a wrong number of arguments

      *warning*, official message: `Incorrect number of arguments supplied to function: math.abs.`

      The function is called with more or fewer arguments than it takes. The rules compile, and the call always fails when it is reached.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if math.abs(resource.data.n, 2) == 1;
          }
        }
      }
      ```

      ## Repair

      The message says how many there must be.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if math.abs(resource.data.n) == 1;
          }
        }
      }
      ```
      """##,
    "rules-assignment": ##"""
      # rules-assignment: `=` where `==` is meant

      *error*, official message: `Unexpected '='.`

      A single `=` gives a `let` its value. It does not compare, and rules cannot change anything.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state = 'open';
          }
        }
      }
      ```

      ## Repair

      Write `==`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state == 'open';
          }
        }
      }
      ```
      """##,
    "rules-bad-escape": ##"""
      # rules-bad-escape: an escape that strings do not have

      *error*, official message: `Missing a closing '`

      After a back-slash a string may have `\\ \' \" \n \r \t \b \f`, `\xHH`, three octal digits or `\uHHHH`, nothing else. This is met most in regular expressions.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.matches('\d+');
          }
        }
      }
      ```

      ## Repair

      Double the back-slash, or write a class: `[0-9]+`, `[.]`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.matches('\\d+');
          }
        }
      }
      ```
      """##,
    "rules-bad-pattern": ##"""
      # rules-bad-pattern: a regular expression that does not compile

      *error*, official message: `Invalid regular expression pattern. Pattern: [a-z.`

      Patterns are RE2's: no back-references, no look-around, and brackets must be closed.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.matches('[a-z');
          }
        }
      }
      ```

      ## Repair

      The message says what RE2 found, or that the pattern has more than 4,096 UTF-16 units. `matches` compares the whole text; `.*` at both ends finds a part.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.matches('[a-z]+');
          }
        }
      }
      ```
      """##,
    "rules-blocks-overlap": ##"""
      # rules-blocks-overlap: a block inside a pattern that goes on behind its glob

      *warning*, the official compiler says nothing

      In version 2 a block inside `match /{parents=**}/posts/{post}` does not begin behind `{post}`. The service lets it begin right
      behind the glob, so `posts` and the first name of the inner block must be the same segment of the path. That is hardly ever
      meant; mostly no path fits.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{parents=**}/posts/{post} {
            match /comments/{id} {
              allow read: if request.auth != null;
            }
          }
        }
      }
      ```

      ## Repair

      Write the whole pattern in one `match`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{parents=**}/posts/{post}/comments/{id} {
            allow read: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-call-depth": ##"""
      # rules-call-depth: calls nested too deep

      *error*, official message: `Maximum allowed call depth of 20 is reached for [f0->f1->f2->f3->f4->f5->f6->f7->f8->f9->f10->f11->f12->f13->f14->f15->f16->f17->f18->f19->f20] call stack.`

      At most 21 functions may be on the way from a condition to the innermost call. The service counts this in the text; no request needs to go that deep.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function f0() { return f1(); }
            function f1() { return f2(); }
            function f2() { return f3(); }
            function f3() { return f4(); }
            function f4() { return f5(); }
            function f5() { return f6(); }
            function f6() { return f7(); }
            function f7() { return f8(); }
            function f8() { return f9(); }
            function f9() { return f10(); }
            function f10() { return f11(); }
            function f11() { return f12(); }
            function f12() { return f13(); }
            function f13() { return f14(); }
            function f14() { return f15(); }
            function f15() { return f16(); }
            function f16() { return f17(); }
            function f17() { return f18(); }
            function f18() { return f19(); }
            function f19() { return f20(); }
            function f20() { return f21(); }
            function f21() { return request.auth != null; }
            allow get: if f0();
          }
        }
      }
      ```

      ## Repair

      Write the body of a small function where it is called.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.public == true;
          }
        }
      }
      ```
      """##,
    "rules-call-of-value": ##"""
      # rules-call-of-value: a call of something that is no function

      *error*, official message: `Unexpected '('.`

      Only a function's name or a method's name can be called; a value cannot.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.size()(1) == 1;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id.size() == 1;
          }
        }
      }
      ```
      """##,
    "rules-comparison-chain": ##"""
      # rules-comparison-chain: comparisons in a chain

      *warning*, the official compiler says nothing

      `a < b < c` compares the result of `a < b`, a bool, with `c`. That always fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if 1 <= resource.data.stars <= 5;
          }
        }
      }
      ```

      ## Repair

      Write two comparisons and `&&` between them.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if 1 <= resource.data.stars && resource.data.stars <= 5;
          }
        }
      }
      ```
      """##,
    "rules-condition-not-bool": ##"""
      # rules-condition-not-bool: a condition that is no bool

      *warning*, official message: `Invalid type. Permission statements expect a boolean value. Received one of [string].`

      A condition that is not exactly `true` does not grant. A number or a string never is, also not 1 or a text that is not empty.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if 'admin';
          }
        }
      }
      ```

      ## Repair

      Compare it with something.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role == 'admin';
          }
        }
      }
      ```
      """##,
    "rules-contradiction": ##"""
      # rules-contradiction: a comparison with two values at once

      *warning*, the official compiler says nothing

      One value cannot equal two others, so the condition is never true.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role == 'editor' && resource.data.role == 'owner';
          }
        }
      }
      ```

      ## Repair

      Write `||`, or `in` with a list.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role in ['editor', 'owner'];
          }
        }
      }
      ```
      """##,
    "rules-curly-quotes": ##"""
      # rules-curly-quotes: quotes of a word processor

      *error*, official message: `token recognition error at: '“'`

      A string stands in straight quotes, `'` or `"`. Text editors for letters, and some web pages, bend them.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state == “open”;
          }
        }
      }
      ```

      ## Repair

      Type the quotes again in an editor for programs.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state == 'open';
          }
        }
      }
      ```
      """##,
    "rules-division-blank": ##"""
      # rules-division-blank: a division without a blank

      *error*, official message: `Missing 'match' keyword before path.`

      A slash that is followed by a letter or digit begins a segment of a path, also where a division is meant.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.total /2 == 10;
          }
        }
      }
      ```

      ## Repair

      Write a blank after the slash.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.total / 2 == 10;
          }
        }
      }
      ```
      """##,
    "rules-duplicate-function": ##"""
      # rules-duplicate-function: two functions of one name

      *error*, official message: `Function mine is already defined.`

      A block may declare a name once. The number of parameters makes no difference. In a block inside, the same name may be declared again and hides the outer one.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() { return request.auth.uid == id; }
            function mine(uid) { return request.auth.uid == uid; }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Give one of them another name.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() { return request.auth.uid == id; }
            function belongsTo(uid) { return request.auth.uid == uid; }
            allow get: if mine() || belongsTo(resource.data.owner);
          }
        }
      }
      ```
      """##,
    "rules-duplicate-id": ##"""
      # rules-duplicate-id: two rules of one id

      *warning*, the official compiler says nothing

      Tests and traces call a rule by its `// @id` comment. Two with one id cannot be told apart.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            // @id notes-get
            allow get: if request.auth != null;
            // @id notes-get
            allow list: if request.auth.token.admin == true;
          }
        }
      }
      ```

      ## Repair

      Give each its own.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            // @id notes-get
            allow get: if request.auth != null;
            // @id notes-list
            allow list: if request.auth.token.admin == true;
          }
        }
      }
      ```
      """##,
    "rules-duplicate-name": ##"""
      # rules-duplicate-name: a name that has a value already

      *error*, official message: `The identifier [uid] is already bound in the current scope.`

      A parameter, a `let` or a capture of a path may be bound once.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid;
              let uid = resource.data.owner;
              return uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Choose another name for the second.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid;
              let owner = resource.data.owner;
              return uid == owner;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-duplicate-service": ##"""
      # rules-duplicate-service: a service declared twice

      *error*, official message: `Duplicate service name declaration.`

      A file has one block for a service.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      service cloud.firestore {
        match /databases/{database}/documents/rooms/{id} { allow get; }
      }
      ```

      ## Repair

      Move the blocks of the second into the first.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
        match /databases/{database}/documents/rooms/{id} { allow get; }
      }
      ```
      """##,
    "rules-empty-body": ##"""
      # rules-empty-body: an empty block

      *error*, official message: `The 'match' body must contain at least one declaration.`

      A `match` or `service` block must hold something. What nothing allows is denied, so an empty `match` is not needed to forbid.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
          }
        }
      }
      ```

      ## Repair

      Write an `allow`, or remove the block.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-empty-file": ##"""
      # rules-empty-file: a file without a service

      *error*, official message: `Unexpected '<EOF>'.`

      Rules need a `service cloud.firestore` block with at least one `match`.

      ## Example

      ```rules
      // Rules will be written here.
      ```

      ## Repair

      Begin with the text above, which denies everything.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read, write: if false;
          }
        }
      }
      ```
      """##,
    "rules-empty-segment": ##"""
      # rules-empty-segment: a path segment without a name

      *error*, official message: `Forward slash '/' found where identifier or binding expected.`

      A segment follows its slash directly: a name, in a `match` a capture like `{id}`, in a value `$(expression)`. A slash must stand before each.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/ {
            allow get;
          }
        }
      }
      ```

      ## Repair

      Remove the last slash, or name the segment.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get;
          }
        }
      }
      ```
      """##,
    "rules-foreign-operator": ##"""
      # rules-foreign-operator: an operator of another language

      *error*, official message: `Unexpected '?'.`

      Rules have `&& || ! == != < <= > >= + - * / % in is ? :` and no others.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role ?? 'none' == 'admin';
          }
        }
      }
      ```

      ## Repair

      For `a ?? b` write `map.get('a', b)`; for `a?.b` test with `'a' in map` first. Functions cannot be values, so there is no `=>`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.get('role', 'none') == 'admin';
          }
        }
      }
      ```
      """##,
    "rules-foreign-statement": ##"""
      # rules-foreign-statement: a statement of another language

      *error*, official message: `Unexpected 'if'.`

      A function is any number of `let` and one `return`. There are no `if` statements, loops or assignments.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              if (request.auth == null) { return false; }
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Write `condition ? one : other`; declare variables with `let`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth == null ? false : request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-function-literal": ##"""
      # rules-function-literal: a function as a value

      *error*, official message: `Unexpected 'function'.`

      Functions cannot be written as values, and no method takes one: the language has no loops.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.tags.exists(function(tag) { return tag == id; });
          }
        }
      }
      ```

      ## Repair

      Use `in`, `hasAny`, `hasAll` and `hasOnly`; check a fixed number of elements one by one.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id in resource.data.tags;
          }
        }
      }
      ```
      """##,
    "rules-glob-place": ##"""
      # rules-glob-place: a glob before the end in version 1

      *error*, official message: `Invalid glob match expression. Glob matches are permitted as the last segment in a match declaration path.`

      In version 1 of the language `{name=**}` must be the last segment of a path.

      ## Example

      ```rules
      rules_version = '1';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{path=**}/notes/{id} { allow get; }
        }
      }
      ```

      ## Repair

      Begin the file with `rules_version = '2';`. Version 2 also lets `{name=**}` stand for no segment at all, so look at the other globs of the file.
      """##,
    "rules-import": ##"""
      # rules-import: an import

      *error*, official message: `Import statements are not allowed.`

      Firestore rules are one file. Tools that join several do so before the compiler sees them.

      ## Example

      ```rules
      rules_version = '2';
      import 'common.rules';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      Copy the functions into this file.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-integer-range": ##"""
      # rules-integer-range: an integer that is too large

      *error*, official message: `Invalid number literal 9223372036854775808.`

      Integers have 64 bits: up to 9223372036854775807.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.n < 9223372036854775808;
          }
        }
      }
      ```

      ## Repair

      Write a float.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.n < 9223372036854775808.0;
          }
        }
      }
      ```
      """##,
    "rules-interpolation-in-match": ##"""
      # rules-interpolation-in-match: `$` in the path of a `match`

      *error*, official message: `Unexpected '$'.`

      `$(value)` inserts a value into a path that is a value, as `get()` takes. The path of a `match` is a pattern and catches segments with `{name}`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /users/$(uid) {
            allow get: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Write a capture and compare it in the condition.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /users/{uid} {
            allow get: if request.auth.uid == uid;
          }
        }
      }
      ```
      """##,
    "rules-is-not": ##"""
      # rules-is-not: `is not`

      *error*, official message: `Unexpected 'not'.`

      There is no `is not`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.age is not string;
          }
        }
      }
      ```

      ## Repair

      Negate the whole test.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if !(resource.data.age is string);
          }
        }
      }
      ```
      """##,
    "rules-length-member": ##"""
      # rules-length-member: `.length`

      *warning*, the official compiler says nothing

      `.length` reads a field called length. The size of a string, list or map is `.size()`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.title.length <= 80;
          }
        }
      }
      ```

      ## Repair

      Write `.size()`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.title.size() <= 80;
          }
        }
      }
      ```
      """##,
    "rules-let-in-version-1": ##"""
      # rules-let-in-version-1: `let` in version 1

      *error*, official message: `Let bindings are not allowed in rules_version="1";`

      Variables came with version 2 of the language.

      ## Example

      ```rules
      rules_version = '1';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} {
          function mine() { let uid = request.auth.uid; return uid == id; }
          allow get: if mine();
        }
      }
      ```

      ## Repair

      Begin the file with `rules_version = '2';`.
      """##,
    "rules-list-leak": ##"""
      # rules-list-leak: a list grants documents that the rule refuses

      *warning*, the official compiler says nothing

      The service decides a query from its filters, before it reads a document. Fields that the query does not filter are not
      there for it. A condition that is true where a field is absent (`!('f' in resource.data)`, `keys().hasOnly(…)`,
      `get('f', default)`, `size()`) is therefore true for a query without filters, which then returns documents that have
      the field. The message names such a document: reading it by itself is refused.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow list: if request.auth != null && !('secret' in resource.data);
          }
        }
      }
      ```

      ## Repair

      Give every document the field and compare it with `==`. A query must then filter it. docs/lists.md tells how a list is
      decided.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow list: if request.auth != null && resource.data.secret == false;
          }
        }
      }
      ```
      """##,
    "rules-match-below-glob": ##"""
      # rules-match-below-glob: blocks inside a glob in version 1

      *warning*, official message: `Glob(**) resource rules should not have child resource rules.`

      In version 1 `{name=**}` takes the rest of the path, so no block inside can match.

      ## Example

      ```rules
      rules_version = '1';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{rest=**} {
            match /comments/{id} { allow get; }
          }
        }
      }
      ```

      ## Repair

      Move the inner block beside the outer one, or use version 2.
      """##,
    "rules-match-depth": ##"""
      # rules-match-depth: `match` blocks nested too deep

      *error*, official message: `Maximum allowed resource rule depth of 10 is reached.`

      Blocks may be nested eleven deep, the one for the database included.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /a0/{x0} {
            match /a1/{x1} {
              match /a2/{x2} {
                match /a3/{x3} {
                  match /a4/{x4} {
                    match /a5/{x5} {
                      match /a6/{x6} {
                        match /a7/{x7} {
                          match /a8/{x8} {
                            match /a9/{x9} {
                              match /a10/{x10} {
                                allow get;
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
      ```

      ## Repair

      Join paths: `match /a/{b}/c/{d}` is the same as two nested blocks.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /a0/{x0}/a1/{x1}/a2/{x2} { allow get; }
        }
      }
      ```
      """##,
    "rules-match-names-collection": ##"""
      # rules-match-names-collection: an `allow` on a collection

      *warning*, the official compiler says nothing

      Requests are about documents. A path with a collection's name at its end fits none of them, and a query is judged where its documents are.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes {
            allow read: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Add a capture for the document.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow read: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-colon": ##"""
      # rules-missing-colon: `allow` without its colon

      *error*, official message: `Missing ':' before 'if' condition.`

      A colon stands between the methods and `if`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-condition": ##"""
      # rules-missing-condition: `if` without a condition

      *error*, official message: `Missing conditional expression after 'if'.`

      After `if` there must be a condition.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if ;
          }
        }
      }
      ```

      ## Repair

      `allow get;` grants without a condition.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-function": ##"""
      # rules-missing-function: a function without its keyword

      *error*, official message: `Missing 'match' keyword before path.`

      A declaration begins with `function`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            mine() {
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-missing-if": ##"""
      # rules-missing-if: a condition without `if`

      *error*, official message: `Missing 'if' before conditional expression.`

      The condition of an `allow` begins with `if`. One page of the official guides leaves it out; that does not compile.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: request.auth != null;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-match": ##"""
      # rules-missing-match: a path without `match`

      *error*, official message: `Missing 'match' keyword before path.`

      A block with a path begins with `match`. The message also comes where a slash in an expression was not understood.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          /notes/{id} {
            allow get;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get;
          }
        }
      }
      ```
      """##,
    "rules-missing-method": ##"""
      # rules-missing-method: `allow` without a method

      *error*, official message: `Expected at least one 'operation' after 'allow'.`

      `allow` names what it grants: `get`, `list`, `read` (both), `create`, `update`, `delete`, `write` (all three).

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow read: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-operand": ##"""
      # rules-missing-operand: a missing value

      *error*, official message: `Unexpected ';'.`

      An operator, a bracket or a comma needs a value that is not there.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null &&;
          }
        }
      }
      ```

      ## Repair

      Write the value or remove the operator.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-missing-return": ##"""
      # rules-missing-return: a function without `return`

      *error*, official message: `Unexpected 'request'.`

      A function ends with `return` and a value.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-missing-semicolon": ##"""
      # rules-missing-semicolon: a `let` without a semicolon

      *error*, official message: `missing ';' at 'return'`

      The value of a `let` ends with `;`. After `return` and `allow` it may be left out.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid
              return uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid;
              return uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-missing-value": ##"""
      # rules-missing-value: `return` without a value

      *error*, official message: `Unexpected ';'.`

      A function always gives a value.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              return request.auth.uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-mixed-types": ##"""
      # rules-mixed-types: values of `?:` with different types

      *warning*, official message: `Ternary operator result if condition is true has a different type than if condition is false.`

      What comes of it has sometimes one type, sometimes the other; whatever is done with it must be able to deal with both.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if (id == 'a' ? 1 : 'one') == resource.data.count;
          }
        }
      }
      ```

      ## Repair

      Give both the same type.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if (id == 'a' ? 1 : 2) == resource.data.count;
          }
        }
      }
      ```
      """##,
    "rules-nameless-glob": ##"""
      # rules-nameless-glob: a wildcard without a name

      *error*, official message: `Unexpected '*'.`

      A wildcard in a path has a name: `{id}` for one segment, `{rest=**}` for the rest.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{**} {
            allow get: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-nested-function": ##"""
      # rules-nested-function: a function inside a function

      *error*, official message: `Unexpected 'function'.`

      Functions are declared in the file, in `service` and in `match` blocks.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              function uid() { return request.auth.uid; }
              return uid() == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Move it beside the other one.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function uid() { return request.auth.uid; }
            function mine() {
              return uid() == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-never-grants-method": ##"""
      # rules-never-grants-method: a condition that is never true for some methods

      *remark*, the official compiler says nothing

      `read` and `write` name several methods. For some of them this condition cannot be true, most often because a deletion has no `request.resource`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow write: if request.resource.data.title is string;
          }
        }
      }
      ```

      ## Repair

      Name the methods, each group with its own condition.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create, update: if request.resource.data.title is string;
            allow delete: if resource.data.owner == request.auth.uid;
          }
        }
      }
      ```
      """##,
    "rules-never-grants": ##"""
      # rules-never-grants: a condition that is never true

      *warning*, the official compiler says nothing

      For no request can this condition be true: its parts exclude each other, or one of them always fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create, delete: if request.method == 'update';
          }
        }
      }
      ```

      ## Repair

      Look at the method and at what is compared. `allow …: if false` may stand and is not complained about; what nothing allows is denied anyway.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow update: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-never-of-type": ##"""
      # rules-never-of-type: a type test that is always false

      *warning*, the official compiler says nothing

      The value is known to have another type.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time is int || request.auth != null;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time is timestamp && request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-no-operator": ##"""
      # rules-no-operator: an operator between types that have none

      *warning*, the official compiler says nothing

      Rules do not convert. Numbers go with numbers, strings with strings, times with durations.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time < 1700000000;
          }
        }
      }
      ```

      ## Repair

      Convert with `int()`, `float()`, `string()`, `timestamp.value()` or `duration.value()`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time < timestamp.value(1700000000000);
          }
        }
      }
      ```
      """##,
    "rules-no-such-member": ##"""
      # rules-no-such-member: a field of something that has none

      *warning*, the official compiler says nothing

      Only maps have fields. Times, strings and lists have methods, which are called with brackets.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time.year == 2030;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time.year() == 2030;
          }
        }
      }
      ```
      """##,
    "rules-no-such-method": ##"""
      # rules-no-such-method: a method that the type does not have

      *warning*, the official compiler says nothing

      The method exists, but not on this type.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if request.resource.data.hasOnly(['title', 'text']);
          }
        }
      }
      ```

      ## Repair

      The note says whose method it is. Sets and lists differ: `union`, `difference` and `intersection` need `.toSet()` on both sides.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if request.resource.data.keys().hasOnly(['title', 'text']);
          }
        }
      }
      ```
      """##,
    "rules-not-comparable": ##"""
      # rules-not-comparable: a comparison that never varies

      *warning*, official message: `The sub-expressions are not comparable, so this comparison will always return false.`

      Values of these types are never equal, so the result is always the same.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id == 5 || request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Captures of a path are strings. Write `'5'`, or convert with `int(id)`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id == '5' || request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-not-in": ##"""
      # rules-not-in: `!in`

      *error*, official message: `Unexpected '!'.`

      There is no `!in`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id !in ['draft', 'deleted'];
          }
        }
      }
      ```

      ## Repair

      Negate the whole test.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if !(id in ['draft', 'deleted']);
          }
        }
      }
      ```
      """##,
    "rules-not-utf8": ##"""
      # rules-not-utf8: a file that is not UTF-8

      *error*

      Rules are UTF-8 text. A file saved in another encoding, or one that is no text, is refused at its first wrong byte.

      ## Example

      ```sh
      printf 'rules_version = \x272\x27; // caf\xe9\n' > firestore.rules
      docsh rules check firestore.rules
      ```

      ## Repair

      Save the file as UTF-8.
      """##,
    "rules-null-access": ##"""
      # rules-null-access: a field of null

      *warning*, the official compiler says nothing

      `resource` is null while a document is created, and `request.resource` is null while one is deleted.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if resource.data.owner == request.auth.uid;
          }
        }
      }
      ```

      ## Repair

      While a document is created its fields are in `request.resource.data`; while it is deleted they are in `resource.data`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if request.resource.data.owner == request.auth.uid;
          }
        }
      }
      ```
      """##,
    "rules-old-version": ##"""
      # rules-old-version: version 1 of the language

      *warning*, official message: `Ruleset uses old version (version [1]). Please update to the latest version (version [2]).`

      Without `rules_version = '2';` the file is read as version 1: collection group queries cannot be allowed, and `{name=**}` does not stand for no segment.

      ## Example

      ```rules
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      Begin the file with `rules_version = '2';` and look at every `{name=**}`: in version 2 it also stands for no segment.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-only-in-function": ##"""
      # rules-only-in-function: `let` or `return` outside of a function

      *error*, official message: `Unexpected 'let'.`

      Variables and `return` belong to functions. An `allow` has one condition.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            let uid = request.auth.uid;
            allow get: if request.auth.uid == id;
          }
        }
      }
      ```

      ## Repair

      Write a function.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid;
              return uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-open-comment": ##"""
      # rules-open-comment: `/*` in a path

      *warning*, the official compiler says nothing

      `/*` begins a comment if `*/` follows somewhere. Here none follows, so it is read as a segment called `*`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/* {
            allow get: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      A wildcard is written `{id}`, for the rest of a path `{rest=**}`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-open-database": ##"""
      # rules-open-database: a database that anyone may change

      *warning*, the official compiler says nothing

      Everybody who knows the project's name may change and delete every document, without signing in.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read, write: if true;
          }
        }
      }
      ```

      ## Repair

      At least ask for `request.auth != null`; better, write a block for each collection.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read, write: if request.auth != null && request.auth.token.admin == true;
          }
        }
      }
      ```
      """##,
    "rules-open-until": ##"""
      # rules-open-until: rules that are open until a date

      *warning*, the official compiler says nothing

      Until that date everybody may do this without signing in; after it, nobody may. The console writes such rules for trying out.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read, write: if request.time < timestamp.date(2030, 1, 31);
          }
        }
      }
      ```

      ## Repair

      Say who may do what.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow read, write: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-open-write": ##"""
      # rules-open-write: documents that anyone may write

      *remark*, the official compiler says nothing

      Everybody who knows the project's name may write here, without signing in. That can be meant, for a form that anyone may send.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if true;
          }
        }
      }
      ```

      ## Repair

      Check at least what is written: its fields, their types and sizes.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow create: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-outside-documents": ##"""
      # rules-outside-documents: a block where no document is

      *warning*, the official compiler says nothing

      Every document's path begins with `/databases/{database}/documents`. A `match` that does not say so never applies.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /notes/{id} {
          allow get: if request.auth != null;
        }
      }
      ```

      ## Repair

      Put the block around it.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-outside-service": ##"""
      # rules-outside-service: a `match` outside of `service`

      *error*, official message: `Unexpected 'match'.`

      Blocks with paths belong to a service.

      ## Example

      ```rules
      rules_version = '2';
      match /databases/{database}/documents/rooms/{id} { allow get; }
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      Move it into `service cloud.firestore { … }`. A brace too many before it may have closed the service.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/rooms/{id} { allow get; }
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-overruled": ##"""
      # rules-overruled: a statement that another one makes pointless

      *remark*, the official compiler says nothing

      One `allow` that is true grants; none can refuse. A strict statement beside a wider one for the same documents has no effect. Often the wider one was forgotten.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{document=**} {
            allow read, write: if request.auth != null;
          }
          match /notes/{id} {
            allow update: if request.auth.uid == id;
          }
        }
      }
      ```

      ## Repair

      Remove the wider statement, or the stricter one if it is not needed.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow read: if request.auth != null;
            allow update: if request.auth.uid == id;
          }
        }
      }
      ```
      """##,
    "rules-package-as-variable": ##"""
      # rules-package-as-variable: a namespace as a variable

      *error*, official message: `timestamp is a package and cannot be used as variable name.`

      `math`, `timestamp`, `duration`, `latlng` and `hashing` hold functions. They are no values, and nothing else may be called so.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function at(timestamp) {
              return timestamp == resource.data.at;
            }
            allow get: if at(request.time);
          }
        }
      }
      ```

      ## Repair

      Choose another name.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function at(time) {
              return time == resource.data.at;
            }
            allow get: if at(request.time);
          }
        }
      }
      ```
      """##,
    "rules-path-names-collection": ##"""
      # rules-path-names-collection: a collection where a document is needed

      *warning*, the official compiler says nothing

      `get` and `exists` look up one document. After `documents` come pairs: a collection and a document.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/admins);
          }
        }
      }
      ```

      ## Repair

      Rules cannot read a collection.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/admins/$(request.auth.uid));
          }
        }
      }
      ```
      """##,
    "rules-pattern-length": ##"""
      # rules-pattern-length: a path that is too long

      *error*, official message: `Maximum allowed path length of 100 is reached.`

      The path down to a block may have 100 segments.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a {
            allow get;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} { allow get; }
        }
      }
      ```
      """##,
    "rules-placeholder-in-path": ##"""
      # rules-placeholder-in-path: `{name}` in a path value

      *warning*, the official compiler says nothing

      In a `match`, `{name}` catches a segment. In a path that is a value it is a placeholder that nobody fills, so the call fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/rooms/{id});
          }
        }
      }
      ```

      ## Repair

      Write `$(name)`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/rooms/$(id));
          }
        }
      }
      ```
      """##,
    "rules-query-outside-list": ##"""
      # rules-query-outside-list: `request.query` outside of `list`

      *warning*, the official compiler says nothing

      Only queries have `request.query`. For a single document, reading it fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.query.limit <= 10;
          }
        }
      }
      ```

      ## Repair

      Judge queries in an `allow list` of their own.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow list: if request.query.limit <= 10;
          }
        }
      }
      ```
      """##,
    "rules-recursion": ##"""
      # rules-recursion: a function that calls itself

      *error*, official message: `Recursive call is not allowed.`

      Functions may not call themselves, also not through others. The language has no loops, so every evaluation ends.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function below(folder) {
              return folder.parent == id || below(folder.parent);
            }
            allow get: if below(resource.data);
          }
        }
      }
      ```

      ## Repair

      Store what you look for where one look finds it, for example a list of all ancestors.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function below(folder) {
              return folder.parent == id || folder.grandparent == id;
            }
            allow get: if below(resource.data);
          }
        }
      }
      ```
      """##,
    "rules-relative-path": ##"""
      # rules-relative-path: a path without its beginning

      *warning*, the official compiler says nothing

      `get` and `exists` take the whole path, from `/databases` on. Any other one fails when the call is reached.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/admins/$(request.auth.uid));
          }
        }
      }
      ```

      ## Repair

      Write `/databases/$(database)/documents` before it.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/admins/$(request.auth.uid));
          }
        }
      }
      ```
      """##,
    "rules-request-method": ##"""
      # rules-request-method: a method that does not exist

      *warning*, the official compiler says nothing

      `request.method` is `get`, `list`, `create`, `update` or `delete`, never `read` or `write`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.method == 'read' && request.auth != null || id == 'open';
          }
        }
      }
      ```

      ## Repair

      Write `request.method in ['get', 'list']` for reads.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null || id == 'open';
          }
        }
      }
      ```
      """##,
    "rules-request-resource-on-read": ##"""
      # rules-request-resource-on-read: `request.resource` while reading

      *warning*, the official compiler says nothing

      `request.resource` is the document as it will be after a write. While documents are read there is none, and reading it fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.resource.data.public == true;
          }
        }
      }
      ```

      ## Repair

      The stored document is `resource`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.public == true;
          }
        }
      }
      ```
      """##,
    "rules-reserved-word": ##"""
      # rules-reserved-word: a reserved word as a name

      *error*, official message: `Unexpected 'default'.`

      Words of the language, and some that it keeps for later, cannot be names. As fields they may follow a dot, or be written `['default']`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function default() {
              return request.auth != null;
            }
            allow get: if true && request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Choose another name.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function signedIn() {
              return request.auth != null;
            }
            allow get: if signedIn();
          }
        }
      }
      ```
      """##,
    "rules-same-operands": ##"""
      # rules-same-operands: a value compared with itself

      *warning*, the official compiler says nothing

      Both sides are the same text, so the result says nothing.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.owner == resource.data.owner;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.owner == request.auth.uid;
          }
        }
      }
      ```
      """##,
    "rules-second-glob": ##"""
      # rules-second-glob: two globs in one path

      *error*, official message: `Invalid glob match expression. Only one glob match is permitted in a match declaration path.`

      A path may have one `{name=**}`, counting the blocks around it.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{folder=**}/notes/{rest=**} {
            allow get;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{folder=**}/notes/{id} {
            allow get;
          }
        }
      }
      ```
      """##,
    "rules-source-too-long": ##"""
      # rules-source-too-long: a ruleset that is too long

      *error*

      The service takes 256 KiB. (The official emulator takes more, and so does `docsh serve --profile emulator`.)

      ## Example

      ```sh
      python3 -c "print('//' + 'x' * 262144)" > firestore.rules
      docsh rules check firestore.rules
      ```

      ## Repair

      Move what several blocks check into functions; remove generated comments.
      """##,
    "rules-stray-brace": ##"""
      # rules-stray-brace: a brace that belongs to nothing

      *error*, official message: `Unexpected '{'.`

      A `{` opens no block that the language has, or a `}` is one too many.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {{
            allow get;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get;
          }
        }
      }
      ```
      """##,
    "rules-strict-equality": ##"""
      # rules-strict-equality: `===`

      *error*, official message: `Unexpected '='.`

      Rules have one equality, `==`, which never converts: `1 == '1'` is false.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.owner === request.auth.uid;
          }
        }
      }
      ```

      ## Repair

      Write `==` or `!=`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.owner == request.auth.uid;
          }
        }
      }
      ```
      """##,
    "rules-swapped-in": ##"""
      # rules-swapped-in: `in` with its sides swapped

      *warning*, the official compiler says nothing

      `value in list`: the list, set or map stands right.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if ['editor', 'owner'] in resource.data.role;
          }
        }
      }
      ```

      ## Repair

      If the field is a list too, write `field.hasAny([…])`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role in ['editor', 'owner'];
          }
        }
      }
      ```
      """##,
    "rules-syntax": ##"""
      # rules-syntax: a text that is not in the language

      *error*, official message: `Unexpected 'list'.`

      Something stands where it cannot stand. The message says what was expected and what was found.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get list: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Look also just before the place: a forgotten `;`, `)` or `}` shows at the next token.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get, list: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-tautology": ##"""
      # rules-tautology: a condition that is true for every value

      *warning*, the official compiler says nothing

      A value always differs from one of two others, so `x != 'a' || x != 'b'` is always true.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.role != 'guest' || resource.data.role != 'banned';
          }
        }
      }
      ```

      ## Repair

      Write `&&`, or negate `in` with a list.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if !(resource.data.role in ['guest', 'banned']);
          }
        }
      }
      ```
      """##,
    "rules-template": ##"""
      # rules-template: a placeholder of a template

      *error*, official message: `Unexpected '{'.`

      `{{NAME}}` is what a template engine replaces. This file was not filled in.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time < timestamp.value({{DEADLINE}});
          }
        }
      }
      ```

      ## Repair

      Check the file that the template makes.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.time < resource.data.deadline;
          }
        }
      }
      ```
      """##,
    "rules-too-complex": ##"""
      # rules-too-complex: an expression that is nested too deep

      *error*, official message: `Expression is too complex to evaluate safely.`

      A branch of an expression may have 99 nodes. In a chain of `&&` every operator is one more level.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if id == '0'
              || id == '1'
              || id == '2'
              || id == '3'
              || id == '4'
              || id == '5'
              || id == '6'
              || id == '7'
              || id == '8'
              || id == '9'
              || id == '10'
              || id == '11'
              || id == '12'
              || id == '13'
              || id == '14'
              || id == '15'
              || id == '16'
              || id == '17'
              || id == '18'
              || id == '19'
              || id == '20'
              || id == '21'
              || id == '22'
              || id == '23'
              || id == '24'
              || id == '25'
              || id == '26'
              || id == '27'
              || id == '28'
              || id == '29'
              || id == '30'
              || id == '31'
              || id == '32'
              || id == '33'
              || id == '34'
              || id == '35'
              || id == '36'
              || id == '37'
              || id == '38'
              || id == '39'
              || id == '40'
              || id == '41'
              || id == '42'
              || id == '43'
              || id == '44'
              || id == '45'
              || id == '46'
              || id == '47'
              || id == '48'
              || id == '49'
              || id == '50'
              || id == '51'
              || id == '52'
              || id == '53'
              || id == '54'
              || id == '55'
              || id == '56'
              || id == '57'
              || id == '58'
              || id == '59'
              || id == '60'
              || id == '61'
              || id == '62'
              || id == '63'
              || id == '64'
              || id == '65'
              || id == '66'
              || id == '67'
              || id == '68'
              || id == '69'
              || id == '70'
              || id == '71'
              || id == '72'
              || id == '73'
              || id == '74'
              || id == '75'
              || id == '76'
              || id == '77'
              || id == '78'
              || id == '79'
              || id == '80'
              || id == '81'
              || id == '82'
              || id == '83'
              || id == '84'
              || id == '85'
              || id == '86'
              || id == '87'
              || id == '88'
              || id == '89'
              || id == '90'
              || id == '91'
              || id == '92'
              || id == '93'
              || id == '94'
              || id == '95'
              || id == '96'
              || id == '97'
              || id == '98';
          }
        }
      }
      ```

      ## Repair

      Split the condition into several `allow` statements if they are alternatives, into functions, or group a chain in halves: `(a && b) && (c && d)`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.public == true;
          }
        }
      }
      ```
      """##,
    "rules-too-many-captures": ##"""
      # rules-too-many-captures: too many captures

      *error*, official message: `Maximum allowed amount of 20 match field variables is reached.`

      The path down to a block may have 20 captures, `{database}` included.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /{x0}/{x1}/{x2}/{x3}/{x4}/{x5}/{x6}/{x7}/{x8}/{x9}/{x10}/{x11}/{x12}/{x13}/{x14}/{x15}/{x16}/{x17}/{x18}/{x19} {
            allow get;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} { allow get; }
        }
      }
      ```
      """##,
    "rules-too-many-lets": ##"""
      # rules-too-many-lets: too many variables

      *error*, official message: `Maximum allowed variable count of 10 for a given function has been reached.`

      A function may have eleven `let`. (The official message says ten.)

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let v0 = request.auth.uid;
              let v1 = request.auth.uid;
              let v2 = request.auth.uid;
              let v3 = request.auth.uid;
              let v4 = request.auth.uid;
              let v5 = request.auth.uid;
              let v6 = request.auth.uid;
              let v7 = request.auth.uid;
              let v8 = request.auth.uid;
              let v9 = request.auth.uid;
              let v10 = request.auth.uid;
              let v11 = request.auth.uid;
              return v0 == id && v1 == id && v2 == id && v3 == id && v4 == id && v5 == id && v6 == id && v7 == id && v8 == id && v9 == id && v10 == id && v11 == id;
            }
            allow get: if mine();
          }
        }
      }
      ```

      ## Repair

      Move some into another function.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() {
              let uid = request.auth.uid;
              return uid == id;
            }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-too-many-parameters": ##"""
      # rules-too-many-parameters: too many parameters

      *error*, official message: `Maximum allowed function arguments of 7 for function any is reached.`

      A function may have seven parameters.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function any(a, b, c, d, e, f, g, h) {
              return a || b || c || d || e || f || g || h;
            }
            allow get: if any(id == '1', id == '2', id == '3', id == '4', id == '5', id == '6', id == '7', id == '8');
          }
        }
      }
      ```

      ## Repair

      Pass a list or a map.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function any(values) {
              return true in values;
            }
            allow get: if any([id == '1', id == '2', id == '3']);
          }
        }
      }
      ```
      """##,
    "rules-unclosed-block": ##"""
      # rules-unclosed-block: a block that is never closed

      *error*, official message: `Unexpected '<EOF>'.`

      The file ends before a `}`. The message points to the block whose indentation does not fit.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} {
          allow get;
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} {
          allow get;
        }
      }
      ```
      """##,
    "rules-unclosed-string": ##"""
      # rules-unclosed-string: a string that is never closed

      *error*, official message: `Missing a closing '`

      A string ends on the line on which it begins, with the quote it began with.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state == 'open;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.state == 'open';
          }
        }
      }
      ```
      """##,
    "rules-unknown-character": ##"""
      # rules-unknown-character: a character that is not in the language

      *error*, official message: `token recognition error at: '#'`

      The character means nothing in rules. Comments begin with `//`, and code fences of a chat or a README do not belong into the file.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            # Owners only.
            allow get: if request.auth.uid == id;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            // Owners only.
            allow get: if request.auth.uid == id;
          }
        }
      }
      ```
      """##,
    "rules-unknown-field": ##"""
      # rules-unknown-field: a field that requests and documents do not have

      *warning*, the official compiler says nothing

      `request` has `auth`, `method`, `path`, `query`, `resource` and `time`; `request.auth` has `uid` and `token`; a document has `data`, `id` and `__name__`. Reading anything else fails, and the statement does not grant.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth.email == 'ann@example.com';
          }
        }
      }
      ```

      ## Repair

      A document's own fields are in `.data`, claims are in `request.auth.token`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth.token.email == 'ann@example.com';
          }
        }
      }
      ```
      """##,
    "rules-unknown-function": ##"""
      # rules-unknown-function: a function or method that does not exist

      *warning*, official message: `Invalid function name: includes.`

      Nothing is called so. The rules compile, and the call always fails when it is reached.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.members.includes(request.auth.uid);
          }
        }
      }
      ```

      ## Repair

      The message names what does the same.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth.uid in resource.data.members;
          }
        }
      }
      ```
      """##,
    "rules-unknown-method": ##"""
      # rules-unknown-method: a method that `allow` does not know

      *warning*, official message: `Invalid method name: upddate.`

      The name is no method, so the statement never applies to anything. The compiler accepts it all the same.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get, upddate: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Methods are `get`, `list`, `read`, `create`, `update`, `delete` and `write`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get, update: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-unknown-service": ##"""
      # rules-unknown-service: an unknown service

      *warning*, official message: `Invalid service name: cloud.filestore.`

      Only `cloud.firestore` (and `firebase.storage`) are served; nothing in another service is ever asked.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.filestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-unknown-type": ##"""
      # rules-unknown-type: an unknown type

      *error*, official message: `An unsupported type identifier was used with the 'is' operator. Received integer. Expected one of bool,bytes,constraint,duration,float,int,latlng,list,vector,set,number,map,string,timestamp,path,map_diff`

      `is` knows bool, bytes, constraint, duration, float, int, latlng, list, map, map_diff, number, path, set, string, timestamp and vector.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.age is integer;
          }
        }
      }
      ```

      ## Repair

      For null write `== null`.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if resource.data.age is int;
          }
        }
      }
      ```
      """##,
    "rules-unknown-variable": ##"""
      # rules-unknown-variable: a name that nothing has

      *warning*, official message: `Invalid variable name: auth.`

      Nothing is called so here. The rules compile, and reading it always fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if auth.uid == id;
          }
        }
      }
      ```

      ## Repair

      What a request brings begins with `request`, the stored document is `resource`. A function sees the captures of the blocks it is declared in, not of those that call it.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth.uid == id;
          }
        }
      }
      ```
      """##,
    "rules-unsupported-version": ##"""
      # rules-unsupported-version: a version that does not exist

      *error*, official message: `Unsupported rules version 3.`

      The versions of the language are 1 and 2.

      ## Example

      ```rules
      rules_version = '3';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-unused-function": ##"""
      # rules-unused-function: a function that nobody calls

      *warning*, official message: `Unused function: mine.`

      It does no harm. Perhaps a condition was to call it.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() { return request.auth.uid == id; }
            allow get: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      Call it or remove it.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine() { return request.auth.uid == id; }
            allow get: if mine();
          }
        }
      }
      ```
      """##,
    "rules-unused-variable": ##"""
      # rules-unused-variable: a variable that nobody reads

      *warning*, official message: `Unused variable: uid.`

      It does no harm, and its value is not even computed. Perhaps another name was written by mistake.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine(uid) { return request.auth.uid == id; }
            allow get: if mine(id);
          }
        }
      }
      ```

      ## Repair

      Read it or remove it.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            function mine(uid) { return request.auth.uid == uid; }
            allow get: if mine(id);
          }
        }
      }
      ```
      """##,
    "rules-version-place": ##"""
      # rules-version-place: `rules_version` in the wrong place

      *error*, official message: `Unexpected 'rules_version'.`

      `rules_version = '2';` is the first statement of the file. Comments may stand before it.

      ## Example

      ```rules
      function signedIn() { return request.auth != null; }
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get: if signedIn(); }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      function signedIn() { return request.auth != null; }
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get: if signedIn(); }
      }
      ```
      """##,
    "rules-version-quotes": ##"""
      # rules-version-quotes: a version without quotes

      *error*, official message: `mismatched input '2' expecting STRING`

      The version is a string.

      ## Example

      ```rules
      rules_version = 2;
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents/notes/{id} { allow get; }
      }
      ```
      """##,
    "rules-wide-blank": ##"""
      # rules-wide-blank: a blank that is no blank

      *error*, official message: `token recognition error at: ' '`

      No-break and full-width blanks come from web pages and word processors, and a byte order mark at the beginning of a file
      from some editors. Nobody sees them, the language does not know them, and the service refuses the file. They are one message,
      however many there are. In comments and strings they are allowed.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```

      ## Repair

      `docsh rules fmt` writes ordinary blanks and removes the mark. By hand: type the blank again; save the file as UTF-8 without
      a byte order mark.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null;
          }
        }
      }
      ```
      """##,
    "rules-word-operator": ##"""
      # rules-word-operator: `and`, `or`, `not`

      *error*, official message: `Unexpected 'and'.`

      Operators are `&&`, `||` and `!`.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null and request.auth.uid == id;
          }
        }
      }
      ```

      ## Repair

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if request.auth != null && request.auth.uid == id;
          }
        }
      }
      ```
      """##,
    "rules-wrong-type": ##"""
      # rules-wrong-type: a value of the wrong type

      *warning*, official message: `Invalid type. Received one of [string]. Expected one of [path].`

      The operator or function takes another type. The rules compile, and evaluating this always fails.

      ## Example

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists('admins/ann');
          }
        }
      }
      ```

      ## Repair

      The message says which type it is and which is needed.

      ```rules
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          match /notes/{id} {
            allow get: if exists(/databases/$(database)/documents/admins/ann);
          }
        }
      }
      ```
      """##,
  ]
}
