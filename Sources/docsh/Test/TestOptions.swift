/// Values of `docsh test`'s options.

import ArgumentParser

/// `term,lcov,html`
struct CoverageFormats: ExpressibleByArgument, Equatable {
  let formats: [CoverageFormat]

  init(_ formats: [CoverageFormat]) { self.formats = formats }

  init?(argument: String) {
    var formats: [CoverageFormat] = []
    for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = name == "term" ? .text : CoverageFormat(rawValue: String(name)) else { return nil }
      formats.append(format)
    }
    self.formats = formats
  }

  static var allValueStrings: [String] {
    ["term"] + CoverageFormat.allCases.map(\.rawValue).filter { $0 != "text" }
  }
}

/// Which mutants are made.
enum MutantChoice: String, CaseIterable, ExpressibleByArgument {
  case all, changed
}

/// Where cases are judged.
enum TestEngine: String, CaseIterable, ExpressibleByArgument {
  case process, wire
}
