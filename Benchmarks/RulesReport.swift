/// The rules part of the report.

/// What was measured, for the lines that compare.
func reportRules(pack: String) {
  say("rules, in process, one thread")
  reportDecisions("community overlap, cached profiles", communityOverlapRules)
  if let text = contents(of: pack) {
    reportDecisions("the same in the Inspired pack", text)
  } else {
    row("the same in the Inspired pack", "skipped: no \(pack) here")
  }
  if let result = rulesCompileBenchmark() {
    row(
      "compile \(result.lines) lines", "\(rounded(result.milliseconds, 2)) ms",
      "best \(rounded(result.bestMilliseconds, 2)) ms")
  } else {
    row("compile 1,000 lines", "failed: the ruleset has an error")
  }
  if let results = rulesQueriesBenchmark() {
    for result in results {
      row(
        "query: \(result.name)", "\(rounded(result.nanoseconds / 1_000, 2)) us",
        "with proof \(rounded(result.proofNanoseconds / 1_000, 2)) us, best \(rounded(result.bestProofNanoseconds / 1_000, 2))"
      )
    }
  } else {
    row("queries", "failed: a verdict is wrong")
  }
  if let time = hostilePatternBenchmark() {
    row("`(a+)+$` against 100 kB", "\(rounded(time.median, 2)) ms", "best \(rounded(time.best, 2)) ms")
  } else {
    row("`(a+)+$` against 100 kB", "failed: it was granted")
  }
}

private func reportDecisions(_ name: String, _ rules: String) {
  guard let result = rulesDecisionsBenchmark(rules) else {
    row(name, "failed: a verdict is wrong")
    return
  }
  row(
    name, "\(rounded(result.decisionsPerSecond)) decisions/s",
    "\(rounded(result.nanosecondsPerDecision)) ns each, best \(rounded(result.bestNanoseconds))")
}
