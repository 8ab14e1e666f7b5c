// swift-format-ignore-file
/// Blocks inside blocks and what a query leaves open, as the official emulator answered (1.19.9, 1.22).

import DocModel
import RulesTools
import Testing

@testable import Rules

/// A document's path, `=parent/collection` for a query, or `parent*collection` for one of a group.
struct NestedRow: Sendable {
  let version: Int
  let tree: String
  let request: String
  let outcome: String

  init(_ version: Int, _ tree: String, _ request: String, _ outcome: String) {
    self.version = version
    self.tree = tree
    self.request = request
    self.outcome = outcome
  }
}

private let nestedRows: [NestedRow] = [
  NestedRow(2, "match /{g=**}/posts/{x} { match /comments/{c} { allow get, list; } }", "posts/1/comments/2", "unmatched"),
  NestedRow(2, "match /{g=**}/posts/{x} { match /comments/{c} { allow get, list; } }", "a/1/posts/1/comments/2", "unmatched"),
  NestedRow(2, "match /{g=**}/posts/{x} { match /comments/{c} { allow get, list; } }", "=posts/1/comments", "unmatched"),
  NestedRow(2, "match /{g=**}/posts/{x} { match /comments/{c} { allow get, list; } }", "*comments", "unmatched"),
  NestedRow(2, "match /{g=**}/posts/{x}/comments/{c} { allow get, list: if {}[string(g) + '|' + x + '|' + c]; }", "posts/1/comments/2", "Property /|1|2 is undefined on object."),
  NestedRow(2, "match /{g=**}/posts/{x}/comments/{c} { allow get, list: if {}[string(g) + '|' + x + '|' + c]; }", "a/1/posts/1/comments/2", "Property /a/1|1|2 is undefined on object."),
  NestedRow(2, "match /{g=**}/b { match /{y}/c/{z} { allow get, list: if {}[string(g) + '|' + y + '|' + z]; } }", "b/1/c/2", "unmatched"),
  NestedRow(2, "match /{g=**}/b { match /{y}/c/{z} { allow get, list: if {}[string(g) + '|' + y + '|' + z]; } }", "a/b/c/2", "Property /a|b|2 is undefined on object."),
  NestedRow(2, "match /{g=**}/b { match /{y}/c/{z} { allow get, list: if {}[string(g) + '|' + y + '|' + z]; } }", "b/1/c/b/c/2", "Property /b/1/c|b|2 is undefined on object."),
  NestedRow(2, "match /{g=**}/b { match /{y}/c/{z} { allow get, list: if {}[string(g) + '|' + y + '|' + z]; } }", "*c", "unmatched"),
  NestedRow(2, "match /{g=**}/{t} { match /a { allow get, list: if {}[string(g) + '|' + t]; } }", "x/a", "unmatched"),
  NestedRow(2, "match /{g=**}/{t} { match /a/{u} { allow get, list: if {}[string(g) + '|' + t + '|' + u]; } }", "x/y/a/b", "Property /x/y|a|b is undefined on object."),
  NestedRow(2, "match /{g=**}/{t} { match /a/{u} { allow get, list: if {}[string(g) + '|' + t + '|' + u]; } }", "a/b", "Property /|a|b is undefined on object."),
  NestedRow(2, "match /{g=**}/{t} { match /a/{u} { allow get, list: if {}[string(g) + '|' + t + '|' + u]; } }", "=x/y/a", "Null value error."),
  NestedRow(2, "match /{g=**}/{t} { match /a/{u} { allow get, list: if {}[string(g) + '|' + t + '|' + u]; } }", "*a", "Null value error."),
  NestedRow(2, "match /{g=**}/a { match /a/{u} { match /b/{w} { allow get, list: if {}[string(g) + '|' + u + '|' + w]; } } }", "a/1/b/2", "Property /|1|2 is undefined on object."),
  NestedRow(2, "match /{g=**}/a { match /a/{u} { match /b/{w} { allow get, list: if {}[string(g) + '|' + u + '|' + w]; } } }", "x/y/a/1/b/2", "Property /x/y|1|2 is undefined on object."),
  NestedRow(2, "match /{c0}/{g=**}/{t} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t]; match /{i} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t + '|' + i]; } match /{i}/{j} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t + '|' + i + '|' + j]; } }", "a/b", "Property a|/|b is undefined on object."),
  NestedRow(2, "match /{c0}/{g=**}/{t} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t]; match /{i} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t + '|' + i]; } match /{i}/{j} { allow get, list: if {}[c0 + '|' + string(g) + '|' + t + '|' + i + '|' + j]; } }", "a/b/c/d", "Property a|/b|c|c|d is undefined on object. | Property a|/b/c|d is undefined on object."),
  NestedRow(2, "match /a/{g=**} { allow get, list: if {}[string(g)]; match /{i} { allow get, list: if {}[string(g) + '|' + i]; } match /{i}/{j} { allow get, list: if {}[string(g) + '|' + i + '|' + j]; } }", "a/b/c/d", "Property /b|c|d is undefined on object. | Property /b/c|d is undefined on object. | Property /b/c/d is undefined on object."),
  NestedRow(2, "match /a/{g=**} { allow get, list: if {}[string(g)]; match /{i} { allow get, list: if {}[string(g) + '|' + i]; } match /{i}/{j} { allow get, list: if {}[string(g) + '|' + i + '|' + j]; } }", "=a/b/c", "Null value error. | Null value error. | Property /b/c/ is undefined on object."),
  NestedRow(2, "match /a/{i} { allow get, list: if {}[i]; match /{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "a/b", "Property b is undefined on object. | Property b|/ is undefined on object."),
  NestedRow(2, "match /a/{i} { allow get, list: if {}[i]; match /{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "a/b/c/d", "Property b|/c/d is undefined on object."),
  NestedRow(2, "match /b/{g=**} { allow list: if {}[string(g)]; }", "=b", "Property / is undefined on object."),
  NestedRow(2, "match /b/{g=**} { allow list: if {}[string(g)]; }", "=b/x/y", "Property /x/y/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if {}[string(g)]; }", "=b", "Property /b/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if {}[string(g)]; }", "*b", "Property //b/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if {}[string(g)]; }", "a/x*b", "Property /a/x//b/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if {}[string(/a/$(g))]; }", "=b", "Property /a/b/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if {}[string(/a/$(g))]; }", "*b", "Variable  already exists in the PathTemplate."),
  NestedRow(2, "match /{g=**} { allow list: if /a/$(g) != /a/b; }", "=b", "granted"),
  NestedRow(2, "match /{g=**} { allow list: if /a/$(g) != /a/b; }", "*b", "Variable  already exists in the PathTemplate."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if {}[string(/a/$(g))]; }", "=b", "Property /a is undefined on object."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if {}[string(/a/$(g))]; }", "=b/x/b", "Property /a/b/x is undefined on object."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if {}[string(/a/$(g))]; }", "*b", "Property /a/ is undefined on object."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if {}[string(/a/$(g))]; }", "a/x*b", "Property /a/a/x/ is undefined on object."),
  NestedRow(2, "match /{g=**} { allow list: if g[0] == 'a'; }", "=b", "Variable  is not bound in path template."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if g[0] == 'b'; }", "=b", "Index out of bound error. Index: [0] , size: [0]."),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if g[0] == 'b'; }", "=b/x/b", "granted"),
  NestedRow(2, "match /{g=**}/b/{x} { allow list: if x != null; }", "=b", "Null value error."),
  NestedRow(1, "match /a/{g=**} { match /c/{id} { allow read, write; } }", "a/1/c/2", "unmatched"),
  NestedRow(1, "match /a/{g=**} { allow get, list: if {}[string(g)]; match /c/{id} { allow read, write; } }", "a/1/c/2", "Property /1/c/2 is undefined on object."),
  NestedRow(1, "match /a/{g=**} { allow get, list: if {}[string(g)]; match /c/{id} { allow read, write; } }", "a/1", "Property /1 is undefined on object."),
  NestedRow(1, "match /a { match /{i}/{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "a/1", "unmatched"),
  NestedRow(1, "match /a { match /{i}/{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "a/1/c/2", "Property 1|/c/2 is undefined on object."),
  NestedRow(1, "match /a { match /{i}/{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "=a/1/c", "Null value error."),
  NestedRow(1, "match /a { match /{i}/{g=**} { allow get, list: if {}[i + '|' + string(g)]; } }", "=a", "unmatched"),
  NestedRow(1, "match /b/{g=**} { allow list: if g != null; }", "=b", "Null value error."),
  NestedRow(1, "match /b/{x}/{g=**} { allow list: if {}[x]; }", "=b/1/c", "Property 1 is undefined on object."),
  NestedRow(1, "match /b/{x}/{g=**} { allow list: if {}[x]; }", "=b", "unmatched"),
]

@Suite("Blocks inside blocks")
struct NestedMatchTests {
  @Test("which apply, in which order, with which captures", arguments: nestedRows)
  func applies(row: NestedRow) throws {
    let source = "rules_version = '\(row.version)'; service cloud.firestore { match /databases/{database}/documents { \(row.tree) } }"
    let ruleset = try compiled(source)
    let documents = MemoryDocuments()
    let explanation = ruleset.explain(Self.request(row.request), documents: documents)
    #expect(ruleset.decide(Self.request(row.request), documents: documents).isAllowed == explanation.isAllowed)
    let tried = explanation.allows.map { allow in
      switch allow.outcome {
      case .granted: "granted"
      case .refused: "false"
      case .fault(let fault): fault.message
      }
    }
    #expect((tried.isEmpty ? "unmatched" : tried.joined(separator: " | ")) == row.outcome)
  }

  private static func request(_ text: String) -> RuleRequest {
    let isGroup = text.contains("*")
    guard isGroup || text.hasPrefix("=") else {
      return RuleRequest(method: .get, path: ResourcePath(unchecked: text), auth: nil, time: testTime)
    }
    let parts = text.split(whereSeparator: { "=*/".contains($0) }).map(String.init)
    let shape = QueryShape(
      parent: ResourcePath(unchecked: parts.dropLast().joined(separator: "/")), collectionID: parts[parts.count - 1],
      allDescendants: isGroup, disjuncts: [[]])
    return RuleRequest(list: shape, auth: nil, time: testTime)
  }

  @Test("an overlap is said, and whether any path fits")
  func overlap() {
    func messages(_ tree: String) -> [String] {
      let source = "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { \(tree) } }"
      return RulesCompiler.compile(source: source, name: "test.rules", remarks: true).diagnostics
        .filter { $0.id == "rules-blocks-overlap" }.map(\.message)
    }
    #expect(
      messages("match /{g=**}/posts/{x} { match /comments/{c} { allow read: if request.auth != null; } }")
        == ["no path fits: this block begins right behind `{g=**}`, where `/posts/{x}` of the block around it stands too"])
    #expect(
      messages("match /{g=**}/posts { match /{x}/comments/{c} { allow read: if request.auth != null; } }")
        == ["this block begins right behind `{g=**}`, where `/posts` of the block around it stands too"])
    #expect(messages("match /a/{g=**} { match /posts/{x} { allow read: if request.auth != null; } }").isEmpty)
  }
}
