/// What the session does for a recorder: it shows it every request of a persona, before and after.

import Client
import Conditions
import DocModel
import DocStore
import Rules

/// A request that is about to be made, with what the rules say of it and the documents that they saw.
struct ObservedRequest {
  let request: RulesEvaluator.Request
  let form: RecordedForm
  let verdict: RulesEvaluator.Verdict
  /// Microseconds.
  let time: Int64
}

extension Session {
  // MARK: beginning and end

  func beginRecording(_ path: String) throws(ShellError) {
    if let recorder { throw .usage("\(recorder.path) is being recorded; ':record off' ends it") }
    guard let rules = try backend.rules() else { throw .failed("no rules are loaded, so nothing is judged") }
    guard let suites = tools.suites else { throw .failed("this shell cannot try what it would record") }
    if let old = try? ScriptFile.contents(path), !old.isEmpty { try confirm("replace `\(path)`") }
    recorder = try Recorder(
      path, try evaluator.ruleset(rules.name, rules.source), named: rules.name, source: rules.source,
      database: backend.database, now: now, suites: suites)
    console.note("recording what personas ask for in \(path); administrators are not judged")
  }

  func endRecording(_ why: String? = nil) {
    guard let recorder else { return }
    self.recorder = nil
    if let why { console.message("recording ends: \(why)") }
    guard recorder.caseCount > 0 else { return console.note("nothing was recorded") }
    do throws(ShellError) {
      for name in try recorder.settle() {
        console.message(
          "beside the other cases this one fails, so it is one to do: \(TextEscape.printable(name))")
      }
      let them = recorder.caseCount == 1 ? "it" : "them"
      console.note("\(recorder.caseText); `docsh test \(recorder.path)` runs \(them)")
    } catch {
      console.message("\(recorder.path): \(error.message)")
    }
  }

  // MARK: requests

  /// What the rules say of a request, before it is made.
  func observe(_ request: RulesEvaluator.Request, _ form: RecordedForm) -> ObservedRequest? {
    guard let recorder, !caller.isAdministrator else { return nil }
    returned = []
    isReturnedInPart = false
    do throws(ShellError) {
      guard backend.database == recorder.database else {
        endRecording("the session is in another database")
        return nil
      }
      guard let rules = try backend.rules(), rules.source == recorder.source else {
        endRecording("the rules are others now")
        return nil
      }
      if case .writes(let writes) = request, writes.count > Recorder.writesMax {
        throw .failed("a commit of \(writes.count) writes")
      }
      let time = now
      let verdict = try evaluator.judge(request, as: caller, by: recorder.rules)
      return ObservedRequest(request: request, form: form, verdict: verdict, time: time)
    } catch {
      console.message("not recorded: \(error.message)")
      return nil
    }
  }

  /// Notes a document of the result under way.
  func noteReturned(_ document: ShellDocument) {
    if recorder != nil, returned.count <= Recorder.returnedMax { returned.append(document.path) }
  }

  /// Keeps a request with what came of it.
  func record(_ observed: ObservedRequest?, failure: ShellError?) {
    guard let observed else { return }
    var isAllowed = failure == nil
    switch failure?.kind {
    case nil, .denied: break
    // What is watched goes on until somebody ends it. What follows is not to end, too.
    case .interrupted where observed.form == .listen:
      Interruption.clear()
      isAllowed = observed.verdict.denied == nil
    case .some:
      return console.message("not recorded: \(failure?.code ?? "it") is no verdict of the rules")
    }
    guard isAllowed == (observed.verdict.denied == nil) else {
      return console.message("not recorded: the server decided otherwise than its rules do here")
    }
    keep(observed, isAllowed: isAllowed, expectations: expectations(observed))
  }

  /// Keeps what `:expect` said, as it was written.
  func record(_ observed: ObservedRequest?, expected isAllowed: Bool, reason: String?) {
    guard let observed else { return }
    var expectation = isAllowed ? "allow" : "deny"
    if let reason {
      let isRule = recorder?.rules.allowIDs.contains { $0.hasSameBytes(as: reason) } == true
      let kinds = [
        "condition": "condition", "unmatched": "unmatched", "unprovable": "unprovable", "fault": "error",
      ]
      expectation =
        kinds[reason].map { "{deny: \($0)}" }
        ?? "{deny: true, \(isRule ? "at" : "because"): \(SuiteText.scalar(reason))}"
    }
    keep(observed, isAllowed: isAllowed, expectations: [expectation])
  }

  private func keep(_ observed: ObservedRequest, isAllowed: Bool, expectations: [String]) {
    guard let recorder else { return }
    do throws(Unrecordable) {
      let text = try RequestText(observed.request, as: observed.form)
      let documents = try documents(observed)
      try recorder.learn(documents)
      let persona = recorder.persona(caller)
      let recorded = RecordedCase(
        name: "\(persona) \(isAllowed ? "may" : "may not") \(text.title)", persona: persona,
        request: text.lines,
        expectation: expectations[0],
        seen: documents.map { ($0.key, $0.value?.fields) }.sorted { $0.0.text.precedesInBytes($1.0.text) })
      do throws(ShellError) {
        if let todo = try recorder.add(recorded, expectations: expectations, time: observed.time) {
          console.message("recorded as a case to do, for it fails: \(TextEscape.printable(todo))")
        }
      } catch {
        throw Unrecordable(reason: error.message)
      }
    } catch {
      console.message("not recorded: \(error.reason)")
    }
  }

  /// What the decision and the result saw; of queries also what the suite has in their collection.
  private func documents(_ observed: ObservedRequest) throws(Unrecordable) -> [ResourcePath: ShellDocument?] {
    var documents = observed.verdict.documents
    guard case .list(let query) = observed.request, observed.form != .count else { return documents }
    let wanted = (isReturnedWhole ? returned : []) + (recorder?.knownDocuments(of: query) ?? [])
    for path in wanted where documents[path] == nil {
      do throws(ShellError) { documents.updateValue(try backend.document(path), forKey: path) } catch {
        throw Unrecordable(reason: error.message)
      }
    }
    return documents
  }

  private var isReturnedWhole: Bool { !isReturnedInPart && returned.count <= Recorder.returnedMax }

  /// `expect` as exactly as the verdict is known, then more loosely.
  private func expectations(_ observed: ObservedRequest) -> [String] {
    guard let recorder else { return [] }
    if let denied = observed.verdict.denied {
      let facts = recorder.suites.expectation(denied.explanation, recorder.rules)
      var parts = ["deny: \(facts.kind)"]
      if case .writes(let writes) = observed.request, writes.count > 1 {
        let judged = observed.verdict.decisions.prefix { $0.explanation.isAllowed }.count
        parts.append("write: \(judged)")
      }
      if let rule = facts.rule { parts.append("at: \(SuiteText.scalar(rule))") }
      if let error = facts.error { parts.append("error: \(error)") }
      if let because = facts.because { parts.append("because: \(SuiteText.scalar(because))") }
      if let missing = facts.missing { parts.append("missing: \(SuiteText.scalar(missing))") }
      return ["{" + parts.joined(separator: ", ") + "}", "{deny: \(facts.kind)}", "deny"]
    }
    var parts = ["allow: true"]
    let granting = observed.verdict.decisions.compactMap(\.explanation.granting)
    if granting.count == 1 { parts.append("by: \(SuiteText.scalar(granting[0].id))") }
    let rule = parts.count > 1 ? ["{" + parts.joined(separator: ", ") + "}"] : []
    if observed.form == .list, isReturnedWhole {
      parts.append("returns: [\(returned.map { SuiteText.scalar($0.text) }.joined(separator: ", "))]")
      return ["{" + parts.joined(separator: ", ") + "}"] + rule + ["allow"]
    }
    return rule + ["allow"]
  }
}

enum RecordCommands {
  static let all: [ShellCommand] = [
    ShellCommand(
      ["record"], .script, "record [FILE | off]", "record what personas do from now on as a rules test suite",
      ":record login.rules-test.yaml"
    ) {
      (session, arguments) throws(ShellError) in
      switch try arguments.word(":record [FILE | off]") {
      case nil:
        let text =
          session.recorder.map { "\($0.caseText) in \($0.path)" } ?? "nothing is being recorded"
        session.console.result(TextEscape.printable(text))
      case "off":
        guard session.recorder != nil else { throw .usage("nothing is being recorded") }
        session.endRecording()
      case .some(let file): try session.beginRecording(file)
      }
    }
  ]
}
