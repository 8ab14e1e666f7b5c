/// Listeners that do not read what they are sent, over whole connections.

import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import Wire

private typealias Request = Google_Firestore_V1_ListenRequest
private typealias Response = Google_Firestore_V1_ListenResponse

@Suite("slow listeners")
struct SlowListenerTests {
  typealias H = ServiceHarness
  private static let documentBytes = 40_000
  private static let rounds = 8

  private static func listen(_ change: (inout Google_Firestore_V1_StructuredQuery) -> Void = { _ in })
    -> Request
  {
    .with {
      $0.database = H.database
      $0.addTarget.targetID = 2
      $0.addTarget.query.parent = H.root
      $0.addTarget.query.structuredQuery.from = [.with { $0.collectionID = "c" }]
      change(&$0.addTarget.query.structuredQuery)
    }
  }

  /// Writes one document of 40,000 bytes.
  private static func update(_ id: Int, _ value: Int) -> Google_Firestore_V1_UpdateDocumentRequest {
    .with {
      $0.document.name = "\(H.root)/c/d\(id)"
      $0.document.fields["n"] = .with { $0.integerValue = Int64(value) }
      $0.document.fields["b"] = .with { $0.bytesValue = .init(repeating: UInt8(id), count: documentBytes) }
    }
  }

  /// What a client has been told, as it understands it.
  private struct Told {
    var numbers: [String: Int64] = [:]
    var resets = 0
    var isCurrent = false
    var isConsistent = false
    var bytes = 0

    init(_ received: Received?) throws {
      for message in received?.messages ?? [] {
        let response = try Response(serializedBytes: message)
        bytes += message.count
        isConsistent = false
        switch response.responseType {
        case .documentChange(let change):
          numbers[change.document.name] = change.document.fields["n"]?.integerValue
        case .documentDelete(let delete): numbers[delete.document] = nil
        case .targetChange(let change):
          switch change.targetChangeType {
          case .reset:
            resets += 1
            numbers = [:]
          case .current: isCurrent = true
          case .noChange: isConsistent = change.targetIds.isEmpty
          case .add, .remove, .UNRECOGNIZED: break
          }
        case .documentRemove, .filter, nil: break
        }
      }
    }
  }

  @Test(
    "a listener that does not read slows neither writers nor others, holds little, and catches up",
    arguments: [false, true])
  func slow(isTooFarBehind: Bool) throws {
    let harness = try ClientsHarness { options in
      options.listen.unsentBytesMax = 256 << 10
      if isTooFarBehind { options.listen.catchUpChangesMax = 5 }
    }
    let (slow, quick, writer) = (try harness.connect(), try harness.connect(), try harness.connect())
    let streams = try [slow, quick].map { try $0.request("Listen", Self.listen(), ends: false) }
    for (peer, stream) in zip([slow, quick], streams) {
      try harness.run(until: try Told(peer.client.streams[stream]).isCurrent) { peer.exchange() }
    }
    // From here on the slow one reads nothing: three megabytes of states go by.
    for round in 1...Self.rounds {
      for id in 0..<10 {
        #expect(try harness.call(writer, "UpdateDocument", Self.update(id, round)).status == "0")
      }
      let expected = Dictionary(uniqueKeysWithValues: (0..<10).map { ("\(H.root)/c/d\($0)", Int64(round)) })
      try harness.run(until: try Told(quick.client.streams[streams[1]]).numbers == expected) {
        quick.exchange()
        slow.exchange(reading: false)
      }
    }
    let before = try Told(slow.client.streams[streams[0]])
    #expect(before.numbers.isEmpty)
    let final = try Told(quick.client.streams[streams[1]]).numbers
    func hasAll() throws -> Bool {
      let told = try Told(slow.client.streams[streams[0]])
      return told.numbers == final && told.isConsistent
    }
    try harness.run(until: try hasAll()) { slow.exchange() }
    let told = try Told(slow.client.streams[streams[0]])
    #expect(told.resets == (isTooFarBehind ? 1 : 0))
    // The buffer, what the connection held, and each document once or twice, instead of all states.
    #expect(told.bytes < 2 << 20, "\(told.bytes) bytes")
  }
}
