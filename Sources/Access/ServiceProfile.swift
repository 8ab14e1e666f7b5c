/// Where the production service and the official emulator differ, and which of the two this server follows.
///
/// Each difference is a setting of its own, so that a project can take a profile and relax one thing. The
/// engine of the rules is the same in both; what differs stands around it.
/// Source: docs/spec/production-differences.md section 2.

internal import DocModel
public import DocStore

/// Which service is followed where nothing else is said.
public enum ProfileName: String, Sendable, CaseIterable {
  case production, emulator
}

/// What users may do in a database without rules. Source: docs/spec/production-differences.md R2.
public enum WithoutRules: String, Sendable, CaseIterable {
  case deny, allow
}

/// What of a user's token is checked beside its form. Local identity providers sign nothing, so signatures are not unless
/// somebody says whose. Source: docs/spec/production-differences.md C2 to C5.
public enum TokenChecks: String, Sendable, CaseIterable {
  /// The end of its life, unless its `iat` is 0 as in mock tokens; audience and issuer, if both are there.
  case claims
  case off
  /// The signature, by published keys, and then all claims that an identity provider's token must have.
  case jwks
}

/// Which transactions users may begin. Source: docs/spec/production-differences.md T14.
public enum UserTransactions: String, Sendable, CaseIterable {
  case readOnly = "read-only"
  case all
}

/// Whose words errors have. Source: docs/spec/production-differences.md W17, Q19, C6, C7.
public enum ErrorTexts: String, Sendable, CaseIterable {
  case production, emulator
}

/// Whose limits are kept where the two differ. Source: docs/spec/production-differences.md 1.2.
public enum ServiceLimits: String, Sendable, CaseIterable {
  case production, emulator

  /// Bytes of one gRPC request. Source: docs/spec/production-differences.md L1.
  public var messageBytesMax: Int {
    switch self {
    case .production: RequestLimits.bodyBytesMax
    case .emulator: RequestLimits.emulatorMessageBytesMax
    }
  }
}

/// Whether a listener's target ends when it asks for its result once, and when its resume token cannot be read.
/// Source: docs/spec/production-differences.md N4, N9.
public enum ListenTargets: String, Sendable, CaseIterable {
  case production, emulator
}

/// A profile, and what was relaxed in it.
public struct ServiceProfile: Sendable, Equatable {
  public let name: ProfileName
  public var withoutRules: WithoutRules
  public var denialDetail: DenialDetail
  /// Whether a source that production would refuse for its size is refused.
  /// Source: docs/spec/production-differences.md R5.
  public var limitsRulesSource: Bool
  public var tokenChecks: TokenChecks
  public var userTransactions: UserTransactions
  public var errorTexts: ErrorTexts
  /// Whether REST is as strict as the service: unknown parameters are refused, bodies are read and refused in its
  /// words, errors of streams come in an array, and no stream ends in `done`.
  /// Source: docs/spec/production-differences.md section 2, Q1, Q16, Q18, F1.
  public var isRESTStrict: Bool
  public var listenTargets: ListenTargets
  /// What is done about queries that lack an index.
  /// Source: docs/spec/production-differences.md section 2, Q4.
  public var indexMode: IndexMode
  /// Whose limits are kept where the two differ. Source: docs/spec/production-differences.md 1.2.
  public var limits: ServiceLimits
  /// How long a write waits for transactions that have read what it changes.
  /// Source: docs/spec/production-differences.md T2.
  public var lockWaitSeconds: Int

  public init(_ name: ProfileName) {
    self.name = name
    switch name {
    case .production:
      withoutRules = .deny
      denialDetail = .explained
      limitsRulesSource = true
      tokenChecks = .claims
      userTransactions = .readOnly
      errorTexts = .production
      isRESTStrict = true
      listenTargets = .production
      indexMode = .auto
      limits = .production
      lockWaitSeconds = TransactionPolicy.production.lockWaitMilliseconds / 1_000
    case .emulator:
      withoutRules = .allow
      denialDetail = .official
      limitsRulesSource = false
      tokenChecks = .off
      userTransactions = .all
      errorTexts = .emulator
      isRESTStrict = false
      listenTargets = .emulator
      indexMode = .warn
      limits = .emulator
      lockWaitSeconds = TransactionPolicy.emulator.lockWaitMilliseconds / 1_000
    }
  }

  public static let production = ServiceProfile(.production)
  public static let emulator = ServiceProfile(.emulator)

  /// How transactions wait and end. Source: docs/spec/production-differences.md T2, T3, T6 to T8, T11, T13.
  public var transactionPolicy: TransactionPolicy {
    var policy = name == .production ? TransactionPolicy.production : .emulator
    policy.follows = errorTexts == .production ? .production : .emulator
    policy.lockWaitMilliseconds = lockWaitSeconds * 1_000
    return policy
  }

  /// The settings that are not the profile's own, as options are written: `--no-rules allow`.
  public var departures: [String] {
    let own = ServiceProfile(name)
    var result: [String] = []
    if withoutRules != own.withoutRules { result.append("--no-rules \(withoutRules.rawValue)") }
    if denialDetail != own.denialDetail { result.append("--denial-detail \(denialDetail.rawValue)") }
    if limitsRulesSource != own.limitsRulesSource {
      result.append("--rules-size \(limitsRulesSource ? "production" : "any")")
    }
    if tokenChecks != own.tokenChecks { result.append("--verify-tokens \(tokenChecks.rawValue)") }
    if userTransactions != own.userTransactions {
      result.append("--user-transactions \(userTransactions.rawValue)")
    }
    if errorTexts != own.errorTexts { result.append("--error-texts \(errorTexts.rawValue)") }
    if isRESTStrict != own.isRESTStrict { result.append(isRESTStrict ? "--rest-strict" : "--no-rest-strict") }
    if listenTargets != own.listenTargets { result.append("--listen-targets \(listenTargets.rawValue)") }
    if indexMode != own.indexMode { result.append("--index-mode \(indexMode.rawValue)") }
    if limits != own.limits { result.append("--limits \(limits.rawValue)") }
    if lockWaitSeconds != own.lockWaitSeconds { result.append("--lock-wait \(lockWaitSeconds)") }
    return result
  }
}
