/// Statements as people write them who come from SQL, the client SDKs or MongoDB, a line a case: read as the statement
/// of this shell that means the same, or answered with it.

import DocModel
import Testing

@testable import Shell

private var context: LanguageContext {
  LanguageContext(
    database: DatabaseID(project: "demo"), now: 1_772_355_600_000_000,
    commands: CommandTable.names)
}

private struct Row: CustomTestStringConvertible {
  let text: String
  let own: String

  init(_ text: String, _ own: String) {
    self.text = text
    self.own = own
  }

  var testDescription: String { text }
}

@Suite("The shell reads what others write")
struct ForeignLanguageTests {
  private static let equal: [Row] = [
    // Conditions.
    Row("u where a = 1", "u where a == 1"),
    Row("u where a === 1 AND b !== 2", "u where a == 1 && b != 2"),
    Row("u WHERE a <> 1 And b = 'x' OR c = TRUE", "u where a != 1 && b == 'x' || c == true"),
    Row("u where a is null and b IS NOT NULL", "u where a == null && b != null"),
    Row("u where a NOT IN [1] or a In ('x', 'y')", "u where a not in [1] || a in ['x', 'y']"),
    Row("u where a between 1 and 2 and b = 3", "u where (a >= 1 && a <= 2) && b == 3"),
    Row("u where t array-contains 'x'", "u where t has 'x'"),
    Row("u where t array-contains-any ['x']", "u where t has any ['x']"),
    Row("u where (a = 1 or b = 2) and c > 3", "u where (a == 1 || b == 2) && c > 3"),
    Row("u where 'x' in tags and 3 < a", "u where tags has 'x' && a > 3"),
    Row("u where open", "u where open == true"),
    Row("u where not open limit 2", "u where open == false limit 2"),
    Row(
      "u where open and (not shut or a = 1) order by a",
      "u where open == true && (shut == false || a == 1) order by a"),
    Row("u where a is true or a is false", "u where a == true || a == false"),
    Row("u where a is not true | count", "u where a != true | count"),
    // A document's id.
    Row("u where __name__ == 'x'", "u where __name__ == /u/x"),
    Row("u where __name__ in ['x', 'u/y'] and a = 1", "u where __name__ in [/u/x, /u/y] && a == 1"),
    Row("u/x/v where __name__ > 'y'", "u/x/v where __name__ > /u/x/v/y"),
    Row("group v where __name__ = 'u/x/v/y'", "group v where __name__ == /u/x/v/y"),
    Row("u where documentId() in ['x']", "u where __name__ in [/u/x]"),
    Row("u where FieldPath.documentId() == 'x'", "u where __name__ == /u/x"),
    Row("u order by a, __name__ start at 1, 'x'", "u order by a, __name__ start at 1, /u/x"),
    Row(
      "getDocs(query(collection(db, 'u'), where(documentId(), 'in', ['x'])))", "u where __name__ in [/u/x]"),
    // Clauses.
    Row("u ORDER BY a DESC, b ascending LIMIT 3 Offset 2", "u order by a desc, b limit 3 offset 2"),
    Row("u orderBy a descending", "u order by a desc"),
    Row("u order by a limitToLast 2", "u order by a limit last 2"),
    Row("u order by a startAt 1 endBefore 5", "u order by a start at 1 end before 5"),
    // Select.
    Row(
      "select name, rating from studios where rating > 4 order by rating desc limit 3",
      "studios where rating > 4 order by rating desc limit 3 select name, rating"),
    Row("SELECT * FROM users", "users"),
    Row("select count(*) from users where a = 1", "users where a == 1 | count"),
    Row("select sum(a.b) from users", "users | sum a.b"),
    Row("select a, count(*) from u where b > 1 group by a", "u where b > 1 | group by a | count"),
    Row("select distinct a from u", "u | group by a"),
    Row(
      "select distinct a from u where b order by a desc limit 2",
      "u where b | group by a | order by a desc limit 2"),
    Row(
      "select a, count(*) from u group by a order by count(*) desc, a limit 3",
      "u | group by a | count | order by count desc, a | limit 3"),
    Row("select a from u group by a order by sum(b) desc", "u | group by a | sum b order by sum desc"),
    Row("select a, count(*) from u group by a limit 3", "u | group by a | count limit 3"),
    Row("select * from users/bob", "users/bob"),
    Row("count(users)", "users | count"),
    Row("COUNT(users where a = 1)", "users where a == 1 | count"),
    // Writes.
    Row("insert into users/x {a: 1}", "create users/x {a: 1}"),
    Row("UPDATE users/x SET a = 1, b = 'y'", "update users/x a = 1, b = 'y'"),
    Row("update users set a = 1 where b = 2", "users where b == 2 | each update $id a = 1"),
    Row("update users/x set a = a + 1, b.c = b.c - 2", "update users/x a += 1, b.c -= 2"),
    Row("update users set a = a+1 where b", "users where b | each update $id a = a+1"),
    Row("delete from users where b = 2", "users where b == 2 | each delete $id"),
    Row("DELETE FROM users/x", "delete users/x"),
    Row("DELETE users/x", "delete users/x"),
    Row("set users/x {\"a\": 1}", "users/x := {a: 1}"),
    Row("users/x set {a: 1}", "users/x := {a: 1}"),
    Row(
      "create users/x {\"a\": [1, {\"b\": null}], \"c\": \"\\u00e9\"}",
      "create users/x {a: [1, {b: null}], c: 'é'}"),
    // Client SDKs.
    Row("db.collection(\"users\").doc(\"x\").get()", "users/x"),
    Row(
      "db.collection(\"users\").where(\"a\",\"==\",1).orderBy(\"b\",\"desc\").limit(3).get()",
      "users where a == 1 order by b desc limit 3"),
    Row("await db.doc('users/x').get()", "users/x"),
    Row("doc(db,\"users/x\")", "users/x"),
    Row("getDoc(doc(db, 'users', 'x'))", "users/x"),
    Row(
      "getDocs(query(collection(db, 'users'), where('t', 'array-contains', 'x'), where('a', '!=', null), limit(2)))",
      "users where t has 'x' where a != null limit 2"),
    Row("db.collectionGroup('likes').where('u', 'in', ['a']).get()", "group likes where u in ['a']"),
    Row("db.collection('users').count().get()", "users | count"),
    Row("db.collection('users').orderBy('a').limitToLast(2).get()", "users order by a limit last 2"),
    Row("db.collection('users').doc('x').collection('posts').get() | ids", "users/x/posts | ids"),
    Row("db.collection('users').where(documentId(), '>', 'a').get()", "users where __name__ > /users/a"),
    Row("db.doc('users/x').set({a: 1})", "users/x := {a: 1}"),
    Row("setDoc(doc(db, 'users/x'), {a: 1}, {merge: true})", "users/x += {a: 1}"),
    Row("db.doc('users/x').update({'b.c': 2, at: @now})", "update users/x b.c = 2, at = @now"),
    Row("await deleteDoc(doc(db, 'users/x'))", "delete users/x"),
    Row("const snap = await getDocs(collection(db, 'u'))", "u"), Row("let x = doc(db, 'u/x')", "u/x"),
    Row("var s = await getDoc(doc(db, 'u/x')).then(s => { f(s, ')') })", "u/x"),
    Row("getDocs(collection(db, 'u')).then(s => s.size).catch(() => 0) | ids", "u | ids"),
    Row("getDoc(doc(db, 'u/x')).data()", "u/x"), Row("db.doc('u/x').get().data().name", "u/x select name"),
    Row("getDocs(collection(db, 'u')).docs.map(d => d.data())", "u"),
    Row("const n = (await getDocs(collection(db, 'u'))).size", "u | count"),
    Row("getDocs(collection(db, 'u')).size", "u | count"),
    Row("getCountFromServer(collection(db, 'u')).data().count", "u | count"),
    Row(
      "getDocs(query(collection(db, 'u'), or(where('a', '==', 1), and(where('b', '>', 2), where('c', '==', 3)))))",
      "u where a == 1 || (b > 2 && c == 3)"),
    Row(
      "db.collection('u').where(Filter.or(Filter.where('a', '==', 1), Filter.where('b', '==', 2))).get()",
      "u where a == 1 || b == 2"),
    Row("getAggregateFromServer(collection(db, 'u'), {n: count()})", "u | count"),
    Row(
      "getAggregateFromServer(query(collection(db, 'u'), limit(2)), {s: AggregateField.sum('a.b')})",
      "u limit 2 | sum a.b"),
    Row(
      "db.collection('u').where('at', '>', Timestamp.fromDate(new Date('2026-03-01'))).get()",
      "u where at > @2026-03-01"),
    Row("u where at > new Date('2026-03-01T09:00:00.5Z')", "u where at > @2026-03-01T09:00:00.5Z"),
    Row("u where at < Timestamp.fromMillis(1500)", "u where at < @1970-01-01T00:00:01.5Z"),
    Row(
      "updateDoc(doc(db, 'a', 'b'), {n: increment(1), 't.u': arrayUnion('x', 'y')})",
      "update a/b n += 1, t.u union ['x', 'y']"),
    Row(
      "db.doc('a/b').update({n: FieldValue.increment(-2), at: serverTimestamp()})",
      "update a/b n += -2, at = @now"),
    Row(
      "updateDoc(doc(db, 'a/b'), {old: deleteField(), t: arrayRemove('x')})",
      "update a/b unset old, t remove ['x']"),
    Row("setDoc(doc(db, 'a/b'), {at: {by: serverTimestamp()}})", "a/b := {at: {by: @now}}"),
    Row("users/x := {a: FieldValue.serverTimestamp()}", "users/x := {a: @now}"),
    Row("update users/x a = increment(1)", "update users/x a += 1"),
    Row("update users/x a = admin.firestore.FieldValue.delete()", "update users/x unset a"),
    Row("update users/x a = deleteField()", "update users/x unset a"),
    Row("update users/x a = arrayUnion('x')", "update users/x a union ['x']"),
    // Names that are words, too.
    Row("let | ids", "\"let\" | ids"), Row("const where a", "\"const\" where a"),
    Row(
      "where where where == 1 order by order, desc desc",
      "\"where\" where `where` == 1 order by `order`, `desc` desc"),
    Row("select where a = 1", "\"select\" where a == 1"),
    Row("select limit 3", "\"select\" limit 3"),
    Row("select from, select from u", "u select from, select"),
    Row("set", "\"set\""), Row("Update", "\"Update\""), Row("Delete limit 1", "\"Delete\" limit 1"),
    Row("Group", "\"Group\""), Row("count | count", "\"count\" | count"),
    Row("show limit 1", "\"show\" limit 1"),
    Row("u where and = 1 and not = 2 and is = 3", "u where `and` == 1 && `not` == 2 && `is` == 3"),
    Row("update users/x set = 1", "update users/x `set` = 1"),
    Row("update users/x set set = 1", "update users/x `set` = 1"),
  ]

  @Test("It is the same statement", arguments: equal)
  private func checkEqual(_ row: Row) throws {
    let understood = describe(try StatementParser.parse(row.text, context))
    #expect(understood == describe(try StatementParser.parse(row.own, context)))
  }

  @Test("New documents of a collection get an id")
  func added() throws {
    for text in [
      "insert into users (name, a.b) values ('X', 3)", "db.collection('users').add({name: 'X', a: {b: 3}})",
      "addDoc(collection(db, 'users'), {name: 'X', a: {b: 3}})",
    ] {
      #expect(
        describe(try StatementParser.parse(text, context))
          == "add users {a: {b: 3}, name: \"X\"} if not there", "\(text)")
    }
  }

  private static let commands: [Row] = [
    Row("begin", "command begin []"), Row("BEGIN TRANSACTION", "command begin []"),
    Row("begin readonly", "command begin [readonly]"), Row("commit", "command commit []"),
    Row("commit work", "command commit []"), Row("rollback", "command rollback []"),
    Row("exit", "command exit []"),
    Row("exit 3", "command exit [3]"), Row("quit", "command quit []"), Row("help", "command help []"),
    Row("help reads", "command help [reads]"), Row("?", "command ? []"),
    Row("ls users", "command ls [users]"),
    Row("show collections", "command ls [/]"), Row("describe users", "command d [/users]"),
    Row("/begin", "query |begin"), Row("\"exit\"", "query |exit"),
    Row("begin where a == 1", "query |begin where a EQUAL 1"),
    Row("commit | count", "query |commit | count"), Row("Begin", "query |Begin"),
    Row("help/me", "get help/me"),
  ]

  @Test("A word that is a command is that command", arguments: commands)
  private func checkCommands(_ row: Row) throws {
    #expect(describe(try StatementParser.parse(row.text, context)) == row.own)
  }

  private static let answers: [Row] = [
    Row("selct * from users", "select * from users"), Row("SELCET a from users", "select a from users"),
    Row("isnert into users {a: 1}", "insert into users {a: 1}"), Row("delte users/x", "delete users/x"),
    Row("udpate users/x a = 1", "update users/x a = 1"),
    Row("colection(db, 'users')", "collection(db, 'users')"),
    Row("select max(a) from users where b", "users where b order by a desc limit 1 select a"),
    Row("select MIN(a.b) from users", "users order by a.b limit 1 select a.b"),
    Row("select count(distinct a) from users", "users | group by a"),
    Row("users where a => 4 limit 2", "users where a >= 4 limit 2"),
    Row("users where a =< 4", "users where a <= 4"),
    Row("users where name like 'A%' limit 2", "users where name >= \"A\" && name < \"A\\uf8ff\" limit 2"),
    Row("users where name like 'A'", "users where name == \"A\""),
    Row("users where tags contains 'x'", "users where tags has 'x'"),
    Row("users where name = bob", "users where name = \"bob\""),
    Row("users count", "users | count"),
    Row("users where a == 1 group by b", "users where a == 1 | group by b"),
    Row("users wher a = 1", "users where a = 1"), Row("users | cuont", "users | count"),
    Row("users | limit 2", "users limit 2"), Row("users | where a = 1", "users where a = 1"),
    Row("users | sort name", "users order by name"), Row("users | sort", "users | ! sort"),
    Row("users | grep x", "users | ! grep x"), Row("users | jq .", "users | ! jq ."),
    Row("users | delete", "users | each delete $id"),
    Row("delete users where a == 1", "delete from users where a == 1"), Row("exit()", ":exit"),
    Row("quit()", ":exit"),
    Row("as alice", ":as alice"), Row("tree users 2", ":tree users 2"),
    Row("get users/x", "users/x"), Row("find users where a = 1", "users where a = 1"),
    Row("drop collection users", "users | each delete $id"),
    Row("users/x {a: 1}", "users/x := {a: 1}"),
    Row("insert into users (id, a) values ('x', 1)", "create users/x {a: 1}"),
    Row(
      "db.users.find({age: {$gt: 3}, name: 'X'}).sort({age: -1}).limit(2)",
      "users where age > 3 && name == \"X\" order by age desc limit 2"),
    Row("db.users.findOne({_id: 'x'})", "users/x"), Row("db.users.find()", "users"),
    Row("db.users.insertOne({_id: 'x', a: 1})", "create users/x {a: 1}"),
    Row("db.users.updateOne({_id: 'x'}, {$set: {a: 1}, $inc: {n: 2}})", "update users/x n += 2, a = 1"),
    Row("db.users.deleteMany({a: 1})", "users where a == 1 | each delete $id"),
  ]

  @Test("What has no single meaning is answered with a line that can be typed", arguments: answers)
  private func checkAnswers(_ row: Row) throws {
    let error = #expect(throws: ShellError.self) { try StatementParser.parse(row.text, context) }
    #expect(error?.message.range(ofBytes: "  " + row.own) != nil, "\(error?.message ?? "")")
    _ = try StatementParser.parse(row.own, context)
  }

  private static let refusals: [Row] = [
    Row("group v where __name__ = 'y'", "write the whole path:  /COLLECTION/DOCUMENT/v/y"),
    Row("u where __name__ = 'x/y/z'", "'x/y/z' is no document"),
    Row("u where __name__ in ['']", "'' is no id of a document"),
    Row("u where not a = 1", "queries have no 'not"), Row("u where [1] not in a", "expected a field"),
    Row("u where a is maybe", "expected null, true or false"),
    Row("u where lower(a) = 'x'", "there is no 'lower'"),
    Row("users where not (a == 1)", "queries have no 'not"),
    Row("select * from a join b on x", "there are no joins"),
    Row("select u.name from users u join posts p on p.uid = u.id", "leave out 'u'"),
    Row("select name from users as u", "leave out 'u'"),
    Row("select name from users wher a = 1", "expected a clause"),
    Row("select a as b from u", "columns have no other names"),
    Row("select a, count(*) n from u group by a", "leave out 'n'"),
    Row("select sum(a), count(*) from u", "one total"),
    Row("select max(a), min(a) from u", "COLLECTION order by a desc limit 1"),
    Row("select upper(a) from u", "there is no 'upper'"),
    Row("select a, lower(b) from u", "there is no 'lower'"),
    Row("select a, count(*) from u group by a having count(*) > 2", "there is no 'having'"),
    Row("update users/x set a = a * 2", "sums of a field with a number: a += 1"),
    Row("update users/x set a = b + 1", "sums of a field with a number: a += 1"),
    Row("u where a like '%x%'", "only beginnings of texts"),
    Row("db.collection('users').frobnicate()", "'frobnicate' is no call"),
    Row("db.collection('users').where('a', '~', 1)", "expected an operator"),
    Row("db.collection('users/x').get()", "'users/x' is no collection"),
    Row("users/x := {a: undefined}", "write  null"),
    Row("users where a = undefinedly", "write  users where a = \"undefinedly\""),
    Row("users where at > serverTimestamp()", "written  @now"),
    Row("users/x := {a: {b: increment(1)}}", "visits += 1"),
    Row("users/x := {a: deleteField()}", "unset FIELD"),
    Row("users/x := {a: [arrayUnion('x')]}", "tags union"),
    Row("setDoc(doc(db, 'a/b'), {a: deleteField()})", "say {merge: true}"),
    Row("updateDoc(doc(db, 'a/b'), {a: increment('x')})", "expected a number"),
    Row("addDoc(collection(db, 'u'), data)", "expected the fields themselves"),
    Row("getDocs(q)", "write the call itself"), Row("u where at > new Date('1 May')", "expected an instant"),
    Row("await runTransaction(db, async (t) => { await t.get(r); })", "begin, then"),
    Row("const batch = writeBatch(db)", "commit {"), Row("onSnapshot(collection(db, 'u'), s => 0)", ":watch"),
    Row(
      "getAggregateFromServer(collection(db, 'u'), {n: count(), s: sum('a')})",
      "write  getAggregateFromServer(collection(db, 'u'), {n: count()})  and  getAggregateFromServer("),
    Row("users/x += {a: new Date()}", "the server  @now"),
    Row("insert into users values (1)", "the fields need names"),
  ]

  @Test("What cannot be said is refused with the reason", arguments: refusals)
  private func checkRefusals(_ row: Row) throws {
    let error = #expect(throws: ShellError.self) { try StatementParser.parse(row.text, context) }
    #expect(error?.message.range(ofBytes: row.own) != nil, "\(error?.message ?? "")")
  }
}
