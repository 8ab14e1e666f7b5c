/// Servers that the internet can reach, and whose signatures they believe.

import Access
import ArgumentParser
import Testing

@testable import docsh

@Suite("public servers and signed tokens")
struct PublicServerTests {
  @Test(
    "which addresses are public",
    arguments: [
      ("8.8.8.8", true), ("1.2.3.4", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.0.1", true),
      ("100.128.0.1", true), ("192.167.0.1", true), ("2a00:1450::1", true),
      ("::ffff:8.8.8.8", true),
      ("127.0.0.1", false), ("10.1.2.3", false), ("172.16.0.1", false), ("172.31.255.255", false),
      ("192.168.1.5", false), ("169.254.1.1", false), ("100.64.0.1", false), ("224.0.0.1", false),
      ("2001:db8::1", false), ("192.0.2.2", false), ("198.51.100.1", false), ("203.0.113.1", false),
      ("198.18.0.1", false), ("198.20.0.1", true), ("192.0.3.1", true), ("::1", false),
      ("fe80::1", false), ("fd00::1", false), ("::ffff:10.0.0.1", false), ("localhost", false),
    ])
  func knowsPublic(_ row: (host: String, isPublic: Bool)) {
    #expect((PublicAddress.reached(at: row.host) != nil) == row.isPublic)
  }

  private func refusal(_ host: String, _ options: [String] = [], hasTLS: Bool = false) throws -> Bool {
    let serve = try #require(try Docsh.parseAsRoot(["serve", "--host", host] + options) as? ServeCommand)
    let checks = try serve.tokens.checks(serve.profile.verifyTokens) ?? .claims
    do { try serve.administrators.checkPublic(host: host, hasTLS: hasTLS, checks) } catch { return true }
    return false
  }

  @Test("a public address needs TLS, checked signatures and a key, or to be told so")
  func needsAll() throws {
    let all = ["--verify-tokens", "jwks", "--admin-key-file", "key"]
    #expect(try refusal("8.8.8.8"))
    #expect(try refusal("8.8.8.8", all), "no TLS")
    #expect(try refusal("8.8.8.8", Array(all.dropFirst(2)), hasTLS: true), "signatures are not checked")
    #expect(try refusal("8.8.8.8", Array(all.dropLast(2)), hasTLS: true), "no key")
    #expect(try !refusal("8.8.8.8", all, hasTLS: true))
    #expect(try !refusal("8.8.8.8", ["--allow-public"]))
    #expect(try !refusal("8.8.8.8", ["--allow-owner"]))
    #expect(try !refusal("127.0.0.1"))
    #expect(try !refusal("192.168.1.5"))
  }

  @Test(
    "naming keys, an issuer, an audience or an account checks signatures",
    arguments: [
      (["--jwks", "keys.json"], true), (["--token-issuer", "i"], true), (["--token-audience", "a"], true),
      (["--service-account", "a@b"], true), (["--verify-tokens", "jwks"], true), ([], false),
      (["--verify-tokens", "off"], false),
    ])
  func impliesChecks(_ row: (options: [String], checks: Bool)) throws {
    let serve = try #require(try Docsh.parseAsRoot(["serve"] + row.options) as? ServeCommand)
    let checks = try serve.tokens.checks(serve.profile.verifyTokens)
    #expect((checks == .jwks) == row.checks)
  }

  @Test(
    "what is wrong with options on tokens is told",
    arguments: [
      (["--verify-tokens", "claims", "--jwks", "k"], "are for --verify-tokens jwks"),
      (["--jwks", "http://id.example/keys"], "come in plain text"),
      (["--jwks", "ftp://id.example/keys"], "is no address"),
      (["--service-account", "alice"], "takes an email address"),
      (["--service-account", "a@b=http://id.example/k"], "come in plain text"),
    ])
  func refusesOptions(_ row: (options: [String], told: String)) throws {
    let serve = try #require(try Docsh.parseAsRoot(["serve"] + row.options) as? ServeCommand)
    #expect {
      let checks = try serve.tokens.checks(serve.profile.verifyTokens)
      _ = try serve.tokens.load(checks ?? .claims)
    } throws: { "\($0)".contains(row.told) }
  }

  @Test(
    "how long keys are kept",
    arguments: [
      ("public, max-age=20000, must-revalidate", 3_600), ("max-age=600", 600), ("max-age=1", 60),
      ("no-cache", 60),
      ("", 60), ("MAX-AGE=100", 100),
    ])
  func readsAges(_ row: (header: String, seconds: Double)) {
    #expect(KeyKeeper.seconds(row.header) == row.seconds)
  }
}
