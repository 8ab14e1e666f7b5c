/// Files as commands read them, with complaints that name the file and the reason.

import DocModel
import Platform
import Suite

/// Why a file could not be read or written.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let reason: String
  var isWriting = false

  var description: String { "cannot \(isWriting ? "write" : "read") `\(path)`: \(reason)" }
}

enum FileAccess {
  /// LIMIT: no file that docsh reads whole is larger than this; seeds are streamed.
  static let wholeFileBytesMax = 64 << 20

  /// All bytes of a file.
  static func contents(of path: String) throws(FileError) -> [UInt8] {
    do throws(FileFailure) {
      return try FileContents.read(path, bytesMax: wholeFileBytesMax)
    } catch {
      throw FileError(path: path, reason: error.reason)
    }
  }

  /// All that comes through standard input.
  static func standardInput() throws(FileError) -> [UInt8] {
    do throws(FileFailure) {
      return try FileContents.standardInput(bytesMax: wholeFileBytesMax)
    } catch {
      throw FileError(path: "standard input", reason: error.reason)
    }
  }

  /// The text of a file, or of standard input for `-`, and what messages call it.
  static func source(_ path: String) throws(FileError) -> (name: String, bytes: [UInt8]) {
    path == "-" ? ("<stdin>", try standardInput()) : (path, try contents(of: path))
  }

  /// The same; complains and ends with `ExitStatus.badInput` when it cannot be read.
  static func required(_ path: String) throws -> (name: String, bytes: [UInt8]) {
    do throws(FileError) { return try source(path) } catch {
      throw Terminal.end(ExitStatus.badInput, error.description)
    }
  }

  /// Gives a file that is there new contents in one step, as `FileReplacement` does.
  static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
    guard access(path, F_OK) == 0 else { throw FileError(path: path, reason: systemMessage()) }
    do throws(FileReplacement.Failure) {
      try FileReplacement.replace(path, with: bytes, isDurable: true)
    } catch {
      throw FileError(path: path, reason: error.reason, isWriting: true)
    }
  }

  /// Writes a report: a new file, or the contents of one that is there (also of a device).
  static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw FileError(path: path, reason: systemMessage(), isWriting: true) }
    defer { close(descriptor) }
    do throws(SystemError) { try Descriptor.writeAll(bytes, to: descriptor) } catch {
      throw FileError(path: path, reason: error.description, isWriting: true)
    }
  }

  /// Files below `path` whose names end in `suffix`, in order; `path` itself when it is a file.
  ///
  /// A folder that can be reached in several ways, by symbolic links, is looked into once; what packages bring along is
  /// not looked into.
  static func files(below path: String, suffix: String) throws(FileError) -> [String] {
    var seen: Set<FolderID> = []
    return try files(below: path, suffix: suffix, &seen)
  }

  private struct FolderID: Hashable {
    let device: dev_t
    let number: ino_t
  }

  private static func files(
    below path: String, suffix: String, _ seen: inout Set<FolderID>
  ) throws(FileError) -> [String] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileError(path: path, reason: systemMessage()) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard seen.insert(FolderID(device: status.st_dev, number: status.st_ino)).inserted else { return [] }
    var found: [String] = []
    for name in try entries(of: path) where !name.hasPrefix(".") && name != "node_modules" {
      let child = Folders.joined(path, name)
      guard stat(child, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        found += try files(below: child, suffix: suffix, &seen)
      } else if name.hasSuffix(suffix) {
        found.append(child)
      }
    }
    return found
  }

  private static func entries(of folder: String) throws(FileError) -> [String] {
    guard let names = Folders.entries(of: folder) else {
      throw FileError(path: folder, reason: systemMessage())
    }
    return names.sorted { $0.precedesInBytes($1) }
  }

  /// The system's words for what just went wrong.
  static func systemMessage() -> String {
    SystemError(code: errno).description
  }
}
