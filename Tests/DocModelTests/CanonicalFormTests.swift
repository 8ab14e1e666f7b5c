import DocModel
import Platform
import Testing

@Suite("the canonical form of a document")
struct CanonicalFormTests {
  private static func name(_ count: Int) -> String { String(repeating: "k", count: count) }

  private static let boundaryRows: [(String, [(String, [UInt8])])] = [
    ("name of 1,500 bytes", [(name(1_500), Raw.null)]),
    ("path of 1,500 bytes", [("a", Raw.map([(name(1_498), Raw.null)]))]),
    ("path of three, 1,500 bytes", [("a", Raw.map([("b", Raw.map([(name(1_496), Raw.null)]))]))]),
    ("array.c of 1,500 bytes", [(name(1_500), Raw.array([Raw.map([(name(1_494), Raw.null)])]))]),
    (
      "a.array.c of 1,500 bytes",
      [("a", Raw.map([(name(1_498), Raw.array([Raw.map([(name(1_492), Raw.null)])]))]))]
    ),
    (
      "names with dots and blanks",
      [("a.b", Raw.null), ("a b", Raw.null), ("`", Raw.null), ("__", Raw.null), ("___", Raw.null)]
    ),
    (
      "names that begin or end reserved",
      [("__a", Raw.null), ("a__", Raw.map([("__a", Raw.null), ("___", Raw.null)]))]
    ),
    ("string of 1,048,487 bytes", [("f", Raw.string(name(1_048_487)))]),
    ("bytes of 1,048,487 bytes", [("f", Raw.bytes([UInt8](repeating: 0, count: 1_048_487)))]),
    ("20 maps around a scalar", [("f", Raw.nested(20, Raw.integer(1)))]),
    ("19 maps around an array", [("f", Raw.nested(19, Raw.array([Raw.null])))]),
    ("an array of 19 maps", [("f", Raw.array([Raw.nested(19, Raw.null)]))]),
    ("a vector, which counts no level", [("f", Raw.nested(20, Raw.vector([Raw.double(1)])))]),
    (
      "vectors of 1 and 2,048",
      [
        ("f", Raw.vector([Raw.double(.infinity)])),
        ("g", Raw.vector([[UInt8]](repeating: Raw.double(1), count: 2_048))),
      ]
    ),
    ("a vector in a map in an array", [("f", Raw.array([Raw.map([("v", Raw.vector([Raw.double(1)]))])]))]),
    (
      "both ends of time",
      [("f", Raw.timestamp(-62_135_596_800, 0)), ("g", Raw.timestamp(253_402_300_799, 999_999_000))]
    ),
    ("both ends of the globe", [("f", Raw.geoPoint(-90, -180)), ("g", Raw.geoPoint(90, 180))]),
    ("a reference elsewhere", [("f", Raw.reference("projects/q/databases/z/documents/c/__id7__"))]),
  ]

  @Test(
    "the largest that is allowed is accepted and kept",
    arguments: boundaryRows)
  func boundaries(what: String, fields: [(String, [UInt8])]) throws {
    let document = Raw.document(fields.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) })
    #expect(try Raw.canonical(document).count == document.count)
  }

  @Test(
    "an instant is cut to whole microseconds, towards the past",
    arguments: [
      (0, 999, 0, 0), (0, 1_999, 0, 1_000), (-1, 999_999_999, -1, 999_999_000), (-1, 1, -1, 0),
      (253_402_300_799, 999_999_999, 253_402_300_799, 999_999_000),
      (-62_135_596_800, 999, -62_135_596_800, 0),
    ] as [(Int64, Int64, Int64, Int32)])
  func timestamps(seconds: Int64, nanoseconds: Int64, keptSeconds: Int64, keptNanoseconds: Int32) throws {
    for value in [
      Raw.timestamp(seconds, nanoseconds), Raw.nested(3, Raw.array([Raw.timestamp(seconds, nanoseconds)])),
    ] {
      let kept = Value.timestamp(Timestamp(seconds: keptSeconds, nanoseconds: keptNanoseconds))
      var decoded = Fields(encoded: try Raw.canonical(Raw.document([("m", value)])))["m"]
      while let inner = decoded {
        if case .map(let fields) = inner {
          decoded = fields["m"]
        } else if case .array(let e) = inner {
          decoded = e[0]
        } else {
          break
        }
      }
      #expect(decoded == kept)
    }
  }

  @Test("nanoseconds keep their low 32 bits, as an int32 does in every protobuf parser")
  func nanosecondsOverflow() throws {
    let fields = Fields(encoded: try Raw.canonical(Raw.document([("f", Raw.timestamp(0, 1 << 32 + 5_000))])))
    #expect(fields["f"] == .timestamp(Timestamp(seconds: 0, nanoseconds: 5_000)))
  }

  @Test("every NaN becomes one NaN, and a negative zero stays negative")
  func doubles() throws {
    for bits in [0x7FF0_0000_0000_0001, 0xFFF8_0000_0000_BEEF, 0x7FFF_FFFF_FFFF_FFFF] as [UInt64] {
      let odd = Raw.document([("f", Raw.double(Double(bitPattern: bits)))])
      #expect(try Raw.canonical(odd) == Raw.document([("f", Raw.double(.nan))]))
    }
    let zero = Raw.document([("f", Raw.double(-0.0)), ("g", Raw.geoPoint(-0.0, -0.0))])
    #expect(try Raw.canonical(zero) == zero)
  }

  @Test("zero parts of instants and points are left out, as protobuf does")
  func zeroParts() throws {
    let explicit = Raw.document([("f", Raw.message(10, [0x08, 0, 0x10, 0])), ("g", Raw.geoPoint(0, 0))])
    let implicit = Raw.document([("f", Raw.message(10, [])), ("g", Raw.message(8, []))])
    #expect(try Raw.canonical(explicit) == implicit)
  }

  @Test("of two fields, or two members of one value, the last wins")
  func lastWins() throws {
    let twice = Raw.document([("f", Raw.integer(1)), ("a", Raw.null), ("f", Raw.integer(2))])
    #expect(try Raw.canonical(twice) == Raw.document([("a", Raw.null), ("f", Raw.integer(2))]))
    let members = Raw.document([("f", Raw.integer(1) + Raw.message(20, []) + Raw.string("x"))])
    #expect(try Raw.canonical(members) == Raw.document([("f", Raw.string("x"))]))
  }

  @Test("unknown fields, groups, long varints, the name and the times are dropped")
  func noiseIsDropped() throws {
    let unknown: [UInt8] = [
      0x80, 0x7D, 0x01, 0x81, 0x7D, 1, 2, 3, 4, 5, 6, 7, 8, 0x85, 0x7D, 1, 2, 3, 4, 0x83, 0x7D, 0x08, 0x01,
      0x84, 0x7D,
    ]
    let value = unknown + Raw.map([("k", unknown + [0x10, 0x81, 0x00])]) + unknown
    let entry = Raw.message(2, unknown + Raw.message(2, value) + Raw.message(1, [0x66]) + unknown)
    let document =
      Raw.message(1, Array("name".utf8)) + unknown + entry + Raw.message(3, [0x08, 1]) + Raw.message(4, [])
    #expect(try Raw.canonical(document) == Raw.document([("f", Raw.map([("k", Raw.integer(1))]))]))
  }

  @Test("an entry without a key is the empty name, one without a value has no type")
  func partsOfEntries() {
    #expect(
      Raw.complaint(Raw.message(2, Raw.message(2, Raw.null))) == "The property.name is the empty string.")
    #expect(
      Raw.complaint(Raw.message(2, Raw.message(1, [0x61])))
        == "Cannot convert firestore.v1.Value with type unset.")
  }

  @Test("random fields survive encoding, canonicalisation and decoding, and the form is a fixed point")
  func roundTrip() throws {
    var values = RandomValues(.forThisRun())
    for _ in 0..<5_000 {
      let fields = values.fields(depth: 4, countMax: 6)
      let canonical = try Canonicalizer.fields(fields)
      guard canonical == fields.encoded, Fields(encoded: canonical) == fields,
        try Raw.canonical(canonical) == canonical
      else {
        Issue.record("\(fields), SEED=\(values.random.seed)")
        return
      }
    }
  }

  @Test("shuffled, repeated and unknown fields give the canonical bytes")
  func shuffled() throws {
    var values = RandomValues(.forThisRun())
    for _ in 0..<5_000 {
      let fields = values.fields(depth: 3, countMax: 6)
      let noisy = Self.noisy(fields, number: 2, &values)
      guard try Raw.canonical(noisy) == fields.encoded else {
        Issue.record("\(fields) as \(noisy.hexadecimal), SEED=\(values.random.seed)")
        return
      }
    }
  }

  /// The same fields in another order, with overwritten duplicates, unknown fields and split lengths.
  private static func noisy(_ fields: Fields, number: Int, _ values: inout RandomValues) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in fields.entries.shuffled(using: &values.random) {
      let key = Array(entry.name.utf8)
      if values.random.once(in: 4) { bytes += Raw.entry(number, key, Raw.string("overwritten")) }
      if values.random.once(in: 4) { bytes += Raw.message(1_000, [1, 2, 3]) }
      bytes += Raw.entry(number, key, noisy(entry.value, &values))
    }
    return bytes
  }

  private static func noisy(_ value: Value, _ values: inout RandomValues) -> [UInt8] {
    let overwritten = values.random.once(in: 4) ? Raw.integer(7) : []
    let unknown = values.random.once(in: 4) ? Raw.written { $0.field(999, varint: 1) } : []
    switch value {
    case .map(let fields): return overwritten + Raw.message(6, noisy(fields, number: 1, &values)) + unknown
    case .array(let elements):
      return overwritten + Raw.message(9, elements.flatMap { Raw.message(1, noisy($0, &values)) }) + unknown
    case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference, .geoPoint, .vector:
      return overwritten + value.encoded + unknown
    }
  }

  @Test("a deep value of untrusted bytes decodes without exhausting the stack")
  func deepViews() {
    for leaf in [
      Raw.nested(20_000, Raw.null), (0..<20_000).reduce(Raw.null) { inner, _ in Raw.array([inner]) },
    ] {
      leaf.withUnsafeBytes { #expect(Value(ValueView($0)).kind != .null) }
      #expect(Raw.complaint(Raw.document([("f", leaf)])) != nil)
    }
  }
}
