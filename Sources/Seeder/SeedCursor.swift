/// The documents of a seed file, one after the other.

package import DocModel
internal import Fixtures
internal import YAML

/// A document of a seed, with the place it comes from.
struct SeedDocument {
  let path: ResourcePath
  /// Its key, or the path of its generator.
  let mark: YAMLMark
  let isGenerated: Bool
  let content: TypedDocument
}

/// Evaluates a seed file in order: hand-written documents, then generators, parents before children.
///
/// The same file gives the same documents every time, so passes need not remember them.
struct SeedCursor: ~Copyable {
  enum Step {
    case document(SeedDocument)
    /// One document has an error; the next step is about the one after it.
    case failed(YAMLError)
    case end
  }

  /// A generator at work.
  private struct Frame {
    let generator: Generator
    /// Where the draws of this generator begin; documents add their ordinal.
    let place: DrawPlace
    /// The path of the parent document with a slash; empty at the top.
    let parent: String
    let elements: [Value]?
    let count: Int
    /// How many names there were before the generator's own.
    let outerNames: Int
    /// The document at work, from 1.
    var ordinal = 0
    var document = ""
    /// The child that is next for the document at work.
    var nextChild: Int
  }

  /// LIMIT: a document that is larger is not even encoded to find out its size.
  private static let bytesMax = 16 * 1_024 * 1_024

  private let file: SeedFile
  private var evaluator: FormEvaluator
  private let root: DrawPlace
  private var handWritten: HandWrittenDocuments
  private var isInDocuments = true
  private var nextGenerator = 0
  private var frames: [Frame] = []

  /// Evaluates the names of the file.
  init(_ file: SeedFile) throws(YAMLError) {
    let root = DrawPlace(seed: file.header.seed)
    // Names are evaluated before any template is known (docs/seeds.md, section 2).
    var evaluator = FormEvaluator(database: file.database)
    let place = root.child("file").child("let")
    for named in file.names {
      evaluator.scope.define(named.name, try evaluator.evaluate(named.form, at: place.child(named.name)))
    }
    evaluator.templates = file.templates
    handWritten = try HandWrittenDocuments(file)
    self.file = file
    self.root = root
    self.evaluator = evaluator
  }

  mutating func next() -> Step {
    if isInDocuments {
      do {
        if let document = try handWritten.next() { return evaluate(document) }
      } catch {
        return .failed(error)
      }
      isInDocuments = false
    }
    while true {
      guard let frame = frames.last else {
        guard nextGenerator < file.generators.count else { return .end }
        let generator = file.generators[nextGenerator]
        nextGenerator += 1
        if let error = begin(generator, below: "", at: root.child("generate")) { return .failed(error) }
        continue
      }
      if frame.nextChild < frame.generator.children.count {
        frames[frames.count - 1].nextChild += 1
        let child = frame.generator.children[frame.nextChild]
        let place = frame.place.child(frame.ordinal)
        if let error = begin(child, below: frame.document + "/", at: place) { return .failed(error) }
      } else if frame.ordinal < frame.count {
        return nextDocument()
      } else {
        evaluator.scope.forget(after: frame.outerNames)
        frames.removeLast()
      }
    }
  }

  // MARK: hand-written documents

  private mutating func evaluate(_ document: HandWrittenDocument) -> Step {
    evaluator.beginDocument()
    let place = root.child("document").child(document.path.text).child("fields")
    do {
      let value = try evaluator.evaluate(document.fields, at: place)
      return .document(
        try finished(value, document.path, mark: document.mark, fields: document.fields, isGenerated: false))
    } catch {
      noteFailure(document.path)
      return .failed(error.notes.isEmpty ? error : error.noting(first: "in \(document.path)"))
    }
  }

  // MARK: generators

  /// Starts a generator below a document; the error when its number of documents is none.
  private mutating func begin(_ generator: Generator, below parent: String, at place: DrawPlace) -> YAMLError?
  {
    let place = place.child(generator.pathText)
    do {
      evaluator.beginDocument()
      let (count, elements) = try repetitions(of: generator, at: place)
      frames.append(
        Frame(
          generator: generator, place: place, parent: parent, elements: elements, count: count,
          outerNames: evaluator.scope.count, nextChild: generator.children.count))
      return nil
    } catch {
      return parent.isEmpty ? error : error.noting(first: "in \(parent.dropLast())")
    }
  }

  private mutating func repetitions(
    of generator: Generator, at place: DrawPlace
  ) throws(YAMLError) -> (count: Int, elements: [Value]?) {
    switch generator.repetition {
    case .once: return (1, nil)
    case .times(let form):
      let value = try evaluator.evaluate(form, at: place.child("repeat"))
      guard case .plain(.integer(let count)) = value, count >= 0 else {
        throw YAMLError("repeat is a whole number of at least 0; found \(found(value))", at: form.mark)
      }
      return (Int(count), nil)
    case .elements(let form):
      let value = try evaluator.evaluate(form, at: place.child("each"))
      guard case .plain(.array(let elements)) = value else {
        throw YAMLError("each takes a list; found \(value.kindName)", at: form.mark)
      }
      return (elements.count, elements)
    }
  }

  private func found(_ value: TypedValue) -> String {
    if case .plain(.integer(let number)) = value { return String(number) }
    return value.kindName
  }

  /// The next document of the innermost generator.
  private mutating func nextDocument() -> Step {
    let index = frames.count - 1
    frames[index].ordinal += 1
    let frame = frames[index]
    evaluator.scope.forget(after: frame.outerNames)
    evaluator.beginDocument()
    var path: ResourcePath?
    do {
      let place = frame.place.child(frame.ordinal)
      try defineNames(of: frame, at: place.child("let"))
      let text = frame.parent + (try evaluator.text(frame.generator.path, at: place))
      let documentPath = try DocumentPath.parse(text, at: frame.generator.mark)
      path = documentPath
      let fields = frame.generator.fields
      let value = try evaluator.evaluate(fields, at: place.child("fields"))
      let document = try finished(
        value, documentPath, mark: frame.generator.mark, fields: fields, isGenerated: true)
      frames[index].document = text
      frames[index].nextChild = 0
      return .document(document)
    } catch {
      if let path { noteFailure(path) }
      // Children of a document that is not there are left out.
      frames[index].nextChild = frame.generator.children.count
      let what = path?.text ?? "document \(frame.ordinal) of \(frame.parent)\(frame.generator.pathText)"
      return .failed(error.noting(first: "in \(what)"))
    }
  }

  private mutating func defineNames(of frame: Frame, at place: DrawPlace) throws(YAMLError) {
    if case .once = frame.generator.repetition {
    } else {
      evaluator.scope.define("i", .plain(.integer(Int64(frame.ordinal))))
    }
    if let elements = frame.elements { evaluator.scope.define("it", .plain(elements[frame.ordinal - 1])) }
    for named in frame.generator.names {
      evaluator.scope.define(named.name, try evaluator.evaluate(named.form, at: place.child(named.name)))
    }
  }

  // MARK: both

  private mutating func finished(
    _ value: TypedValue, _ path: ResourcePath, mark: YAMLMark, fields: Form, isGenerated: Bool
  ) throws(YAMLError) -> SeedDocument {
    guard !value.isLarger(than: Self.bytesMax) else {
      throw YAMLError(
        "the document is more than \(Grouped.text(Self.bytesMax)) bytes; "
          + "at most \(Grouped.text(Limits.documentBytesMax)) are allowed", at: mark)
    }
    guard let content = TypedDocument(value) else {
      throw YAMLError("the fields of a document are a map; found \(value.kindName)", at: fields.mark)
    }
    if isRead(path) { evaluator.documents.set(path, to: value) }
    return SeedDocument(path: path, mark: mark, isGenerated: isGenerated, content: content)
  }

  private mutating func noteFailure(_ path: ResourcePath) {
    if isRead(path) { evaluator.documents.setFailed(path) }
  }

  /// Whether some `$from` may ask for this document.
  private func isRead(_ path: ResourcePath) -> Bool {
    !file.collectionsRead.isEmpty && file.collectionsRead.contains(path.collectionPattern(joinedBy: "/"))
  }
}

extension YAMLError {
  /// The error with a note before the others.
  func noting(first note: String) -> YAMLError {
    isConsequence ? self : YAMLError(message, at: mark, notes: [note] + notes)
  }
}

extension ResourcePath {
  /// The collection ids of a document's path: `posts/likes` for `posts/p1/likes/u1`, or `posts/*/likes`.
  package func collectionPattern(joinedBy separator: String) -> String {
    var pattern = ""
    for (index, segment) in segments.enumerated() where index % 2 == 0 {
      if index > 0 { pattern += separator }
      pattern += String(Substring(segment))
    }
    return pattern
  }
}
