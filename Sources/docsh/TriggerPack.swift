/// The triggers that come with this program.

import ArgumentParser
import DocModel
import DocStore
import EngineLMDB
import Triggers

/// A pack whose triggers are written in Swift and built in.
enum TriggerPack: String, CaseIterable, ExpressibleByArgument {
  case inspired

  /// A runner that delivers what is committed from now on; complains and ends when it cannot be made.
  func runner(_ store: DocumentStore<LMDBEngine>) throws -> TriggerRunner<LMDBEngine> {
    let complaint: String
    do {
      let triggers =
        switch self {
        case .inspired: try InspiredTriggers(store).all
        }
      return try TriggerRunner(store, triggers) { Self.tell($0) }
    } catch let error as StoreError {
      complaint = error.message
    } catch {
      complaint = "\(error)"
    }
    Terminal.complain("cannot start the triggers of \(rawValue): \(complaint)")
    throw ExitCode(ExitStatus.failure)
  }

  private static func tell(_ report: TriggerReport) {
    switch report {
    case .deadLetter(let letter):
      Terminal.complain(
        "trigger \(letter.trigger) gave up on \(letter.event.path) after \(letter.attempts) attempts: "
          + letter.reason)
    case .loop(let trigger, let event, let cycle):
      Terminal.complain("trigger \(trigger) is in a circle, event \(event) is not delivered: \(cycle)")
    case .missed(let database, let version, let trigger):
      Terminal.complain(
        "trigger \(trigger) missed changes of \(database) after version \(version): they are no longer kept")
    case .unwritable(let error):
      Terminal.complain("what triggers have done is not written down and would be done again: \(error)")
    case .unreadable(let database, let error):
      Terminal.complain("triggers cannot read \(database?.description ?? "the databases"): \(error.message)")
    }
  }
}
