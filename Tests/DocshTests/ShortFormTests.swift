import ArgumentParser
import Testing

@testable import docsh

@Suite("the short way of reading a command line")
struct ShortFormTests {
  @Test(
    "what it reads is what the library reads",
    arguments: [
      [], ["--rules", "a.rules", "--port", "0"], ["--rules=a.rules", "--rules", "audit=b.rules"],
      ["--open", "--terse", "--project", "x", "--log-level=info", "--log-format", "json"],
      ["--profile", "emulator", "--keep-broken-rules", "--stop-grace", "2", "--single-project=warn"],
      ["--rest-strict"], ["--no-rest-strict"], ["--no-rules", "allow", "--memory-budget", "1GiB"],
      ["--tls-cert", "a.pem", "--tls-key", "b.pem"], ["--allow-host", "*.example", "--allow-host=b.example"],
      ["--data-dir", "a b", "--seed", "ä.yaml"],
    ])
  func same(arguments: [String]) throws {
    let short: ServeCommand = try #require(ShortForm.read(arguments[...]))
    #expect(try values(short) == values(ServeCommand.parse(arguments)))
  }

  @Test(
    "what has to be explained is left to the library",
    arguments: [
      ["--help"], ["-h"], ["--version"], ["help"], ["rules.rules"], ["--"], ["---open"], ["--rulez", "a"],
      ["--rules"], ["--rules="], ["--rules", ""], ["--rules", "--open"], ["--rules", "-"], ["--port", "-1"],
      ["--port", "x"], ["--port", "65536"], ["--port", "1", "--port", "2"], ["--open=true"],
      ["--open", "--open"],
      ["--rest-strict", "--no-rest-strict"], ["--no-open"], ["--profile", "other"], ["--tls-key", "a"],
      ["--open", "--no-rules", "deny"], ["--allow-origin", "a b"], ["--memory-budget", "1MiB"],
      ["--project", "a/b"], ["--stop-grace", "9999"], ["--generate-completion-script", "bash"],
    ])
  func left(arguments: [String]) {
    let short: ServeCommand? = ShortForm.read(arguments[...])
    #expect(short == nil)
  }

  /// So that no option is read by the library alone, or otherwise than by it.
  @Test("every option, with texts of all kinds")
  func everyOption() throws {
    let texts = [
      "7", "text", "a=b", "256MiB", "production", "emulator", "allow", "terse", "off", "any", "auto", "info",
      "json", "https://a.example", "read-only", "2026-03-01", "",
    ]
    for (name, kind) in try options(ServeCommand()) {
      let lines: [[String]] =
        switch kind {
        case .flag: [["--" + name]]
        case .pair: [["--" + name], ["--no-" + name]]
        case .text: texts.flatMap { [["--" + name, $0], ["--\(name)=\($0)"]] }
        }
      // One text in both forms: the library takes its time.
      var readings = 0
      for line in lines where readings < 2 {
        // Neither goes without the other.
        let other = name == "tls-key" ? "--tls-cert" : "--tls-key"
        let line = name.hasPrefix("tls-") ? line + [other, "x"] : line
        guard let short: ServeCommand = ShortForm.read(line[...]) else { continue }
        readings += 1
        #expect(try values(short) == values(ServeCommand.parse(line)), "\(line)")
      }
      #expect(readings > 0, "\(name)")
    }
  }

  @Test("help has every option")
  func help() throws {
    let help = ServeCommand.helpMessage(columns: 200)
    for (name, kind) in try options(ServeCommand()) {
      #expect(help.contains(kind == .pair ? "--\(name)/--no-\(name)" : "--\(name) "), "\(name)")
    }
  }

  // MARK: what is declared

  private func values(_ command: ServeCommand) throws -> [String] {
    try survey(command).values
  }

  private func options(_ command: ServeCommand) throws -> [(String, Survey.Kind)] {
    try survey(command).options
  }

  private func survey(_ command: ServeCommand) throws -> Survey {
    var command = command
    var survey = Survey()
    try command.showOptions(to: &survey)
    return survey
  }
}

/// All options with their values.
private struct Survey: OptionVisitor {
  enum Kind { case flag, pair, text }

  private(set) var options: [(String, Kind)] = []
  private(set) var values: [String] = []

  mutating func visit<Value>(_ option: inout CommandOption<Value>) {
    values.append("\(option.name): \(option.wrappedValue)")
    switch option.form {
    case .flag: options.append((option.name, .flag))
    case .pair: options.append((option.name, .pair))
    case .single, .list: options.append((option.name, .text))
    }
  }

  mutating func visit<Group: CommandOptions>(_ title: String, _ group: inout Group) throws {
    try group.showOptions(to: &self)
  }
}
