/// What the program around the shell does for it, because the parts for that are the program's.

package import DocModel

package struct ShellTools {
  /// Writes a seed file into a database, past the rules; a line about what that did.
  package typealias Seed =
    (_ file: String, _ database: DatabaseID, _ startsTriggers: Bool) throws(ShellToolFailure) -> String

  package var seed: Seed?

  package init(seed: Seed? = nil) { self.seed = seed }
}

package struct ShellToolFailure: Error {
  /// For people, with places in files.
  package let message: String
  /// Whether what was given is at fault, so that the same can never succeed.
  package let isInput: Bool

  package init(_ message: String, isInput: Bool) {
    self.message = message
    self.isInput = isInput
  }
}
