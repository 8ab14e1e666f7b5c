import Suite
import Testing

@Suite("A first suite for rules")
struct SkeletonTests {
  /// Rules of one block, and lines of the suite.
  @Test(
    "paths, documents, personas and letters come from the rules",
    arguments: [
      (
        "match /users/{id} { allow get: if request.auth.uid == id; }",
        ["  get users/user: {get: users/user}", "      as it is  get users/user | !     A     ."]
      ),
      (
        "match /notes/{id} { allow delete: if resource.data.owner == request.auth.uid; }",
        ["  notes/note1: {owner: user}", "      as it is  delete notes/note1 | !     A     ."]
      ),
      (
        "match /a/{id} { allow read: if request.auth.token.admin == true; }",
        [
          "  admin_user: {uid: admin, claims: {admin: true}}", "  list a: {list: a}",
          "      as it is  list a    | !     !     !      A",
        ]
      ),
      (
        "match /a/{id} { allow create: if request.resource.data.at == request.time && request.resource.data.count is int; }",
        [
          "  create a/a1: {create: a/a1, data: {at: {$serverTime: true}, count: 1}}",
          "      no a/a1  create a/a1 | A     A     A",
        ]
      ),
      (
        """
        function role() { return get(/databases/$(db)/documents/people/$(request.auth.uid)).data.role; }
        match /a/{id} { allow get: if role() == 'editor'; }
        """,
        ["  people/editor: {role: editor}", "      as it is  get a/a1  | !     !     !      A"]
      ),
      (
        "match /{path=**}/likes/{id} { allow list: if true; }",
        ["  list all likes: {list: {group: likes}}", "      as it is  list all likes | A     A     A"]
      ),
      (
        "match /a/{id} { allow update: if request.auth.token.email_verified; }",
        ["  verified: {uid: verified, email_verified: true}"]
      ),
      (
        "match /a/{id} { allow read: if resource.data.open || resource.data.by == request.auth.uid; }",
        [
          "  a/a1 open false: {a/a1: {open: false}}",
          "  list a by open true: {list: {from: a, where: [\"open == true\"]}}",
          "  list a by by: {list: {from: a, where: [\"by == 'user'\"]}}",
          "      as it is         get a/a1            | A     A     A",
          "      a/a1 open false  get a/a1            | !     A     .",
          "      as it is         list a              | ?     ?     ?",
          "      as it is         list a by open true | A     A     A",
          "      as it is         list a by by        | ?     A     ?",
        ]
      ),
      (
        "match /a/{id} { allow update: if resource.data.by == request.auth.uid; }",
        [
          "  hand over a/a1 by: {update: a/a1, data: {by: other}}",
          "      as it is  hand over a/a1 by | !     A     .",
        ]
      ),
      (
        """
        match /a/{id} {
          allow update: if resource.data.by == request.auth.uid && request.resource.data.by == resource.data.by;
        }
        """,
        ["      as it is  hand over a/a1 by | .     .     ."]
      ),
      (
        """
        function isValid(data) { return data.keys().hasAll(['by', 'title']) && data.by is string; }
        match /a/{id} {
          allow create: if isValid(request.resource.data);
          allow update: if resource.data.by == request.auth.uid && isValid(request.resource.data)
            && request.resource.data.by == resource.data.by && request.resource.data.title is string;
        }
        """,
        [
          "  a/a1: {by: user, title: text}", "  update a/a1: {update: a/a1, data: {title: text}}",
          "      as it is  update a/a1       | !     A     .",
          "      as it is  hand over a/a1 by | .     .     .",
        ]
      ),
      (
        "match /a/{id} { allow delete: if resource.data.state != 'locked' && !resource.data.held; }",
        [
          "  a/a1: {held: false, state: another}", "  a/a1 state locked: {a/a1: {state: locked}}",
          "      as it is           delete a/a1 | A     A     A",
          "      a/a1 state locked  delete a/a1 | .     .     .",
          "      a/a1 held true     delete a/a1 | .     .     .",
        ]
      ),
    ] as [(String, [String])])
  func skeletons(block: String, lines: [String]) throws {
    let rules =
      "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { \(block) } }"
    let skeleton = try SuiteSkeleton(rules: Array(rules.utf8), path: "app.rules")
    let written = skeleton.text.split(separator: "\n").map(String.init)
    for line in lines { #expect(written.contains(line), "\(line)\n\(skeleton.text)") }
    #expect(skeleton.leftOut == [])
  }

  @Test("rules with errors and rules without documents are refused", arguments: ["allow get: if ;", ""])
  func refused(body: String) {
    let rules =
      "rules_version = '2';\nservice cloud.firestore { match /databases/{db}/documents { \(body) } }"
    #expect(throws: SuiteFailure.self) { try SuiteSkeleton(rules: Array(rules.utf8), path: "app.rules") }
  }
}
