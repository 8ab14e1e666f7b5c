/// Which pages and names a server trusts beyond its own machine, as options of `docsh serve`.

import ArgumentParser
import Wire

struct BrowserOptions: CommandOptions {
  @CommandOption(
    "allow-origin",
    help: ArgumentHelp(
      "Let pages of this origin (https://app.example, null, * for all) pass by the rules and administrate, as"
        + " pages of this machine may. May be repeated. See docs/browser-access.md.",
      valueName: "origin"))
  var origins: [String] = []

  @CommandOption(
    "allow-host",
    help: ArgumentHelp(
      "Serve HTTP under this name (db.example, *.example, * for all), beside those of this machine. May be"
        + " repeated.",
      valueName: "name"))
  var hosts: [String] = []

  mutating func showOptions(to visitor: inout some OptionVisitor) throws {
    try visitor.visit(&_origins)
    try visitor.visit(&_hosts)
  }

  func validate() throws {
    _ = try allowedOrigins
    _ = try allowedHosts
  }

  var allowedOrigins: [OriginPattern] {
    get throws {
      try origins.map { text in
        do throws(PatternError) { return try OriginPattern(text) } catch {
          throw ValidationError("--allow-origin: \(error)")
        }
      }
    }
  }

  var allowedHosts: [HostPattern] {
    get throws {
      try hosts.map { text in
        do throws(PatternError) { return try HostPattern(text) } catch {
          throw ValidationError("--allow-host: \(error)")
        }
      }
    }
  }

  /// Says what is no longer guarded.
  func warn() throws {
    if try allowedOrigins.contains(where: \.isAny) {
      Terminal.complain(
        "--allow-origin *: any page that a browser of this machine opens may read and write everything")
    }
    if try allowedHosts.contains(where: \.isAny) {
      Terminal.complain(
        "--allow-host *: pages whose names lead here (DNS rebinding) pass for pages of this machine")
    }
  }
}
