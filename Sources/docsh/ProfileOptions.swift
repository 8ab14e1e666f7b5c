/// `--profile` and what can be relaxed in it, as options of commands.

public import Access
public import ArgumentParser

extension ProfileName: ExpressibleByArgument {}
extension WithoutRules: ExpressibleByArgument {}
extension DenialDetail: ExpressibleByArgument {}
extension TokenChecks: ExpressibleByArgument {}
extension UserTransactions: ExpressibleByArgument {}
extension ErrorTexts: ExpressibleByArgument {}
extension IndexMode: ExpressibleByArgument {}
extension ServiceLimits: ExpressibleByArgument {}
extension ListenTargets: ExpressibleByArgument {}

/// How large a rules file may be. Source: docs/spec/production-differences.md R5.
enum RulesSize: String, ExpressibleByArgument, CaseIterable {
  case production, any
}

struct ProfileOptions: CommandOptions {
  @CommandOption(
    "profile",
    help: "Follow the production service or the official emulator where they differ. See docs/profiles.md.")
  var profile = ProfileName.production

  @CommandOption("no-rules", help: "What users may do in a database without rules.")
  var withoutRules: WithoutRules?

  @CommandOption(
    "denial-detail",
    help: "The message of a denial: production's sentence, the reasons as well, or the emulator's message.")
  var denialDetail: DenialDetail?

  @CommandOption(
    "verify-tokens", help: "Whether tokens that have expired or are of another project are refused.")
  var verifyTokens: TokenChecks?

  @CommandOption("user-transactions", help: "The kinds of transactions that users may begin.")
  var userTransactions: UserTransactions?

  @CommandOption("error-texts", help: "Whose error messages are used.")
  var errorTexts: ErrorTexts?

  @CommandOption(
    flagOrNo: "rest-strict",
    help: "Read and refuse REST requests as the production service does, or as the official emulator does.")
  var restStrict: Bool?

  @CommandOption(
    "listen-targets",
    help: "Whether targets that are read once, or whose resume token is unreadable, end as in production.")
  var listenTargets: ListenTargets?

  @CommandOption("rules-size", help: "Whether rules that are too large for production are refused.")
  var rulesSize: RulesSize?

  @CommandOption(
    "index-mode",
    help: "Refuse queries that lack an index (auto: where indexes are known), or say so in the log, or not.")
  var indexMode: IndexMode?

  @CommandOption("limits", help: "Whose limits apply where the two differ.")
  var limits: ServiceLimits?

  @CommandOption(
    "lock-wait",
    help:
      "How many seconds a write waits for transactions that have read the documents it changes (20; emulator: 2)."
  )
  var lockWaitSeconds: Int?

  @CommandOption(flag: "open", help: "Without rules, let users do everything; the same as --no-rules allow.")
  var open = false

  @CommandOption(
    flag: "terse", help: "Answer denials with production's sentence only; the same as --denial-detail terse.")
  var terse = false

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_profile)
    try visitor.visit(&_withoutRules)
    try visitor.visit(&_denialDetail)
    try visitor.visit(&_verifyTokens)
    try visitor.visit(&_userTransactions)
    try visitor.visit(&_errorTexts)
    try visitor.visit(&_restStrict)
    try visitor.visit(&_listenTargets)
    try visitor.visit(&_rulesSize)
    try visitor.visit(&_indexMode)
    try visitor.visit(&_limits)
    try visitor.visit(&_lockWaitSeconds)
    try visitor.visit(&_open)
    try visitor.visit(&_terse)
  }

  func validate() throws {
    if open, withoutRules == .deny {
      throw ValidationError("--open and --no-rules deny contradict each other")
    }
    if let lockWaitSeconds, !(0...270).contains(lockWaitSeconds) {
      throw ValidationError("--lock-wait takes 0 to 270 seconds: a transaction lives no longer")
    }
    if terse, let denialDetail, denialDetail != .terse {
      throw ValidationError("--terse and --denial-detail \(denialDetail.rawValue) contradict each other")
    }
  }

  /// The profile with everything that was said of it.
  var chosen: ServiceProfile {
    var chosen = ServiceProfile(profile)
    if let withoutRules { chosen.withoutRules = withoutRules }
    if open { chosen.withoutRules = .allow }
    if let denialDetail { chosen.denialDetail = denialDetail }
    if terse { chosen.denialDetail = .terse }
    if let verifyTokens { chosen.tokenChecks = verifyTokens }
    if let userTransactions { chosen.userTransactions = userTransactions }
    if let errorTexts { chosen.errorTexts = errorTexts }
    if let restStrict { chosen.isRESTStrict = restStrict }
    if let listenTargets { chosen.listenTargets = listenTargets }
    if let rulesSize { chosen.limitsRulesSource = rulesSize == .production }
    if let indexMode { chosen.indexMode = indexMode }
    if let limits { chosen.limits = limits }
    if let lockWaitSeconds { chosen.lockWaitSeconds = lockWaitSeconds }
    return chosen
  }
}

extension ServiceProfile {
  /// `production`, or `production with --no-rules allow, --denial-detail terse`.
  var summary: String {
    departures.isEmpty ? name.rawValue : "\(name.rawValue) with \(departures.joined(separator: ", "))"
  }
}
