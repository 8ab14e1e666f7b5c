/// Reading on behind a mistake, so that all of a file's are told at once.

internal import YAML

extension [YAMLError] {
  /// What `body` reads; nil, and its mistake noted, where there is one.
  mutating func noting<R>(_ body: () throws(YAMLError) -> R) -> R? {
    do throws(YAMLError) { return try body() } catch {
      append(error)
      return nil
    }
  }
}
