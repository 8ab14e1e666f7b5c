/// The official emulator's command line, as an option list of `docsh serve`.
///
/// Source: docs/spec/protocol.md 7.8; `--help` and the messages of the official emulator; what the Firebase command line
/// passes, in its public source.

/// Why a command line of the official emulator is refused.
struct OfficialFlagError: Error, Equatable, CustomStringConvertible {
  let description: String
}

struct OfficialFlags: Equatable {
  /// What to run instead.
  enum Request: Equatable {
    /// Options of `docsh serve`.
    case serve([String])
    case version
    case help
  }

  private enum Flag: String, CaseIterable {
    case host, port, rules
    case project = "project_id"
    case singleProject = "single_project_mode"
    case singleProjectError = "single_project_mode_error"
    case seed = "seed_from_export"
    case importData = "import-data"
    case exportOnExit = "export-on-exit"
    case exportName = "export-name"
    case functions = "functions_emulator"
    case webSocketPort = "websocket_port"
    case webChannelPort = "webchannel_port"
    case edition = "database-edition"
    case mode = "database-mode"
    case indexFile = "index_file"
    case requireIndexes = "require_indexes"
    case version, help, licenses, testing
    // Ours; those of browsers may be repeated.
    case allowOrigin = "allow-origin"
    case allowHost = "allow-host"
    case allowOwner = "allow-owner"
    case adminKeyFile = "admin-key-file"

    var isSwitch: Bool {
      switch self {
      case .singleProject, .singleProjectError, .requireIndexes, .version, .help, .licenses, .testing,
        .allowOwner:
        true
      case .host, .port, .rules, .project, .seed, .importData, .exportOnExit, .exportName, .functions,
        .webSocketPort, .webChannelPort, .edition, .mode, .indexFile, .allowOrigin, .allowHost, .adminKeyFile:
        false
      }
    }

    var isRepeatable: Bool { self == .allowOrigin || self == .allowHost }
  }

  /// What was asked for.
  let request: Request

  /// Reads arguments as they come behind the jar: `--flag value`, `--flag=value`, switches alone or with `true` or
  /// `false`. Java's own `-D…`, `-jar FILE` and words that are no flags are passed over, as officially.
  init(_ arguments: [String]) throws(OfficialFlagError) {
    var values: [Flag: String] = [:]
    var repeated: [String] = []
    var index = 0
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "-jar" || argument == "-cp" {
        index += 1
        continue
      }
      guard argument.hasPrefix("--") else { continue }
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let flag = Flag(rawValue: String(parts[0])) else { continue }
      if parts.count == 2 {
        values[flag] = String(parts[1])
      } else if flag.isSwitch {
        if index < arguments.count, Self.boolean(arguments[index]) != nil {
          values[flag] = arguments[index]
          index += 1
        } else {
          values[flag] = "true"
        }
      } else {
        guard index < arguments.count else {
          throw OfficialFlagError(description: "Expected a value after parameter --\(flag.rawValue)")
        }
        values[flag] = arguments[index]
        index += 1
      }
      if flag.isRepeatable, let value = values[flag] { repeated += ["--" + flag.rawValue, value] }
    }
    request = try Self.request(values, repeated)
  }

  private static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true": true
    case "false": false
    default: nil
    }
  }

  private static func request(
    _ values: [Flag: String], _ repeated: [String]
  ) throws(OfficialFlagError) -> Request {
    if isOn(.help, values) { return .help }
    if isOn(.version, values) || isOn(.licenses, values) { return .version }
    if let mode = values[.mode], mode.lowercased().contains("datastore") {
      throw OfficialFlagError(description: "--database-mode=\(mode) is not served: documents only")
    }
    if let edition = values[.edition], edition.lowercased() != "standard" {
      throw OfficialFlagError(
        description: "--database-edition=\(edition) is not served: the standard edition only")
    }
    if values[.exportName] != nil, values[.exportOnExit] == nil {
      throw OfficialFlagError(description: "Export path not provided along with export name")
    }
    var options = ["--host", values[.host] ?? "localhost", "--port", values[.port] ?? "8080"]
    for (flag, option) in [
      (Flag.rules, "--rules"), (.project, "--project"), (.seed, "--import"), (.importData, "--import"),
      (.exportOnExit, "--export-on-exit"), (.exportName, "--export-name"),
      (.functions, "--functions-emulator"), (.webSocketPort, "--requests-port"),
      (.adminKeyFile, "--admin-key-file"),
    ] {
      if let value = values[flag], !value.isEmpty { options += [option, value] }
    }
    if isOn(.allowOwner, values) { options.append("--allow-owner") }
    return .serve(options + repeated + (try singleProject(values)))
  }

  private static func singleProject(_ values: [Flag: String]) throws(OfficialFlagError) -> [String] {
    guard isOn(.singleProject, values) else {
      if isOn(.singleProjectError, values) {
        throw OfficialFlagError(
          description: "Expected single_project_mode to be set for single_project_mode_error")
      }
      return []
    }
    guard values[.project] != nil else {
      throw OfficialFlagError(description: "Expected project_id to be set for single_project_mode")
    }
    return ["--single-project", isOn(.singleProjectError, values) ? "error" : "warn"]
  }

  private static func isOn(_ flag: Flag, _ values: [Flag: String]) -> Bool {
    values[flag].map { boolean($0) ?? true } ?? false
  }
}
