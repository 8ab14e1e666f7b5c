/// The user's folder of state: files of each project that last from one session to the next.

import Platform

enum StateFolder {
  /// `FOLDER/KIND-PROJECT`; nil when there is no folder for it.
  static func path(_ kind: String, project: String) -> String? {
    guard let folder else { return nil }
    let name = String(
      project.unicodeScalars.map { scalar -> Character in
        let isPlain =
          scalar.properties.isAlphabetic || scalar == "-" || scalar == "_" || ("0"..."9").contains(scalar)
        return isPlain ? Character(scalar) : "_"
      })
    return folder + "/" + kind + "-" + name
  }

  /// `$XDG_STATE_HOME/docsh`, or `~/.local/state/docsh`; made when it is missing.
  private static var folder: String? {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    let folders = folders(state: variable("XDG_STATE_HOME"), home: variable("HOME"))
    for folder in folders { mkdir(folder, 0o700) }
    return folders.last
  }

  /// The folder, behind all that it lies in. A path that is not absolute counts for nothing, as the XDG's
  /// specification has it: it would mean another folder wherever the shell is started.
  static func folders(state: String?, home: String?) -> [String] {
    let base: String
    if let state, state.hasPrefix("/") {
      base = state
    } else if let home, home.hasPrefix("/") {
      base = home + "/.local/state"
    } else {
      return []
    }
    var folders: [String] = []
    for part in (base + "/docsh").split(separator: "/") { folders.append((folders.last ?? "") + "/" + part) }
    return folders
  }

  /// Puts a text in the place of a file that nobody else may read; whether that succeeded.
  static func replace(_ path: String, with text: String) -> Bool {
    do throws(FileReplacement.Failure) {
      try FileReplacement.replace(path, with: Array(text.utf8), permissions: .exactly(0o600))
    } catch {
      return false
    }
    return true
  }

  /// A text on one line.
  static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "\\" ? Array("\\\\") : $0 == "\n" ? Array("\\n") : [$0] })
  }

  static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
