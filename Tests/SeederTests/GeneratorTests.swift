/// Generated documents: what they are, and that they stay so.

import DocModel
import Glibc
import Seeder
import Testing

@testable import Fixtures

@Suite("generators")
struct GeneratorTests {
  private let posts = """
    version: 1
    seed: 42
    generate:
      - path: posts/post_${i:02}
        repeat: 20
        let:
          likers: {$someOf: {$ids: [user_, 1, 9]}, max: 5}
          comments: {$int: {min: 0, max: 4}}
          at: {$timeBetween: [2026-02-01T00:00:00Z, 2026-02-28T00:00:00Z]}
        fields:
          stats: {likeCount: {$size: "${likers}"}, commentCount: "${comments}"}
          createdAt: "${at}"
        children:
          - path: likes/${it}
            each: "${likers}"
            fields: {userId: "${it}", place: "${i}"}
          - path: comments/comment_${i}
            repeat: "${comments}"
            fields:
              text: {$words: {min: 3, max: 12}}
              createdAt: {$timeBetween: ["${at}", 2026-03-01T00:00:00Z]}

    """

  @Test("children follow their parent and agree with its counters")
  func children() async throws {
    let sink = try await seeded(posts)
    #expect(sink.order.first == ResourcePath(unchecked: "posts/post_01"))
    for number in 1...20 {
      let path = "posts/post_" + (number < 10 ? "0" : "") + String(number)
      let post = try #require(sink[path])
      let likes = sink.order.filter { $0.text.hasPrefix(path + "/likes/") }
      let comments = sink.order.filter { $0.text.hasPrefix(path + "/comments/") }
      #expect(
        post["stats"]
          == .map([
            "likeCount": .integer(Int64(likes.count)), "commentCount": .integer(Int64(comments.count)),
          ]))
      for (place, like) in likes.enumerated() {
        #expect(
          sink[like.text] == ["userId": .string(like.lastSegment), "place": .integer(Int64(place + 1))])
      }
      let indexOfPost = try #require(sink.order.firstIndex(of: ResourcePath(unchecked: path)))
      #expect((likes + comments).allSatisfy { sink.order.firstIndex(of: $0) ?? 0 > indexOfPost })
    }
  }

  @Test("the same file gives the same bytes; another seed gives others")
  func determinism() async throws {
    let first = try await seeded(posts)
    let second = try await seeded(posts)
    #expect(first.order == second.order)
    #expect(first.order.allSatisfy { first.documents[$0]?.fields == second.documents[$0]?.fields })
    let other = try await seeded(posts.replacing("seed: 42", with: "seed: 43"))
    #expect(first.value("posts/post_01", "createdAt") != other.value("posts/post_01", "createdAt"))
  }

  @Test("fields, documents and generators that come or go change no other value")
  func locality() async throws {
    let base = try await seeded(posts)
    let changed = try await seeded(
      posts
        .replacing("      stats:", with: "      aaa: {$int: {min: 1, max: 1000}}\n      stats:")
        .replacing("repeat: 20", with: "repeat: 25")
        .replacing(
          "generate:\n",
          with:
            "documents:\n  z/z: {v: {$name: person}}\ngenerate:\n  - {path: y/y, fields: {n: {$name: studio}}}\n"
        ))
    for path in base.order {
      let before = try #require(base[path.text])
      let after = try #require(changed[path.text])
      for entry in before.entries { #expect(after[entry.name] == entry.value, "\(path).\(entry.name)") }
    }
  }

  @Test("a template's draws are at the place of use")
  func templatePlaces() async throws {
    let sink = try await seeded(
      """
      version: 1
      templates: {t: {n: {$int: {min: 1, max: 1000000}}}}
      documents:
        a/x: {$like: t}
        a/y: {$like: t}
        a/z: {m: {$like: t}, n: {$int: {min: 1, max: 1000000}}}
        b/x: {n: {$int: {min: 1, max: 1000000}}}

      """)
    #expect(sink.value("a/x", "n") != sink.value("a/y", "n"))
    guard case .map(let inner)? = sink.value("a/z", "m") else { throw Missing() }
    #expect(inner["n"] != sink.value("a/z", "n"))
    #expect(sink.value("b/x", "n") != sink.value("a/x", "n"))
  }

  @Test("$from may read generated documents, and their children")
  func fromGenerated() async throws {
    let sink = try await seeded(
      """
      version: 1
      generate:
        - path: users/u${i}
          repeat: 3
          fields: {n: {$int: {min: 1, max: 1000000}}}
          children:
            - path: private/card
              fields: {number: "${i}", owner: {$from: "users/u${i}", field: n}}
        - path: posts/p${i}
          repeat: 3
          fields: {author: {$from: "users/u${i}"}, card: {$from: "users/u${i}/private/card", pick: [number]}}

      """)
    for number in 1...3 {
      let user = try #require(sink["users/u\(number)"])
      #expect(sink.value("posts/p\(number)", "author") == .map(user))
      #expect(sink.value("posts/p\(number)", "card") == .map(["number": .integer(Int64(number))]))
      #expect(sink.value("users/u\(number)/private/card", "owner") == user["n"])
    }
  }

  @Test("outer names are visible inside, inner ones hide them, and end with their generator")
  func scopes() async throws {
    let sink = try await seeded(
      """
      version: 1
      let: {x: file}
      generate:
        - path: a/a${i}
          repeat: 2
          let: {x: "outer${i}", n: "${i}"}
          fields: {x: "${x}"}
          children:
            - path: b/b${i}
              each: [p, q]
              let: {x: "${x}.${it}"}
              fields: {x: "${x}", n: "${n}"}
            - {path: c/c, fields: {x: "${x}", i: "${i}"}}
        - {path: z/z, fields: {x: "${x}"}}

      """)
    #expect(sink["a/a2/b/b1"] == ["x": .string("outer2.p"), "n": .integer(2)])
    #expect(sink["a/a2/c/c"] == ["x": .string("outer2"), "i": .integer(2)])
    #expect(sink["z/z"] == ["x": .string("file")])
  }

  private struct Missing: Error {}
}

@Suite("draws")
struct DrawTests {
  /// The values that `form` has in `count` documents, as text.
  private func draws(_ form: String, count: Int = 2_000, seed: Int = 0) async throws -> [Value] {
    let sink = try await seeded(
      "version: 1\nseed: \(seed)\ngenerate:\n  - {path: \"a/${i}\", repeat: \(count), fields: {v: \(form)}}\n"
    )
    return sink.order.compactMap { sink.value($0.text, "v") }
  }

  private func counts(_ values: [Value]) -> [String: Int] {
    Dictionary(values.map { ("\($0)", 1) }, uniquingKeysWith: +)
  }

  @Test(
    "choices come as often as they should",
    arguments: [
      ("{$pick: [a, b, c, d]}", ["a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25]),
      ("{$weighted: {a: 3, b: 1, c: 0}}", ["a": 0.75, "b": 0.25]),
      ("{$weighted: [[b, 1], [a, 3]]}", ["a": 0.75, "b": 0.25]),
    ] as [(String, [String: Double])])
  func frequencies(form: String, expected: [String: Double]) async throws {
    let counts = counts(try await draws(form))
    #expect(counts.count == expected.count)
    for (text, share) in expected {
      let found = Double(counts["string(\"\(text)\")"] ?? 0) / 2_000
      #expect(abs(found - share) < 0.05, "\(text): \(found)")
    }
  }

  @Test("numbers reach both ends and stay between them")
  func numberRanges() async throws {
    let integers = counts(try await draws("{$int: {min: -2, max: 2}}"))
    #expect(
      integers.keys.sorted() == ["integer(-1)", "integer(-2)", "integer(0)", "integer(1)", "integer(2)"])
    let doubles = counts(try await draws("{$double: {min: 4.3, max: 4.5, decimals: 1}}"))
    #expect(doubles.keys.sorted() == ["double(4.3)", "double(4.4)", "double(4.5)"])
    // Bounds that are not on a step, and one that is only as a decimal.
    let steps = counts(try await draws("{$double: {min: 4.331, max: 4.35, decimals: 2}}"))
    #expect(steps.keys.sorted() == ["double(4.34)", "double(4.35)"])
    let wide = try await draws("{$int: {min: -9223372036854775808, max: 9223372036854775807}}", count: 50)
    #expect(Set(wide.map { "\($0)" }).count == 50)
    let flags = counts(try await draws("{$boolean: 0.25}"))
    #expect(abs(Double(flags["boolean(true)"] ?? 0) / 2_000 - 0.25) < 0.05)
    #expect(counts(try await draws("{$boolean: 0}")).count == 1)
    #expect(counts(try await draws("{$boolean: 1}")) == ["boolean(true)": 2_000])
  }

  @Test("some of a list: every size and every choice, in the order of the list")
  func someOf() async throws {
    let values = try await draws("{$someOf: [a, b, c], min: 1, max: 2}", count: 3_000)
    let counts = counts(values)
    #expect(counts.count == 6)
    #expect(counts.values.allSatisfy { abs(Double($0) / 3_000 - 1.0 / 6) < 0.04 })
    #expect(
      values.allSatisfy { value in
        guard case .array(let elements) = value else { return false }
        let texts = elements.map { "\($0)" }
        return texts == texts.sorted()
      })
    #expect(counts.keys.allSatisfy { !$0.contains("a\"), DocModel.Value.string(\"a") })
  }

  @Test("points lie in their circle, also beyond the date line")
  func geoNear() async throws {
    for (latitude, longitude) in [(51.5, -0.23), (-79.9, 179.99), (0.0, 0.0)] {
      let values = try await draws(
        "{$geoNear: {center: [\(latitude), \(longitude)], metres: 3000}}", count: 500)
      var farthest = 0.0
      for value in values {
        guard case .geoPoint(let point) = value, point.isValid else {
          Issue.record("\(value)")
          continue
        }
        farthest = max(farthest, metres(point, latitude, longitude))
      }
      #expect(farthest <= 3_030 && farthest > 2_700)
    }
  }

  /// Great-circle distance.
  private func metres(_ point: GeoPoint, _ latitude: Double, _ longitude: Double) -> Double {
    let radians = Double.pi / 180
    let a = pow(sin((point.latitude - latitude) * radians / 2), 2)
    let b = pow(sin((point.longitude - longitude) * radians / 2), 2)
    let c = cos(point.latitude * radians) * cos(latitude * radians)
    return 2 * 6_371_008.8 * asin(min(1, (a + c * b).squareRoot()))
  }

  @Test("times are whole seconds, both ends included")
  func times() async throws {
    let values = counts(
      try await draws("{$timeBetween: [2026-01-01T00:00:00.9Z, 2026-01-01T00:00:02Z]}", count: 500))
    #expect(values.count == 3)
  }

  @Test(
    "a draw that cannot be made is refused",
    arguments: [
      ("{$pick: []}", "3:13 $pick needs at least one element to choose from"),
      ("{$weighted: {a: 0}}", "3:13 at least one weight must be above 0"),
      ("{$weighted: {a: -1}}", "3:28 a weight is a whole number of at least 0; found -1"),
      ("{$weighted: [[a, 1], b]}", "3:33 $weighted takes a map of weights or a list of [value, weight]"),
      ("{$weighted: {a: 2147483647, b: 1}}", "3:13 the weights add up to 2147483648 or more"),
      ("{$someOf: [a], min: 2}", "3:32 min 2 is more than the 1 elements"),
      ("{$someOf: [a], mx: 2}", "3:27 unknown key 'mx'; '$someOf' has min, max (did you mean 'max'?)"),
      ("{$int: {min: 2, max: 1}}", "3:33 max 1 is below min 2"),
      ("{$int: {min: 2}}", "3:13 '$int' needs the key 'max'"),
      (
        "{$double: {min: 0.11, max: 0.12, decimals: 1}}",
        "3:39 there is no number with 1 decimals from min to max"
      ),
      ("{$double: {min: 0, max: 1e300}}", "3:36 max 1e+300 is too large for 6 decimals"),
      ("{$boolean: 2}", "3:23 $boolean takes a probability from 0 to 1; found 2.0"),
      (
        "{$timeBetween: [2026-01-02T00:00:00Z, 2026-01-01T00:00:00Z]}",
        "3:50 2026-01-01T00:00:00Z is before 2026-01-02T00:00:00Z"
      ),
      (
        "{$geoNear: {center: [81, 0], metres: 1}}",
        "3:32 the center lies between latitudes -80 and 80; found 81.0"
      ),
      ("{$name: dog}", "3:20 $name takes person, given, family or studio; found 'dog'"),
      ("{$uuid: 4}", "3:20 $uuid takes true"),
      ("{$url: false}", "3:19 $url takes true"),
      ("{$phone: home}", "3:21 $phone takes true"),
      ("{$email: 7}", "3:21 $email takes true, or the name whose address it is"),
      ("{$email: \"\u{5F20}\"}", "3:21 $email takes a name with a Latin letter or a digit; found '\u{5F20}'"),
      ("{$words: {min: 0, max: 1}}", "3:27 min is at least 1; found 0"),
    ])
  func refuses(source: String, expected: String) {
    #expect(seedErrors("version: 1\ndocuments:\n  a/b: {v: \(source)}\n") == [expected])
  }

  @Test("only the chosen element is evaluated")
  func laziness() async throws {
    let value = try await made("{$weighted: [[yes, 1], [\"${unknown}\", 0]]}")
    #expect(value == .string("yes"))
  }
}
