/// `--project` and `--database`, as every command takes them.

import ArgumentParser
import DocModel

enum DatabaseOption {
  /// Complains about ids that no resource name can hold.
  static func check(_ project: String, _ database: String = "(default)") throws {
    for (option, id) in [("--project", project), ("--database", database)]
    where id.isEmpty || id.contains("/") {
      throw ValidationError("\(option) takes an id without slashes, found '\(id)'")
    }
    do {
      _ = try ResourceNameParser.database("projects/\(project)/databases/\(database)")
    } catch {
      throw ValidationError("'\(project)', '\(database)': \(error.message)")
    }
  }
}
