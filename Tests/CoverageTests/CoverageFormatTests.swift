/// LCOV, the text and the page.

import DocModel
import Foundation
import RulesTools
import Testing

@testable import Rules

private let rules = """
  rules_version = '2';
  service cloud.firestore { match /databases/{db}/documents {
    function own(uid) { return request.auth.uid == uid; }
    match /users/{uid} {
      // @id users.get
      allow get: if request.auth != null
        && (own(uid) || resource.data.name == '<b>&"');
      // @id users.delete
      allow delete: if own(uid);
    }
  }}
  """

private func report(_ uids: [String?]) throws -> CoverageReport {
  let ruleset = try compiledRules(rules)
  let documents = HeldDocuments(["users/ann": ["name": .string("<script>alert(1)</script>")]])
  let coverage = RuleCoverage(ruleset)
  for uid in uids {
    documents.beginRequest()
    let request = getRequest("users/ann", documents, as: uid.map { AuthFacts(uid: $0, claims: Fields()) })
    _ = ruleset.decide(request, documents: documents)
    coverage.record(request, documents: documents)
  }
  return coverage.report()
}

@Suite("Coverage formats")
struct CoverageFormatTests {
  @Test("LCOV has every line, function and answer")
  func lcov() throws {
    let text = LCOV.text([try report(["ann", "bob", nil])])
    #expect(
      text == """
        TN:
        SF:test.rules
        FN:3,own
        FNDA:2,own
        FNF:1
        FNH:1
        BRDA:3,0,0,1
        BRDA:3,0,1,1
        BRDA:6,1,0,1
        BRDA:6,1,1,2
        BRDA:6,2,0,2
        BRDA:6,2,1,1
        BRDA:7,3,0,1
        BRDA:7,3,1,1
        BRDA:7,4,0,1
        BRDA:7,4,1,1
        BRDA:7,5,0,0
        BRDA:7,5,1,1
        BRDA:9,6,0,-
        BRDA:9,6,1,-
        BRF:14
        BRH:11
        DA:3,2
        DA:6,3
        DA:7,2
        DA:9,0
        LF:4
        LH:3
        end_of_record

        """)
  }

  @Test("the text names what was never seen")
  func text() throws {
    let text = CoverageText.text([try report(["ann", nil])])
    #expect(text.hasPrefix("test.rules  28.5%  (2 of 7 seen both ways, 2 requests judged)\n"))
    #expect(text.contains("        0        0       0  users.delete  :9  never tried\n"))
    #expect(text.contains(":7:23  not reached   resource.data.name == '<b>&\"'\n"))
    #expect(text.contains(":7:11  never false   own(uid)\n"))
    #expect(!text.contains("\u{1B}"))
    #expect(CoverageText.text([try report(["ann"])], isColored: true).contains("\u{1B}[31m"))
  }

  @Test("the page shows the source as it is, and nothing in it can run")
  func page() throws {
    let page = String(decoding: CoverageHTML.page([try report(["ann", "bob"])]), as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(!page.contains("<script>alert"))
    #expect(page.contains("\\u003cscript>alert(1)"))
    #expect(page.contains("'&lt;b&gt;&amp;&quot;'"))
    #expect(!page.contains("http://") && !page.contains("https://"), "it needs nothing else")
    let listing = page.components(separatedBy: "<ol class=\"source\">")[1].components(separatedBy: "</ol>")[0]
    let opened = listing.components(separatedBy: "<span").count
    #expect(opened == listing.components(separatedBy: "</span>").count, "every mark is closed")
    let plain = listing.replacing(#/<i>.*?</i><u>.*?</u>/#, with: "").replacing(#/<[^>]*>/#, with: "")
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
      .replacing("&amp;", with: "&")
    #expect(plain.trimmingCharacters(in: .whitespacesAndNewlines) == rules)
  }

  @Test("a page of an empty ruleset, and a remark")
  func emptyPage() throws {
    let ruleset = try compiledRules("service cloud.firestore { match /a/{b} { allow read; } }")
    let page = String(
      decoding: CoverageHTML.page([RuleCoverage(ruleset).report()], note: "a <remark>"), as: UTF8.self)
    #expect(page.contains("a &lt;remark&gt;"))
    #expect(page.contains("0 of 1 seen both ways"))
  }
}
