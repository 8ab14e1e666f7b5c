/// Help, history, and the connection.

import DocModel
import Platform

enum SessionCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["help", "?"], .session, "help [COMMAND | TOPIC]", "this list, a command, or the language", ":help as",
      needsStore: false, help),
    ShellCommand(
      ["history"], .session, "history [TEXT]", "what was typed, with TEXT in it", ":history users", history),
    ShellCommand(
      ["edit"], .session, "edit [TEXT]", "change the last statement, or a text, in $EDITOR", ":edit", edit),
    ShellCommand(
      ["save"], .session, "save FILE", "write what was typed in this session as a script",
      ":save login.docsh",
      save),
    ShellCommand(["reconnect"], .session, "reconnect", "build the connection anew", ":reconnect") {
      (session, arguments) throws(ShellError) in
      try arguments.nothing(":reconnect")
      if session.transaction != nil {
        session.transaction = nil
        session.console.note("the transaction under way is lost")
      }
      try session.backend.reconnect()
      session.console.note("connected to \(session.backend.location)")
    },
  ]

  private static func help(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let topic = try arguments.word(":help [COMMAND | TOPIC]") else { return session.show(overview()) }
    let name = topic.hasPrefix(":") ? String(topic.dropFirst()) : topic
    if let lines = HelpText.topics[name] { return session.show(lines) }
    guard let command = CommandTable.command(name) else {
      let topics = HelpText.topics.keys.sorted()
      throw .unknown(
        "no help for '\(TextEscape.printable(topic))'", name, among: topics + CommandTable.names.sorted(),
        else: "topics: \(topics.joined(separator: ", "))")
    }
    let others = command.names.dropFirst().map { ":" + $0 }
    session.show(
      [":" + command.usage, "  " + command.summary, "  for example  " + command.example]
        + (others.isEmpty ? [] : ["  also " + others.joined(separator: ", ")]))
  }

  private static func overview() -> [String] {
    var lines = [
      "Read   users/bob        studios where rating >= 4.5 order by rating desc limit 3 | table name"
    ]
    lines.append("Write  create users/x {name: \"X\"}   update users/x visits += 1   delete users/x")
    for group in ShellCommand.Group.allCases {
      let members = CommandTable.all.filter { $0.group == group }
      if members.isEmpty { continue }
      lines += ["", group.rawValue]
      lines += members.map { "  " + TextEscape.padded(":" + $0.usage, to: 46) + "  " + $0.summary }
    }
    return lines + [
      "",
      "':help COMMAND' has an example; ':help reads', ':help writes', ':help sql', ':help values', ':help faults', ':help keys', ':help codes'",
      "`.name` and `\\name` are `:name`.",
    ]
  }

  private static func history(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    let wanted = arguments.text
    let lines = session.history.filter { wanted.isEmpty || $0.range(ofBytes: wanted) != nil }
    session.show(
      lines.flatMap { entry in TextLines.of(entry).map { TextEscape.printable($0) } })
  }

  private static func edit(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let edit = session.edit else { throw .usage("':edit' needs a terminal") }
    let last = session.history.last { !$0.hasPrefix(":edit") } ?? ""
    guard let text = edit(arguments.text.isEmpty ? last : arguments.text) else {
      throw .failed("the editor failed; nothing was run")
    }
    try session.run(block: text)
  }

  private static func save(_ session: Session, _ arguments: CommandArguments) throws(ShellError) {
    guard let file = try arguments.word(":save FILE") else { throw .usage("usage: :save FILE") }
    let sink = try OutputSink.file(Redirection(path: file, appends: false))
    defer { sink.cancel() }
    let entries = session.history.filter { !$0.hasPrefix(":save") }
    for entry in entries where !sink.write(entry) { break }
    try sink.finish()
    session.console.note("\(Session.counted(entries.count, "statement")) in \(file)")
  }
}

/// What `:help TOPIC` tells.
enum HelpText {
  static let topics: [String: [String]] = [
    "reads": [
      "TARGET    users    users/bob    group posts    **/posts    paths begin at :cd, or with / at the root",
      "clauses   where CONDITION    order by FIELD [desc], …    limit N    limit last N    offset N",
      "          start at|after VALUE, …    end at|before VALUE, …    select FIELD, …",
      "          near FIELD vector[…] [by euclidean|cosine|dot] [limit N]",
      "condition FIELD == != < <= > >= VALUE    in, not in, has any LIST    has VALUE    && || ( )",
      "          __name__ is the document: compared with an id of the collection, or with a path",
      "stages    | count    | sum F    | avg F    | group by F    | first    | ids    | each WRITE with $id",
      "          behind groups    | order by COLUMN [desc], …    | limit N",
      "          | table F, …    | doc json jsonl csv yaml markdown    | ! program    then > file or >> file",
    ],
    "writes": [
      "create PATH {…}      a new document            add COLLECTION {…}   with an id of its own",
      "PATH := {…}          whole, new or not         PATH += {…}          merged",
      "update PATH F = V, F += N, F -= N, F union […], F remove […], unset F",
      "delete PATH          delete PATH recursive",
      "commit { … }         several writes, all or none, a line each or with ; between them",
      "@now in what is written is the server's time at the commit",
    ],
    "sql": [
      "select name, age from users where age >= 18 and city = 'Bern' order by age desc limit 3",
      "select count(*) from users    select city, count(*) from users group by city order by count(*) desc limit 3",
      "where 'a' in tags    where active and not hidden    where age is not null    show collections    describe users",
      "insert into users {name: \"X\"}    update users set seen = true where age > 3    delete from users where age > 3",
      "db.collection(\"users\").where(\"age\", \">=\", 18).limit(3).get()    getDoc(doc(db, \"users/bob\"))",
      "const snap = await getDocs(query(collection(db, \"users\"), or(where(\"age\", \">\", 18), where(\"vip\", \"==\", true))))",
      "updateDoc(doc(db, \"users/bob\"), {visits: increment(1), seen: serverTimestamp()})",
      "begin, commit, rollback    /begin reads a collection that is called so",
    ],
    "values": [
      "null  true  1  1.5  NaN  \"text\"  'text'  [1, 2]  {a: 1, \"b c\": 2}",
      "@2026-03-01T09:00Z  @now  @now-1d (s m h d w)  /users/bob  geo(51.5, -0.2)  bytes(\"aGk=\")  vector[1, 2]",
      "$name  what ':let name = …' says",
    ],
    "faults": [
      "what      UNAVAILABLE, or another status    delay 800ms (60s at most)",
      "          drop listen, drop every listen [after N messages]",
      "on        on CALL, … [N | N-M]    get query count commit begin rollback collections listen any",
      "          N: the Nth of them from now on; commit is whatever writes",
      "of, under of UID    of anon    of admin    under communities/**    under users/*/private    under **/posts",
      "such as   :fault UNAVAILABLE on commit               every commit, tried again or not",
      "          :fault ABORTED on commit 2 of alice        the second commit of alice from now on",
      "          :fault delay 800ms on get, query of alice under communities/**",
      "          :fault drop listen after 3 messages        one stream loses its connection; its client goes on",
      "A call that fails so has changed nothing. Faults are the server's, of this database, and end with it.",
    ],
    "keys": [
      "Tab completes and goes on to the next, → takes the grey hint, ↑ ↓ history, Ctrl-R searches it",
      "Ctrl-A Ctrl-E Home End ends of the line, Ctrl-W word, Ctrl-U Ctrl-K to either end, Ctrl-L clears",
      "Alt-Enter a new line in the statement, Ctrl-C gives a line up or ends a query, Ctrl-D ends the shell",
    ],
    "codes": [
      "0 all succeeded    1 a statement failed, or named what there is not    2 usage or syntax    3 denied by rules",
      "4 missing or empty, if asked    5 no connection    6 :assert, :expect, :test failed    130 interrupted",
    ],
  ]
}
