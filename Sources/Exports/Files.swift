/// Files of an export, without buffering the whole of one.

internal import Platform

extension Folders {
  /// The first file in a folder whose name ends so; nil when there is none.
  static func file(in folder: String, endingWith suffix: String) -> String? {
    let names = entries(of: folder)?.filter { $0.hasSuffix(suffix) } ?? []
    return names.min { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { folder + "/" + $0 }
  }
}

/// A new file. Owned by whoever writes it, on one thread.
final class OutputFile {
  private static let bufferBytes = 256 << 10

  static var failed: ExportError { ExportError(.unwritable, "failed to write export") }

  /// Makes a folder and those above it.
  static func makeFolder(_ path: String) throws(ExportError) {
    do throws(SystemError) { try Folders.make(path) } catch { throw failed }
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Bytes written so far.
  private(set) var count = 0

  init(_ path: String) throws(ExportError) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failed }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func write(_ bytes: [UInt8]) throws(ExportError) {
    buffer += bytes
    count += bytes.count
    if buffer.count >= Self.bufferBytes { try flush() }
  }

  func flush() throws(ExportError) {
    do throws(SystemError) { try Descriptor.writeAll(buffer, to: descriptor) } catch { throw Self.failed }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// A file that is read from its beginning. Owned by whoever reads it, on one thread.
final class InputFile {
  private let descriptor: Int32

  /// Nil when it cannot be opened, or is a folder.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// So many bytes, or fewer at the end.
  func read(_ count: Int) throws(ExportError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        Platform.read(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
      }
      if got == 0 { break }
      if got < 0 {
        if errno == EINTR { continue }
        throw ExportError(.invalid, "Invalid record")
      }
      filled += got
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// All of a small file.
  func readAll(atMost limit: Int) throws(ExportError) -> [UInt8] {
    let bytes = try read(limit + 1)
    guard bytes.count <= limit else { throw ExportError(.invalid, "Invalid record") }
    return bytes
  }
}
