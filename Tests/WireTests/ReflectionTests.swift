import DocModel
import SwiftProtobuf
import Testing

@testable import Wire

@Suite("server reflection")
struct ReflectionTests {
  /// One question of the given field, as `ServerReflectionRequest`.
  private static func question(_ number: Int, _ text: String) -> [UInt8] {
    [UInt8(number << 3 | 2), UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private func ask(_ question: [UInt8], version: String = "v1") throws -> [UInt8] {
    let answer = try ServiceHarness().call(
      "ServerReflectionInfo", question, service: "grpc.reflection.\(version).ServerReflection")
    #expect(answer.status == "0")
    return try #require(answer.messages.first)
  }

  private func holds(_ answer: [UInt8], _ text: String) -> Bool {
    String(decoding: answer, as: UTF8.self).contains(text)
  }

  @Test("both versions list the services", arguments: ["v1", "v1alpha"])
  func services(version: String) throws {
    let answer = try ask(Self.question(7, ""), version: version)
    for service in ["google.firestore.v1.Firestore", "google.firestore.v1beta1.Firestore"] {
      #expect(holds(answer, service))
    }
  }

  @Test("every method that is served is described, and every described one is served")
  func methods() throws {
    var described: Set<String> = []
    let set = try Google_Protobuf_FileDescriptorSet(serializedBytes: DescriptorSet.bytes())
    for file in set.file {
      for service in file.service {
        for method in service.method { described.insert("\(file.package).\(service.name)/\(method.name)") }
      }
    }
    let served = Set(try ServiceHarness().service.methods.map(\.name) + ReflectionService.methods.map(\.name))
    // Refused by name, and no method of the old service.
    #expect(served.subtracting(described) == ["google.firestore.v1beta1.Firestore/ExecutePipeline"])
    #expect(described.subtracting(served) == [])
  }

  @Test(
    "symbols lead to their file and all it stands on",
    arguments: [
      ("google.firestore.v1.Firestore", "google/firestore/v1/firestore.proto"),
      ("google.firestore.v1.Firestore.GetDocument", "google/firestore/v1/firestore.proto"),
      ("google.firestore.v1.StructuredQuery.FieldFilter.Operator", "google/firestore/v1/query.proto"),
      ("google.firestore.v1beta1.Document", "google/firestore/v1beta1/document.proto"),
    ])
  func symbols(symbol: String, file: String) throws {
    let index = DescriptorIndex.generated
    let files = try #require(index.file(of: symbol)).map {
      try Google_Protobuf_FileDescriptorProto(serializedBytes: $0)
    }
    #expect(files.first?.name == file)
    let names = Set(files.map(\.name))
    #expect(names.count == files.count)
    for file in files { #expect(names.isSuperset(of: file.dependency)) }
    #expect(holds(try ask(Self.question(4, symbol)), file))
  }

  @Test("what is not there is an answer, not the end of the call")
  func unknown() throws {
    #expect(holds(try ask(Self.question(4, "no.Such")), "Symbol not found."))
    #expect(holds(try ask(Self.question(3, "no.proto")), "File not found."))
    #expect(holds(try ask(Self.question(6, "no.Such")), "Type not found."))
    #expect(holds(try ask([]), "not implemented MESSAGEREQUEST_NOT_SET"))
    #expect(DescriptorIndex.generated.extensionNumbers(of: "google.protobuf.MethodOptions") == [72_295_728])
    #expect(DescriptorIndex.generated.extensionNumbers(of: "google.firestore.v1.Document") == [])
  }
}
