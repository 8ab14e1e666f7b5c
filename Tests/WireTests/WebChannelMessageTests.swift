/// Forms, parameters and messages of WebChannel, as clients write and read them.
///
/// Source: docs/spec/streams.md 3.1, 3.2.

import DocModel
import FirestoreProtos
import JSON
import SwiftProtobuf
import Testing

import struct Foundation.Data

@testable import Wire

@Suite("WebChannel forms and messages")
struct WebChannelMessageTests {
  private func form(_ text: String) throws -> WebChannelForm { try WebChannelForm(Array(text.utf8)) }

  @Test(
    "messages are numbered by their names and the form's base",
    arguments: [
      ("", []), ("count=0", []), ("headers=a%3Ab%0D%0A&count=1&ofs=0&req0___data__=%7B%7D", [(0, "{}")]),
      ("count=2&ofs=5&req0___data__=a&req1___data__=b", [(5, "a"), (6, "b")]),
      ("count=1&ofs=5&req100___data__=a+b%2Bc", [(105, "a b+c")]),
      ("req1___data__=b&req0___data__=a&ofs=7", [(8, "b"), (7, "a")]),
      ("other=1&reqx=2&count=1&req0___data__=", [(0, "")]), ("&&ofs=1&req3___data__=%C3%A9&", [(4, "é")]),
    ] as [(String, [(Int, String)])])
  func forms(text: String, messages: [(Int, String)]) throws {
    let read = try form(text).messages
    #expect(read == messages.map { .init(number: $0.0, json: Array($0.1.utf8)) })
  }

  @Test(
    "broken forms",
    arguments: [
      "req0___data__", "req0___data__=%", "req0___data__=%zz", "ofs=x", "ofs=-1", "ofs=1e9",
      "ofs=9999999999999999",
      "reqx___data__=1", "req-1___data__=1", "{\"json\":true}",
    ])
  func brokenForms(text: String) { #expect(throws: WebChannelForm.Malformed.self) { try form(text) } }

  @Test("headers are found whatever their letters and their lines' ends")
  func headers() {
    let lines = Array("X-Goog-Api-Client:gl-js/\r\nAUTHORIZATION: Bearer a.b.c\r\nempty\nx:1".utf8)
    #expect(WebChannelForm.header("authorization", in: lines) == Array("Bearer a.b.c".utf8))
    #expect(WebChannelForm.header("x", in: lines) == Array("1".utf8))
    #expect(WebChannelForm.header("cookie", in: lines) == nil)
  }

  @Test("a request's JSON is the message that gRPC carries")
  func request() throws {
    let json = #"""
      {"database":"d","addTarget":{"targetId":7,"expectedCount":3,"resumeToken":"CgkI","pipelineQuery":{"a":[{}]},
      "query":{"parent":"p","structuredQuery":{"from":[{"collectionId":"c"}],"limit":2}}},
      "labels":{"goog-listen-tags":"limbo-document"},"new":[1,{"x":null}]}
      """#
    let bytes = try WebChannelStream.listen.request(Array(json.utf8), .production)
    let read = try Google_Firestore_V1_ListenRequest(serializedBytes: bytes)
    #expect(read.addTarget.targetID == 7 && read.addTarget.expectedCount.value == 3)
    #expect(read.addTarget.query.structuredQuery.limit.value == 2)
    #expect(read.labels == ["goog-listen-tags": "limbo-document"])
  }

  @Test(
    "JSON that is no request is refused",
    arguments: ["", "[", "{", "{\"addTarget\":{\"targetId\":\"x\"}}", "7"])
  func brokenRequest(json: String) throws {
    if json.isEmpty { return #expect(try WebChannelStream.listen.request([], .production).isEmpty) }
    #expect(throws: GRPCStatus.self) { try WebChannelStream.listen.request(Array(json.utf8), .production) }
  }

  private typealias Response = Google_Firestore_V1_ListenResponse

  private static let responses: [Response] = [
    .with {
      $0.targetChange = .with { change in
        change.targetChangeType = .add
        change.targetIds = [1002]
      }
    },
    .with {
      $0.targetChange = .with { change in
        change.resumeToken = Data([10, 9, 8, 0xff])
        change.readTime = .with {
          $0.seconds = 1_767_323_045
          $0.nanos = 6_000
        }
      }
    },
    .with {
      $0.targetChange = .with { change in
        change.targetChangeType = .remove
        change.targetIds = [-1, 2_147_483_647]
        change.cause = .with {
          $0.code = 7
          $0.message = "né \u{1F600} \"q\""
        }
      }
    },
    .with {
      $0.targetChange = .with {
        $0.targetChangeType = .current
        $0.targetIds = [2]
      }
    },
    .with {
      $0.targetChange = .with {
        $0.targetChangeType = .reset
        $0.targetIds = [2]
      }
    },
    .with {
      $0.documentDelete = .with { delete in
        delete.document = "projects/p/databases/d/documents/a/b"
        delete.readTime = .with { $0.seconds = 1 }
        delete.removedTargetIds = [1, 2]
      }
    },
    .with {
      $0.documentRemove = .with {
        $0.document = "x/ü"
        $0.removedTargetIds = [4]
      }
    },
    .with {
      $0.filter = .with { filter in
        filter.targetID = 4
        filter.count = 3
        filter.unchangedNames = .with { bloom in
          bloom.bits = .with {
            $0.bitmap = Data([0x86, 0xb5, 0xc2, 0x1f])
            $0.padding = 3
          }
          bloom.hashCount = 7
        }
      }
    },
    .with {
      $0.documentChange = .with { change in
        change.document = .with { document in
          document.name = "projects/p/databases/d/documents/a/\u{e9}"
          document.fields = [
            "t": .with { $0.stringValue = "n\u{e9} \u{1F600} \u{2028}\u{0}" },
            "n": .with { $0.integerValue = -5 },
          ]
          document.createTime = .with { $0.seconds = 5 }
          document.updateTime = .with {
            $0.seconds = 6
            $0.nanos = 120_000_000
          }
        }
        change.targetIds = [2, 4]
        change.removedTargetIds = [6]
      }
    },
  ]

  @Test("an answer's JSON is what protobuf's own reader makes the same message of", arguments: responses)
  private func response(expected: Response) throws {
    var writer = JSONWriter(.ascii)
    WebChannelStream.listen.write(try expected.serializedBytes(), to: &writer)
    #expect(
      writer.bytes.allSatisfy { (0x20..<0x7F).contains($0) }, "ASCII, so that chunks never cut a character")
    #expect(try Response(jsonUTF8Bytes: writer.bytes) == expected)
  }

  @Test("answers to writes")
  func writeResponse() throws {
    let expected = Google_Firestore_V1_WriteResponse.with { response in
      response.streamID = "1"
      response.streamToken = Data([0x30])
      response.commitTime = .with { $0.seconds = 9 }
      response.writeResults = [
        .with { $0.updateTime = .with { $0.seconds = 8 } }, .init(),
        .with { $0.transformResults = [.with { $0.integerValue = 1 }, .with { $0.nullValue = .nullValue }] },
      ]
    }
    var writer = JSONWriter(.ascii)
    WebChannelStream.write.write(try expected.serializedBytes(), to: &writer)
    #expect(try Google_Firestore_V1_WriteResponse(jsonUTF8Bytes: writer.bytes) == expected)
  }

  @Test("ends of streams")
  func ends() {
    #expect(String(decoding: WebChannelStream.end(.ok), as: UTF8.self) == "\"close\"")
    #expect(
      String(decoding: WebChannelStream.end(GRPCStatus(.notFound, "no é")), as: UTF8.self)
        == #"{"error":{"message":"NOT_FOUND: no \u00e9","status":"NOT_FOUND"}}"#)
  }

  @Test("characters beyond ASCII by their UTF-16 units")
  func ascii() throws {
    let text = "a\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"\\"
    var writer = JSONWriter(.ascii)
    writer.string(text)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #""a\u007f\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff\"\\""#)
    #expect(try JSONReader.read(writer.bytes) == .string(Array(text.utf8)))
  }
}
