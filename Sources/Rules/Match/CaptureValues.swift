/// From a match to the values of its captures.

internal import DocModel

extension Evaluation {
  /// Makes the captures of a block that applies the current ones: strings, paths for globs, faults for what a
  /// query leaves open.
  @inline(__always)
  func bindCaptures(_ places: UnsafeBufferPointer<CapturePlace>) {
    if matches.elements.count != 0 { return bindOpenCaptures(places) }
    for index in places.indices {
      let start = places[index].start(in: segmentCount)
      captures[index] =
        places[index].kind == .segment
        ? .string(segments[start]) : globPath(start, places[index].globCount(in: segmentCount))
    }
  }

  /// The captures of a query's path. Source: the official emulator.
  private func bindOpenCaptures(_ places: UnsafeBufferPointer<CapturePlace>) {
    for (index, place) in places.enumerated() {
      let start = place.start(in: segmentCount)
      switch place.kind {
      case .glob: captures[index] = globPath(start, place.globCount(in: segmentCount))
      case .closedGlob: captures[index] = .fault(.nullValue, node: 0, detail: -1)
      case .segment:
        captures[index] =
          matches.elements[start] == .known
          ? .string(segments[start]) : .fault(.nullValue, node: 0, detail: -1)
      }
    }
  }

  /// A path. What a query leaves open is a placeholder without a name.
  private func globPath(_ first: Int, _ count: Int) -> Operand {
    let start = arena.allocate(PathSegment.self, count: count)
    for index in 0..<count {
      let element = matches.elements.count == 0 ? .known : matches.elements[first + index]
      let segment =
        element == .known
        ? PathSegment(text: segments[first + index])
        : PathSegment(name: ByteView(WireCursor.empty), isGlob: element == .unknownParents)
      (start + index).initialize(to: segment)
    }
    return .path(UnsafePointer(start), count)
  }
}
