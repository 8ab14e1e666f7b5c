/// Metrics count what they are told, and are written as Prometheus reads them.

import DocStore
import TestSupport
import Testing

@testable import Telemetry

@Suite("metrics")
struct MetricTests {
  @Test("what many threads count is the sum, also when there are more threads than stripes")
  func threads() async {
    let row = CounterRow(count: 9)
    let metric = Metric()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        group.addTask {
          for _ in 0..<1_000 {
            row.add(at: 8)
            metric.add(3)
            metric.subtract(2)
          }
        }
      }
    }
    #expect((row[8], row[7], metric.current) == (12_000, 0, 12_000))
  }

  @Test("a place outside a row counts nothing")
  func outside() {
    let row = CounterRow(count: 2)
    row.add(3, at: 1)
    row.add(at: 2)
    row.add(at: -1)
    #expect((row[0], row[1], row[2], row[-1]) == (0, 3, 0, 0))
  }

  @Test(
    "a time falls into the bucket whose bound it does not exceed",
    arguments: [
      (UInt64(0), 0), (50_000, 0), (50_001, 1), (1_000_000, 4), (10_000_000_000, 15), (10_000_000_001, 16),
    ])
  func bucket(nanoseconds: UInt64, bucket: Int) {
    let row = LatencyRow(count: 2)
    row.add(nanoseconds: nanoseconds, at: 1)
    #expect(row.reading(at: 1).buckets.firstIndex(of: 1) == bucket)
    #expect(row.reading(at: 1).nanoseconds == Int(nanoseconds))
    #expect(row.reading(at: 0).buckets.allSatisfy { $0 == 0 })
  }

  @Test("the text has help, type and samples; values of labels are escaped")
  func text() {
    var text = PrometheusText()
    text.single("a_total", .counter, "How many.", 3)
    text.family("b", .gauge, "Each.")
    text.sample(0.25, [("name", "x\"y\\z\n"), ("kind", "k")])
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == """
        # HELP a_total How many.
        # TYPE a_total counter
        a_total 3
        # HELP b Each.
        # TYPE b gauge
        b{name="x\\"y\\\\z\\n",kind="k"} 0.25

        """)
  }

  @Test("a histogram is cumulative and ends in +Inf, its sum and its count")
  func histogram() {
    let row = LatencyRow(count: 1)
    for nanoseconds in [40_000, 60_000, 20_000_000_000] as [UInt64] {
      row.add(nanoseconds: nanoseconds, at: 0)
    }
    var text = PrometheusText()
    text.family("t", .histogram, "Time.")
    text.histogram(row, at: 0, [("m", "x")])
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines[2] == "t_bucket{m=\"x\",le=\"0.00005\"} 1")
    #expect(lines[3] == "t_bucket{m=\"x\",le=\"0.0001\"} 2")
    #expect(lines.suffix(3).first == "t_bucket{m=\"x\",le=\"+Inf\"} 3")
    #expect(lines.suffix(2) == ["t_sum{m=\"x\"} 20.0001", "t_count{m=\"x\"} 3"])
  }

  @Test("every bound has its text")
  func bounds() {
    #expect(LatencyRow.boundTexts.map { UInt64(((Double($0) ?? 0) * 1e9).rounded()) } == LatencyRow.bounds)
  }
}
