/// What ends the program rather than going on with what nobody may rely on. Each of these costs a process.

import DocModel
import TestSupport
import Testing

@testable import DocStore

/// An engine that cannot hold the keys of documents.
private final class NarrowEngine: StorageEngine {
  let limits = EngineLimits(keyBytesMax: 128, valueBytesMax: .max)

  func read<R, E: StorageFailure>(_ body: (StorageView) throws(E) -> R) throws(E) -> R {
    try body(StorageView())
  }

  func write<R, E: StorageFailure>(
    _ batch: MutationBatch, _ plan: (StorageView, MutationBatch) throws(E) -> R
  ) throws(E) -> R {
    try plan(StorageView(), batch)
  }
}

@Suite("preconditions of the store")
struct StorePreconditionTests {
  private static func said(_ result: ExitTest.Result?, _ words: String) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
  }

  @Test("an engine whose keys are too short is not opened")
  func engine() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try DocumentStore(engine: NarrowEngine())
    }
    #expect(Self.said(result, "too short for the key layout"))
  }

  @Test("bytes that die before a batch is written are not put into it")
  func foreignMemory() async {
    let value = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [UInt8](repeating: 1, count: 64).withUnsafeBytes { MutationBatch().put(.documents, [1], inPlace: $0) }
    }
    #expect(Self.said(value, "lies in the batch's memory"))
    let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [UInt8](repeating: 1, count: 64).withUnsafeBytes { MutationBatch().remove(.documents, keyInPlace: $0) }
    }
    #expect(Self.said(key, "lies in the batch's memory"))
  }

  @Test("an index of no fields, or of the name, is none")
  func shapes() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = IndexShape("c", .collection, [])
    }
    #expect(Self.said(none, "an index has parts"))
    let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = IndexShape("c", .collection, [IndexShape.Part(.documentName, .ascending)])
    }
    #expect(Self.said(name, "is none of them"))
  }

  @Test("a document has one place in a batch")
  func planned() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = MutationBatch()
      let key = batch.copy([1, 2, 3])
      var documents = PlannedDocuments()
      documents.beginCommit(expecting: 2)
      _ = documents.add(key, ResourcePath(unchecked: "c/d"), 1)
      _ = documents.add(key, ResourcePath(unchecked: "c/d"), 1)
    }
    #expect(Self.said(result, "a document has one place"))
  }
}
