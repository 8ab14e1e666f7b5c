import Platform
import TestSupport
import Testing

@testable import docsh

@Suite("files that a server reads again")
struct ServedFilesTests {
  /// What happens to `a.rules`, and whether that is a change.
  @Test(
    "a change is told once, by what the file is and not by its name",
    arguments: [
      ("nothing", false), ("written", true), ("renamed over", true), ("removed", true), ("touched", true),
      ("another file written", false),
    ])
  func changes(what: String, isChange: Bool) throws {
    let temporary = TemporaryFolder()
    let folder = temporary.path
    let path = folder + "/a.rules"
    try FileAccess.write(Array("a".utf8), to: path)
    var files = ServedFiles(
      try DatabaseFiles("rules", [path], config: nil), try DatabaseFiles("indexes", [], config: nil),
      try TriggerSources(nil, sink: nil, folder: nil), config: nil)
    #expect(files.folders == [folder])
    switch what {
    case "written": try FileAccess.write(Array("bc".utf8), to: path)
    case "renamed over":
      try FileAccess.write(Array("a".utf8), to: folder + "/new")
      #expect(rename(folder + "/new", path) == 0)
    case "removed": #expect(unlink(path) == 0)
    case "touched":
      var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
      #expect(utimes(path, &times) == 0)
    case "another file written": try FileAccess.write([1], to: folder + "/b.rules")
    default: break
    }
    #expect(files.takeChanged(all: false) == (isChange ? [path] : []))
    #expect(files.takeChanged(all: false) == [])
    #expect(files.takeChanged(all: true) == [path])
  }
}
