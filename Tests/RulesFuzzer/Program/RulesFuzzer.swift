/// The differential fuzzer: our rules engine against the official emulator. See docs/fuzzing.md.

import Platform
import RulesFuzzing

@main
struct RulesFuzzer {
  static let usage = """
    usage: rules-fuzzer conditions|queries|commits|trees|texts [--count N] [--seed S] [--first N] [--forever]
                        [--emulator HOST:PORT] [--workers N] [--batch N] [--findings N] [--verdicts-only]

    Asks the official emulator and our engine the same, and prints what they answer differently, made small.
    Ends with status 1 when there is a difference without a reason, 2 when the emulator cannot be asked.
    """

  static func main() {
    guard let (kind, chosen, isEndless) = read(Array(CommandLine.arguments.dropFirst())) else {
      print(usage)
      exit(64)
    }
    var options = chosen
    var isClean = true
    repeat {
      do throws(ConnectionError) {
        let summary = try run(kind, options)
        print(report(kind, options, summary))
        isClean = isClean && summary.unexplained == 0
      } catch {
        print("rules-fuzzer: \(error)")
        exit(2)
      }
      options.seed += 1
    } while isEndless
    exit(isClean ? 0 : 1)
  }

  private static func run(_ kind: String, _ options: CampaignOptions) throws(ConnectionError)
    -> CampaignSummary
  {
    let show: @Sendable (String) -> Void = { text in
      print(text)
      fflush(nil)
    }
    switch kind {
    case "queries":
      return try Campaign(options, print: show) { QueryTrial.generate(seed: $0, number: $1) }.run()
    case "commits":
      return try Campaign(options, print: show) { CommitTrial.generate(seed: $0, number: $1) }.run()
    case "trees": return try Campaign(options, print: show) { TreeTrial.generate(seed: $0, number: $1) }.run()
    case "texts": return try Campaign(options, print: show) { TextTrial.generate(seed: $0, number: $1) }.run()
    default:
      return try Campaign(options, print: show) { ConditionTrial.generate(seed: $0, number: $1) }.run()
    }
  }

  private static func report(_ kind: String, _ options: CampaignOptions, _ summary: CampaignSummary) -> String
  {
    let explained = summary.explained.sorted { $0.key < $1.key }.map {
      "  explained: \($0.key): \($0.value)\n"
    }
    return explained.joined()
      + "\(kind): \(summary.asked) asked (seed \(options.seed), from \(options.first)): \(summary.granted) allowed, "
      + "\(summary.denied) denied, \(summary.refused) refused by the compiler, \(summary.invalid) invalid; "
      + "\(summary.unexplained) unexplained"
  }

  private static func read(_ arguments: [String]) -> (String, CampaignOptions, Bool)? {
    guard let kind = arguments.first, ["conditions", "queries", "commits", "trees", "texts"].contains(kind)
    else {
      return nil
    }
    var options = CampaignOptions()
    var isEndless = false
    var rest = arguments.dropFirst()
    while let name = rest.popFirst() {
      switch name {
      case "--forever": isEndless = true
      case "--verdicts-only": options.comparesReasons = false
      default:
        guard let value = rest.popFirst(), set(name, value, &options) else { return nil }
      }
    }
    return (kind, options, isEndless)
  }

  private static func set(_ name: String, _ value: String, _ options: inout CampaignOptions) -> Bool {
    if name == "--emulator" {
      let parts = value.split(separator: ":")
      guard parts.count == 2, let port = UInt16(parts[1]) else { return false }
      options.host = String(parts[0])
      options.port = port
      return true
    }
    guard let number = Int(value), number >= 0 else { return false }
    switch name {
    case "--count": options.count = number
    case "--seed": options.seed = UInt64(number)
    case "--first": options.first = number
    case "--workers": options.workers = max(1, number)
    case "--batch": options.batch = max(1, number)
    case "--findings": options.findingsMax = number
    default: return false
    }
    return true
  }
}
