/// How long a large ruleset takes from text to plans.

import Rules

struct RulesCompileResult {
  let lines: Int
  let milliseconds: Double
  let bestMilliseconds: Double
}

/// A ruleset as a project of that size has it: helpers at the top, then block after block with functions,
/// shapes, nested blocks and comments.
func largeRuleset(lines wanted: Int) -> String {
  var text = """
    rules_version = '2';

    service cloud.firestore {
      match /databases/{database}/documents {
        // ---- Callers ------------------------------------------------------------------------

        function signedIn() {
          return request.auth != null;
        }

        function isCaller(uid) {
          return signedIn() && request.auth.uid == uid;
        }

        function account(uid) {
          return get(/databases/$(database)/documents/accounts/$(uid)).data;
        }

        function hasRole(role) {
          return signedIn() && account(request.auth.uid).roles.hasAny([role, 'admin']);
        }

        function text(value, least, most) {
          return value is string && value.size() >= least && value.size() <= most;
        }

        function changed() {
          return request.resource.data.diff(resource.data).affectedKeys();
        }

    """
  var number = 0
  while text.utf8.lazy.filter({ $0 == UInt8(ascii: "\n") }).count < wanted - 2 {
    text += largeRulesetBlock(number)
    number += 1
  }
  return text + "  }\n}\n"
}

private func largeRulesetBlock(_ number: Int) -> String {
  """

      // ---- Collection \(number): what its members write, and what the public sees ----------
      // @id collection\(number)
      match /collection\(number)/{entryId} {
        function isOwner\(number)() {
          return signedIn() && resource.data.ownerId == request.auth.uid;
        }

        function validEntry\(number)(data) {
          let price = data.get('price', 0);
          return data.keys().hasAll(['ownerId', 'title', 'status', 'createdAt'])
            && data.keys().hasOnly(['ownerId', 'title', 'status', 'tags', 'price', 'note', 'createdAt'])
            && text(data.title, 1, 120)
            && data.status in ['draft', 'open', 'closed']
            && price is number && price >= 0 && price < \(1_000 + number)
            && (!('tags' in data) || (data.tags is list && data.tags.size() <= 20))
            && (!('note' in data) || text(data.note, 0, 2000));
        }

        allow get: if resource.data.status == 'open' || isOwner\(number)() || hasRole('editor');
        allow list: if signedIn() && resource.data.ownerId == request.auth.uid;
        allow create: if isCaller(request.resource.data.ownerId)
          && validEntry\(number)(request.resource.data)
          && request.resource.data.createdAt == request.time;
        allow update: if isOwner\(number)()
          && changed().hasOnly(['title', 'status', 'tags', 'price', 'note'])
          && validEntry\(number)(request.resource.data);
        allow delete: if isOwner\(number)() && resource.data.status != 'closed';

        match /comments/{commentId} {
          allow read: if signedIn();
          allow create: if signedIn()
            && request.resource.data.authorId == request.auth.uid
            && exists(/databases/$(database)/documents/collection\(number)/$(entryId))
            && request.resource.data.body.matches('[^<>]{1,\(200 + number)}');
          allow delete: if signedIn() && (resource.data.authorId == request.auth.uid || hasRole('moderator'));
        }
      }

  """
}

/// Compiles a ruleset of at least a thousand lines again and again; nil when it has an error.
func rulesCompileBenchmark(lines: Int = 1_000, rounds: Int = 15) -> RulesCompileResult? {
  let bytes = Array(largeRuleset(lines: lines).utf8)
  var failures = 0
  let time = Stopwatch.measure(rounds: rounds, count: 1) {
    if Ruleset.compile(source: bytes, name: "large.rules").ruleset == nil { failures += 1 }
  }
  guard failures == 0 else { return nil }
  return RulesCompileResult(
    lines: bytes.count { $0 == UInt8(ascii: "\n") }, milliseconds: time.median / 1e6,
    bestMilliseconds: time.best / 1e6)
}
