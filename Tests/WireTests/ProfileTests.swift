import Access
import DocModel
import FirestoreProtos
import Rules
import SwiftProtobuf
import Testing

@testable import Wire

private typealias H = ServiceHarness

/// One server of each profile, asked the same. Source: docs/spec/production-differences.md.
@Suite("Profiles")
struct ProfileTests {
  private static func harness(_ name: ProfileName, rules: String? = openRules) throws -> ServiceHarness {
    let profile = ServiceProfile(name)
    let harness = try H(isOpen: profile.withoutRules == .allow, profile: profile)
    if let rules {
      harness.rulesets.setStandard(try #require(Ruleset.compile(source: rules, name: "t.rules").ruleset))
    }
    return harness
  }

  private static let openRules = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{d}/documents {
        match /open/{id} { allow read, write; }
        match /own/{id} { allow read: if request.auth.uid == id; }
      }
    }
    """

  private func get(_ path: String) -> Google_Firestore_V1_GetDocumentRequest {
    .with { $0.name = H.root + "/" + path }
  }

  private func token(_ claims: String) -> String { TokenReaderTests.token(claims) }

  @Test(
    "what servers alone may do is refused to users in the profile's words",
    arguments: [
      (
        ProfileName.production, "Missing or insufficient permissions.", "Missing or insufficient permissions."
      ),
      (
        .emulator, "Metadata operations require admin authentication.",
        "Batch writes require admin authentication."
      ),
    ])
  func administrators(profile: ProfileName, metadata: String, batch: String) throws {
    let harness = try Self.harness(profile)
    let ids = Google_Firestore_V1_ListCollectionIdsRequest.with { $0.parent = H.root }
    let writes = Google_Firestore_V1_BatchWriteRequest.with { $0.database = H.database }
    let refused = try harness.call("ListCollectionIds", ids, token: nil)
    #expect(refused.status == "7" && refused.message == metadata)
    #expect(try harness.call("BatchWrite", writes, token: nil).message == batch)
  }

  @Test(
    "a header that is no token",
    arguments: [
      (ProfileName.production, "x", "16"), (.emulator, "x", "3"),

    ])
  func noToken(profile: ProfileName, token: String, status: String) throws {
    #expect(try Self.harness(profile).call("GetDocument", get("open/a"), token: token).status == status)
  }

  @Test("production says with machine's words that credentials are missing, and for which method")
  func errorInfo() throws {
    let answer = try Self.harness(.production).call("GetDocument", get("open/a"), token: "x")
    let name = "grpc-status-details-bin"
    let header = try #require(answer.trailers[name] ?? answer.headers[name])
    let bytes = try #require(Base64.decodeAny(Array(header.utf8)))
    let text = String(decoding: bytes, as: UTF8.self)
    for part in [
      "CREDENTIALS_MISSING", "google.firestore.v1.Firestore.GetDocument", "firestore.googleapis.com",
      "type.googleapis.com/google.rpc.ErrorInfo",
    ] { #expect(text.contains(part)) }
  }

  @Test(
    "tokens that expired, or are of another project, are refused by production alone",
    arguments: [
      #"{"sub":"a","iat":100,"exp":200}"#,
      #"{"sub":"a","iat":0,"aud":"q","iss":"https://securetoken.google.com/q"}"#,
    ])
  func claims(claims: String) throws {
    let header = token(claims)
    #expect(try Self.harness(.production).call("GetDocument", get("own/a"), token: header).status == "16")
    #expect(try Self.harness(.emulator).call("GetDocument", get("own/a"), token: header).status == "5")
  }

  @Test("users begin transactions that write in the emulator only, and transactions that read in both")
  func transactions() throws {
    let writing = Google_Firestore_V1_BeginTransactionRequest.with { $0.database = H.database }
    let reading = Google_Firestore_V1_BeginTransactionRequest.with {
      $0.database = H.database
      $0.options.readOnly = .init()
    }
    for (profile, status) in [(ProfileName.production, "7"), (.emulator, "0")] {
      let harness = try Self.harness(profile)
      #expect(try harness.call("BeginTransaction", writing, token: nil).status == status)
      #expect(try harness.call("BeginTransaction", reading, token: nil).status == "0")
      #expect(try harness.call("BeginTransaction", writing).status == "0")
    }
  }

  @Test("without rules production denies users everything, and the emulator nothing")
  func withoutRules() throws {
    let denied = try Self.harness(.production, rules: nil).call("GetDocument", get("a/b"), token: nil)
    #expect(denied.status == "7" && denied.message?.contains("No rules are loaded") == true)
    #expect(try Self.harness(.emulator, rules: nil).call("GetDocument", get("a/b"), token: nil).status == "5")
  }

  @Test("a denial has the sentence and the reasons, or the emulator's words alone")
  func denials() throws {
    let request = get("own/bob")
    let words = "%0ANull value error. for 'get' @ L5"
    let production = try Self.harness(.production).call("GetDocument", request, token: nil)
    // Then which rule it was, and what in it decided.
    #expect(
      production.message?.hasPrefix(
        "Missing or insufficient permissions.\(words)%0A  /own/{id} read (line 5)")
        == true)
    #expect(try Self.harness(.emulator).call("GetDocument", request, token: nil).message == words)
  }

  @Test("every setting that is not the profile's own is named as the option that makes it")
  func departures() {
    #expect(ServiceProfile.production.departures.isEmpty && ServiceProfile.emulator.departures.isEmpty)
    var relaxed = ServiceProfile.production
    relaxed.withoutRules = .allow
    relaxed.userTransactions = .all
    relaxed.denialDetail = .terse
    relaxed.tokenChecks = .off
    relaxed.errorTexts = .emulator
    relaxed.limitsRulesSource = false
    relaxed.listenTargets = .emulator
    #expect(
      relaxed.departures == [
        "--no-rules allow", "--denial-detail terse", "--rules-size any", "--verify-tokens off",
        "--user-transactions all", "--error-texts emulator", "--listen-targets emulator",
      ])
    var strict = ServiceProfile.emulator
    strict.userTransactions = .readOnly
    strict.limitsRulesSource = true
    #expect(strict.departures == ["--rules-size production", "--user-transactions read-only"])
  }
}
