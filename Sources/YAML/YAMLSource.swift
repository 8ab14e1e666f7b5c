/// Where YAML text comes from: bytes in memory, or a file that is read in pieces.

internal import Platform

/// A named text that can be read from any place, more than once.
///
/// A file stays open as long as the source lives, so that every pass reads the same file even when its
/// name is given to another one meanwhile. Reading keeps no position: it may happen from any thread.
public final class YAMLSource: Sendable {
  private enum Content: Sendable {
    case bytes([UInt8])
    case file(descriptor: Int32)
  }

  /// What messages call the source, normally the path as the user gave it.
  public let name: String
  private let content: Content

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    content = .bytes(bytes)
  }

  public convenience init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// Opens a regular file.
  public init(path: String) throws(YAMLSourceError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw YAMLSourceError(path: path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw YAMLSourceError(path: path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw YAMLSourceError(path: path, reason: "it is not a regular file")
    }
    name = path
    content = .file(descriptor: descriptor)
  }

  deinit {
    if case .file(let descriptor) = content { close(descriptor) }
  }

  /// How many bytes there are now. Nil when the file cannot be asked.
  public var byteCount: Int? {
    switch content {
    case .bytes(let bytes): return bytes.count
    case .file(let descriptor):
      var status = stat()
      return fstat(descriptor, &status) == 0 ? Int(status.st_size) : nil
    }
  }

  /// A value that differs when a file was changed in place (size and time of change); constant for
  /// bytes in memory.
  public var fingerprint: [Int] {
    guard case .file(let descriptor) = content else { return [] }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return [-1] }
    return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  /// Fills `buffer` from `offset` on, with as much as there is.
  ///
  /// - Returns: how many bytes were read, 0 at the end; nil after a read error, with `errno` set.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    switch content {
    case .bytes(let bytes):
      let count = min(buffer.count, bytes.count - offset)
      guard count > 0 else { return 0 }
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
      }
      return count
    case .file(let descriptor):
      while true {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
        if count >= 0 { return count }
        guard errno == EINTR else { return nil }
      }
    }
  }

  /// An error together with the line it speaks of.
  public func diagnostic(for error: YAMLError) -> YAMLDiagnostic {
    YAMLDiagnostic(
      file: name, mark: error.mark, message: error.text, sourceLine: line(Int(error.mark.line)) ?? "")
  }

  /// The text of one line, counted from 1, without its line break. Costs a walk from the start.
  public func line(_ number: Int) -> String? {
    var lines = LineScanner(source: self)
    return lines.line(number)
  }

  /// The place of a byte. Costs a walk from the start.
  public func mark(ofByte offset: Int) -> YAMLMark {
    var lines = LineScanner(source: self)
    return lines.mark(ofByte: offset)
  }
}

/// A file that cannot be opened or read.
public struct YAMLSourceError: Error, Hashable, Sendable, CustomStringConvertible {
  public let path: String
  /// The system's words: `No such file or directory`.
  public let reason: String

  init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }

  init(path: String, code: Int32) {
    self.init(path: path, reason: String(cString: strerror(code)))
  }

  public var description: String { "cannot read \(path): \(reason)" }
}
