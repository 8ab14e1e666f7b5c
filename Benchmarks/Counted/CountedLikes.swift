/// What real traffic writes, counted: a change of a profile, and a like, which creates a document and counts it in another one.

import DocModel

extension CountedWork {
  /// LIMIT: likes that are made, however many are asked for: none may be made twice.
  private static let likesMax = 2_000

  /// LIMIT: changes that are made in turns.
  private static let changesMax = 400

  func change(_ count: Int) throws {
    let server = try Self.server(people: 200)
    let requests = MixRequests(profiles: 200)
    var calls = (0..<Self.changesMax).map { _ in CountedCall(requests.change()) }
    var answer = 0
    for index in 0..<count {
      let bytes = server.make(&calls[index % Self.changesMax])
      server.rest()
      if index == 2 { answer = bytes }
      try Self.check(index < 3 || abs(bytes - answer) < 16, "a change was refused")
    }
    let isWritten =
      try server.fields(of: "users/u\(7_919 % 200)")["displayName"] != .string("User \(7_919 % 200)")
    try Self.check(isWritten || count == 0, "nothing was written")
    try server.close()
  }

  func like(_ count: Int) throws {
    let (server, requests) = try Self.likes(count)
    var calls = (0..<Self.likesMax).map { _ in CountedCall(requests.like()) }
    for index in 0..<count {
      server.make(&calls[index])
      server.rest()
    }
    try Self.finish(server, likes: count)
  }

  /// A read that begins a transaction, and the commit that ends it.
  func likeInTransaction(_ count: Int) throws {
    let (server, requests) = try Self.likes(count)
    var reads = (0..<Self.likesMax).map {
      CountedCall(requests.transactionalLike(after: [], on: $0))
    }
    var calls: [CountedCall] = []
    for index in 0..<count {
      server.make(&reads[index])
      let answer = CountedFrames.data(in: server.answer)
      // All tokens have one length: the other commits are made with the first one's, and get their own.
      if calls.isEmpty {
        calls = (0..<Self.likesMax).map { CountedCall(requests.transactionalLike(after: answer, on: $0)) }
      }
      calls[index].replaceEnd(MixRequests.transaction(in: answer))
      server.make(&calls[index])
      server.rest()
    }
    try Self.finish(server, likes: count)
  }

  private static func likes(_ count: Int) throws -> (CountedServer, MixRequests) {
    try check(count <= likesMax, "there are \(likesMax) likes")
    let server = try server(people: 200)
    for number in 0..<MixRequests.postCount { try server.put(post(number), "posts/p\(number)") }
    return (server, MixRequests(profiles: 200))
  }

  private static func server(people: Int) throws -> CountedServer {
    let server = try server(profiles: MixPopulation.profile)
    for number in 0..<people { try server.put(MixPopulation.profile(number), "users/u\(number)") }
    return server
  }

  private static func finish(_ server: CountedServer, likes count: Int) throws {
    var counted: Int64 = 0
    for number in 0..<MixRequests.postCount {
      guard case .map(let stats) = try server.fields(of: "posts/p\(number)")["stats"],
        case .integer(let likes) = stats["likeCount"]
      else { throw BenchmarkFailure(description: "a post has no counter") }
      counted += likes - Int64(number % 50)
    }
    try check(counted == Int64(count), "\(count) likes were made and \(counted) counted")
    try server.close()
  }
}
