/// A shell at a terminal: prompt, statement, answer.

import DocModel
import Platform

enum Conversation {
  static func run(_ session: Session, readsRC: Bool) -> Int32 {
    session.console.note("docsh on \(session.backend.location); :help tells what there is, Ctrl-D ends")
    let keyboard = Keyboard.open()
    prepare(session, keyboard)
    if readsRC { self.readRC(session) }
    guard let keyboard else { return plain(session) }
    return edited(session, keyboard)
  }

  /// Lines with the editor.
  private static func edited(_ session: Session, _ keyboard: Keyboard) -> Int32 {
    let completer = Completer(session)
    let editor = LineEditor(keyboard, adviser: completer)
    let file = HistoryFile(project: session.backend.database.project)
    file?.trim()
    editor.history = file?.read() ?? []
    var status = ShellStatus.success
    while session.exitStatus == nil {
      completer.history = editor.history
      // What ended the last statement is not to end what completion asks.
      Interruption.clear()
      switch editor.read(prompt: session.prompt) {
      case .end: return status
      case .given: continue
      case .statement(let typed):
        let statements = StatementAssembler.pieces(typed).map(\.text)
        if statements.isEmpty { continue }
        if editor.history.last != typed {
          editor.history.append(typed)
          file?.add(typed)
        }
        session.history.append(typed)
        Interruption.clear()
        for statement in statements.flatMap({ Session.parts($0) }) where session.exitStatus == nil {
          status = session.perform(statement)
          if status == ShellStatus.interrupted { break }
        }
        completer.forget()
      }
    }
    return session.exitStatus ?? status
  }

  /// Lines as the terminal gives them, for those that know no more.
  private static func plain(_ session: Session) -> Int32 {
    var status = ShellStatus.success
    var assembler = StatementAssembler()
    let input = InputLines(STDIN_FILENO)
    while session.exitStatus == nil {
      let prompt = assembler.isOpen ? "... " : session.prompt
      _ = Console.write(Array(prompt.utf8), to: STDOUT_FILENO)
      switch input.next() {
      case .line(let line):
        // Somebody waits for the answer: only what cannot end goes on.
        let before = assembler.take(line)
        let pieces = [before, assembler.isComplete ? assembler.takeRest() : nil].compactMap { $0 }
        for piece in pieces {
          session.history.append(piece.text)
          Interruption.clear()
          for part in Session.parts(piece.text) where session.exitStatus == nil {
            status = session.perform(part)
            if status == ShellStatus.interrupted { break }
          }
        }
      case .interrupted:
        // The line is given up, as where it can be edited.
        Interruption.clear()
        assembler.clear()
        _ = Console.write([0x0A], to: STDOUT_FILENO)
      case .end, .failed, .tooLong: return status
      }
    }
    return session.exitStatus ?? status
  }

  // MARK: what a terminal adds

  /// Asks a question on the terminal.
  static func ask(_ question: String) -> Bool {
    _ = Console.write(Array("\(question) [y/N] ".utf8), to: STDOUT_FILENO)
    // Ctrl-C and Ctrl-D mean no.
    guard case .line(let answer) = InputLines(STDIN_FILENO).next() else { return false }
    return ["y", "yes"].contains(answer.lowercased())
  }

  private static func prepare(_ session: Session, _ keyboard: Keyboard?) {
    session.ask = { ask($0) }
    session.edit = { edited($0) }
    guard let keyboard else { return }
    session.askMore = { more(keyboard) }
    session.openPager = {
      let command = getenv("PAGER").map { String(cString: $0) } ?? "less -R"
      return try? Program(command, readsResults: true)
    }
  }

  private static func more(_ keyboard: Keyboard) -> MoreAnswer {
    _ = Console.write(Array("-- more (Space, q) --".utf8), to: STDOUT_FILENO)
    defer { _ = Console.write(Array("\r\u{1B}[K".utf8), to: STDOUT_FILENO) }
    keyboard.makeRaw()
    defer { keyboard.restore() }
    while true {
      switch keyboard.key() {
      case .text(" "), .enter, .down: return .more
      case .text("q"), .control("c"), .control("d"), .escape, .closed: return .enough
      default: continue
      }
    }
  }

  /// The text as the user's editor left it.
  private static func edited(_ text: String) -> String? {
    var template = Array("/tmp/docsh-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    let isWritten = Console.write(Array((text + "\n").utf8), to: descriptor)
    guard close(descriptor) == 0, isWritten else { return nil }
    let program = (getenv("VISUAL") ?? getenv("EDITOR")).map { String(cString: $0) } ?? "vi"
    guard (try? Program.run("\(program) \(path)")) != nil, let bytes = try? ScriptFile.contents(path) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `$XDG_CONFIG_HOME/docsh/rc`, or `~/.config/docsh/rc`: statements that every conversation begins with.
  private static func readRC(_ session: Session) {
    let base =
      getenv("XDG_CONFIG_HOME").map { String(cString: $0) }
      ?? getenv("HOME").map { String(cString: $0) + "/.config" }
    guard let base, access(base + "/docsh/rc", R_OK) == 0 else { return }
    _ = session.perform(":read \(base)/docsh/rc")
  }
}
