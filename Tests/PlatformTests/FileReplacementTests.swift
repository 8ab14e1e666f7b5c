import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct FileReplacementTests {
  private let folder = TemporaryFolder()
  private var file: String { folder.path + "/file" }

  private func text(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  private func mode(_ path: String) -> mode_t? {
    var state = stat()
    return stat(path, &state) == 0 ? state.st_mode & 0o7777 : nil
  }

  private func isLink(_ path: String) -> Bool {
    var state = stat()
    return lstat(path, &state) == 0 && state.st_mode & S_IFMT == S_IFLNK
  }

  @Test("the file is the old one until the new one is whole", arguments: [false, true])
  func whole(isDurable: Bool) throws {
    try writeFile(file, "old")
    let new = try FileReplacement(of: file)
    try new.write(Array("ne".utf8))
    try new.write(Array("w".utf8))
    #expect(text(file) == "old")
    #expect(folder.names.count == 2)
    try new.finish(isDurable: isDurable)
    #expect(text(file) == "new")
    #expect(folder.names == ["file"])
  }

  @Test("a file that is new is made, as the process makes files")
  func made() throws {
    try FileReplacement.replace(file, with: Array("new".utf8))
    #expect(text(file) == "new")
    let other = folder.path + "/other"
    close(open(other, O_WRONLY | O_CREAT, 0o666))
    #expect(mode(file) == mode(other))
  }

  @Test("permissions stay, or are what is asked for")
  func permissions() throws {
    try writeFile(file, "old")
    for kept: mode_t in [0o600, 0o666, 0o755, 0o4710] {
      chmod(file, kept)
      try FileReplacement.replace(file, with: [])
      #expect(mode(file) == kept)
    }
    try FileReplacement.replace(file, with: [], permissions: .exactly(0o600))
    #expect(mode(file) == 0o600)
  }

  @Test("links stay; the file that they lead to is replaced, or made", arguments: [true, false])
  func links(exists: Bool) throws {
    mkdir(folder.path + "/deep", 0o755)
    let target = folder.path + "/deep/target"
    if exists { try writeFile(target, "old") }
    // A link to a link, one of them relative.
    #expect(symlink("target", folder.path + "/deep/inner") == 0)
    #expect(symlink("deep/inner", file) == 0)
    try FileReplacement.replace(file, with: Array("new".utf8), isDurable: true)
    #expect(text(target) == "new")
    #expect(isLink(file) && isLink(folder.path + "/deep/inner") && !isLink(target))
    #expect(folder.names == ["deep", "file"])
    #expect(symlink("circle", folder.path + "/circle") == 0)
    #expect(throws: FileReplacement.Failure(path: folder.path + "/circle", code: ELOOP)) {
      try FileReplacement.replace(folder.path + "/circle", with: [])
    }
  }

  @Test("a full disk leaves the file as it was, and no draft")
  func fullDisk() throws {
    try writeFile(file, "old")
    let new = try FileReplacement(of: file)
    // The draft is on a full disk from here on.
    let full = open("/dev/full", O_WRONLY)
    try #require(full >= 0)
    defer { close(full) }
    try #require(dup2(full, new.descriptor) >= 0)
    let failure = #expect(throws: FileReplacement.Failure.self) { try new.write([1]) }
    #expect(failure?.description == "cannot write `\(file)`: No space left on device")
    new.discard()
    #expect(text(file) == "old")
    #expect(folder.names == ["file"])
  }

  @Test("who gives up, by word or by forgetting it, leaves the file as it was, and no draft")
  func givenUp() throws {
    try writeFile(file, "old")
    do {
      let new = try FileReplacement(of: file)
      try new.write([1])
    }
    #expect(folder.names == ["file"])
    let new = try FileReplacement(of: file)
    new.discard()
    new.discard()
    #expect(text(file) == "old")
    #expect(folder.names == ["file"])
  }

  @Test("what is no plain file, and where nothing can be made, is refused")
  func refused() throws {
    mkfifo(folder.path + "/pipe", 0o600)
    for (path, code) in [
      (folder.path, EISDIR), (folder.path + "/pipe", ENOTSUP), ("/dev/null", ENOTSUP),
      (folder.path + "/none/file", ENOENT),
    ] {
      #expect(throws: FileReplacement.Failure(path: path, code: code)) {
        try FileReplacement.replace(path, with: [])
      }
    }
    #expect(folder.names == ["pipe"])
  }

  @Test("a folder that has taken the name meanwhile fails it, and the draft is gone")
  func renameFails() throws {
    let new = try FileReplacement(of: file)
    mkdir(file, 0o755)
    #expect(throws: FileReplacement.Failure(path: file, code: EISDIR)) { try new.finish() }
    #expect(folder.names == ["file"])
  }

  @Test("a fixed draft is written over what a crash left; it may stay open")
  func fixed() throws {
    try writeFile(file + ".new", "what a crash left")
    let new = try FileReplacement(of: file, draft: .fixed)
    #expect(folder.names == ["file.new"])
    try new.write(Array("new".utf8))
    let descriptor = try new.finishOpen()
    defer { close(descriptor) }
    try Descriptor.writeAll(Array("er".utf8), to: descriptor)
    #expect(text(file) == "newer")
    #expect(folder.names == ["file"])
    try FileReplacement.syncFolder(of: file)
  }

  @Test("of several that replace one file the last one wins, and it is whole")
  func several() throws {
    try runThreads(4) { index in
      for _ in 0..<50 {
        try FileReplacement.replace(file, with: [UInt8](repeating: UInt8(index + 48), count: 999))
      }
    }
    let found = try #require(text(file))
    #expect(found.utf8.count == 999 && Set(found.utf8).count == 1)
    #expect(folder.names == ["file"])
  }
}
