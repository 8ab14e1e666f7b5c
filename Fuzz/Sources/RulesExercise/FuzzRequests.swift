/// The operations that every compiled text is asked about: ordinary ones and hostile ones.

internal import DocModel
internal import Rules

/// A few documents that stay where they are.
///
/// INVARIANT: used by one thread at a time.
final class FuzzDocuments: DocumentAccess {
  private var byPath: [String: FieldsView] = [:]
  private var held: [UnsafeMutableRawBufferPointer] = []

  override init() {
    super.init()
    byPath["users/alice"] = hold(FuzzRequests.ordinary)
    byPath["users/bob"] = hold(FuzzRequests.strange)
    byPath["roles/alice"] = hold(["a": .string("admin"), "data": .map(["a": .boolean(true)])])
  }

  deinit { for buffer in held { buffer.deallocate() } }

  /// The stored form, for as long as this object.
  func hold(_ fields: Fields) -> FieldsView {
    let bytes = fields.encoded
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    buffer.copyBytes(from: bytes)
    held.append(buffer)
    return FieldsView(document: UnsafeRawBufferPointer(rebasing: buffer[0..<bytes.count]))
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    byPath[String(decoding: path, as: UTF8.self)]
  }

  override var wantsDebugValues: Bool { true }
}

struct FuzzRequests {
  let all: [RuleRequest]

  static let ordinary: Fields = [
    "a": .string("alice"), "b": .boolean(true), "n": .integer(7), "s": .string("a,b,c"),
    "l": .array([.string("a"), .integer(1), .null]), "m": .map(["k": .string("v"), "a": .integer(2)]),
    "t": .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 5)), "d": .double(1.5),
    "g": .geoPoint(GeoPoint(latitude: 1, longitude: 2)), "owner": .string("alice"),
    "r": .reference("projects/p/databases/(default)/documents/users/bob"),
  ]

  /// Every edge that a stored value may have.
  static let strange: Fields = [
    "": .string(""), "a": .string(String(repeating: "a", count: 40_000)), "b": .bytes([0, 255, 39, 92]),
    "n": .integer(.min), "d": .double(-.zero), "s": .string("\u{0}\u{FEFF}e\u{301}😀`'\"\\"),
    "l": .array((0..<300).map { .integer(Int64($0)) } + [.map([:]), .map(["": .null])]),
    "m": .map(["`": .double(.nan), "a.b": .double(.infinity), "日本": .vector([1, .nan])]),
    "t": .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0)),
    "g": .geoPoint(GeoPoint(latitude: -90, longitude: 180)), "r": .reference("not a name"),
    "deep": (0..<19).reduce(Value.null) { inside, _ in .map(["deep": inside]) },
  ]

  init(_ documents: FuzzDocuments) {
    let alice = AuthFacts(
      uid: "alice",
      claims: Fields([
        ("sub", .string("alice")), ("email", .string("alice@example.com")), ("role", .string("editor")),
        ("firebase", .map(["sign_in_provider": .string("password")])),
      ]))
    let stranger = AuthFacts(uid: "", claims: Self.strange)
    let time = Timestamp(seconds: 1_772_355_600, nanoseconds: 0)
    let ordinary = documents.hold(Self.ordinary)
    let strange = documents.hold(Self.strange)
    let empty = documents.hold([:])

    func one(
      _ method: RuleMethod, _ path: String, _ auth: AuthFacts?, _ before: FieldsView? = nil,
      _ after: FieldsView? = nil
    ) -> RuleRequest {
      RuleRequest(
        method: method, path: ResourcePath(unchecked: path), auth: auth, time: time, resource: before,
        newResource: after)
    }
    func list(_ shape: QueryShape, _ auth: AuthFacts?) -> RuleRequest {
      RuleRequest(list: shape, auth: auth, time: time)
    }
    all =
      [
        one(.get, "t/x", alice, ordinary), one(.get, "t/x", nil, strange),
        one(.get, "users/nobody", stranger),
        one(.create, "t/y", alice, nil, ordinary), one(.create, "users/alice", stranger, nil, strange),
        one(.update, "t/x", alice, ordinary, strange), one(.update, "t/x/c/z", nil, empty, ordinary),
        one(.delete, "t/x", alice, strange), one(.delete, "a/b/c/d/e/f", nil, empty),
        one(.get, "日本/\u{1}`'/(x)/😀", stranger, ordinary),
      ] + Self.queries.map { list($0, alice) } + [
        list(Self.queries[0], nil), list(Self.queries[2], stranger),
      ]
  }

  private static let queries: [QueryShape] = {
    func field(_ name: String) -> FieldPath { FieldPath(segments: [name]) ?? .documentName }
    typealias Filter = FieldTest
    let users = "projects/p/databases/(default)/documents/t"
    return [
      QueryShape(parent: .root, collectionID: "t"),
      QueryShape(
        parent: .root, collectionID: "t",
        disjuncts: [
          [Filter(field("owner"), .equal, .string("alice")), Filter(field("n"), .lessThan, .integer(5))]
        ],
        limit: 10, orderBy: [QueryShape.Order(field("n"), isDescending: true)]),
      QueryShape(parent: .root, collectionID: "c", allDescendants: true, limit: .max),
      QueryShape(
        parent: .root, collectionID: "users",
        disjuncts: [
          [Filter(field("a"), .in, .array([.string("x"), .string("alice"), .null]))],
          [
            Filter(field("l"), .arrayContainsAny, .array([.integer(1), .double(.nan)])),
            Filter(field("b"), .isNotNull),
          ],
        ]),
      QueryShape(
        parent: .root, collectionID: "t",
        disjuncts: [
          [
            Filter(field("s"), .notEqual, .string("")), Filter(field("d"), .isNaN),
            Filter(field("m"), .equal, .map(strange)), Filter(field("n"), .notIn, .array([.integer(1)])),
          ]
        ], offset: 3),
      QueryShape(
        parent: .root, collectionID: "t",
        disjuncts: [
          [
            Filter(.documentName, .equal, .reference("\(users)/x")),
            Filter(field("l"), .arrayContains, .null),
          ]
        ]),
      QueryShape(parent: ResourcePath(unchecked: "t/x"), collectionID: nil, allDescendants: true),
    ]
  }()
}
