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
    // Ids of projects are letters, digits and hyphens; those of tests may have more, and old ones a domain.
    guard project.utf8.allSatisfy({ $0.isWordByte || "-.:".utf8.contains($0) }) else {
      throw ValidationError("--project takes an id of letters, digits and -_.: signs, found '\(project)'")
    }
    do {
      _ = try ResourceNameParser.database("projects/\(project)/databases/\(database)")
    } catch {
      throw ValidationError("'\(project)', '\(database)': \(error.message)")
    }
  }
}
