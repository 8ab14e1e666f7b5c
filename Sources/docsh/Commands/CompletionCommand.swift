/// `docsh completion`: what makes a shell complete our commands.

import ArgumentParser

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print a script that makes bash, zsh or fish complete docsh's commands and options.",
    discussion: """
      The Debian package and `make install` put the scripts where shells look for them. Otherwise:

        echo 'source <(docsh completion bash)' >> ~/.bashrc
        docsh completion zsh > "${fpath[1]}/_docsh"
        docsh completion fish > ~/.config/fish/completions/docsh.fish
      """)

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "The shell.")
  var shell: Shell

  func run() {
    let dialect: CompletionShell =
      switch shell {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    Terminal.say(Docsh.completionScript(for: dialect))
  }
}
