/// Pages for those who run the server: is it alive, does it take traffic, what does it do.

internal import Access
internal import DocModel
internal import DocStore
internal import Telemetry

extension HTTPService {
  /// `GET /healthz`: the process answers.
  func reportHealth(_ exchange: HTTPExchange) { exchange.respond(text: "ok\n") }

  /// `GET /readyz`: 200 when requests are welcome; otherwise 503 and why not.
  func reportReadiness(_ exchange: HTTPExchange) {
    guard let reason = hooks.unreadiness() else { return exchange.respond(text: "ready\n") }
    exchange.respond(
      status: 503, headers: [("content-type", "text/plain; charset=utf-8")], body: Array((reason + "\n").utf8)
    )
  }

  /// `GET /metrics`, for Prometheus and everything like it. docs/operations.md tells what each metric means.
  func reportMetrics(_ exchange: HTTPExchange) {
    var text = PrometheusText()
    if let metrics = hooks.observer?.metrics {
      Self.writeCalls(metrics, to: &text)
      Self.writeConnections(metrics, to: &text)
    }
    text.single(
      "docstore_webchannel_sessions", .gauge, "Streams of browsers that have not ended.",
      webChannel.sessionCount)
    if let memory = hooks.memory { Self.writeMemory(memory, to: &text) }
    writeTokens(to: &text)
    writeStore(to: &text)
    hooks.moreMetrics(&text)
    ProcessMetrics.write(to: &text)
    exchange.respond(status: 200, headers: [("content-type", PrometheusText.contentType)], body: text.bytes)
  }

  private static func writeCalls(_ metrics: ServerMetrics, to text: inout PrometheusText) {
    text.family("docstore_requests_total", .counter, "Requests that ended, by method, transport and status.")
    for (index, method) in metrics.methods.enumerated() {
      for transport in ServerMetrics.Transport.allCases {
        for status in StatusCode.allCases {
          let count = metrics.count(index, transport, status)
          guard count > 0 else { continue }
          text.sample(
            count, [("method", method), ("transport", transport.label), ("status", status.name)])
        }
      }
    }
    text.family(
      "docstore_request_seconds", .histogram, "Time from a request's headers to its end, by method.")
    for (index, method) in metrics.methods.enumerated()
    where metrics.latencies.reading(at: index).buckets.contains(where: { $0 > 0 }) {
      text.histogram(metrics.latencies, at: index, [("method", method)])
    }
    text.single(
      "docstore_requests_in_progress", .gauge, "Requests and streams that have not ended.",
      metrics.callsUnderWay.current)
  }

  private static func writeConnections(_ metrics: ServerMetrics, to text: inout PrometheusText) {
    text.single(
      "docstore_connections", .gauge, "Open connections.", metrics.connectionsOpen.current)
    text.single(
      "docstore_connections_total", .counter, "Connections accepted.", metrics.connectionsAccepted.current)
    text.single(
      "docstore_connections_refused_total", .counter,
      "Connections closed at once because too many were open.",
      metrics.connectionsRefused.current)
    text.single(
      "docstore_received_bytes_total", .counter, "Bytes that clients sent.", metrics.bytesReceived.current)
    text.single("docstore_sent_bytes_total", .counter, "Bytes sent to clients.", metrics.bytesSent.current)
  }

  private static func writeMemory(_ memory: MemoryBudget, to text: inout PrometheusText) {
    text.single(
      "docstore_memory_budget_bytes", .gauge, "Memory that connections may make the process take.",
      memory.bytes)
    text.single(
      "docstore_memory_room_bytes", .gauge, "What of that is left beside what the process takes otherwise.",
      memory.room)
    text.single(
      "docstore_memory_held_bytes", .gauge, "Bytes of requests and answers that connections hold.",
      memory.held)
    text.single(
      "docstore_memory_waits_total", .counter, "Requests and parts of answers that waited for memory.",
      memory.waits)
    text.single(
      "docstore_memory_sheds_total", .counter,
      "Connections and sessions that lost what they held, because the budget was used up.", memory.sheds)
  }

  private func writeTokens(to text: inout PrometheusText) {
    let usage = firestore.tokens.cache.usage
    text.single(
      "docstore_tokens", .gauge, "Tokens of users that are kept so that they are read once.", usage.tokens)
    text.single("docstore_token_bytes", .gauge, "Bytes that these take.", usage.bytes)
  }

  private func writeStore(to text: inout PrometheusText) {
    let guarded = firestore.store
    let store = guarded.store
    text.single("docstore_commits_total", .counter, "Commits applied.", store.metrics.commits)
    text.single(
      "docstore_commits_refused_total", .counter,
      "Commits refused: preconditions, rules, conflicts, storage.", store.metrics.refusals)
    text.single(
      "docstore_writes_total", .counter, "Writes of the commits that were applied.", store.metrics.writes)
    text.single(
      "docstore_documents_read_total", .counter, "Documents given to clients or looked for by name.",
      guarded.metrics.documentsRead)
    text.single(
      "docstore_rules_evaluations_total", .counter, "Operations of users that rules judged.",
      guarded.metrics.evaluations)
    text.single(
      "docstore_rules_denials_total", .counter, "Operations of users that were refused.",
      guarded.metrics.denials)
    text.single(
      "docstore_commit_queue", .gauge, "Commits that wait for the thread that writes.",
      store.waitingCommitCount)
    text.single(
      "docstore_open_transactions", .gauge, "Transactions begun and not ended.", store.openTransactionCount)
    text.single(
      "docstore_worker_queue", .gauge, "Long reads that wait for a thread.", firestore.threads.waitingCount)
    text.single("docstore_workers_busy", .gauge, "Long reads under way.", firestore.threads.runningCount)
    text.single(
      "docstore_history_bytes", .gauge, "Room that earlier states of documents take.",
      (try? store.historyBytes()) ?? 0)
    text.family("docstore_oldest_view_seconds", .gauge, "Age of the oldest view of the store in use.")
    text.sample(Double(firestore.threads.oldestNanoseconds) / 1e9)
  }
}
