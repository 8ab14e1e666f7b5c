/// Which paths patterns match, and which patterns are refused.

import DocModel
import Testing
import Triggers

@Suite struct PathPatternTests {
  struct Row: Sendable {
    let pattern: String
    let path: String
    let parameters: [String: String]?
  }

  static let rows: [Row] = [
    Row(pattern: "users/{uid}", path: "users/bob", parameters: ["uid": "bob"]),
    Row(pattern: "users/{uid}", path: "users/bob/posts/1", parameters: nil),
    Row(pattern: "users/{uid}", path: "posts/bob", parameters: nil),
    Row(pattern: "users/bob", path: "users/bob", parameters: [:]),
    Row(pattern: "users/bob", path: "users/bobo", parameters: nil),
    Row(pattern: "users/*", path: "users/bob", parameters: [:]),
    Row(pattern: "users/{uid=*}", path: "users/bob", parameters: ["uid": "bob"]),
    Row(
      pattern: "posts/{p}/comments/{c}", path: "posts/1/comments/2", parameters: ["p": "1", "c": "2"]),
    Row(pattern: "{c}/{d}", path: "users/bob", parameters: ["c": "users", "d": "bob"]),
    Row(pattern: "{path=**}", path: "a/b/c/d", parameters: ["path": "a/b/c/d"]),
    Row(pattern: "a/{rest=**}", path: "a/b/c/d", parameters: ["rest": "b/c/d"]),
    Row(
      pattern: "{path=**}/likes/{id}", path: "posts/1/likes/me", parameters: ["path": "posts/1", "id": "me"]),
    Row(pattern: "{path=**}/likes/{id}", path: "likes/me", parameters: nil),
    Row(
      pattern: "{p=**}/likes/{q=**}", path: "a/b/likes/c/likes/d",
      parameters: ["p": "a/b", "q": "c/likes/d"]),
    Row(pattern: "**", path: "a/b", parameters: [:]),
    Row(pattern: "c/pre*", path: "c/prefix", parameters: [:]),
    Row(pattern: "c/pre*", path: "c/pre", parameters: [:]),
    Row(pattern: "c/pre*", path: "c/xpre", parameters: nil),
    Row(pattern: "c/a*b*c", path: "c/a-b-b-c", parameters: [:]),
    Row(pattern: "c/a*b*c", path: "c/a-c-b", parameters: nil),
    Row(pattern: "c/aa*a", path: "c/aa", parameters: nil),
    // Equal as texts, different as bytes.
    Row(pattern: "c/\u{E9}", path: "c/e\u{301}", parameters: nil),
  ]

  @Test("a pattern matches exactly its paths and names their parts", arguments: rows)
  func matches(_ row: Row) throws {
    let pattern = try PathPattern(row.pattern)
    #expect(pattern.match(ResourcePath(unchecked: row.path)) == row.parameters)
  }

  @Test(
    "a pattern that no document could match is refused",
    arguments: [
      "", "/users/{uid}", "users/{uid}/", "users//x/y", "users", "users/{uid}/posts", "c/pre{id}", "c/{id",
      "c/{}", "c/{a b}", "c/{id=x}", "{x}/{x}", "c/{id=}",
    ])
  func refused(_ text: String) {
    #expect(throws: InvalidArgument.self) { try PathPattern(text) }
  }
}
