/// One project or any: what `--single-project-mode` says.
///
/// A mistyped project id gives an empty database instead of an error, which is hard to see. Source: the official
/// emulator; its texts.

internal import DocModel
package import Logging
internal import Synchronization

package struct ProjectPolicy: Sendable {
  private enum Kind {
    case any
    case warn(String, Told)
    case refuse(String)
  }

  private let kind: Kind
  private init(_ kind: Kind) { self.kind = kind }

  /// Every project springs into being.
  package static let any = ProjectPolicy(.any)

  /// Others are served, and told of once each.
  package static func warning(_ project: String, _ logger: Logger) -> ProjectPolicy {
    ProjectPolicy(.warn(project, Told(logger: logger)))
  }

  /// Others are refused.
  package static func refusing(_ project: String) -> ProjectPolicy { ProjectPolicy(.refuse(project)) }

  /// Throws for a project that is not served.
  func admit(_ project: String) throws(GRPCStatus) {
    switch kind {
    case .any: return
    case .warn(let own, let told):
      if !own.utf8.elementsEqual(project.utf8) {
        told.tell(project, Self.text("recommended", project, own))
      }
    case .refuse(let own):
      guard own.utf8.elementsEqual(project.utf8) else {
        throw GRPCStatus(.invalidArgument, Self.text("permitted", project, own))
      }
    }
  }

  private static func text(_ verb: String, _ project: String, _ own: String) -> String {
    "Multiple projectIds are not \(verb) in single project mode. Requested project ID \(project), but the "
      + "emulator is configured for \(own). To opt-out of single project mode add/set the "
      + "'\"singleProjectMode\": false' property in the firebase.json emulators config."
  }

  /// Which projects were told of.
  ///
  /// State and its guard: `projects` behind its mutex.
  fileprivate final class Told: Sendable {
    /// LIMIT: projects that are told of.
    private static let max = 100
    private let projects = Mutex<Set<[UInt8]>>([])
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    func tell(_ project: String, _ text: String) {
      let isNew = projects.withLock { projects in
        projects.count < Self.max && projects.insert(Array(project.utf8)).inserted
      }
      if isNew { logger.warning("\(text)", metadata: ["project": .string(project)]) }
    }
  }
}
