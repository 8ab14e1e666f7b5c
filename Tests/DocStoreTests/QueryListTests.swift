/// Lists: texts of orders, pages and their tokens, missing documents.
///
/// Source: docs/spec/protocol.md 1.6; docs/spec/production-differences.md L15, Q15.

import DocModel
import DocStore
import Testing

@Suite struct QueryListTests {
  static let orderTexts: [(text: String, orders: [String]?)] = [
    ("", []), ("  ", []), ("a", ["a ascending"]), ("a desc", ["a descending"]), ("a  DESC", ["a descending"]),
    ("a asc, b.c desc", ["a ascending", "b.c descending"]), ("a,b", ["a ascending", "b ascending"]),
    ("`x, y` desc", ["`x, y` descending"]), ("`\\` b` asc", ["`\\` b` ascending"]),
    ("__name__", ["__name__ ascending"]),
    ("a descending", nil), ("a,", nil), (",a", nil), ("a desc asc", nil), ("a b", nil),
  ]

  @Test("the text of an order is read", arguments: orderTexts)
  func orderText(_ row: (text: String, orders: [String]?)) throws {
    guard let orders = row.orders else {
      #expect(throws: InvalidArgument("Invalid order by clause \"\(row.text)\".")) {
        try StructuredQuery.Order.parse(row.text)
      }
      return
    }
    #expect(try StructuredQuery.Order.parse(row.text).map { "\($0.path) \($0.direction)" } == orders)
  }

  static func list(
    _ collectionID: String = "c", size: Int = 0, token: String = "", orderBy: String = "",
    mask: [String]? = nil,
    showsMissing: Bool = false
  ) throws -> DocumentList {
    DocumentList(
      database: QueryTestSource.database, parent: .root, collectionID: collectionID, pageSize: size,
      pageToken: token, orderBy: orderBy, mask: try mask.map { try FieldMask(parsing: $0) },
      showsMissing: showsMissing)
  }

  static let refusals: [(list: DocumentList, message: String)] = [
    ((try? list(size: -1, showsMissing: true)), "Page size must be nonnegative."),
    ((try? list("", showsMissing: true)), "collection id must be set when show_missing is true"),
    ((try? list(orderBy: "a", showsMissing: true)), "cannot specify an order when show_missing is true"),
    ((try? list("", orderBy: "a")), "kind is required for all orders except __key__ ascending"),
    ((try? list("__x__")), "Collection id \"__x__\" is invalid because it is reserved."),
    ((try? list(token: "garbage")), "invalid page token"),
    ((try? list(token: "ÄÖ")), "invalid page token"),
    ((try? list(orderBy: "a,")), "Invalid order by clause \"a,\"."),
  ].compactMap { list, message in list.map { ($0, message) } }

  @Test("a list is refused in the service's words", arguments: refusals)
  func refusal(_ row: (list: DocumentList, message: String)) {
    #expect(throws: InvalidArgument(row.message)) { try row.list.validate() }
  }

  static let store: QueryTestSource = {
    var store = QueryTestSource(["c/p/s/x": [:], "c/p/s/y": [:], "c/zz/s/x": [:], "d/1": ["n": .integer(1)]])
    for number in 0..<7 { store.set("c/d\(number)", ["n": .integer(Int64(number / 2)), "t": .integer(1)]) }
    return store
  }()

  /// One page as text, missing documents in parentheses, and its token.
  static func page(_ list: DocumentList, of store: QueryTestSource = store) throws -> (
    text: String, token: String
  ) {
    var entries: [String] = []
    let token = try list.validate().run(on: store) { entry in
      switch entry {
      case .document(let row):
        let fields = FieldsView(document: row.fields).map { String(decoding: $0.key, as: UTF8.self) }
        entries.append(String(decoding: row.path, as: UTF8.self) + ":" + fields.joined(separator: ","))
      case .missing(let path): entries.append("(\(String(decoding: path, as: UTF8.self)))")
      }
    }
    return (entries.joined(separator: " "), token?.text ?? "")
  }

  static func allPages(_ list: DocumentList) throws -> [String] {
    var list = list
    var pages: [String] = []
    while pages.count < 20 {
      let page = try page(list)
      pages.append(page.text)
      if page.token.isEmpty { return pages }
      list.pageToken = page.token
    }
    return pages
  }

  @Test("pages follow each other without gaps, by name")
  func pagesByName() throws {
    #expect(
      try Self.allPages(Self.list(size: 3, mask: [])) == [
        "c/d0: c/d1: c/d2:", "c/d3: c/d4: c/d5:", "c/d6:",
      ])
    #expect(try Self.allPages(Self.list(size: 7, mask: [])).count == 1)
    #expect(
      try Self.allPages(Self.list(size: 4, orderBy: "__name__ desc", mask: [])) == [
        "c/d6: c/d5: c/d4: c/d3:", "c/d2: c/d1: c/d0:",
      ])
  }

  @Test("pages follow each other without gaps, by values with ties")
  func pagesByValue() throws {
    #expect(
      try Self.allPages(Self.list(size: 3, orderBy: "n desc", mask: ["t"])) == [
        "c/d6:t c/d5:t c/d4:t", "c/d3:t c/d2:t c/d1:t", "c/d0:t",
      ])
    #expect(
      try Self.allPages(Self.list(size: 3, orderBy: "t, n desc, __name__", mask: [])) == [
        "c/d6: c/d4: c/d5:", "c/d2: c/d3: c/d0:", "c/d1:",
      ])
  }

  @Test("a page goes on after the values, even when the document has moved")
  func movedDocument() throws {
    var list = try Self.list(size: 2, orderBy: "n", mask: [])
    let first = try Self.page(list)
    #expect(first.text == "c/d0: c/d1:")
    var store = Self.store
    store.set("c/d1", ["n": .integer(9)])
    list.pageToken = first.token
    #expect(try Self.page(list, of: store).text == "c/d2: c/d3:")
  }

  @Test("missing documents stand among the others, page by page")
  func missing() throws {
    #expect(
      try Self.allPages(Self.list(size: 4, mask: [], showsMissing: true)) == [
        "c/d0: c/d1: c/d2: c/d3:", "c/d4: c/d5: c/d6: (c/p)", "(c/zz)",
      ])
    #expect(try Self.page(Self.list(showsMissing: true)).text.hasPrefix("c/d0:n,t c/d1:n,t"))
  }

  @Test("a page holds 100 documents unless said otherwise, and never more than 300")
  func pageSizes() throws {
    var store = QueryTestSource()
    for number in 1_000..<1_310 { store.set("c/\(number)", [:]) }
    #expect(try Self.page(Self.list(), of: store).text.split(separator: " ").count == 100)
    #expect(try Self.page(Self.list(size: 5_000), of: store).text.split(separator: " ").count == 300)
  }

  @Test("an empty collection id lists every collection")
  func kindless() throws {
    #expect(try Self.allPages(Self.list("", size: 7, mask: [])).last == "d/1:")
  }

  @Test("a token belongs to its collection, order, mask and show_missing")
  func foreignTokens() throws {
    let token = try Self.page(Self.list(size: 1)).token
    #expect(throws: Never.self) { try Self.list(size: 5, token: token).validate() }
    for foreign in [
      try Self.list("d", token: token), try Self.list(token: token, orderBy: "n"),
      try Self.list(token: token, mask: ["a"]),
      try Self.list(token: token, mask: []), try Self.list(token: token, showsMissing: true),
    ] {
      #expect(throws: InvalidArgument("Invalid page token.")) { try foreign.validate() }
    }
    #expect(throws: InvalidArgument("invalid page token")) {
      try Self.list(token: String(token.dropLast(2))).validate()
    }
  }
}
