/// Our own transport with nothing behind it: every get has the same answer. What a server could do at best.

import Access
import Glibc
import Wire

/// `docstore-bench --fixed-answer PORT BYTES`: serves until it is stopped.
func serveFixedAnswer(port: Int, bytes: Int) async throws {
  var options = ServerOptions()
  options.port = port
  let answer = [UInt8](repeating: 0x61, count: bytes)
  let routes = ServerRoutes(
    methods: GRPCMethodTable([
      GRPCMethod("google.firestore.v1.Firestore/GetDocument", .unary) { $0.respond(answer) }
    ])
  ) { $0.respond(status: 200) }
  let server = try await WireServer.start(options, routes: routes)
  await server.waitUntilClosed()
}
