/// The apps whose functions are built in.

public import DocModel
public import DocStore
public import Triggers

/// An app of this repository. Its name is what `docsh serve --triggers` takes.
public enum Pack: String, CaseIterable, Sendable {
  case inspired
  case yogaStudio = "yoga-studio"
  case shaolin
  case pilates
  case fitcoach

  /// All names, for people.
  public static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The functions that run when documents change, for one runner. Throws only if a pattern of the pack is wrong.
  public func triggers<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>
  ) throws(InvalidArgument) -> [DocumentTrigger] {
    switch self {
    case .inspired: try InspiredTriggers(store).all
    case .yogaStudio: try YogaStudioTriggers(store).all
    case .shaolin: try ShaolinTriggers(store).all
    case .pilates: try PilatesTriggers(store).all
    case .fitcoach: try FitCoachTriggers(store).all
    }
  }

  /// The functions that run at certain times. Throws only if a schedule of the pack is wrong.
  public func schedules<Engine: StorageEngine>(
    _ store: DocumentStore<Engine>
  ) throws(InvalidArgument) -> [ScheduledFunction] {
    switch self {
    case .inspired, .shaolin, .pilates: []
    case .yogaStudio: try YogaStudioTriggers(store).scheduled
    case .fitcoach: try FitCoachTriggers(store).schedules
    }
  }
}
