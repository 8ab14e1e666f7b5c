/// The files that `docsh serve` finds by itself.

/// A command with the files of the project that the working directory belongs to.
struct ServedProject {
  let command: ServeCommand
  /// What was found; nil when nothing was looked for or there is nothing.
  let line: String?

  /// Looks only where the command line names no rules, no indexes, and does not ask to do without them.
  static func complete(_ command: ServeCommand) -> ServedProject {
    let isNamed = !command.rules.isEmpty || !command.indexes.isEmpty || command.config != nil
    let goesWithout =
      command.profile.open || command.profile.withoutRules != nil || command.announcesOfficially
    guard !isNamed, !goesWithout, let files = ProjectFiles.find() else {
      return ServedProject(command: command, line: nil)
    }
    return complete(command, with: files)
  }

  static func complete(_ command: ServeCommand, with files: ProjectFiles) -> ServedProject {
    var command = command
    command.config = files.config
    if let rules = files.rules { command.rules = [rules] }
    if let indexes = files.indexes { command.indexes = [indexes] }
    var taken = [files.config, files.rules, files.indexes].compactMap { $0 }
    // A suite alone says nothing of a server.
    if taken.isEmpty { return ServedProject(command: command, line: nil) }
    // Data that is there already is not to be written over.
    if command.seed == nil, command.importPath == nil, command.dataFolder == nil, command.store == nil,
      let seed = files.seed
    {
      command.seed = seed
      taken.append(seed)
    }
    return ServedProject(command: command, line: "docsh: found \(taken.joined(separator: ", "))")
  }
}
