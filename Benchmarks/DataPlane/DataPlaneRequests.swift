/// What the data plane benchmark sends beside gets: a query for twenty posts, commits of 500 documents.

import DocModel

private let documentsRoot = "projects/bench/databases/(default)/documents"

/// A post of the pack, about 600 bytes.
func post(_ number: Int) -> Fields {
  [
    "id": .string("p\(number)"),
    "author": .map([
      "id": .string("u\(number % 64)"), "displayName": .string("User \(number % 64)"),
      "avatarUrl": .string("https://images.example.com/avatars/u\(number % 64).jpg"),
    ]),
    "content": .string(String(repeating: "morning practice by the sea ", count: 13)),
    "source": .map(["type": .string("community"), "id": .string("area_askew"), "name": .string("Askew")]),
    "stats": .map(["likeCount": .integer(Int64(number % 50)), "commentCount": .integer(2)]),
    "createdAt": .timestamp(Timestamp(seconds: 1_767_603_600 + Int64(number), nanoseconds: 0)),
  ]
}

/// The newest twenty posts.
func newestPostsRequest() -> [UInt8] {
  var writer = WireWriter()
  writer.field(1, text: documentsRoot)
  writer.message(2) { query in
    query.message(2) { $0.field(2, text: "posts") }
    query.message(4) { order in
      order.message(1) { $0.field(2, text: "createdAt") }
      order.field(2, varint: 2)
    }
    query.message(5) { $0.field(1, varint: 20) }
  }
  return writer.bytes
}

/// Sets of `count` documents of one collection, from number `first` on.
func commitRequest(
  _ collection: String, first: Int, count: Int, _ fields: (Int) -> Fields
) -> [UInt8] {
  var writer = WireWriter()
  writer.field(1, text: "projects/bench/databases/(default)")
  for number in first..<first + count {
    writer.message(2) { write in
      write.message(1) { document in
        document.field(1, text: "\(documentsRoot)/\(collection)/\(collection.prefix(1))\(number)")
        document.entries(of: fields(number), entryTag: FieldsView.documentEntryTag)
      }
    }
  }
  return writer.bytes
}
