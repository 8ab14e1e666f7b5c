/// Values that version 1 of the format has given its users: they never change.

import DocModel
import Seeder
import Testing

@testable import Fixtures

@Suite("golden values of version 1")
struct GoldenTests {
  static let forms: [(String, String)] = [
    (
      "{$int: {min: 1, max: 1000000}}",
      "353686 | 626741 | 998179 | 707442 | 645031 | 645052 | 105632 | 202121"
    ),
    (
      "{$int: {min: -9223372036854775808, max: 9223372036854775807}}",
      "-2699031027638891942 | 2337949742198100909 | 9189770365740681947 | 3826629110682660993 | "
        + "2675342096881923454 | 2675733301141203817 | -7274812265228317510 | -5494898792884750585"
    ),
    (
      "{$double: {min: -1, max: 1}}",
      "-0.958818 | -0.630966 | -0.781866 | 0.020728 | 0.633495 | 0.762236 | -0.577531 | -0.650877"
    ),
    (
      "{$boolean: 0.5}",
      "false | true | true | true | true | true | true | false"
    ),
    (
      "{$pick: [a, b, c, d, e, f, g]}",
      "g | g | g | b | a | e | g | f"
    ),
    (
      "{$weighted: {a: 3, b: 1, c: 9}}",
      "c | a | c | a | c | c | c | c"
    ),
    (
      "{$someOf: {$ids: [u, 1, 20]}, min: 3, max: 6}",
      "u1 u3 u8 u9 u14 u19 | u3 u9 u12 u14 u18 u20 | u6 u13 u15 | u2 u3 u17 | u1 u6 u10 u11 u13 u17 | "
        + "u1 u9 u16 | u2 u4 u5 u14 u19 u20 | u3 u6 u14 u19"
    ),
    (
      "{$timeBetween: [2026-01-01T00:00:00Z, 2026-12-31T00:00:00Z]}",
      "2026-04-01T19:24:58Z | 2026-03-14T06:26:43Z | 2026-09-22T19:46:14Z | 2026-06-25T18:21:00Z | "
        + "2026-02-24T15:02:05Z | 2026-11-01T15:41:27Z | 2026-12-08T03:49:07Z | 2026-09-02T03:23:17Z"
    ),
    (
      "{$geoNear: {center: [51.5, -0.21], metres: 4000}}",
      "51.515505,-0.2142 | 51.519482,-0.197531 | 51.525749,-0.198623 | 51.503268,-0.25884 | "
        + "51.521067,-0.226768 | 51.508021,-0.153722 | 51.478231,-0.213128 | 51.50099,-0.248268"
    ),
    (
      "{$name: person}",
      "Selma Varga | Omar Lang | Harriet Becker | Linnea Pereira | Ayumi Becker | Layla Nagy | "
        + "Hana Desai | Darius Laurent"
    ),
    (
      "{$name: studio}",
      "Maple Loft Yoga Loft | Copper Lane Yoga Studio | Northern Garden Yoga House | "
        + "Green Heron Yoga House | Open Garden Yoga Room | Winter Terrace Movement | "
        + "Northern Moon Yoga House | Silver Lane Yoga Studio"
    ),
    (
      "{$name: given}",
      "Selma | Omar | Harriet | Linnea | Ayumi | Layla | Hana | Darius"
    ),
    (
      "{$name: family}",
      "Silva | Park | Herrera | Mercier | Bergström | Mahmoud | Herrera | Darcy"
    ),
    (
      "{$email: true}",
      "ilona.dahl6008@example.org | gabor.kaplan4633@example.org | "
        + "linnea.haddad6416@example.com | anika.khan5452@example.com | "
        + "ebba.winter1101@example.net | ibrahim.grant1350@example.net | "
        + "jonas.mahmoud5677@example.com | nadia.desai3667@example.com"
    ),
    (
      "{$email: 'Åsa Ø''Neil-Groß (2)'}",
      "asa.o.neil.gross.2@example.com | asa.o.neil.gross.2@example.com | "
        + "asa.o.neil.gross.2@example.com | asa.o.neil.gross.2@example.com | "
        + "asa.o.neil.gross.2@example.com | asa.o.neil.gross.2@example.com | "
        + "asa.o.neil.gross.2@example.com | asa.o.neil.gross.2@example.com"
    ),
    (
      "{$uuid: true}",
      "91905e0c-0963-4966-86dc-abae40de424c | e5e7e3e2-cdbd-423c-80e2-37a51b19b640 | "
        + "43e321ff-1fcb-4756-b8e4-ad43aeeaa7fc | 922cc063-814f-4395-bfcd-6ca0ee1c3560 | "
        + "cdaf637f-4727-4f95-9c39-9e9b2adc225d | da55ac4c-20e7-4764-9c11-b0cde2d84aa5 | "
        + "ea6c7873-1433-4c1c-9bce-c55c34d569b5 | 4e0efe3c-03d3-4f39-84ea-a1001ed41524"
    ),
    (
      "{$url: true}",
      "https://www.example.com/surf/bright-6606 | https://www.example.net/white/row-1050 | "
        + "https://www.example.org/arm/rain-4587 | https://www.example.net/little/strong-8718 | "
        + "https://www.example.net/valley/world-6644 | https://www.example.com/sweet/cobra-5241 | "
        + "https://www.example.com/inside/lotus-16 | https://www.example.net/gather/fold-2748"
    ),
    (
      "{$phone: true}",
      "+13535550142 | +14845550192 | +15275550175 | +19675550193 | +17385550126 | "
        + "+16255550110 | +13135550187 | +17675550100"
    ),
    (
      "{$words: {min: 3, max: 8}}",
      "Side plank air sky stretch up lake plenty. | Circle row night. | "
        + "Chest still quiet reach hour tall dove. | Bamboo noon tuesday. | "
        + "Winter spring core asana exhale high float. | "
        + "Lunch moment wrist sun earth spiral heart inside. | Hour balance focus together class. | "
        + "Teach east bolster hall quiet wave end."
    ),
    (
      "{m: {$pick: [{n: {$int: {min: 0, max: 99999}}}, {n: {$int: {min: 0, max: 99999}}}]}}",
      "64730 | 74230 | 80783 | 59108 | 47198 | 55549 | 15515 | 74499"
    ),
  ]

  @Test("each form draws what it always drew", arguments: forms)
  func values(form: String, expected: String) async throws {
    let sink = try await seeded(
      """
      version: 1
      seed: 42
      let: {x: \(form)}
      documents:
        a/b: {v: \(form), x: "${x}"}
      generate:
        - path: p/q${i}
          repeat: 2
          let: {y: \(form)}
          fields: {v: \(form), y: "${y}"}
          children: [{path: c/c, fields: {list: {v: \(form)}}}]

      """)
    let drawn = sink.order.flatMap { path in sink[path.text]?.entries.map { describe($0.value) } ?? [] }
    #expect(drawn.joined(separator: " | ") == expected)
  }

  private func describe(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .string(let text): text
    case .timestamp(let instant): instant.rfc3339
    case .geoPoint(let point): "\(point.latitude),\(point.longitude)"
    case .array(let elements): elements.map(describe).joined(separator: " ")
    case .map(let fields): fields.entries.map { describe($0.value) }.joined(separator: " ")
    default: "\(value)"
    }
  }

  @Test("the word lists are those of version 1")
  func wordLists() {
    func checksum(_ words: [String]) -> UInt64 {
      words.reduce(DrawPlace(seed: Int64(words.count))) { $0.child($1) }.hash
    }
    let lists = [
      WordLists.givenNames, WordLists.familyNames, WordLists.studioQualities, WordLists.studioPlaces,
      WordLists.studioKinds, WordLists.words,
    ]
    #expect(lists.map(\.count) == [86, 90, 30, 30, 12, 312])
    #expect(
      lists.map(checksum) == [
        9_599_970_505_007_346_609, 9_166_490_598_825_545_975, 3_588_917_421_768_693_252,
        16_806_194_448_740_697_194, 15_958_013_466_719_164_741, 7_674_868_716_226_459_090,
      ])
    #expect(
      WordLists.words.allSatisfy { $0.utf8.allSatisfy { (97...122).contains($0) } && $0.utf8.count <= 12 })
  }
}
