import Testing

@testable import Rules

/// Valid texts with one token left out, doubled or replaced: what a slip of the hand makes of rules.
enum Mutations {
  /// One text with one slip.
  struct Mutant {
    let change: String
    let source: String
  }

  /// What a token is replaced by, in turn.
  private static let replacements = [
    "x", "1", "'s'", "&&", "(", ")", "}", "{", ";", ",", ".", "=", "/a", "if", "return", ":", "allow",
    "match",
    "in", "!", "[", "]", "function", "let", "-", "/", "?",
  ]

  static func all(of source: String) -> [Mutant] {
    let bytes = Array(source.utf8)
    let tokens = Lexer.run(SourceText(name: "f", bytes: bytes)).tokens.dropLast()
    return tokens.enumerated().flatMap { position, token -> [Mutant] in
      let (start, end) = (Int(token.span.start), Int(token.span.end))
      let text = String(decoding: bytes[start..<end], as: UTF8.self)
      var replacement = replacements[position % replacements.count]
      if replacement == text { replacement = "x" }
      func mutant(_ change: String, _ middle: String) -> Mutant {
        let text = bytes[..<start] + Array(middle.utf8) + bytes[end...]
        return Mutant(change: "\(change) at byte \(start)", source: String(decoding: text, as: UTF8.self))
      }
      return [
        mutant("`\(text)` left out", ""), mutant("`\(text)` doubled", "\(text) \(text)"),
        mutant("`\(text)` replaced by `\(replacement)`", replacement),
      ]
    }
  }

  static let shop = """
    rules_version = '2';
    // The rules of a small shop.
    service cloud.firestore {
      function signedIn() {
        return request.auth != null;
      }
      match /databases/{database}/documents {
        function user(id) {
          let path = /databases/$(database)/documents/users/$(id);
          let found = get(path);
          return found.data;
        }
        match /users/{uid} {
          allow get: if signedIn() && (request.auth.uid == uid || user(request.auth.uid).role in ['admin', 'staff']);
          allow list: if request.query.limit <= 10;
          allow create, update: if request.resource.data.keys().hasOnly(['name', 'age'])
            && request.resource.data.name is string
            && request.resource.data.name.size() < 100
            && (!('age' in request.resource.data) || request.resource.data.age > -1);
          allow delete;
          match /orders/{order=**} {
            allow read: if resource.data.total * 2 >= 3.5 ? true : resource.data.items[0:2] == [];
          }
        }
        match /{path=**}/comments/{comment} {
          allow write: if request.time < timestamp.date(2030, 1, 1) && {'a': 1}[comment] == 1;
        }
      }
    }

    """

  static let settings = """
    service cloud.firestore {
      match /databases/{database} {
        match /documents/settings/{id} {
          allow read, write: if exists(/databases/(default)/documents/admins/$(request.auth.uid)) &&
            request.resource.data.diff(resource.data).affectedKeys().hasOnly(["a", "b"]);
        }
        match /documents/{rest=**} { allow read }
      }
    }
    """

  static let rooms = """
    /* Rooms and messages. */
    rules_version = "2";
    function has(map, key) { return key in map && map[key] != null }
    service cloud.firestore {
      match /databases/{db}/documents {
        match /rooms/{room} {
          function member(role) {
            let me = get(/databases/$(db)/documents/rooms/$(room)/members/$(request.auth.uid)).data;
            return me.role == role || (role == 'guest' && !has(me, 'banned'));
          }
          // @id rooms-read
          allow get, list: if has(resource.data, "open")
            ? resource.data.open == true
            : member('guest');
          allow create: if request.resource.data.size() <= 5 && -1 < math.abs(request.resource.data.n % 3);
          match /messages/{message} {
            allow read: if member("guest");
            allow create: if member("writer") && request.resource.data.text.matches('^[^<>]*$')
              && request.resource.data.sentAt == request.time;
            allow update, delete: if false;
          }
        }
      }
    }
    """
}

@Suite("texts with one slip")
struct MutationTests {
  struct Original: CustomTestStringConvertible {
    let testDescription: String
    let source: String
    /// The official compiler's verdicts in the order of the mutants, recorded: `+` compiles.
    let verdicts: String
    /// How many mutants may have two errors. They are listed by the test when there are more.
    let withTwoMax: Int
  }

  static let originals = [
    Original(
      testDescription: "shop", source: Mutations.shop, verdicts: MutationVerdicts.shop, withTwoMax: 8),
    Original(
      testDescription: "settings", source: Mutations.settings, verdicts: MutationVerdicts.settings,
      withTwoMax: 2),
    Original(
      testDescription: "rooms", source: Mutations.rooms, verdicts: MutationVerdicts.rooms, withTwoMax: 3),
  ]

  @Test("one slip gives one error, and the verdict of the official compiler", arguments: originals)
  func oneError(original: Original) {
    #expect(Sample.compiles(original.source))
    let mutants = Mutations.all(of: original.source)
    #expect(mutants.count == original.verdicts.utf8.count, "the record belongs to these mutants")
    var withTwo: [String] = []
    for (mutant, verdict) in zip(mutants, original.verdicts) {
      let errors = Sample.check(mutant.source).diagnostics.filter { $0.severity == .error }
      #expect(errors.isEmpty == (verdict == "+"), "\(mutant.change): \(errors.map(\.message))")
      #expect(errors.count <= 2, "\(mutant.change): \(errors.map(\.message))")
      if errors.count == 2 { withTwo.append("\(mutant.change): \(errors.map(\.message))") }
    }
    #expect(withTwo.count <= original.withTwoMax, "\(withTwo.joined(separator: "\n"))")
  }

  @Test("what stands after a slip is still checked", arguments: originals)
  func restIsChecked(original: Original) {
    // A name that nothing has, in the last statement: the compiler warns about it wherever the slip is.
    let last = "\nfunction last() { return nameThatNothingHas; }\n"
    let mutants = Mutations.all(of: original.source)
    var unseen: [String] = []
    for mutant in mutants {
      let diagnostics = Sample.check(mutant.source + last).diagnostics
      if !diagnostics.contains(where: { $0.message.contains("nameThatNothingHas") }) {
        unseen.append(mutant.change)
      }
    }
    // A string, a comment or a block that never closes takes what follows with it.
    #expect(unseen.count <= mutants.count / 20, "\(unseen)")
  }

  @Test("the reference rules with one slip give one error, ninety-nine times of a hundred")
  func reference() throws {
    let source = try RepositoryFile.text("rules/inspired.rules")
    var counts: [Int: Int] = [:]
    for (position, mutant) in Mutations.all(of: source).enumerated() where position % 37 == 0 {
      counts[Sample.check(mutant.source).diagnostics.count { $0.severity == .error }, default: 0] += 1
    }
    let total = counts.values.reduce(0, +)
    #expect(total > 100)
    #expect(counts.filter { $0.key > 1 }.values.reduce(0, +) * 100 <= total, "\(counts)")
  }
}
