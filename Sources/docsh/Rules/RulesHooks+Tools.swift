/// What the server's answers take from the tools of rules.

import RulesTools
import Wire

extension RulesHooks {
  static var tools: RulesHooks {
    var hooks = RulesHooks()
    hooks.compile = { RulesCompiler.compile(source: $0, name: $1, limitsSource: $2) }
    hooks.explanation = { ExplainText.text($0, width: $1) }
    hooks.coveragePage = { CoverageHTML.page([$0], note: $1) }
    return hooks
  }
}
