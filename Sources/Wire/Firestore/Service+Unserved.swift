/// Methods of the service that this server does not carry out, and what it says instead.

internal import Access
internal import DocModel

extension FirestoreService {
  /// Pipelines are of the enterprise edition; this is a database of the standard one.
  ///
  /// Source: docs/spec/protocol.md 1.17 (judged after the database's name, before the header);
  /// docs/spec/production-differences.md Q10, F2.
  @Sendable
  func executePipeline(_ call: ServerCall) throws(GRPCStatus) {
    let name = try call.withRequest { bytes throws(GRPCStatus) in try MessageFields.text(1, of: bytes) }
    guard !call.methodName.hasPrefix("google.firestore.v1beta1.") else {
      throw UnservedStatus.unimplemented(call.methodName)
    }
    _ = try Self.database(name)
    switch options.profile.errorTexts {
    case .production: throw UnservedStatus.pipeline
    case .emulator: throw UnservedStatus.officialPipeline
    }
  }
}

enum UnservedStatus {
  /// What every gRPC server answers for a method that its service has and it does not.
  static func unimplemented(_ method: String) -> GRPCStatus {
    GRPCStatus(.unimplemented, "Method \(method) is unimplemented")
  }

  static let officialPipeline = GRPCStatus(
    .invalidArgument, "ExecutePipeline requires the Database Edition to be `enterprise`.")

  static let pipeline: GRPCStatus = {
    let status = GRPCStatus(
      .failedPrecondition,
      "Pipeline Operations are only available for Firestore databases in Enterprise edition.\n\n"
        + "Please switch to an Enterprise edition database to take advantage of such functionality.")
    let reason = ErrorInfo(
      reason: "PIPELINE_REQUIRES_ENTERPRISE_EDITION", domain: ErrorInfo.firestore, metadata: [])
    let help = HelpLink(
      description: "Learn more about Firestore database editions",
      url: "https://cloud.google.com/firestore/docs/editions")
    return status.with(reason.detail, help.detail)
  }()
}
