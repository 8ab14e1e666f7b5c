/// `docsh indexes decode`: a link of the console as a fragment of a file.

import ArgumentParser
import DocStore
import Indexes

struct IndexesDecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Print the index definition in a link to the console.",
    discussion: """
      The service puts such a link into its refusal of a query that lacks an index. The definition is printed as \
      an entry for `indexes`, or for `fieldOverrides` where a field's own index is missing. Example:

        docsh indexes decode 'https://console.firebase.google.com/v1/r/project/p/firestore/indexes?create_composite=…'
      """)

  @Argument(help: "The link, or the value of its `create_composite=` or `create_exemption=`.")
  var link: String

  func run() throws {
    switch ConsoleLink.decoded(link) {
    case .composite(let definition, let database):
      Terminal.report("docsh: an entry for `indexes` of \(database)")
      Terminal.say(IndexFileText.composite(CompositeIndex(definition)))
    case .singleField(let path, let index, let collectionID, let database):
      Terminal.report(
        "docsh: an entry for `fieldOverrides` of \(database), which keeps the automatic indexes")
      Terminal.say(
        IndexFileText.override(
          FieldOverride(
            collectionID: collectionID, path: path,
            indexes: FieldOverride.automatic.contains(index)
              ? FieldOverride.automatic : FieldOverride.automatic + [index])))
    case nil:
      throw Terminal.end(ExitStatus.badInput, "this is no link that carries an index")
    }
  }
}
