/// Small suites for tests: a head that all share, and what came of the rest.

import Suite

enum SuiteKit {
  /// Line 1 is `version`; the sections that a test adds begin at line 44.
  static let head = """
    version: 1
    name: mini
    clock: 2026-03-01T09:00:00Z
    rules: |
      rules_version = '2';
      service cloud.firestore {
        match /databases/{db}/documents {
          function me() { return get(/databases/$(db)/documents/users/$(request.auth.uid)).data; }
          match /users/{id} {
            // @id users.get
            allow get: if request.auth != null && (request.auth.uid == id || resource.data.open == true);
            // @id users.list
            allow list: if request.auth != null && resource.data.open == true;
            // @id users.write
            allow write: if request.auth.uid == id;
          }
          match /notes/{id} {
            // @id notes.get
            allow get: if me().level > 1;
            // @id notes.create
            allow create: if request.resource.data.at == request.time;
            // @id notes.update
            allow update: if request.resource.data.n == resource.data.n + 1;
            // @id notes.delete
            allow delete: if request.auth.token.role == 'editor';
          }
          match /clock/{id} {
            // @id clock.get
            allow get: if request.time.year() == int(id);
          }
        }
      }
    personas:
      anon: null
      ann: {uid: ann}
      bob: {uid: bob, claims: {role: editor}}
    templates:
      user: {open: false, level: 1, tags: [a]}
    fixtures:
      users/ann: {$like: user, level: 2}
      users/bob: {$like: user}
      users/eve: {$like: user, open: true}
      notes/n: {n: 1, at: {$time: 2026-01-01T00:00:00Z}}

    """

  /// Lines of the head.
  static var headLines: Int { head.split(separator: "\n", omittingEmptySubsequences: false).count - 1 }

  static func load(_ sections: String, options: SuiteOptions = SuiteOptions()) throws(SuiteFailure) -> Suite {
    try Suite.load(text: head + sections, name: "mini.rules-test.yaml", options: options)
  }

  static func run(
    _ sections: String, options: SuiteOptions = SuiteOptions()
  ) throws(SuiteFailure) -> SuiteReport {
    try load(sections, options: options).run()
  }

  /// `passed`, or the lines of the failure: one text a case.
  static func outcomes(_ sections: String) throws(SuiteFailure) -> [String] {
    try run(sections).results.map { result in
      switch result.status {
      case .passed: "passed"
      case .failed(let lines): lines.map { "\($0.label): \($0.text)" }.joined(separator: "\n")
      case .skipped(let reason): "skipped: \(reason)"
      case .todo(let reason): "todo: \(reason)"
      case .todoPasses(let reason): "todo passes: \(reason)"
      }
    }
  }

  /// The first diagnostic of a suite that cannot be run, without the name of the file.
  static func complaint(_ text: String) -> String {
    do throws(SuiteFailure) {
      _ = try Suite.load(text: text, name: "x.yaml").run()
      return "no complaint"
    } catch {
      let first = error.description.split(separator: "\n").first.map(String.init) ?? ""
      return first.hasPrefix("x.yaml:") ? String(first.dropFirst(7)) : first
    }
  }

  /// As `complaint`, behind the head; lines are counted from the first of `sections`.
  static func complaint(in sections: String) -> String {
    let text = complaint(head + sections)
    guard let colon = text.firstIndex(of: ":"), let line = Int(text[..<colon]) else { return text }
    return "\(line - headLines)\(text[colon...])"
  }
}
