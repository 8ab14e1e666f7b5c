/// What the shell says beside results that are probably not what was wanted, a line a case.

import DocModel
import Testing

@testable import Shell

private struct Row: CustomTestStringConvertible {
  let statements: [String]
  /// The one message; nil for none.
  let note: String?

  init(_ statements: String..., note: String?) {
    self.statements = statements
    self.note = note
  }

  var testDescription: String { statements.joined(separator: " ⏎ ") }
}

@Suite("Advice", .serialized)
struct AdviceTests {
  private static let looked = "note: none of the 4 documents looked at has field "
  private static let made = "note: 'users/bob' had no field "
  private static let deeper =
    "note: there are no documents in 'private'; 'private' lies below other documents: write  **/private"
  private static let rows: [Row] = [
    // Collections.
    Row("user", note: "note: there are no documents in 'user'; did you mean 'users'?"),
    Row("Users | count", note: "note: there are no documents in 'Users'; did you mean 'users'?"),
    Row("psots where a = 1 | jsonl", note: "note: there are no documents in 'psots'; did you mean 'posts'?"),
    Row(
      "users/bob/privat",
      note: "note: there are no documents in 'users/bob/privat'; did you mean 'users/bob/private'?"),
    Row("history", note: "note: there are no documents in 'history'; ':history' is a command"),
    Row("hepl", note: "note: there are no documents in 'hepl'; did you mean the command ':help'?"),
    Row("elsewhere", note: nil),
    // Below documents.
    Row("private", note: deeper), Row("select count(*) from private", note: deeper),
    Row("private | count", note: deeper), Row("private where a = 1 | jsonl", note: deeper),
    Row(":cd users", "/private", note: deeper), Row("group private | ids", note: nil),
    Row("users/bob/private | ids", note: nil), Row("posts/p1/private", note: nil),
    Row("bob", note: "note: there are no documents in 'bob'; did you mean 'users/bob'?"),
    // Fields.
    Row("users where nmae = 'Bob'", note: looked + "'nmae'; did you mean 'name'?"),
    Row("users order by Age", note: looked + "'Age'; did you mean 'age'?"),
    Row("users select nmae", note: looked + "'nmae'; did you mean 'name'?"),
    Row("users | table name, agee", note: looked + "'agee'; did you mean 'age'?"),
    Row("users | sum agee", note: looked + "'agee'; did you mean 'age'?"),
    Row("users where id = 'bob'", note: looked + "'id'; the id of a document is __name__"),
    Row("users where missing = null", note: nil), Row("users where name = 'Bob' select age", note: nil),
    Row("users where name = 'Dave' select age", note: nil), Row("users order by age | ids", note: nil),
    // Types.
    Row(
      "users where age = '40'",
      note:
        "note: 'age' is a number in all 3 documents looked at, and \"40\" is a text: they never match; write 40"
    ),
    Row(
      "users where name > 5",
      note:
        "note: 'name' is a text in all 4 documents looked at, and 5 is a number: they never match; write \"5\""
    ),
    Row(
      "users where age in ['a', 'b'] | count",
      note: "note: 'age' is a number in all 3 documents looked at, and \"a\" is a text: they never match"),
    Row("users where name has 'B'", note: "note: 'name' is a text, no list: 'has' finds nothing in it"),
    Row("users where age = 7", note: nil), Row("users where age = 40.5", note: nil),
    Row("users where age = '40' or name = 'Bob' | ids", note: nil),
    Row("users where groups has 'none'", note: nil),
    Row("users where age != '40' | ids", note: nil),
    // Fields that a write makes.
    Row("update users/bob agee += 1", note: made + "'agee'; did you mean 'age'?"),
    Row("update users/bob unset Name", note: made + "'Name'; did you mean 'name'?"),
    Row("users/bob += {nmae: 'Rob'}", note: made + "'nmae'; did you mean 'name'?"),
    Row("begin", "update users/bob agee = 1", note: made + "'agee'; did you mean 'age'?"),
    Row("users where name = 'Bob' | each update $id agee = 1", note: made + "'agee'; did you mean 'age'?"),
    Row("update users/bob seen = true, age += 1", note: nil), Row("users/bob := {nmae: 'Rob'}", note: nil),
    Row("update users/bob tags = ['a']", note: nil),
    Row("update users/bob name = 'Rob', names = 2", note: nil), Row("users/new += {nmae: 'X'}", note: nil),
    // Names of the shell.
    Row(":hepl", note: "there is no command ':hepl'; did you mean :help?"),
    Row(":tre", note: "there is no command ':tre'; did you mean :tree?"),
    Row(
      ":as alcie",
      note:
        "there is no persona 'alcie'; did you mean 'alice'? known are alice, bob, carol, anon, admin. ':as {uid: \"alcie\"}' is anybody"
    ),
    Row(":set mood json", note: "there is no setting 'mood'; did you mean 'mode'?"),
    Row(":mode jsn", note: "'jsn' is no mode; did you mean 'json'?"),
    Row(":help valuse", note: "no help for 'valuse'; did you mean 'values'?"),
  ]

  @Test("One line says what was probably meant", arguments: Placement.allCases)
  func advice(_ placement: Placement) async throws {
    for row in Self.rows {
      try await SessionKit.talk(placement) { talk in
        var said: [String] = []
        for statement in row.statements { said = talk.run(statement).messages }
        #expect(said == (row.note.map { [$0] } ?? []), "\(row.testDescription)")
      }
    }
  }

  @Test("A document in a collection that is not there", arguments: Placement.allCases)
  func document(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      #expect(
        talk.run("user/bob").messages == [
          "user/bob does not exist", "note: there are no documents in 'user'; did you mean 'users/bob'?",
        ])
      #expect(talk.run("users/bbo").messages == ["users/bbo does not exist"])
    }
  }

  @Test("A transaction survives what was only mistyped")
  func transaction() async throws {
    try await SessionKit.talk(.embedded) { talk in
      #expect(
        talk.run("begin", "users where", ":frobnicate", ":mode x", "create users/x {}", "commit").status == 0)
      #expect(talk.run("users/x | ids").results == ["x"])
    }
  }
}
