/// Server reflection: clients such as grpcurl ask the server what it speaks.
///
/// One stream both ways, an answer to each question, in order. The questions of v1 and v1alpha are the same
/// messages. Source: grpc/reflection/v1/reflection.proto; error texts: the official emulator.

internal import DocModel

package enum ReflectionService {
  /// LIMIT: questions that wait while their client does not read; more end the call.
  static let waitingMax = 256

  /// The methods of both versions.
  package static var methods: [GRPCMethod] {
    ["grpc.reflection.v1.ServerReflection/", "grpc.reflection.v1alpha.ServerReflection/"].map {
      GRPCMethod($0 + "ServerReflectionInfo", .bidirectional, serve)
    }
  }

  private static let serve: @Sendable (ServerCall) -> Void = { call in
    let conversation = ReflectionConversation(call)
    call.onMessage = { conversation.ask($0) }
    call.onHalfClose = { conversation.close() }
    call.onWritable = { conversation.goOn() }
  }
}

/// One call of reflection. State and its owner: the call's event loop.
private final class ReflectionConversation {
  /// The call keeps the closures that keep this.
  private unowned let call: ServerCall
  private var waiting: [[UInt8]] = []
  private var isPaused = false
  private var isClosed = false

  init(_ call: ServerCall) { self.call = call }

  func ask(_ question: [UInt8]) {
    call.assertOnLoop()
    guard !isPaused else {
      guard waiting.count < ReflectionService.waitingMax else {
        return call.finish(GRPCStatus(.resourceExhausted, "too many questions wait for an answer"))
      }
      return waiting.append(question)
    }
    answer(question)
  }

  /// The client has read what was sent.
  func goOn() {
    call.assertOnLoop()
    isPaused = false
    while !isPaused, !waiting.isEmpty { answer(waiting.removeFirst()) }
    if isClosed, waiting.isEmpty { call.finish(.ok) }
  }

  func close() {
    call.assertOnLoop()
    isClosed = true
    if waiting.isEmpty { call.finish(.ok) }
  }

  private func answer(_ question: [UInt8]) {
    do throws(GRPCStatus) {
      let request = try RequestMessage(buffer: question).withBytes { (bytes) throws(GRPCStatus) in
        try ReflectionQuestion(bytes)
      }
      isPaused = !call.send(request.answer(question, from: .generated))
    } catch {
      call.finish(error)
    }
  }
}

/// `ServerReflectionRequest`
private struct ReflectionQuestion {
  private enum Subject {
    case unset
    case file(named: String)
    case symbol(String)
    case `extension`(of: String, number: Int32)
    case extensionNumbers(of: String)
    case services
  }

  private var host = ""
  private var subject = Subject.unset

  init(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) {
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): host = try fields.text()
      case MessageFields.tag(3): subject = .file(named: try fields.text())
      case MessageFields.tag(4): subject = .symbol(try fields.text())
      case MessageFields.tag(5): subject = try Self.extensionRequest(try fields.message())
      case MessageFields.tag(6): subject = .extensionNumbers(of: try fields.text())
      case MessageFields.tag(7):
        _ = try fields.text()
        subject = .services
      default: try fields.skip(tag)
      }
    }
  }

  /// `ExtensionRequest`
  private static func extensionRequest(_ message: UnsafeRawBufferPointer) throws(GRPCStatus) -> Subject {
    var type = ""
    var number: Int32 = 0
    var fields = MessageFields(message)
    while let tag = try fields.next() {
      switch tag {
      case MessageFields.tag(1): type = try fields.text()
      case 2 << 3: number = Int32(truncatingIfNeeded: try fields.varint())
      default: try fields.skip(tag)
      }
    }
    return .extension(of: type, number: number)
  }

  /// `ServerReflectionResponse`
  func answer(_ question: [UInt8], from index: DescriptorIndex) -> [UInt8] {
    var writer = WireWriter()
    if !host.isEmpty { writer.field(1, text: host) }
    writer.field(2, bytes: question)
    switch subject {
    case .unset: Self.fail(&writer, .unimplemented, "not implemented MESSAGEREQUEST_NOT_SET")
    case .file(let name): Self.files(&writer, index.file(named: name), orSay: "File not found.")
    case .symbol(let name): Self.files(&writer, index.file(of: name), orSay: "Symbol not found.")
    case .extension(let type, let number):
      Self.files(&writer, index.file(ofExtension: number, of: type), orSay: "Extension not found.")
    case .extensionNumbers(let type):
      guard let numbers = index.extensionNumbers(of: type) else {
        Self.fail(&writer, .notFound, "Type not found.")
        break
      }
      writer.message(5) { answer in
        answer.field(1, text: type)
        for number in numbers { answer.field(2, varint: UInt64(bitPattern: Int64(number))) }
      }
    case .services:
      writer.message(6) { list in
        for service in index.services { list.message(1) { $0.field(1, text: service) } }
      }
    }
    return writer.bytes
  }

  private static func files(_ writer: inout WireWriter, _ files: [[UInt8]]?, orSay text: String) {
    guard let files else { return fail(&writer, .notFound, text) }
    writer.message(4) { answer in
      for file in files { answer.field(1, bytes: file) }
    }
  }

  private static func fail(_ writer: inout WireWriter, _ code: StatusCode, _ text: String) {
    writer.message(7) { error in
      error.field(1, varint: UInt64(code.rawValue))
      error.field(2, text: text)
    }
  }
}
