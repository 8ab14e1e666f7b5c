/// "Belongs to an event loop", as a check.
///
/// Whoever states that claim asks here where others come in: `assertInside` on hot paths, which costs release builds
/// nothing, and `preconditionInside` where something ends or begins, once in a connection's life. State without a
/// loop, as tests make it, belongs to whoever made it, and is not checked.

internal import NIOCore

extension Optional where Wrapped == any EventLoop {
  /// Debug builds end where this is another thread.
  @inline(__always)
  func assertInside(file: StaticString = #fileID, line: UInt = #line) {
    assert(
      self?.inEventLoop ?? true, "called outside of the event loop that owns this", file: file, line: line)
  }

  /// Every build ends where this is another thread.
  func preconditionInside(file: StaticString = #fileID, line: UInt = #line) {
    precondition(
      self?.inEventLoop ?? true, "called outside of the event loop that owns this", file: file, line: line)
  }
}
