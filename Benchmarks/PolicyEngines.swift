/// The same rule in other policy engines, in the same run.

/// Prints what `policy_engines.py` finds, or why it finds nothing.
func reportPolicyEngines() {
  say("the same rule in other policy engines, asked for from Python")
  guard contents(of: "Benchmarks/policy_engines.py") != nil else {
    say("  skipped: Benchmarks/policy_engines.py is not here; run from the repository's root")
    return
  }
  let environment = shellOutput("Scripts/policy-env")?.split(separator: "\n").last
  guard let python = environment else {
    say("  skipped: no Python environment could be made")
    return
  }
  guard let lines = shellOutput("'\(python)' Benchmarks/policy_engines.py") else {
    say("  skipped: Benchmarks/policy_engines.py failed")
    return
  }
  for line in lines.split(separator: "\n") { say("  \(line)") }
}
