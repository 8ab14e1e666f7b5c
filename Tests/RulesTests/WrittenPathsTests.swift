// swift-format-ignore-file
/// `request.writeFields` and `request.transforms`, as the official emulator answered (1.19.9).

import DocModel
import Testing

@testable import Rules

/// Masks and transforms of a commit's writes to one document, and what `join(',')` makes of both.
private let rows: [(mask: [String]?, transforms: [String], writeFields: String?, ofTransforms: String?)] = [
  (nil, [], nil, nil),
  ([], [], "", nil),
  (nil, ["t"], "t", "t"),
  ([], ["n"], "n", "n"),
  (["b", "a"], [], "a,b", nil),
  (["b.z", "a"], [], "a,b.z", nil),
  (["o.n", "o", "o"], [], "o", nil),
  (["b", "a"], ["t", "a2.x"], "t,a2.x,a,b", "t,a2.x"),
  (["b"], ["b.c"], "b.c,b", "b.c"),
  ([], ["n", "n"], "n,n", "n,n"),
  ([], ["`a-b`", "z.`q r`"], "a-b,z.q r", "a-b,z.q r"),
  ([], ["`a\\\\b`", "`c\\`d`.`e.f`"], "a\\b,c`d.e.f", "a\\b,c`d.e.f"),
  (["`a\\\\b`", "`c\\`d`", "`e.f\\\\.g`"], [], "a\\\\b,c`d,e\\.f\\\\\\.g", nil),
  (["`a-b`", "Z", "`é`", "a", "a.b", "`a.b`", "ab", "A1", "`a b`", "_x", "`0`"], [], "A1,0,a,ab,a b,a\\.b,a-b,é,_x,Z", nil),
  (["a.b", "`a-b`", "aa", "`a b`", "a0"], [], "aa,a.b,a b,a-b,a0", nil),
  (["a.b.c", "a.`b-`", "a.B", "ab.x"], [], "a.B,a.b.c,a.b-,ab.x", nil),
  (["a.b.c", "a.B", "a.R.x", "a.r"], [], "a.B,a.r,a.b.c,a.R.x", nil),
  (["a.r", "a.R.x", "a.B", "a.b.c"], [], "a.r,a.B,a.R.x,a.b.c", nil),
  (["r", "R", "b", "B"], [], "r,R,b,B", nil),
  (["b.z", "r", "b.a", "B", "b.q.z", "b.j"], [], "r,B,b.a,b.q.z,b.z,b.j", nil),
  ((0..<14).map { "f\($0)" }, [], "f10,f12,f11,f13,f0,f1,f2,f3,f4,f5,f6,f7,f8,f9", nil),
  ((0..<12).map { "f\($0)" }, [], "f6,f7,f8,f9,f10,f11,f0,f1,f2,f3,f4,f5", nil),
  ((0..<14).map { "a\($0).x" }, [], "a11.x,a10.x,a13.x,a12.x,a0.x,a1.x,a2.x,a3.x,a4.x,a5.x,a6.x,a7.x,a8.x,a9.x", nil),
]

@Suite("What a write names")
struct WrittenPathsTests {
  @Test("fields and transforms in the official order", arguments: rows.indices)
  func texts(index: Int) throws {
    let row = rows[index]
    let paths = WrittenPaths(
      mask: try row.mask?.map(FieldPath.parse), transforms: try row.transforms.map(FieldPath.parse))
    #expect(try outcome("request.writeFields", paths) == row.writeFields)
    #expect(try outcome("request.transforms", paths) == row.ofTransforms)
    #expect(try outcome("request.readFields", paths) == nil)
  }

  /// Nil for null.
  private func outcome(_ member: String, _ paths: WrittenPaths) throws -> String? {
    let ruleset = try compiled(rules("\(member) != null && {}[\(member).join(',')] == null", method: .update))
    let documents = MemoryDocuments()
    let fields = documents.hold([:])
    let request = RuleRequest(
      method: .update, path: ResourcePath(unchecked: "t/x"), auth: nil, time: testTime, resource: fields,
      newResource: fields, writtenPaths: paths)
    guard case .fault(let fault)? = ruleset.explain(request, documents: documents).allows.last?.outcome else { return nil }
    return String(fault.message.dropFirst("Property ".count).dropLast(" is undefined on object.".count))
  }
}
