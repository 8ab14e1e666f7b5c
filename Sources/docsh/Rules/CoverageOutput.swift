/// Coverage as commands write it.

import ArgumentParser
import Platform
import Rules
import RulesTools
import Suite

/// How coverage can be written.
enum CoverageFormat: String, CaseIterable, ExpressibleByArgument {
  case text, json, html, lcov

  /// All reports as one file. `json` has one ruleset, as the official report has.
  func bytes(_ reports: [CoverageReport], isColored: Bool) -> [UInt8] {
    switch self {
    case .text: Array(CoverageText.text(reports, isColored: isColored).utf8)
    case .json:
      reports.count == 1 ? OfficialCoverage.json(reports[0]) + [0x0A] : OfficialCoverage.json(reports)
    case .html: CoverageHTML.page(reports)
    case .lcov: Array(LCOV.text(reports).utf8)
    }
  }
}

enum CoverageOutput {
  /// The coverage of suites by the rules they test: suites of the same file are seen together.
  static func reports(_ suites: [SuiteReport]) -> [CoverageReport] {
    var found: [RuleCoverage] = []
    for coverage in suites.compactMap(\.coverage) {
      let known = found.first {
        $0.fits(coverage.ruleset) && $0.ruleset.source.name == coverage.ruleset.source.name
      }
      if let known {
        known.merge(coverage)
      } else {
        let copy = RuleCoverage(coverage.ruleset)
        copy.merge(coverage)
        found.append(copy)
      }
    }
    return found.map { $0.report() }
  }

  /// Writes to a file, or to standard output.
  static func write(_ reports: [CoverageReport], as format: CoverageFormat, to path: String?) throws {
    guard let path else {
      let bytes = format.bytes(reports, isColored: Terminal.isInteractive)
      return Terminal.say(String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self))
    }
    do throws(FileError) {
      try FileAccess.write(format.bytes(reports, isColored: false), to: path)
    } catch {
      throw Terminal.end(ExitStatus.failure, error.description)
    }
    let share = share(reports)
    Terminal.say(
      "coverage \(share.text) (\(share.covered) of \(share.total) seen both ways), written to \(path)")
  }

  /// Writes several files into a folder.
  static func write(
    _ reports: [CoverageReport], as formats: [CoverageFormat], into folder: String
  ) throws {
    if mkdir(folder, 0o755) != 0, errno != EEXIST {
      throw Terminal.end(
        ExitStatus.failure, "cannot make the folder `\(folder)`: \(FileAccess.systemMessage())")
    }
    for format in formats {
      switch format {
      case .text: try write(reports, as: format, to: nil)
      case .json: try write(reports, as: format, to: folder + "/coverage.json")
      case .html: try write(reports, as: format, to: folder + "/index.html")
      case .lcov: try write(reports, as: format, to: folder + "/lcov.info")
      }
    }
  }

  static func share(_ reports: [CoverageReport]) -> CoverageShare {
    reports.map(\.share).reduce(CoverageShare(covered: 0, total: 0)) { $0 + $1 }
  }

  /// Refuses what is no share of anything: nothing could ever reach it, or everything would.
  static func validate(_ least: Double?, _ option: String) throws {
    guard let least, !(0...100).contains(least) else { return }
    throw ValidationError("\(option) is a percentage between 0 and 100")
  }

  /// Complains and answers false when less is covered than asked for.
  static func reaches(_ least: Double?, _ reports: [CoverageReport]) -> Bool {
    guard let least else { return true }
    let share = share(reports)
    if share.percent >= least { return true }
    Terminal.complain("coverage is \(share.text), less than \(CoverageOutput.text(least))%")
    return false
  }

  private static func text(_ percent: Double) -> String {
    percent == percent.rounded() ? String(Int(percent)) : String(percent)
  }
}
