/// What is kept of what was typed, and where.

import TestSupport
import Testing

@testable import Shell

@Suite("History of the shell")
struct HistoryTests {
  private static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln"

  @Test(
    "Tokens and bytes are not kept",
    arguments: [
      ("a/b := {k: bytes(\"c2VjcmV0\")}", "a/b := {k: bytes(\"…\")}"),
      ("a/b := {k: bytes('c2VjcmV0')}", "a/b := {k: bytes('…')}"),
      ("a/b := {k: bytes ( 'c2VjcmV0' ), l: 1}", "a/b := {k: bytes ( '…' ), l: 1}"),
      ("bytes('c2VjcmV0", "bytes('…"), ("mybytes('x')", "mybytes('x')"), ("bytes", "bytes"),
      ("bytes(", "bytes("),
      (":! curl -H 'Authorization: Bearer abc.def' x", ":! curl -H 'Authorization: Bearer …' x"),
      ("authorization: bearer  abc", "authorization: bearer  …"), ("BEARER abc\"", "BEARER …\""),
      ("bearer", "bearer"), ("bearers abc", "bearers abc"),
      (":let t = '\(token)'", ":let t = '…'"), (":let t = '\(token.dropLast(4)).'", ":let t = '…'"),
      ("a/b := {t: \"\(token).b.c\"}", "a/b := {t: \"…\"}"),
      ("eyJhbGci.eyJzdWI", "eyJhbGci.eyJzdWI"), ("users/keyJ.a.b", "users/keyJ.a.b"),
      ("ünïcode 😀 bytes('eA==') é", "ünïcode 😀 bytes('…') é"),
    ])
  func redacted(_ text: String, _ kept: String) {
    #expect(HistoryFile.redacted(text) == kept)
  }

  @Test(
    "The folder is the user's",
    arguments: [
      ("/x/state", "/home/u", "/x/state/docsh"), ("/x/xs//y/oops", "/home/u", "/x/xs/y/oops/docsh"),
      ("/x/", "/home/u", "/x/docsh"), ("/", nil, "/docsh"), (nil, "/home/u", "/home/u/.local/state/docsh"),
      (nil, "/srv/u/", "/srv/u/.local/state/docsh"), ("", "/srv/u", "/srv/u/.local/state/docsh"),
      ("state", "/home/u", "/home/u/.local/state/docsh"), ("state", "home", nil), (nil, nil, nil),
    ] as [(String?, String?, String?)])
  func folder(_ state: String?, _ home: String?, _ expected: String?) {
    #expect(StateFolder.folders(state: state, home: home).last == expected)
  }

  @Test("What is made on the way to the folder")
  func folders() {
    #expect(StateFolder.folders(state: "/a//b", home: nil) == ["/a", "/a/b", "/a/b/docsh"])
  }

  @Test("Entries come back as they were, without secrets, one of several lines as one")
  func file() {
    let folder = TemporaryFolder()
    let file = HistoryFile(path: folder.path + "/history")
    for entry in ["users |\n  count", "a\\b", " hidden", "a/b := {k: bytes('eA==')}"] { file.add(entry) }
    #expect(file.read() == ["users |\n  count", "a\\b", "a/b := {k: bytes('…')}"])
  }
}
