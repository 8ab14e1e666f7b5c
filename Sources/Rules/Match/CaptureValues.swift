/// From a match to the values of its captures.

internal import DocModel

extension Evaluation {
  /// Makes the captures of a match the current ones: strings, paths for globs, faults for what a
  /// query leaves open.
  @inline(__always)
  func bindCaptures(_ match: BlockMatch, count: Int) {
    let first = Int(match.firstRange)
    for index in 0..<count {
      let range = matches.ranges[first + index]
      if range.isUnknown {
        captures[index] = range.isGlob ? openGlob() : .fault(.nullValue, node: 0, detail: -1)
      } else if range.isGlob {
        captures[index] = globPath(range)
      } else {
        captures[index] = .string(segments[Int(range.start)])
      }
    }
  }

  /// A path, but one whose segments nobody knows. Source: the official emulator.
  private func openGlob() -> Operand {
    let start = arena.allocate(PathSegment.self, count: 1)
    start.initialize(to: PathSegment(name: ByteView(WireCursor.empty), isGlob: true))
    return .path(UnsafePointer(start), 1)
  }

  private func globPath(_ range: CaptureRange) -> Operand {
    let count = Int(range.count)
    let start = arena.allocate(PathSegment.self, count: count)
    for index in 0..<count {
      (start + index).initialize(to: PathSegment(text: segments[Int(range.start) + index]))
    }
    return .path(UnsafePointer(start), count)
  }
}
